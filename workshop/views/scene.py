"""The scene: the tree of work in, a plain model of the team out. Pure and incremental; every view is
drawn from it.

Each event takes constant time and the scene never forgets a handoff, but of the bars of a lane only
the latest are kept apart: a frame costs the same after ten events and after ten thousand.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import islice
from typing import Any, Literal, NamedTuple

from kernel import Budget, Event, Handoff, Result, Spent
from kernel.core.budget import NOTHING
from kernel.plumbing.work import (
    HANDOFF,
    Delegation,
    Fold,
    Happening,
    ModelCall,
    Moment,
    Remark,
    ToolCall,
    Work,
)

State = Literal["waiting", "working", "done", "failed", "paused", "stopped"]
STATE_OF: dict[str, State] = {
    "ok": "done",
    "failed": "failed",
    "refused": "failed",
    "paused": "paused",
    "exhausted": "stopped",
    "cancelled": "stopped",
}
"""The state in words, by the status of the result."""
TROUBLE = ("failed", "stopped", "paused")
"""The states that are not a good end."""

BARS, CALLS = 24, 48
"""The bars and model calls of a lane that are kept apart; older bars merge into one."""


class Part(NamedTuple):
    """One named payload of a handoff."""

    name: str
    words: int


class Call(NamedTuple):
    """One model call in a lane."""

    work: ModelCall
    slot: int = 0

    @property
    def begin(self) -> Moment:
        return self.work.begin

    @property
    def end(self) -> Moment | None:
        """The end; None while it is under way."""
        return self.work.end


class Stretch(NamedTuple):
    """From one moment to another; None while it goes on."""

    begin: Moment
    end: Moment | None


@dataclass(slots=True, eq=False)
class Passage:
    """One handoff on its way: from the dispatch, through the work, to what came back."""

    number: int
    """1 is the first handoff of the run; 0 stands for the run itself."""
    work: Work
    member: Member
    caller: Passage | None
    parts: list[Part] = field(default_factory=list)
    slot: int = 0
    """The row of its member that it takes while several run at once."""
    summary: str = ""
    """The result, in a few words."""
    doing: str = ""
    note: str = ""
    turns: int = 0
    waits: list[Moment] = field(default_factory=list)
    waited_for: str = ""
    """The reason of the latest wait of a request for room in a budget; empty for none."""
    under_way: int = 0
    """Handoffs that this one has given and that have not come back."""
    latest_back: Passage | None = None
    """The specialist's work that came back last, until this one goes on."""
    calls: deque[Call] = field(default_factory=lambda: deque(maxlen=CALLS))

    @property
    def run(self) -> str:
        return self.work.run

    @property
    def begin(self) -> Moment:
        return self.work.begin

    @property
    def end(self) -> Moment | None:
        return self.work.end

    @property
    def spent(self) -> Spent:
        return self.work.spent

    @property
    def handoff(self) -> Handoff:
        return self.work.handoff if isinstance(self.work, Delegation) else Handoff(intent="")

    @property
    def limits(self) -> Budget:
        return self.work.limits if isinstance(self.work, Delegation) else Budget()

    @property
    def result(self) -> Result | None:
        return self.work.result if isinstance(self.work, Delegation) else None

    @property
    def state(self) -> State:
        if self.result is not None:
            return state_of(self.result)
        if self.asking or (self.number and not self.under_way):
            return "working"
        return (
            "waiting" if self.under_way or not self.member.specialists else "done"
        )  # the user has it back

    @property
    def reason(self) -> str:
        """The reason that it did not end well; "" where there is none."""
        return " ".join(self.result.reason.split()) if self.result else ""

    @property
    def in_brief(self) -> str:
        """The summary of the result, without the reason."""
        return self.summary.removesuffix(self.result.reason if self.result else "").rstrip(" ·")

    @property
    def asking(self) -> bool:
        return self.result is None and any(call.end is None for call in self.calls)

    @property
    def sender(self) -> str:
        return self.handoff.from_agent or (self.caller.member.name if self.caller else "")

    @property
    def depth(self) -> int:
        return self.run.count(".")


