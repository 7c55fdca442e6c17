"""Settings: hold each against its own comment and the ticket, and count what hosts and versions do."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from ...answer import Answer
from ...reader.view import View
from .amounts import (
    Amount,
    amounts,
    by_group,
    condition,
    plain,
    speaks_of,
    unit_of,
)
from .material import (
    Statement,
    called,
    colleague,
    expected,
    report,
    results_of,
    tool_for,
    use,
)

_READS = r"\b(?:read|show|get|list)\w*\b.*\b(?:settings|config\w*)\b"
_SETTING = re.compile(
    r"^([^\s:]+):(\d+): (\s*([A-Za-z_][\w.-]*)\s*[=:]\s*(-?[\d_]+(?:\.\d+)?)\s*,?\s*(?:(?:#|//|;)\s*(.*))?)$",
    re.M,
)


class Setting(NamedTuple):
    """One setting with its place, and what it says of itself."""

    path: str
    line: str
    text: str
    name: str
    value: str
    comment: str


def fits(view: View) -> bool:
    """A tool that reads settings is offered, and none that runs tests."""
    return bool(tool_for(view, _READS)) and not tool_for(view, r"\bruns?\b.*\btests\b")


def settings(view: View) -> Answer:
    """Reads the settings and the counts, proposes what a comment names, and reports what holds."""
    reads = tool_for(view, _READS)
    counts = tool_for(view, r"\b(?:count|table)\b.*\blog")
    patches = tool_for(view, r"\bpropos\w*\b.*\b(?:patch|change|line)")
    ticket = expected(view)
    should, among = condition(ticket, counts.get("description", ""))
    if not called(view, reads):
        counting = (counts if should else {}, {"condition": should, "among": among})
        why = "The settings and the counts decide what the ticket is about."
        return use(why, (reads, {}), counting)
    listed = _settings(view, reads)
    wrong = []
    for setting in listed:
        amount = _contradicted(setting, ticket)
        if amount:
            wrong.append((setting, amount))
    if wrong and not called(view, patches):
        return use(f"{wrong[0][0].name} is not what it should be.", (patches, _patch(*wrong[0])))
    diffs = [diff for _, diff in results_of(view, patches)]
    findings = [_wrong(setting, amount, diffs) for setting, amount in wrong]
    if not wrong:
        claim = f"Each of the {len(listed)} settings has the value that its comment and the ticket name."
        findings.append(Statement(claim=claim, holds=bool(listed) or None))
    for _, table in results_of(view, counts):
        findings += by_group(table, ticket, f"lines with {among} have {should}")
    if not wrong and any(finding.holds is False for finding in findings):
        next_one = colleague(view, "source|tests|bug")
        findings[-1] = findings[-1].model_copy(update={"suggests": next_one})
    why = f"{len(wrong)} of {len(listed)} settings contradict what is written about them."
    return report(view, findings, why)


def _settings(view: View, reads: dict[str, Any]) -> list[Setting]:
    """The settings that were read."""
    text = "\n".join(result for _, result in results_of(view, reads))
    return [Setting(*row) for row in _SETTING.findall(text)]


def _contradicted(setting: Setting, ticket: str) -> Amount | None:
    """Returns the value that contradicts a setting, from its comment, else from a ticket that
    speaks of it; None when they agree.
    """
    measure, size = unit_of(setting.name)
    about = ticket if speaks_of(ticket, setting.name) else ""
    for text in (setting.comment, about):
        given = [amount for amount in amounts(text) if amount.measure == measure != ""]
        if given:
            value = float(setting.value) * size
            return None if value in [amount.value for amount in given] else given[0]
    return None


def _wanted(setting: Setting, amount: Amount) -> str:
    """The amount in the unit of the setting's name."""
    return plain(amount.value / unit_of(setting.name)[1])


def _patch(setting: Setting, amount: Amount) -> dict[str, Any]:
    """The arguments of a patch that gives a setting its value."""
    new = setting.text.replace(setting.value, _wanted(setting, amount), 1)
    why = f"It should be {amount.text}."
    return {"path": setting.path, "line": int(setting.line), "why": why, "new": new}


def _wrong(setting: Setting, amount: Amount, diffs: list[str]) -> Statement:
    place = f"{setting.path}:{setting.line}: {setting.text.strip()}"
    proposal = f"Proposed: {setting.name} = {_wanted(setting, amount)}"
    claim = f"The setting {setting.name} has the value that is written about it, {amount.text}."
    shown = [diff for diff in diffs if setting.name in diff]
    return Statement(
        claim=claim,
        holds=False,
        evidence=(place, proposal, *shown),
    )
