"""Settings: hold each against its own comment and the ticket, and count what hosts and
versions do.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import NamedTuple

from ...answer import Answer
from ...reader.view import View
from .amounts import Amount, amounts, by_group, condition, plain, speaks_of, unit_of
from .material import Finding, called, calls_of, colleague, expected, report, tool_for, use

_READS = r"\b(?:read|show|get|list)\w*\b.*\b(?:settings|config\w*)\b"
_SETTING = re.compile(
    r"^(?:([^\s:]+):(\d+): )?(\s*([A-Za-z_][\w.-]*)\s*[=:]\s*(-?[\d_]+(?:\.\d+)?)\s*,?\s*(?:(?:#|//|;)\s*(.*))?)$",
    re.M,
)
_ASIDE = re.compile(r"\b(?:not|was|were|before|until|default|see|since|instead)\b", re.I)


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
    """Reads the settings and the counts, proposes the value that a comment names, and reports what
    holds.
    """
    reads, counts = tool_for(view, _READS), tool_for(view, r"\b(?:count|table)\b.*\blog")
    patches = tool_for(view, r"\bpropos\w*\b.*\b(?:patch|change|line)")
    sentence = expected(view)
    should, among = condition(sentence, counts.get("description", ""))
    if not called(view, reads):
        counting = (counts if should else {}, {"condition": should, "among": among})
        return use(
            "The settings and the counts decide what the ticket is about.", (reads, {}), counting
        )
    listed = [
        Setting(*row) for call in calls_of(view, reads) for row in _SETTING.findall(call.result)
    ]
    wrong = [(each, amount) for each in listed if (amount := contradicted(each, sentence))]
    if wrong and not called(view, patches):
        setting, amount = wrong[0]
        given = {
            "path": setting.path,
            "line": int(setting.line),
            "why": f"It should be {amount.text}.",
        }
        given["new"] = setting.text.replace(setting.value, _wanted(setting, amount), 1)
        return use(f"{setting.name} is not what it should be.", (patches, given))
    diffs = [call.result for call in calls_of(view, patches)]
    found = [_wrong(setting, amount, diffs) for setting, amount in wrong]
    if not wrong:
        claim = f"Each of the {len(listed)} settings has the value that its comment and the ticket name."
        found = [Finding(claim, bool(listed) or None)]
    for call in calls_of(view, counts):
        found += by_group(call.result, sentence, f"lines with {among} have {should}")
    if not wrong and any(each.holds is False for each in found):
        found[-1] = replace(found[-1], suggests=colleague(view, "source|tests|bug"))
    return report(
        view,
        found,
        f"{len(wrong)} of {len(listed)} settings contradict what is written about them.",
    )


def contradicted(setting: Setting, sentence: str) -> Amount | None:
    """What the comment, else a sentence that speaks of the setting, gives as its value; None when
    all agree.
    """
    measure, size = unit_of(setting.name)
    value = float(setting.value.replace("_", "")) * size
    for text in (setting.comment, sentence if speaks_of(sentence, setting.name) else ""):
        told = amounts(text)
        fitting = [each for each in told if each.measure == measure != ""]
        if (
            len(told) == 1
            and not told[0].measure
            and text is setting.comment
            and not _ASIDE.search(text)
        ):
            fitting = [Amount(told[0].text, told[0].value * size)]
        if fitting:
            return None if value in [each.value for each in fitting] else fitting[0]
    return None


def _wanted(setting: Setting, amount: Amount) -> str:
    """The amount in the unit of the setting's name."""
    return plain(amount.value / unit_of(setting.name)[1])


def _wrong(setting: Setting, amount: Amount, diffs: list[str]) -> Finding:
    place = f"{setting.path}:{setting.line}: {setting.text.strip()}"
    right = f"Proposed: {setting.name} = {_wanted(setting, amount)}"
    claim = f"The setting {setting.name} has the value that is written about it, {amount.text}."
    return Finding(claim, False, (place, right, *(diff for diff in diffs if setting.name in diff)))