@dataclass(slots=True, eq=False)
class Member:
    """One agent at its place in the team: the same name under two supervisors is two members."""

    name: str
    hub: Member | None
    specialists: dict[str, Member] = field(default_factory=dict)
    open: dict[str, Passage] = field(default_factory=dict)
    """Handoffs that it holds now, by run."""
    latest: Passage | None = None
    handoffs: int = 0
    numbers: deque[int] = field(default_factory=lambda: deque(maxlen=4))
    own: Spent = field(default_factory=Spent)
    """The spending of its own model calls, without that of its specialists."""
    bars: deque[Passage] = field(default_factory=lambda: deque(maxlen=BARS))
    merged: Stretch | None = None
    """The older bars, as one."""
    calls: deque[Call] = field(default_factory=lambda: deque(maxlen=CALLS))
    slots: int = 1

    @property
    def state(self) -> State:
        if self.open:
            return (
                "working"
                if any(passage.state == "working" for passage in self.open.values())
                else "waiting"
            )
        return self.latest.state if self.latest else "waiting"

    @property
    def held(self) -> list[Stretch]:
        """The spans of time in which it held work."""
        return [*filter(None, [self.merged]), *(Stretch(bar.begin, bar.end) for bar in self.bars)]

    @property
    def below(self) -> Iterator[Member]:
        for member in self.specialists.values():
            yield member
            yield from member.below


