"""Observations of answers to lesson 16: requests before and after a crash, effects that were done,
work that was given again.
"""

from __future__ import annotations

import asyncio
import inspect
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from classroom.observing import call, wait
from classroom.observing.processes import Processes
from kernel import Handoff, Result
from workshop.course.desks import Specialist, order_of
from workshop.course.seen import quiet_run


class Killed(Exception):
    """The process dies here."""


@dataclass
class Service:
    """Answers each request, and dies instead of answering the n-th one."""

    dies_at: int
    silent: str = ""
    sent: list[str] = field(default_factory=list)

    async def send(self, request: str) -> str:
        self.sent.append(request)
        if len(self.sent) == self.dies_at:
            raise Killed
        number = self.sent.count(request)
        await asyncio.sleep(0)  # others may ask meanwhile
        return "" if request == self.silent else f"reply {number} to {request}"


def resumed(resumable: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Two processes with one store: the first dies, the second does the work again."""
    kept: dict[str, str] = {}
    seen: dict[str, Any] = {}
    run = quiet_run()
    processes = Processes(resumable)
    for number, process in enumerate(case["processes"], 1):
        service = Service(process["dies_at"], process["silent"])
        work = _work_at_once if process["at_once"] else _work
        with processes.another(kept) as kept:
            send = call(resumable, service.send, kept, meant=(kept,))
            if not callable(send):
                return {"returned": send}
            replies, ended = work(send, process["asks"])
        name = f"process {number}"
        run.note(f"{name} sent {len(service.sent)} of {len(process['asks'])} requests")
        seen[f"{name}: how it ended"] = ended
        seen[f"{name}: sent"] = service.sent
        seen[f"{name}: replies"] = replies
    seen["replies kept"] = sorted(str(reply) for reply in kept.values())
    seen["types of the keys"] = sorted({type(key).__name__ for key in kept})
    return seen


def _work(send: Any, asks: list[str]) -> tuple[list[Any], tuple[str, ...]]:
    """Asks everything in turn; what came back, and whether the process died."""
    replies: list[Any] = []

    async def work() -> tuple[str, ...]:
        for request in asks:
            try:
                replies.append(_closed(await send(request)))
            except Killed:
                return ("killed",)
        return ("to its end",)

    return replies, wait(work())


def _work_at_once(send: Any, asks: list[str]) -> tuple[list[Any], tuple[str, ...]]:
    """Asks everything at the same time, as a fan-out does."""

    async def work() -> list[Any]:
        replies = await asyncio.gather(*(send(request) for request in asks))
        return [_closed(reply) for reply in replies]

    return wait(work()), ("to its end",)


def _closed(reply: Any) -> Any:
    """A reply; of a forgotten await the coroutine, whose type shows it, closed."""
    if inspect.iscoroutine(reply):
        reply.close()
    return reply


@dataclass
class Bank:
    """Pays, and knows a key that it has seen; its line may break before or after it has paid."""

    trouble: list[str]
    paid: list[tuple[str, int]] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    receipts: dict[str, str] = field(default_factory=dict)

    def pay(self, invoice: str, cents: int, key: str) -> str:
        self.keys.append(key if type(key) is str else repr(key))
        trouble = self.trouble.pop(0) if self.trouble else ""
        if trouble == "bug":
            raise ValueError("this bank takes no cents")
        if trouble == "file":
            raise FileNotFoundError("the list of the bank's accounts is not there")
        if trouble == "before":
            raise ConnectionError("the line is dead")
        if key not in self.receipts:
            self.paid.append((invoice, cents))
            self.receipts[key] = f"receipt {len(self.receipts) + 1} for {invoice}"
        if trouble == "after":
            raise ConnectionError("the line went dead before the answer came")
        return self.receipts[key]


def paid(pay_once: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Observes the payments of the bank, their keys, and the caller's receipts."""
    bank = Bank(list(case["trouble"]))
    returned = []
    processes = Processes(pay_once)
    for order in case["orders"]:
        with processes.another(None):
            returned.append(call(pay_once, bank, *order))
    quiet_run().note(f"{len(case['orders'])} orders, {len(bank.paid)} payments")
    return {
        "paid": [f"{invoice}: {cents}" for invoice, cents in bank.paid],
        "how often the bank was asked": len(bank.keys),
        "keys that differ": len({*bank.keys}),
        "returned": [_receipt(each) for each in returned],
    }


def _receipt(returned: Any) -> Any:
    """A receipt unchanged; of a text that says that nothing is known, how it begins."""
    unknown = type(returned) is str and returned.startswith("not known")
    return "not known …" if unknown else returned


class Ended(BaseException):
    """The process is killed here: no code of it catches that."""


@dataclass
class Crew:
    """Workers of one process, who say what they were handed; the n-th work kills the process."""

    process: dict[str, Any]
    begun: int = 0

    @property
    def killed(self) -> bool:
        return 0 < self.begun == self.process["dies_at"]

    def given(self, step: list[Any], results: list[Any]) -> tuple[Specialist, Handoff]:
        """The worker and the handoff of a step; the output of an earlier one may be an artifact."""
        name, intent, context, needs, label = step
        artifacts = {}
        if needs is not None and isinstance(results[needs], Result):
            artifacts = {label: results[needs].as_text()}
        worker = Specialist(name, lambda handoff: self.work(name, handoff))
        return worker, Handoff(intent=intent, context=context, artifacts=artifacts)

    def work(self, name: str, handoff: Handoff) -> Result:
        self.begun += 1
        if self.killed:
            raise Ended
        if name in self.process["ends"]:
            return Result(**self.process["ends"][name])
        words = f"{handoff.intent}; {handoff.context}; {handoff.artifacts or 'no artifacts'}"
        output = "" if name == self.process["silent"] else f"{name}: {words}"
        return Result(status="ok", output=output, artifacts={"notes": f"notes of the {name}"})


def stepped(dispatch_once: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Two processes with one store: whom each of them gave work, and what came back."""
    kept: dict[str, str] = {}
    seen: dict[str, Any] = {}
    processes = Processes(dispatch_once)
    for number, process in enumerate(case["processes"], 1):
        _edit(kept, *process["edit"])
        crew = Crew(process)
        run = quiet_run()
        results: list[Any] = []
        with processes.another(kept) as kept:
            for step in case["steps"]:
                worker, handoff = crew.given(step, results)
                with suppress(Ended):
                    returned = call(dispatch_once, run, worker, handoff, kept, meant=(kept,))
                if crew.killed:
                    break
                results.append(returned)
        past = crew.begun - len(run.trace().handoffs())
        name = f"process {number}"
        seen[f"{name}: handoffs"] = order_of(run)
        seen[f"{name}: calls of execute past the run"] = max(0, past)
        seen[f"{name}: results"] = [_said(result) for result in results]
        seen[f"{name}: artifacts"] = [
            result.artifacts if isinstance(result, Result) else "none" for result in results
        ]
    held_here = [*kept, *kept.values()]
    seen["types in `kept`"] = sorted({type(each).__name__ for each in held_here})
    return seen


def _edit(kept: dict[str, str], old: str, new: str) -> None:
    """Somebody edits what is kept between two processes."""
    for step, text in kept.items():
        if type(text) is str and old:
            kept[step] = text.replace(old, new)


def _said(result: Any) -> Any:
    """A result's status and words; anything else unchanged."""
    if not isinstance(result, Result):
        return result
    return f"{result.status}: {result.as_text() or result.reason}"


OBSERVE = {"16.1": resumed, "16.2": paid, "16.3": stepped}
