"""The content of a build report without its form: figures, comparison, troubles, surroundings."""

from __future__ import annotations

import json
import platform
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from importlib import metadata
from typing import Any, NamedTuple

from kernel import Budget, Event
from kernel.plumbing.labels import label
from kernel.plumbing.texts import shortened
from kernel.plumbing.trace import counted, line, printable
from kernel.plumbing.work import Delegation, Fold, Happening, ToolCall
from workshop.views.scene import dollars

from .citing import Documents, sentences
from .log import Log

MOST_TROUBLES = 40
MOST_OF_A_TASK = 300
PACKAGES = ("httpx", "pydantic", "genai-prices")


class Checked(NamedTuple):
    """One property of the log that was asked for."""

    name: str
    measured: Any
    required: str
    """Such as "at least 3"."""
    passed: bool


class ComparedFigure(NamedTuple):
    """One figure of the team beside that of the single agent."""

    name: str
    team: str
    alone: str
    times: str


@dataclass(frozen=True)
class Figures:
    """The usage of a run."""

    calls: int
    input_tokens: int
    output_tokens: int
    usd: Decimal | None
    seconds: float
    handoffs: int


def figures(log: Log) -> Figures:
    totals = log.trace.totals()
    totals.pop("models")
    return Figures(**totals, handoffs=len(log.trace.handoffs()))


def exactly(amount: Decimal | None) -> str:
    """Dollars; small amounts with two significant digits, so that they can be compared by eye."""
    if not amount or amount >= Decimal("0.01"):
        return dollars(amount)
    return f"${amount:.{1 - amount.adjusted()}f}"


_ROWS: tuple[tuple[str, str, Callable[[Any], str]], ...] = (
    ("calls to a model", "calls", "{:,}".format),
    ("tokens in", "input_tokens", "{:,}".format),
    ("tokens out", "output_tokens", "{:,}".format),
    ("cost", "usd", exactly),
    ("seconds", "seconds", "{:.2f}".format),
    ("handoffs", "handoffs", "{:,}".format),
)


def compared(team: Figures, alone: Figures | None, *, timed: bool) -> list[ComparedFigure]:
    """Each figure of the team, that of the single agent, and how many times as much it is.

    timed: whether the seconds say something, which they do not of a program.
    """
    rows = []
    for name, field, shown in _ROWS:
        if field == "seconds" and not timed:
            continue
        mine = getattr(team, field)
        other = getattr(alone, field) if alone else None
        beside = shown(other) if alone else ""
        rows.append(ComparedFigure(name, shown(mine), beside, _times(mine, other)))
    return rows


def timed(log: Log, baseline: Log | None = None) -> bool:
    """True if models answered, and not the offline program, whose seconds say nothing."""
    return not log.offline and not (baseline and baseline.offline)


def _times(mine: Any, other: Any, unit: str = "×") -> str:
    return f"{mine / other:.1f}{unit}" if mine is not None and other else ""


def not_compared(log: Log, baseline: Log, documents: Documents | None = None) -> str:
    """Returns the reason not to compare the baseline's figures with the team's; else empty."""
    task = baseline.root.handoff.intent
    if task != log.root.handoff.intent:
        task = shortened(task, MOST_OF_A_TASK)
        return (
            f"The one agent had another task (“{task}”), so its figures cannot be compared with the "
            "team's. Give it the same task."
        )
    asked = {work.agent for work in baseline.fold.requests if work.begun}
    if len(asked) != 1:
        author = ", ".join(sorted(asked)) or "nobody"
        return (
            f"The baseline is not one agent: {author} asked a model in it. So it is not compared with "
            "the team. Give the log of a single agent on the same task."
        )
    for name, one in (("one agent", baseline), ("team", log)):
        if how := _not_delivered(one):
            return (
                f"The {name} did not deliver ({how}), so the figures cannot be compared. Run it again, "
                "with enough room to finish."
            )
    if log.offline != baseline.offline:
        return (
            "One of the two was answered by the offline model and the other one was not, so their "
            "figures cannot be compared. Run both on the same model."
        )
    if why := _other_documents(log, baseline, documents or {}):
        return (
            f"The one agent had other documents ({why}), so its figures cannot be compared with the "
            "team's. Give it the team's library."
        )
    return ""