class Scene:
    """The members of a team, the work that each holds or hands over, and their usage.

    events: those that have happened; `catch_up` reads on where it stopped.
    """

    def __init__(self, events: Iterable[Event] = ()) -> None:
        self.fold = Fold()
        self.user = Member("user", None)
        self._run = self.user.latest = Passage(0, self.fold.root, self.user, None)
        self.passages: list[Passage] = []
        self._tasks: dict[str, None] = {}
        self.models: dict[str, None] = {}
        self.names: dict[str, None] = {}
        """Everybody, in the order in which they appeared."""
        self._by_run = {"": self._run}
        self._latest_answer: Passage | None = None
        self.catch_up(events)

    def catch_up(self, events: Iterable[Event]) -> Scene:
        """Reads the events beyond those that it has seen."""
        for happening in self.fold.catch_up(events):
            self._apply(happening)
        return self

    @property
    def now(self) -> Moment:
        return self.fold.now

    @property
    def spent(self) -> Spent:
        return self.fold.root.spent

    # ── what a view asks ──────────────────────────────────────────────────────────────────────────

    @property
    def hub(self) -> Member:
        """The one in the middle: the supervisor, or the user where there is none."""
        first = next(iter(self.user.specialists.values()), None)
        if first is None or not first.specialists:
            return self.user
        alone = len(self.user.specialists) == 1 and not self.user.own.calls
        return first if alone else self.user

    @property
    def members(self) -> list[Member]:
        """Everybody that a picture shows, hub first."""
        return [self.hub, *self.hub.below]

    @property
    def holders(self) -> list[Passage]:
        """The handoffs that are being worked on: open, and not waiting for a specialist."""
        everybody = [self.user, *self.user.below]
        return [
            passage
            for member in everybody
            for passage in member.open.values()
            if passage.state == "working"
        ]

    def passage(self, run: str) -> Passage | None:
        """The handoff that opened this run."""
        return self._by_run.get(run) if run else None

    @property
    def task(self) -> str:
        """The task of the user; of several different tasks, their number and the first ones."""
        first = [*islice(self._tasks, 4)]
        if len(first) < 2:
            return "".join(first)
        return f"{len(self._tasks)} tasks: {'; '.join(first)}" + (
            "; …" if len(self._tasks) > len(first) else ""
        )

    @property
    def finished(self) -> bool:
        return bool(self.passages) and not self._run.under_way

    def finding(self) -> str:
        """Returns the finding of the picture, in a sentence or two."""
        if not self.passages:
            return (
                f"{_count(self.spent.calls, 'call')} to a model, no handoff."
                if self.spent.calls
                else "Nothing has happened yet."
            )
        if self.finished:
            return self._ending()
        holders = self.holders
        if len(holders) == 1:
            one = holders[0]
            if one.member.specialists:
                return f"The {one.member.name} holds the work and decides what comes next."
            return f"The {one.member.name} holds the work: {sizes(one.parts)}."
        names: dict[str, int] = {}
        for place in holders:
            names[place.member.name] = names.get(place.member.name, 0) + 1
        holder_names = [f"{name} ×{times}" if times > 1 else name for name, times in names.items()]
        shortened = (
            [*holder_names[:4], f"{len(holder_names) - 4} others"]
            if len(holder_names) > 5
            else holder_names
        )
        return (
            f"{len(holders)} handoffs are worked on at once: {listed(shortened)}."
            if holder_names
            else "The work is on its way back."
        )

    def _ending(self) -> str:
        last = self._latest_answer or self.passages[0]
        gave = words_of(last.result.output) if last.result else 0
        back = _count(gave, "word") if gave else "nothing"
        sentence = f"{last.state.capitalize()}: the {last.member.name} gave {back} back to the {last.sender}"
        sentence += f" after {_count(len(self.passages), 'handoff')}."
        reason = " ".join(last.result.reason[:300].split()).rstrip(".") if last.result else ""
        return f"{sentence} {reason[:1].upper()}{reason[1:]}." if reason else sentence

    # ── one happening ─────────────────────────────────────────────────────────────────────────────

    def _apply(self, happening: Happening) -> None:
        """Moves the scene on, in constant time."""
        phase, work = happening.phase, happening.work
        if isinstance(work, Delegation) and phase == "begin":
            self._dispatch(work)
            return
        if isinstance(work, Delegation) and phase == "end" and work.wrapper and work.begun:
            if work.passed_on:  # what it wraps has returned by itself
                return
            self._passage(work)
        passage = self._by_run.get(work.run)
        if passage is None:
            return  # a stream that begins in the middle: its head is not known
        passage.latest_back = None
        match work:
            case Delegation() if phase == "end":
                self._return(passage, work)
            case ModelCall() if phase == "begin":
                self._request(passage, work)
            case ModelCall() if phase == "end":
                self._answer(passage, work)
            case ToolCall():
                passage.doing = _of_tool(work)
            case _:
                pass
        if remark := happening.remark:
            self._remark(passage, remark)

    def _remark(self, passage: Passage, remark: Remark) -> None:
        match remark.form:
            case "note":
                passage.note = remark.text
            case "retry":
                passage.doing = f"trying again: {remark.error}"
            case "wait":
                passage.waits.append(remark.moment)
                passage.waited_for = remark.text
                passage.doing = f"waits, {remark.at_once} at once: {remark.text}"

    def _dispatch(self, work: Delegation) -> None:
        if work.wrapper:  # not a stop on the way: what it does belongs to its caller
            self._by_run[work.run] = self._caller(work)
            return
        self._passage(work)

    def _caller(self, work: Delegation) -> Passage:
        return self._by_run.get(work.caller.run, self._run)

    def _passage(self, work: Delegation) -> None:
        caller = self._caller(work)
        member = self._member(caller.member, work.agent)
        handoff = work.handoff
        named = {"task": handoff.intent, "context": handoff.context, **handoff.artifacts}
        parts = [Part(name, words_of(value)) for name, value in named.items() if value]
        taken = {one_passage.slot for one_passage in member.open.values()}
        slot = next(each for each in range(len(taken) + 1) if each not in taken)
        passage = Passage(len(self.passages) + 1, work, member, caller, parts, slot)
        caller.under_way, caller.latest_back = caller.under_way + 1, None
        self.passages.append(passage)
        self._by_run[work.run] = passage
        member.open[work.run] = member.latest = passage
        member.handoffs += 1
        member.numbers.append(passage.number)
        member.slots = max(member.slots, slot + 1)
        if len(member.bars) == BARS:
            oldest = member.bars[0]
            begin, end = member.merged or Stretch(oldest.begin, oldest.end)
            member.merged = Stretch(begin, max(end or work.begin, oldest.end or work.begin))
        member.bars.append(passage)
        if caller is self._run:
            self._tasks[handoff.intent] = None

    def _return(self, passage: Passage, work: Delegation) -> None:
        caller = passage.caller
        if caller is None or work.result is None:
            return
        below = sum((part.spent for part in work.children), NOTHING)
        passage.member.own += work.spent - below  # of requests that the stream does not hold
        passage.doing = ""
        passage.summary = outcome(work.result)
        passage.member.open.pop(passage.run, None)
        passage.member.latest = next(reversed(passage.member.open.values()), passage)
        caller.under_way -= 1
        caller.latest_back = passage
        if caller is self._run:
            self._latest_answer = passage

    def _request(self, passage: Passage, work: ModelCall) -> None:
        call = Call(work, passage.slot)
        passage.calls.append(call)
        passage.member.calls.append(call)
        passage.turns += 1
        passage.doing = f"asks the model, turn {passage.turns}"
        passage.member.latest = passage
        for tool in work.body.get("tools") or ():
            name = str(tool.get("name", ""))
            if name.startswith(HANDOFF) and name != HANDOFF:  # announced before its first call
                self._member(passage.member, name.removeprefix(HANDOFF))

    def _answer(self, passage: Passage, work: ModelCall) -> None:
        if work.reply is None:
            return
        passage.member.own += work.spent
        self.models.setdefault(work.model)
        passage.doing = "has the answer"

    def _member(self, hub: Member, name: str) -> Member:
        if name not in hub.specialists:
            hub.specialists[name] = Member(name, hub)
            self.names.setdefault(name)
        return hub.specialists[name]


