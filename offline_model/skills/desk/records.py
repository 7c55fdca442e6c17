"""Records: read log lines and rows as what they are, count them, and report what is odd."""

from __future__ import annotations

import json
import re
from statistics import median

from ...answer import Answer
from ...reader.view import View
from ...reader.words import is_instruction
from .amounts import by_group, condition, fields_named
from .material import Finding, Json, asked, expected, report, results_of, stems, tool_for, use

_LOGS = r"\b(?:search|read|find|show)\w*\b.*\blogs?\b"
_ROWS = r"\bsql\b|\bselect\b|\bdatabase\b"
_OTHERS = r"\b(?:settings|config\w*)\b|\bruns?\b.*\btests\b"


def fits(view: View) -> bool:
    """Logs or a database can be read, no settings and no tests; the ticket says what should be so."""
    tool = tool_for(view, f"{_LOGS}|{_ROWS}")
    return bool(tool and expected(view)) and not tool_for(view, _OTHERS)


def records(view: View) -> Answer:
    """Counts what the ticket expects, looks at the values it speaks of, and reports both."""
    logs = tool_for(view, _LOGS)
    rows = tool_for(view, _ROWS)
    ticket = expected(view)
    field = _field(view, logs)
    should, among = condition(ticket, rows.get("description", ""))
    if not view.calls and view.tools:
        words = {"field": field} if field else {"contains": max(ticket.split(), key=len)}
        sql = {"sql": _counting(rows.get("description", ""), should, among)}
        searched = {} if should and not field else logs
        why = "What the ticket is about is counted first."
        return use(why, (searched, words), (rows if should else {}, sql))
    values = _values(view, logs)
    strange = _odd(values)
    lines = [text for given, text in results_of(view, logs) if not given.get("field")]
    if strange and not lines and view.tools:
        calls = [(logs, {"contains": value[:60]}) for value in strange[:4]]
        return use("Where the odd values are has to be seen.", *calls)
    findings = [_finding(value, field, "\n".join(lines)) for value in strange]
    if values:
        seen = f"{len(strange)} of {len(values)} values of {field} are not like the others"
        findings.append(Finding(claim=ticket, holds=not strange, evidence=(seen,)))
    for _, table in results_of(view, rows):
        findings += by_group(table, ticket, f"rows with {among} have {should}")
    if not findings:
        shown = "\n".join(lines)[:300] or "nothing in the logs and rows speaks of it"
        findings.append(Finding(claim=ticket, holds=None, evidence=(shown,)))
    return report(view, findings, f"{len(strange)} odd values.")


def _field(view: View, logs: Json) -> str:
    """The field of the log that the ticket speaks of; "" for none."""
    words = stems(asked(view))
    fields = fields_named(logs.get("description", ""))
    spoken = [field for field in fields if stems(field) and stems(field) <= words]
    return max(spoken, key=lambda field: len(stems(field)), default="")


def _counting(about: str, should: str, among: str) -> str:
    """A query that counts, per host and version, the rows among which something should be so."""
    table = re.search(r"(\w+)\(([\w, ]{5,})\)", about)
    if not table:
        return ""
    groups = ", ".join(name for name in ("host", "version") if name in table[2])
    counts = f"COUNT(*) AS n, SUM({should}) AS as_expected FROM {table[1]} WHERE {among}"
    return f"SELECT {groups}, {counts} GROUP BY {groups}" if groups else f"SELECT {counts}"


def _values(view: View, logs: Json) -> list[tuple[int, str]]:
    """(how often it occurs, a value) of the field that was looked at."""
    text = "\n".join(result for _, result in results_of(view, logs))
    rows = re.findall(r'^(\d+) × (".*")$', text, re.M)
    return [(int(count), json.loads(value)) for count, value in rows]


def _odd(values: list[tuple[int, str]]) -> list[str]:
    """The values that give orders, and rare ones much longer than the rest."""
    if not values:
        return []
    usual = median(len(value) for _, value in values)
    often = max(count for count, _ in values)
    rare = [value for count, value in values if count * 4 < often and len(value) > 3 * usual]
    return [value for _, value in values if value in rare or is_instruction(value)]


def _finding(value: str, field: str, lines: str) -> Finding:
    """An odd value, with the host, version and order of the first line that holds it."""
    quoted = json.dumps(value, ensure_ascii=False)
    line = next((line for line in lines.splitlines() if quoted in line), "")
    places = re.findall(r'"(host|version|order)": "?([\w.-]+)', line)
    scope = ", ".join(f"{name} {place}" for name, place in places)
    kind = "unlike the others"
    if is_instruction(value):
        kind = "an instruction; it was reported as data and not followed"
    claim = f"One value of {field} ({scope}) is {kind}."
    return Finding(claim=claim, holds=True, evidence=(f"{field}: “{value}”",))