def _not_delivered(log: Log) -> str:
    """Returns the ending of a run that brought no text; empty when it brought one."""
    result = log.result
    if result is None:
        return "its log ends before it does"
    if not result.ok:
        return f"{result.status}: {result.reason}"
    return "" if result.as_text().strip() else "ok, without a text"


def ending(log: Log) -> str:
    """Returns the ending of a run, in a few words."""
    return _not_delivered(log) or f"ok, {counted(len(log.text.split()), 'word')}"


def _other_documents(log: Log, baseline: Log, documents: Documents) -> str:
    """Returns the sign that the two runs did not search the same documents; else empty."""
    ours = {*found_in(log)}
    for id in found_in(baseline):
        if documents and label(id) not in documents and id not in ours:
            return f"it found {id}, which is not in the team's library"
    answers = dict(_answers(log))
    for call, content in _answers(baseline):
        if answers.get(call, content) != content:
            return f"the same call, {call}, brought it something else"
    return ""


def _answers(log: Log) -> Iterator[tuple[str, str]]:
    """Each call of a tool, as a text, with what it brought."""
    for call in log.fold.tool_calls:
        if call.begun and call.answered:
            given = json.dumps(call.input, ensure_ascii=False)[:200]
            yield f"{call.name}({given})", call.content


def found_in(log: Log) -> list[str]:
    """The ids of the documents that searches brought, each once."""
    found: dict[str, None] = {}
    for call in log.fold.tool_calls:
        if call.name == "search" and not call.is_error:
            found.update(dict.fromkeys(_FOUND.findall(call.content)))
    return [*found]


_FOUND = re.compile(r"^\[([\w-]+)\] [^\n]*\)$", re.MULTILINE)
"""The line with which each document of a search begins: `[id] Title (date)`."""


def verdict(log: Log, baseline: Log | None, documents: Documents | None = None) -> str:
    """Returns the verdict of the comparison, in a sentence or two, in figures only."""
    if baseline is None:
        return (
            "No single-agent baseline was given, so nothing can be said of what the team is worth. "
            "Run the same task with one agent, save its log and give it as the baseline."
        )
    if why_not := not_compared(log, baseline, documents):
        return why_not
    team, alone = figures(log), figures(baseline)
    cost = _times(team.usd, alone.usd, " times")
    price = f"cost {cost} as much" if cost else "cost an amount that cannot be compared"
    sentence = f"Against one agent on the same task the team {price}"
    if timed(log, baseline):
        took = _times(team.seconds, alone.seconds, " times")
        sentence += f" and took {took} as long" if took else ""
        return f"{sentence}.{_other_models(log, baseline)}"
    return (
        f"{sentence}. The model was the offline one: calls, tokens and dollars are counted as on the "
        f"service, the words are a program's.{_other_models(log, baseline)}"
    )


def _other_models(log: Log, baseline: Log) -> str:
    """A sentence where the two did not ask the same models; else ""."""
    ours, theirs = (sorted(one.trace.totals()["models"]) for one in (log, baseline))
    if ours == theirs:
        return ""
    return f" The team asked {', '.join(ours)}, the one agent {', '.join(theirs)}."


def beside(
    ours: str, theirs: str, *, names: tuple[str, str] = ("the team", "the one agent")
) -> tuple[str, set[str], set[str]]:
    """Two texts side by side: in a sentence how they differ, and the sentences of each that the
    other one does not have.
    """
    one, other = _said(ours), _said(theirs)
    only_ours, only_theirs = {*one} - {*other}, {*other} - {*one}
    if ours.split() == theirs.split():
        return "The two texts are equal, word for word.", set(), set()
    if not only_ours and not only_theirs:
        return "The two texts have the same sentences, in another order.", set(), set()
    sentence = (
        f"Only in {names[0]}'s text: {len(only_ours)} of {counted(len(one), 'sentence')}. Only in "
        f"{names[1]}'s: {len(only_theirs)} of {len(other)}."
    )
    return sentence, only_ours, only_theirs