def _of_tool(call: ToolCall) -> str:
    """Returns the state of a call of a tool, in a few words."""
    if not call.answered:
        return f"{call.name} is running"
    if call.is_error:
        return f"{call.name} failed"
    return f"{call.name} gave {_count(words_of(call.content), 'word')}"


# ── in words ──────────────────────────────────────────────────────────────────────────────────────


def words_of(value: Any) -> int:
    """Counts the words of a payload or an output; of a structure, those of all its texts."""
    if isinstance(value, dict):
        return sum(map(words_of, value.values()))
    if isinstance(value, list):
        return sum(map(words_of, value))
    return 0 if value is None else len(str(value).split())


def sizes(parts: Iterable[Part]) -> str:
    """`task 9, facts 312 words`."""
    words_by_part = ", ".join(f"{name} {words:,}" for name, words in parts)
    return f"{words_by_part} words" if words_by_part else "nothing"


def outcome(result: Result) -> str:
    """Describes a result: its verdict or its size, and the reason when it is not ok."""
    output = result.output
    pieces: list[str] = []
    if result.status != "ok":
        pieces.append(result.status)
    if isinstance(output, dict) and "verdict" in output:
        pieces.append(str(output["verdict"]))
        if issues := output.get("issues"):
            pieces.append(_count(len(issues), "issue"))
    elif output is not None:
        pieces.append(_count(words_of(output), "word"))
    if result.reason:
        pieces.append(result.reason)
    return " · ".join(pieces) or "nothing"


def state_of(result: Result | None) -> State:
    """Returns the state of work with this result."""
    return STATE_OF.get(result.status, "stopped") if result else "working"


def state_and_outcome(work: Delegation) -> str:
    """The state of a delegation and what came back: `done · 3 findings`."""
    state, back = state_of(work.result), came_back(work.result)
    return f"{state} · {back}" if back else state


def came_back(result: Result | None) -> str:
    """The outcome of a delegation as its caller sees it, in a few words."""
    if result is None:
        return ""
    if not result.ok and result.reason:
        return result.reason
    if isinstance(result.output, dict) and isinstance(result.output.get("items"), list):
        return _count(len(result.output["items"]), "finding")
    return outcome(result)


def reasons(passages: Iterable[Passage]) -> list[str]:
    """Each reason once, behind the numbers of the handoffs that ended for it: `1–3, 7: no
    budget`.
    """
    return _once((passage.number, passage.reason) for passage in passages)


def waits(passages: Iterable[Passage]) -> list[str]:
    """Each budget that requests waited for, behind the numbers of their handoffs."""
    found = _once((passage.number, passage.waited_for) for passage in passages)
    return [
        f"{line.partition(': ')[0]} waited (outlined): {line.partition(': ')[2]}" for line in found
    ]


def _once(given: Iterable[tuple[int, str]]) -> list[str]:
    """Each text once, behind its numbers; empty ones are left out."""
    numbers: dict[str, list[int]] = {}
    for number, text in given:
        if text:
            numbers.setdefault(text, []).append(number)
    return [f"{_ranges(members)}: {text}" for text, members in numbers.items()]


def _ranges(numbers: list[int]) -> str:
    """1, 2, 3, 7 as `1–3, 7`."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and runs[-1][-1] == number - 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ", ".join(
        f"{run[0]}–{run[-1]}" if len(run) > 2 else ", ".join(map(str, run)) for run in runs
    )


def listed(names: Iterable[str]) -> str:
    """`a, b and c`."""
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last


def short(amount: int) -> str:
    """9,120 as `9.1k`, for where there is little room."""
    return (
        f"{amount:,}"
        if amount < 1000
        else f"{amount / 1000:.1f}k"
        if amount < 999_950
        else f"{amount / 1_000_000:.1f}M"
    )


def dollars(amount: Decimal | None) -> str:
    """An amount for readers: unknown is not 0, and neither is very little."""
    if amount is None:
        return "unknown"
    if 0 < amount < Decimal("0.0001"):
        return "<$0.0001"
    return f"${amount:.4f}" if amount < 10 else f"${amount:,.2f}"


def bill(used: Spent) -> str:
    """`6 calls, 7,553 tokens, $0.0012`."""
    price = "price unknown" if used.cost is None else dollars(used.cost)
    return f"{_count(used.calls, 'call')}, {_count(used.tokens, 'token')}, {price}"


def _count(amount: int, thing: str) -> str:
    return f"{amount:,} {thing}" + ("" if amount == 1 else "s")
