"""The scene: events in, a plain model of the team out. Pure and incremental; every view is drawn from it.

`apply` takes constant time and the scene never forgets a handoff, but of the bars of a lane only the latest are
kept apart: a frame costs the same after ten events and after ten thousand.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import islice
from typing import Any, Literal, NamedTuple

from kernel import Event, Spent

State = Literal["waiting", "working", "done", "failed", "paused", "stopped"]
STATE_OF: dict[str, State] = {
    "ok": "done",
    "failed": "failed",
    "refused": "failed",
    "paused": "paused",
    "exhausted": "stopped",
    "cancelled": "stopped",
}
"""The state in words, by the status of the result that came back."""

HANDOFF_TOOL = "handoff_to_"
"""A tool of this name announces a specialist before it is first called."""
BARS, CALLS = 24, 48
"""How many bars and model calls of a lane are kept apart; older ones merge into one bar."""


class Moment(NamedTuple):
    """When something happened: its place in the stream of events, and seconds since the run began."""

    step: int
    at: float


class Part(NamedTuple):
    """One named payload of a handoff."""

    name: str
    words: int


def missing(known: Spent, total: dict[str, Any]) -> Spent:
    """What lacks from `known` to `total`, the figures of an event."""
    usd = known.usd if total.get("usd") is None else Decimal(total["usd"])
    return Spent(total["calls"], total["input_tokens"], total["output_tokens"], usd, total.get("unpriced", 0)) - known


class Span(NamedTuple):
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
    handoff: dict[str, Any]
    limits: dict[str, Any]
    parts: list[Part]
    slot: int = 0
    """Which of its member's rows it takes while several run at once."""
    end: Moment | None = None
    result: dict[str, Any] | None = None
    said: str = ""
    """What came back, in a few words."""
    doing: str = ""
    note: str = ""
    spent: Spent = field(default_factory=Spent)
    turns: int = 0
    under_way: int = 0
    """Handoffs that this one has given and that have not come back."""
    latest_back: Passage | None = None
    """The specialist's work that came back last, until this one goes on."""
    calls: deque[Call] = field(default_factory=lambda: deque(maxlen=CALLS))

    @property
    def state(self) -> State:
        if self.result is not None:
            return STATE_OF.get(self.result["status"], "stopped")
        if self.asking or (self.number and not self.under_way):
            return "working"
        return "waiting" if self.under_way or not self.member.specialists else "done"  # the user has it back

    @property
    def asking(self) -> bool:
        return self.result is None and any(call.end is None for call in self.calls)

    @property
    def sender(self) -> str:
        return self.handoff.get("from_agent") or (self.caller.member.name if self.caller else "")

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
    """What its own model calls used, without those of its specialists."""
    bars: deque[Passage] = field(default_factory=lambda: deque(maxlen=BARS))
    merged: Span | None = None
    """The older bars, as one."""
    calls: deque[Call] = field(default_factory=lambda: deque(maxlen=CALLS))
    slots: int = 1

    @property
    def state(self) -> State:
        if self.open:
            return "working" if any(it.state == "working" for it in self.open.values()) else "waiting"
        return self.latest.state if self.latest else "waiting"

    @property
    def held(self) -> list[Span]:
        """When it held work."""
        return [*filter(None, [self.merged]), *(Span(it.begin, it.end) for it in self.bars)]

    @property
    def below(self) -> Iterator[Member]:
        for member in self.specialists.values():
            yield member
            yield from member.below