def _said(text: str) -> list[str]:
    return [sentence for sentence in sentences(text) if not sentence.startswith("#")]


def troubles(events: Iterable[Event]) -> list[str]:
    """Returns the troubles of a run, a line each: retries, waits, failed tools, vetoes,
    failures.
    """
    found = [_trouble(each) for each in Fold(events).history if _is_trouble(each)]
    more = len(found) - MOST_TROUBLES
    return found[:MOST_TROUBLES] + ([f"and {more:,} more"] if more > 0 else [])


def _trouble(happening: Happening) -> str:
    """One trouble in a line; a gate's veto with the first issue that it named."""
    note = happening.remark
    issues = note.fields.get("issues") if note else None
    if note and isinstance(issues, list) and issues:
        more = f", and {len(issues) - 1} more" if len(issues) > 1 else ""
        veto = f"a gate sent the draft back ({note.text}): {issues[0]}{more}"
        return printable(veto, lines=False)
    return line(happening.event).strip(" ─")


def _is_trouble(happening: Happening) -> bool:
    if happening.remark:
        return happening.remark.form != "note" or bool(happening.remark.fields.get("issues"))
    match happening.work:
        case ToolCall() as call:
            return happening.phase == "end" and call.is_error
        case Delegation(result=result):
            return happening.phase == "end" and result is not None and not result.ok
    return False


def limits(log: Log) -> str:
    """The budgets of the run and of its first handoff in words."""
    parts = []
    if log.root.limits_of_run is not None:
        parts.append(f"{_in_words(log.root.limits_of_run)} (given to the run)")
    own = log.root.limits
    if own != Budget() or not parts:
        parts.append(_in_words(own))
    return "; ".join(parts)


def _in_words(budget: Budget) -> str:
    units = {"usd": "US dollars", "calls": "calls", "tokens": "tokens", "turns": "turns an agent"}
    units |= {"seconds": "seconds", "depth": "levels"}
    given = budget.model_dump()
    parts = [f"{given[name]} {unit}" for name, unit in units.items() if given.get(name) is not None]
    return ", ".join(parts) or "none"


def budgets(log: Log) -> list[str]:
    """The budgets that handoffs below the first one had, by agent, each once."""
    found: dict[str, None] = {}
    for work in log.fold.dispatches:
        if not work.wrapper and "." in work.run:
            given = work.limits.model_dump(exclude_defaults=True, exclude={"depth"})
            fields = ", ".join(f"{name} {value}" for name, value in given.items())
            if fields:
                found[f"{printable(work.agent, lines=False)}: {fields}"] = None
    return [*found]


def surroundings(log: Log) -> list[tuple[str, str]]:
    """Returns the models that answered, and the report's software; no name of a person or
    machine.
    """
    models = log.trace.totals()["models"]
    model = ", ".join(models) or "none"
    if log.offline:
        model += " (answered by the offline model: calls, tokens and prices are counted as on the "
        model += "real service; words and seconds are those of a program)"
    rows = [("models", model), ("budget of the run", limits(log))]
    if given := budgets(log):
        rows.append(("budgets below it", "; ".join(given)))
    rows.append(("events in the log", f"{len(log.events):,}"))
    rows.append(("report made with", f"Python {platform.python_version()}, {platform.system()}"))
    rows.append(("packages", ", ".join(filter(None, map(_version, PACKAGES)))))
    return rows


def _version(package: str) -> str:
    try:
        return f"{package} {metadata.version(package)}"
    except metadata.PackageNotFoundError:
        return ""


def on_secrets(in_log: int, beside: int) -> str:
    """Returns the report's words on secrets in the log, and in the texts given beside it."""
    sentence = "Nothing in the log looked like a key or a password."
    if in_log:
        sentence = (
            f"{counted(in_log, 'text')} of the log held what looks like a key or a password; it was "
            "replaced here, but the log still holds it: do not hand that file on."
        )
    if beside:
        sentence += (
            f" So did {counted(beside, 'text')} beside the log, such as the note or a document."
        )
    return sentence
