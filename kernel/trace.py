"""A run for readers: as lines while it fires, as a table of who used what, as a JSONL file."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict
from decimal import Decimal
from pathlib import Path
from typing import Any

from .events import Event


class Trace:
    """The events of a run, readable: `print(trace)` shows the tree, `table()` the bill, `save()` the record."""

    def __init__(self, events: Iterable[Event]) -> None:
        self.events = list(events)

    def __str__(self) -> str:
        return "\n".join(filter(None, map(line, self.events)))

    def __repr__(self) -> str:
        return f"Trace of {len(self.events)} events:\n{self}"

    def handoffs(self) -> list[dict[str, Any]]:
        """Every handoff in full, in order: nothing that was handed over is hidden from the log."""
        return [event.data["handoff"] for event in self.events if event.kind == "dispatch"]

    def totals(self) -> dict[str, Any]:
        """calls, input_tokens, output_tokens, usd (Decimal, None if a price is unknown), models, seconds."""
        return {**_sum(self._asked()), "seconds": self.events[-1].at if self.events else 0.0}

    def by_agent(self) -> dict[str, dict[str, Any]]:
        """The same figures (without seconds) for each agent that asked a model, in order of appearance."""
        agents = dict.fromkeys(event.agent for event in self._asked())
        return {agent: _sum([it for it in self._asked() if it.agent == agent]) for agent in agents}

    def table(self) -> str:
        """Who used what, one line an agent."""
        rows = [("agent", "calls", "tokens in", "tokens out", "cost")]
        for agent, used in [*self.by_agent().items(), ("total", self.totals())]:
            rows.append((agent, f"{used['calls']}", f"{used['input_tokens']:,}", f"{used['output_tokens']:,}",
                         dollars(used["usd"])))
        name, *figures = (max(map(len, column)) for column in zip(*rows, strict=True))
        return "\n".join("  ".join([row[0].ljust(name), *map(str.rjust, row[1:], figures)]) for row in rows)

    def save(self, path: str | Path) -> None:
        """Writes one JSON object a line: the events, in order."""
        lines = (json.dumps(asdict(event), ensure_ascii=False, default=str) + "\n" for event in self.events)
        Path(path).write_text("".join(lines), encoding="utf-8", errors="backslashreplace")  # half a character: as JSON escapes it

    @classmethod
    def load(cls, path: str | Path) -> Trace:
        """Reads what `save` wrote. Raises ValueError that names the line that is not an event."""
        events = []
        for number, text in enumerate(Path(path).read_bytes().splitlines(), 1):  # of text, it would split at U+2028 too
            try:
                events.append(Event(**json.loads(text)))
                cls(events[-1:]).totals(), line(events[-1])  # so that each has what its kind needs
            except (ValueError, TypeError, LookupError, AttributeError, ArithmeticError) as error:
                raise ValueError(f"{path}, line {number} is not an event of a run: {error}") from None
        return cls(events)

    def _asked(self) -> list[Event]:
        return [event for event in self.events if event.kind in ("request", "reply")]


def _sum(events: list[Event]) -> dict[str, Any]:
    replies = [event for event in events if event.kind == "reply"]  # a request may have got none; a part of a trace may lack it
    spent = [event.data["spent"] for event in replies]
    prices = [it["usd"] for it in spent]
    return {"calls": max(len(replies), len(events) - len(replies)), "input_tokens": sum(it["input_tokens"] for it in spent),
            "output_tokens": sum(it["output_tokens"] for it in spent),
            "usd": None if None in prices else sum(map(Decimal, prices), Decimal(0)),
            "models": list(dict.fromkeys(event.data["model"] for event in replies))}


def dollars(amount: Decimal | None) -> str:
    """An amount for readers; a price that is not known is said to be unknown, never 0."""
    return "unknown" if amount is None else f"${amount:.4f}"


def line(event: Event) -> str:
    """One event as a line of the console's trace; empty for events that it leaves out."""
    data, indent = event.data, "  " * event.run.count(".")
    match event.kind:
        case "dispatch":
            handoff = data["handoff"]
            parts = [f"{name} ({_size(text)})" for name, text in handoff["artifacts"].items()]
            carried = f"  with {', '.join(parts)}" if parts else ""
            return f"{indent}{handoff['from_agent']} → {event.agent}: {_short(handoff['intent'])}{carried}"
        case "return":
            return f"{indent}{event.agent} → {data['return_to']}: {_outcome(data['result'])}  [{_bill(data['spent'])}]"
        case "tool_call" | "tool_result" if data["name"].startswith("handoff_to_") and not data.get("is_error"):
            return ""  # the dispatch says it
        case "tool_result":
            answer = "error: " + _short(data["content"]) if data["is_error"] else _size(data["content"])
            return f"{indent}    {data['name']} gave {answer}"
        case "tool_call":
            arguments = ", ".join(f"{name}={_short(json.dumps(value, ensure_ascii=False), 60)}"
                                  for name, value in data["input"].items()) if isinstance(data["input"], dict) else "…"
            return f"{indent}    {data['name']}({arguments})"
        case "retry":
            return f"{indent}    trying again in {data['wait_s']:.1f} s: {data['error']}"
        case "note":
            return f"{indent}  ── {data['text']}"
    return ""


def _outcome(result: dict[str, Any]) -> str:
    output, said = result["output"], result["status"]
    if isinstance(output, dict) and "verdict" in output:
        issues = output.get("issues") or []
        said += f", {output['verdict']}" + (f" with {counted(len(issues), 'issue')}" if issues else "")
    elif output:
        text = output if isinstance(output, str) else json.dumps(output, ensure_ascii=False)
        said += f", {_size(text)}"
    return said + (f" ({_short(result['reason'], 100)})" if result["reason"] else "")


def _bill(spent: dict[str, Any]) -> str:
    return f"{counted(spent['calls'], 'call')}, {spent['input_tokens'] + spent['output_tokens']:,} tokens"


def _size(text: str) -> str:
    return counted(len(text.split()), "word")


def counted(number: int, thing: str) -> str:
    return f"{number:,} {thing}" + ("" if number == 1 else "s")


def _short(text: str, most: int = 72) -> str:
    text = " ".join(text.split())
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"
