"""The scene: events in, a plain model of the team out. Pure and incremental; every view is drawn
from it.

`apply` takes constant time and the scene never forgets a handoff, but of the bars of a lane only
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
from kernel.core.events import (
    Dispatched,
    Note,
    Replied,
    Requested,
    Retried,
    Returned,
    ToolAnswered,
    ToolCalled,
    Waited,
)
from kernel.plumbing.work import Moment

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

HANDOFF_TOOL = "handoff_to_"
"""A tool of this name announces a specialist before it is first called."""
BARS, CALLS = 24, 48
"""The bars and model calls of a lane that are kept apart; older bars merge into one."""


class Part(NamedTuple):
    """One named payload of a handoff."""

    name: str
    words: int


class Stretch(NamedTuple):
    """From one moment to another; None while it goes on."""

    begin: Moment
    end: Moment | None


@dataclass(slots=True, eq=False)
class Call:
    """One model call: when it was sent, and when its answer came (None while it is under way)."""

    begin: Moment
    slot: int = 0
    end: Moment | None = None


@dataclass(slots=True, eq=False)
class Passage:
    """One handoff on its way: from the dispatch, through the work, to what came back."""

    number: int
    """1 is the first handoff of the run; 0 stands for the run itself."""
    run: str
    member: Member
    caller: Passage | None
    begin: Moment
    handoff: Handoff
    limits: Budget
    parts: list[Part]
    slot: int = 0
    """The row of its member that it takes while several run at once."""
    end: Moment | None = None
    result: Result | None = None
    summary: str = ""
    """The result, in a few words."""
    doing: str = ""
    note: str = ""
    spent: Spent = field(default_factory=Spent)
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
    def state(self) -> State:
        if self.result is not None:
            return STATE_OF.get(self.result.status, "stopped")
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
        self.user = Member("user", None)
        origin = Moment(0, 0.0)
        self._run = self.user.latest = Passage(
            0, "", self.user, None, origin, Handoff(intent=""), Budget(), []
        )
        self.passages: list[Passage] = []
        self._tasks: dict[str, None] = {}
        self.now, self.spent = origin, Spent()
        self.models: dict[str, None] = {}
        self.names: dict[str, None] = {}
        """Everybody, in the order in which they appeared."""
        self._by_run, self._read = {"": self._run}, 0
        self._wrappers: dict[str, Dispatched | None] = {}
        """Dispatches of transparent wrappers; None once what they wrap was dispatched."""
        self._latest_answer: Passage | None = None
        self.catch_up(events)

    def catch_up(self, events: Iterable[Event]) -> Scene:
        """Applies the events beyond those that it has seen."""
        events = events if isinstance(events, list) else list(events)
        for index in range(self._read, len(events)):
            self._read = index + 1  # an event that cannot be read is not tried again
            self.apply(events[index])
        return self

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

    # ── one event ─────────────────────────────────────────────────────────────────────────────────

    def apply(self, event: Event) -> None:
        """Moves the scene on by one event, in constant time."""
        self.now = moment = Moment(event.seq, event.at)
        if isinstance(event, Dispatched):
            self._dispatch(event, moment)
            return
        if isinstance(event, Returned) and event.run in self._wrappers:
            alone = self._wrappers.pop(event.run)
            if alone is None:  # what it wraps has returned by itself
                return
            self._passage(alone, Moment(alone.seq, alone.at))
        passage = self._by_run.get(event.run)
        if passage is None:
            return  # a stream that begins in the middle: its head is not known
        passage.latest_back = None
        match event:
            case Returned():
                self._return(passage, event, moment)
            case Requested():
                self._request(passage, event, moment)
            case Replied():
                self._close(passage, moment)
                self._book(passage, event.spent)
                self.models.setdefault(event.model)
                passage.doing = "has the answer"
            case Waited():
                passage.waits.append(moment)
                passage.waited_for = event.reason
                passage.doing = f"waits, {event.at_once} at once: {event.reason}"
            case _:
                self._tell(passage, event)

    def _tell(self, passage: Passage, event: Event) -> None:
        """Writes an event that moves nothing into the passage's caption."""
        match event:
            case Retried():
                passage.doing = f"trying again: {event.type}"
            case ToolCalled():
                passage.doing = f"{event.name} is running"
            case ToolAnswered(is_error=True):
                passage.doing = f"{event.name} failed"
            case ToolAnswered():
                passage.doing = f"{event.name} gave {_count(words_of(event.content), 'word')}"
            case Note():
                passage.note = event.text

    def _dispatch(self, event: Dispatched, moment: Moment) -> None:
        if event.parent in self._wrappers:
            self._wrappers[event.parent] = None
        if event.wrapper:  # not a stop on the way: what it does belongs to its caller
            self._wrappers[event.run] = event
            self._by_run[event.run] = self._by_run.get(event.parent, self._run)
            return
        self._passage(event, moment)

    def _passage(self, event: Dispatched, moment: Moment) -> None:
        caller = self._by_run.get(event.parent, self._run)
        member = self._member(caller.member, event.agent)
        handoff = event.handoff
        named = {"task": handoff.intent, "context": handoff.context, **handoff.artifacts}
        parts = [Part(name, words_of(value)) for name, value in named.items() if value]
        taken = {one_passage.slot for one_passage in member.open.values()}
        slot = next(each for each in range(len(taken) + 1) if each not in taken)
        passage = Passage(
            len(self.passages) + 1,
            event.run,
            member,
            caller,
            moment,
            handoff,
            event.limits,
            parts,
            slot,
        )
        caller.under_way, caller.latest_back = caller.under_way + 1, None
        self.passages.append(passage)
        self._by_run[event.run] = passage
        member.open[event.run] = member.latest = passage
        member.handoffs += 1
        member.numbers.append(passage.number)
        member.slots = max(member.slots, slot + 1)
        if len(member.bars) == BARS:
            oldest = member.bars[0]
            begin, end = member.merged or Stretch(oldest.begin, oldest.end)
            member.merged = Stretch(begin, max(end or moment, oldest.end or moment))
        member.bars.append(passage)
        if caller is self._run:
            self._tasks[handoff.intent] = None

    def _return(self, passage: Passage, event: Returned, moment: Moment) -> None:
        caller = passage.caller
        if passage.result is not None or caller is None:
            return
        passage.result, passage.end, passage.doing = event.result, moment, ""
        passage.summary = outcome(event.result)
        for call in passage.calls:
            call.end = call.end or moment
        self._book(passage, event.spent - passage.spent)
        passage.member.open.pop(passage.run, None)
        passage.member.latest = next(reversed(passage.member.open.values()), passage)
        caller.under_way -= 1
        caller.latest_back = passage
        if caller is self._run:
            self._latest_answer = passage

    def _request(self, passage: Passage, event: Requested, moment: Moment) -> None:
        call = Call(moment, passage.slot)
        passage.calls.append(call)
        passage.member.calls.append(call)
        passage.turns += 1
        passage.doing = f"asks the model, turn {passage.turns}"
        passage.member.latest = passage
        for tool in event.body.get("tools") or ():
            name = str(tool.get("name", ""))
            if name.startswith(HANDOFF_TOOL) and name != HANDOFF_TOOL:
                self._member(passage.member, name.removeprefix(HANDOFF_TOOL))

    def _close(self, passage: Passage, moment: Moment) -> None:
        for call in passage.calls:
            if call.end is None:
                call.end = moment
                return

    def _book(self, passage: Passage, used: Spent) -> None:
        self.spent += used
        passage.member.own += used
        above: Passage | None = passage
        while above:
            above.spent += used
            above = above.caller

    def _member(self, hub: Member, name: str) -> Member:
        if name not in hub.specialists:
            hub.specialists[name] = Member(name, hub)
            self.names.setdefault(name)
        return hub.specialists[name]


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