class Scene:
    """Who is there, who holds the work, what is on its way, what it used.

    events: those that have happened; `catch_up` reads on where it stopped.
    team:   names of specialists to show from the beginning, before they are first called.
    """

    def __init__(self, events: Iterable[Event] = (), *, team: Iterable[str] = ()) -> None:
        self.user = Member("user", None)
        origin = Moment(0, 0.0)
        self._run = self.user.latest = Passage(0, "", self.user, None, origin, {}, {}, [])
        self.passages: list[Passage] = []
        self._tasks: dict[str, None] = {}
        self.now, self.spent = origin, Spent()
        self.models: dict[str, None] = {}
        self.names: dict[str, None] = {}
        """Everybody, in the order in which they appeared."""
        self._by_run, self._team, self._read = {"": self._run}, tuple(team), 0
        self._latest_answer: Passage | None = None
        self.catch_up(events)

    def catch_up(self, events: Iterable[Event]) -> Scene:
        """Applies the events beyond those that it has seen."""
        events = events if isinstance(events, list) else list(events)
        for index in range(self._read, len(events)):
            self._read = index + 1  # an event that cannot be read is not tried again
            self.apply(events[index])
        return self

    # ── what a view asks ───────────────────────────────────────────────────────────────────────────────

    @property
    def hub(self) -> Member:
        """The one in the middle: the supervisor, or the user where there is none."""
        first = next(iter(self.user.specialists.values()), None)
        alone = first and len(self.user.specialists) == 1 and not self.user.own.calls
        return first if alone and first.specialists else self.user

    @property
    def members(self) -> list[Member]:
        """Everybody that a picture shows, hub first."""
        return [self.hub, *self.hub.below]

    @property
    def holders(self) -> list[Passage]:
        """The handoffs that are being worked on: open, and not waiting for a specialist."""
        everybody = [self.user, *self.user.below]
        return [it for member in everybody for it in member.open.values() if it.state == "working"]

    def passage(self, run: str) -> Passage | None:
        """The handoff that opened this run."""
        return self._by_run.get(run) if run else None

    @property
    def task(self) -> str:
        """What the user asked for; of several different tasks, how many there are and the first ones."""
        first = [*islice(self._tasks, 4)]
        if len(first) < 2:
            return "".join(first)
        return f"{len(self._tasks)} tasks: {'; '.join(first)}" + ("; …" if len(self._tasks) > len(first) else "")

    @property
    def finished(self) -> bool:
        return bool(self.passages) and not self._run.under_way

    def finding(self) -> str:
        """What the picture shows, in a sentence or two."""
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
        for it in holders:
            names[it.member.name] = names.get(it.member.name, 0) + 1
        said = [f"{name} ×{times}" if times > 1 else name for name, times in names.items()]
        most = [*said[:4], f"{len(said) - 4} others"] if len(said) > 5 else said
        return (
            f"{len(holders)} handoffs are worked on at once: {listed(most)}."
            if said
            else "The work is on its way back."
        )

    def _ending(self) -> str:
        last = self._latest_answer or self.passages[0]
        result = last.result or {}
        gave = words_of(result.get("output"))
        back = _count(gave, "word") if gave else "nothing"
        said = f"{last.state.capitalize()}: the {last.member.name} gave {back} back to the {last.sender}"
        said += f" after {_count(len(self.passages), 'handoff')}."
        reason = " ".join(result.get("reason", "")[:300].split()).rstrip(".")
        return f"{said} {reason[:1].upper()}{reason[1:]}." if reason else said

    # ── one event ──────────────────────────────────────────────────────────────────────────────────────

    def apply(self, event: Event) -> None:
        """Moves the scene on by one event, in constant time."""
        self.now = moment = Moment(event.seq, event.at)
        data = event.data
        if event.kind == "dispatch":
            self._dispatch(event, moment)
            return
        passage = self._by_run.get(event.run)
        if passage is None:
            return  # a stream that begins in the middle: its head is not known
        passage.latest_back = None
        match event.kind:
            case "return":
                self._return(passage, data, moment)
            case "request":
                self._request(passage, data, moment)
            case "reply":
                self._close(passage, moment)
                self._book(passage, missing(Spent(), data["spent"]))
                self.models.setdefault(data["model"])
                passage.doing = "has the answer"
            case "retry":
                passage.doing = f"trying again: {data['type']}"
            case "tool_call":
                passage.doing = f"{data['name']} is running"
            case "tool_result":
                passage.doing = (
                    f"{data['name']} failed"
                    if data["is_error"]
                    else f"{data['name']} gave {_count(words_of(data['content']), 'word')}"
                )
            case "note":
                passage.note = data["text"]

    def _dispatch(self, event: Event, moment: Moment) -> None:
        data = event.data
        caller = self._by_run.get(data["parent"], self._run)
        member = self._member(caller.member, event.agent)
        handoff = data["handoff"]
        named = {
            "task": handoff["intent"],
            "context": handoff.get("context", ""),
            **handoff.get("artifacts", {}),
        }
        parts = [Part(name, words_of(value)) for name, value in named.items() if value]
        taken = {it.slot for it in member.open.values()}
        slot = next(it for it in range(len(taken) + 1) if it not in taken)
        passage = Passage(
            len(self.passages) + 1,
            event.run,
            member,
            caller,
            moment,
            handoff,
            data.get("limits") or {},
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
            begin, end = member.merged or (member.bars[0].begin, member.bars[0].begin)
            member.merged = Span(begin, max(end, member.bars[0].end or moment))
        member.bars.append(passage)
        if caller is self._run:
            self._tasks[handoff["intent"]] = None
            for name in self._team if len(self.passages) == 1 else ():
                self._member(member, name)

    def _return(self, passage: Passage, data: dict[str, Any], moment: Moment) -> None:
        if passage.result is not None or passage is self._run:
            return
        passage.result, passage.end, passage.doing = data["result"], moment, ""
        passage.said = outcome(data["result"])
        for call in passage.calls:
            call.end = call.end or moment
        self._book(passage, missing(passage.spent, data["spent"]))
        passage.member.open.pop(passage.run, None)
        passage.member.latest = next(reversed(passage.member.open.values()), passage)
        passage.caller.under_way -= 1
        passage.caller.latest_back = passage
        if passage.caller is self._run:
            self._latest_answer = passage

    def _request(self, passage: Passage, data: dict[str, Any], moment: Moment) -> None:
        call = Call(moment, passage.slot)
        passage.calls.append(call)
        passage.member.calls.append(call)
        passage.turns += 1
        passage.doing = f"asks the model, turn {passage.turns}"
        passage.member.latest = passage
        for tool in data["body"].get("tools") or ():
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


# ── in words ───────────────────────────────────────────────────────────────────────────────────────────────


def words_of(value: Any) -> int:
    """How many words a payload or an output has; of a structure, those of all its texts."""
    if isinstance(value, dict):
        return sum(map(words_of, value.values()))
    if isinstance(value, list):
        return sum(map(words_of, value))
    return 0 if value is None else len(str(value).split())


def sizes(parts: Iterable[Part]) -> str:
    """`task 9, facts 312 words`."""
    said = ", ".join(f"{name} {words:,}" for name, words in parts)
    return f"{said} words" if said else "nothing"


def outcome(result: dict[str, Any]) -> str:
    """What came back: its verdict or its size, and the reason when it is not ok."""
    output, said = result.get("output"), []
    if result["status"] != "ok":
        said.append(result["status"])
    if isinstance(output, dict) and "verdict" in output:
        said.append(str(output["verdict"]))
        if issues := output.get("issues"):
            said.append(_count(len(issues), "issue"))
    elif output is not None:
        said.append(_count(words_of(output), "word"))
    if result.get("reason"):
        said.append(result["reason"])
    return " · ".join(said) or "nothing"


def listed(names: Iterable[str]) -> str:
    """`a, b and c`."""
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last


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
