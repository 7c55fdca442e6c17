"""Formats a run as printed lines, as a table of usage, or as a JSONL file."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

from ..core.budget import NOTHING
from ..core.contract import Result
from ..core.events import Event, from_json, to_json
from .private_files import private_file
from .texts import as_plain, as_text, shortened
from .work import HANDOFF, Delegation, Fold, Happening, ModelCall, ToolCall


class Trace:
    """The events of a run, readable: `print(trace)` shows the tree, `table()` the bill, `save()`
    the record."""

    def __init__(self, events: Iterable[Event]) -> None:
        self.events = list(events)
        self._fold = Fold()

    def __str__(self) -> str:
        return "\n".join(filter(None, map(_line, self.work.history)))

    def __repr__(self) -> str:
        return f"Trace of {len(self.events)} events:\n{self}"

    @property
    def work(self) -> Fold:
        """The events as a tree of work."""
        self._fold.catch_up(self.events)
        return self._fold

    def handoffs(self) -> list[dict[str, Any]]:
        """Every handoff in full, in order.

        Omits a wrapper's handoff when the wrapped executable received the same one.
        """
        return [work.handoff.model_dump() for work in self.work.handoffs]

    def totals(self) -> dict[str, Any]:
        """calls, input_tokens, output_tokens, usd (Decimal, None if a price is unknown), models,
        seconds."""
        return {**_sum(self.work.requests), "seconds": self.events[-1].at if self.events else 0.0}

    def by_agent(self) -> dict[str, dict[str, Any]]:
        """The same figures (without seconds) for each agent that asked a model, in order of
        appearance."""
        asked: dict[str, list[ModelCall]] = {}
        for request in self.work.requests:
            asked.setdefault(request.agent, []).append(request)
        return {agent: _sum(requests) for agent, requests in asked.items()}

    def table(self) -> str:
        """Returns a table of usage, a line for each agent."""
        rows = [("agent", "calls", "tokens in", "tokens out", "cost")]
        for agent, used in [*self.by_agent().items(), ("total", self.totals())]:
            rows.append(
                (
                    printable(agent, lines=False),
                    f"{used['calls']}",
                    f"{used['input_tokens']:,}",
                    f"{used['output_tokens']:,}",
                    dollars(used["usd"]),
                )
            )
        name, *figures = (max(map(len, column)) for column in zip(*rows, strict=True))
        return "\n".join(
            "  ".join([row[0].ljust(name), *map(str.rjust, row[1:], figures)]) for row in rows
        )

    def save(self, path: str | Path) -> None:
        """Writes the events in order, one JSON object a line. Only its owner may read the file."""
        lines = "".join(to_json(event) + "\n" for event in self.events)
        with private_file(path, "wb") as file:
            file.write(lines.encode("utf-8", "replace"))

    @classmethod
    def load(cls, path: str | Path) -> Trace:
        """Reads a file that `save` wrote. Blank lines and a byte order mark are ignored. Raises
        ValueError that names a line that is not an event."""
        events = []
        for number, text in numbered_lines(Path(path).read_bytes()):
            try:
                events.append(from_json(text))
            except ValueError as problem:
                raise ValueError(
                    f"{path}, line {number} is not an event of a run: {_why_not(text, problem)}"
                ) from None
        return cls(events)


def numbered_lines(content: bytes) -> Iterator[tuple[int, bytes]]:
    """Yields the lines of a saved trace with their numbers, without blank ones and an editor's
    marks."""
    # str.splitlines would also split at U+2028
    for number, given in enumerate(content.splitlines(), 1):
        if line := given.removeprefix(codecs.BOM_UTF8).strip():
            yield number, line


def _why_not(text: bytes, problem: ValueError) -> str:
    """Returns the problem with a line of a log, in a sentence."""
    if b'"data":' in text and b'"kind":' in text and b'"seq":' in text:
        return (
            "it was written by an earlier version of the kernel, whose events kept their fields in "
            "`data`; run again with --save to get a new log"
        )
    return str(problem).partition("For further information")[0].strip()


def _sum(requests: list[ModelCall]) -> dict[str, Any]:
    spent = sum((request.spent for request in requests), NOTHING)
    return {
        "calls": len(requests),
        "input_tokens": spent.input_tokens,
        "output_tokens": spent.output_tokens,
        "usd": spent.cost,
        "models": list(dict.fromkeys(request.model for request in requests if request.reply)),
    }


def dollars(amount: Decimal | None) -> str:
    """An amount for readers; "unknown" for a price that is not known."""
    return "unknown" if amount is None else f"${amount:.4f}"


_UNPRINTABLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)


def printable(text: str, *, lines: bool = True) -> str:
    """Text that is safe to print: control characters are replaced. `lines=False` joins its
    lines."""
    text = _UNPRINTABLE.sub("\ufffd", text)
    return text if lines else " ".join(text.split())


def line(event: Event) -> str:
    """One event as a line of the printed trace; empty for events that the trace omits."""
    return "".join(map(_line, Fold().read(event)))


def _line(happening: Happening) -> str:
    text = _words(happening)
    indent = "  " * happening.work.run.count(".")
    return f"{indent}{printable(text.replace(chr(10), ' '))}" if text else ""


def _words(happening: Happening) -> str:
    work, remark = happening.work, happening.remark
    if remark:
        match remark.form:
            case "retry":
                return f"    trying again in {remark.wait_s:.1f} s: {remark.text}"
            case "wait":
                return f"    waits, {remark.at_once} at once: {remark.text}"
        return f"  ── {remark.text}"
    begins = happening.phase == "begin"
    match work:
        case Delegation():
            return _begun(work) if begins else _ended(work)
        case ToolCall():
            return _called(work) if begins else _answered(work)
    return ""


def _begun(work: Delegation) -> str:
    handoff = work.handoff
    parts = [f"{name} ({_size(text)})" for name, text in handoff.artifacts.items()]
    carried = f"  with {', '.join(parts)}" if parts else ""
    through = f" through {work.wrapper}" if work.wrapper else ""
    again = f", again ({work.again})" if work.again else ""
    to = f"{work.agent}{through}{again}"
    return f"{handoff.from_agent} → {to}: {shortened(handoff.intent, 72)}{carried}"


def _ended(work: Delegation) -> str:
    used = work.spent
    bill = f"{counted(used.calls, 'call')}, {used.tokens:,} tokens"
    if work.status == "cancelled":  # a request under way is booked at its most
        bill = f"at most {bill}"
    outcome = _outcome(work.result) if work.result else work.status
    return f"{work.agent} → {work.handoff.return_to}: {outcome}  [{bill}]"


def _called(call: ToolCall) -> str:
    if call.name.startswith(HANDOFF):
        return ""  # the dispatch says it
    if not isinstance(call.input, dict):
        return f"    {call.name}(…)"
    arguments = (f"{name}={_value(value)}" for name, value in call.input.items())
    return f"    {call.name}({', '.join(arguments)})"


def _answered(call: ToolCall) -> str:
    if not call.answered or (call.name.startswith(HANDOFF) and not call.is_error):
        return ""
    answer = f"error: {shortened(call.content, 72)}" if call.is_error else _size(call.content)
    return f"    {call.name} gave {answer}"


def _value(value: Any) -> str:
    return shortened(json.dumps(as_plain(value), ensure_ascii=False), 60)


def _outcome(result: Result) -> str:
    words: str = result.status
    output = result.output
    if isinstance(output, dict) and "verdict" in output:
        words += f", {output['verdict']}"
        issues = output.get("issues")
        if issues and isinstance(issues, list):
            words += f" with {counted(len(issues), 'issue')}"
    elif output:
        words += f", {_size(as_text(output))}"
    return words + (f" ({shortened(result.reason, 100)})" if result.reason else "")


def _size(text: str) -> str:
    return counted(len(text.split()), "word")


def counted(number: int, thing: str) -> str:
    """A number with its noun: `1 call`, `2,000 calls`."""
    return f"{number:,} {thing}" + ("" if number == 1 else "s")
