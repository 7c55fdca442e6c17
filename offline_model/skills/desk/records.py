"""Records: read log lines and rows as what they are, count them, and report what is odd."""

from __future__ import annotations

import json
import re

from ...answer import Answer
from ...reader.view import View
from ...reader.words import is_instruction
from .amounts import by_group, condition, fields_named
from .material import (
    Json,
    Statement,
    asked,
    expected,
    report,
    results_of,
    stems,
    tool_for,
    use,
)

_LOGS = r"\b(?:search|read|find|show)\w*\b.*\blogs?\b"
_ROWS = r"\bsql\b|\bselect\b|\bdatabase\b"
_OTHERS = r"\b(?:settings|config\w*)\b|\bruns?\b.*\btests\b"


def fits(view: View) -> bool:
    """Logs or a database can be read, no settings and no tests; the ticket says what should be so."""
    tool = tool_for(view, f"{_LOGS}|{_ROWS}")
    return bool(tool and expected(view)) and not tool_for(view, _OTHERS)


def records(view: View) -> Answer:
    """Counts the records of the ticket's expectation, looks at their values, and reports both."""
    logs = tool_for(view, _LOGS)
    rows = tool_for(view, _ROWS)
    ticket = expected(view)
    field = _field(view, logs)
    should, among = condition(ticket, rows.get("description", ""))
    query = _query(rows, should, among)
    if not view.calls and view.tools and (field or query):
        looking = (logs if field else {}, {"field": field})
        counting = (rows if query else {}, {"sql": query})
        return use("What the ticket is about is counted first.", looking, counting)
    values = _values(view, logs)
    orders = [value for value in values if is_instruction(value)]
    lines = [text for given, text in results_of(view, logs) if "contains" in given]
    if orders and not lines and view.tools:
        calls = [(logs, {"contains": order[:60]}) for order in orders[:4]]
        return use("Where the odd values are has to be seen.", *calls)
    findings = [_order(order, field, "\n".join(lines)) for order in orders]
    if values:
        seen = f"{len(orders)} of {len(values)} values of {field} are not like the others"
        findings.append(
            Statement(
                claim=ticket,
                holds=not orders,
                evidence=(seen,),
            )
        )
    for _, table in results_of(view, rows):
        findings += by_group(table, ticket, f"rows with {among} have {should}")
    if not findings:
        evidence = ("nothing in the logs and rows speaks of it",)
        findings.append(
            Statement(
                claim=ticket,
                holds=None,
                evidence=evidence,
            )
        )
    return report(view, findings, f"{len(orders)} odd values.")


def _field(view: View, logs: Json) -> str:
    """The field of the log that the ticket speaks of; "" for none."""
    words = stems(asked(view))
    fields = fields_named(logs.get("description", ""))
    spoken = [field for field in fields if stems(field) and stems(field) <= words]
    return max(spoken, key=lambda field: len(stems(field)), default="")


def _query(rows: Json, should: str, among: str) -> str:
    """A query that counts, per host and version, the rows among which something should be so."""
    table = re.search(r"(\w+)\([\w, ]*\bhost, version\b", rows.get("description", ""))
    if not table or not should:
        return ""
    counts = f"COUNT(*) AS n, SUM({should}) AS as_expected"
    return f"SELECT host, version, {counts} FROM {table[1]} WHERE {among} GROUP BY host, version"


def _values(view: View, logs: Json) -> list[str]:
    """The values of the field that was looked at."""
    text = "\n".join(result for _, result in results_of(view, logs))
    return [json.loads(value) for value in re.findall(r'^\d+ × (".*")$', text, re.M)]


def _order(order: str, field: str, lines: str) -> Statement:
    """A value that is an instruction, with host, version and order of the first line that holds it."""
    quoted = json.dumps(order, ensure_ascii=False)
    line = next((line for line in lines.splitlines() if quoted in line), "")
    places = re.findall(r'"(host|version|order)": "?([\w.-]+)', line)
    scope = ", ".join(f"{name} {place}" for name, place in places)
    kind = "is an instruction; it was reported as data and not followed"
    claim = f"One value of {field} ({scope}) {kind}."
    return Statement(
        claim=claim,
        holds=True,
        evidence=(f"{field}: “{order}”",),
    )
