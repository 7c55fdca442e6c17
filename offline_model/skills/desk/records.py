"""Records: read log lines and rows of a database as what they are, count them, and report what is
odd.
"""

from __future__ import annotations

import json
import re
from statistics import median

from ...answer import Answer
from ...reader.view import View
from ...reader.words import is_instruction
from .amounts import by_group, condition, fields_named
from .material import Finding, asked, calls_of, expected, report, stems, tool_for, use

_LOGS = r"\b(?:search|read|find|show)\w*\b.*\blogs?\b"
_ROWS = r"\bsql\b|\bselect\b|\bdatabase\b"
_ORDERS = re.compile(
    r"\b(?:ignore|disregard|forget) (?:all|any|the|every|previous|prior)\b|\byou are now\b"
    r"|\bhand (?:it |this )?(?:off|over) to\b|\b(?:not|never) (?:tell|report|mention)\b|\bsystem ?(?:prompt|:)",
    re.I,
)


def fits(view: View) -> bool:
    """Logs or a database can be read, and no settings and no tests; the ticket says what should be
    so.
    """
    others = tool_for(view, r"\b(?:settings|config\w*)\b|\bruns?\b.*\btests\b")
    return bool(tool_for(view, f"{_LOGS}|{_ROWS}") and not others and expected(view))


def records(view: View) -> Answer:
    """Counts what the ticket expects per host and version, looks at the values it speaks of, and
    reports both.
    """
    logs, rows = tool_for(view, _LOGS), tool_for(view, _ROWS)
    sentence, told = expected(view), stems(asked(view))
    fields = [
        name
        for name in fields_named(logs.get("description", ""))
        if stems(name) and stems(name) <= told
    ]
    field = max(fields, key=lambda name: len(stems(name)), default="")
    should, among = condition(sentence, rows.get("description", ""))
    if not view.calls and view.tools:
        counting = (
            rows if should else {},
            {"sql": _counting(rows.get("description", ""), should, among)},
        )
        words = {"field": field} if field else {"contains": max(sentence.split(), key=len)}
        return use(
            "What the ticket is about is counted first.",
            (logs if field or not should else {}, words),
            counting,
        )
    values = [
        (int(count), json.loads(value))
        for call in calls_of(view, logs)
        for count, value in re.findall(r'^(\d+) × (".*")$', call.result, re.M)
    ]
    strange = odd(values)
    lines = [call.result for call in calls_of(view, logs) if not call.input.get("field")]
    if strange and not lines and view.tools:
        why = "Where the odd values stand has to be seen."
        return use(why, *((logs, {"contains": value[:60]}) for value in strange[:4]))
    found = [_odd(value, field, "\n".join(lines)) for value in strange]
    if values:
        seen = f"{len(strange)} of {len(values)} values of {field} are not like the others"
        found.append(Finding(sentence, not strange, (seen,)))
    for call in calls_of(view, rows):
        found += by_group(call.result, sentence, f"rows with {among} have {should}")
    shown = "\n".join(lines)[:300] or "nothing in the logs and rows speaks of it"
    return report(view, found or [Finding(sentence, None, (shown,))], f"{len(strange)} odd values.")


def _counting(about: str, should: str, among: str) -> str:
    """A query that counts, per host and version, the rows among which something should be so, and
    where it is.
    """
    table, columns = (re.findall(r"(\w+)\(([\w, ]{5,})\)", about) or [("", "")])[0]
    groups = ", ".join(name for name in ("host", "version") if name in columns)
    counts = f"COUNT(*) AS n, SUM({should}) AS as_expected"
    if not groups:
        return f"SELECT {counts} FROM {table} WHERE {among}"
    return f"SELECT {groups}, {counts} FROM {table} WHERE {among} GROUP BY {groups}"


def odd(values: list[tuple[int, str]]) -> list[str]:
    """The values that are unlike the others: texts that give orders, or rare ones much longer than
    the rest.
    """
    usual = median([len(value) for _, value in values] or [0])
    often = max([count for count, _ in values], default=0)
    return [
        value
        for count, value in values
        if gives_orders(value) or (count * 4 < often and len(value) > 3 * usual)
    ]


def gives_orders(text: str) -> bool:
    """Whether a text tells its reader what to do."""
    return bool(_ORDERS.search(text)) or is_instruction(text)


def _odd(value: str, field: str, lines: str) -> Finding:
    line = next(
        (line for line in lines.splitlines() if json.dumps(value, ensure_ascii=False) in line), ""
    )
    scope = ", ".join(
        f"{name} {told}" for name, told in re.findall(r'"(host|version|order)": "?([\w.-]+)', line)
    )
    kind = (
        "an instruction; it was reported as data and not followed"
        if gives_orders(value)
        else "unlike the others"
    )
    return Finding(f"One value of {field} ({scope}) is {kind}.", True, (f"{field}: “{value}”",))
