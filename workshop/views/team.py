"""The team picture: hub and spokes, who holds the work, what is on its way, what it used, and the
lanes of time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from classroom.paper.svg import BODY, CARD, INK, LABEL, MUTED, SMALL, TITLE
from kernel.plumbing.models import role_of
from workshop.views.hues import Hues

from .drawing import Drawing
from .graph import Column, Node, draw_graph
from .rows import Mark, Row, draw_rows
from .scene import (
    TROUBLE,
    Member,
    Moment,
    Passage,
    Scene,
    bill,
    dollars,
    listed,
    short,
    sizes,
    waits,
)
from .timeline import LEGEND, first_reasons, in_text, marks_of, time_scale
from .view import Source, Time, View

MOST = 12
"""Boxes below one member; those that do not fit share one more box."""
MOST_REASONS = 4


class TeamPicture(View):
    """The whole team at one moment: `TeamPicture(run)`, `TeamPicture(trace)`.

    time: the unit of the lanes; `seconds` also counts them beside the totals.
    live: marks "now", for a picture that goes on.
    """

    def __init__(
        self,
        source: Source,
        *,
        time: Time = "steps",
        live: bool = False,
    ) -> None:
        super().__init__(source)
        if time not in ("steps", "seconds"):
            raise ValueError(f'time is {time!r}; expected "steps" or "seconds"')
        self.time = time
        self.live = live
        self._clock: Callable[[], float] | None = None

    def kept(self) -> TeamPicture:
        return type(self)(self._source, time="seconds")

    def moving(self, clock: Callable[[], float]) -> TeamPicture:
        picture = type(self)(self._source, time="seconds", live=True)
        picture._clock = clock
        return picture

    def draw(self, sheet: Drawing) -> None:
        scene, hues = self.scene, self.hues
        live = self.live and not scene.finished
        now = scene.now
        if live and self._clock:
            now = now._replace(seconds=max(self._clock(), now.seconds))
        _header(sheet, scene, now.seconds if self.time == "seconds" else None)
        sheet.paragraph(scene.finding(), size=BODY + 1, max_lines=4 if sheet.narrow else 2)
        sheet.y += 10
        columns = _columns(scene.hub, hues)
        nested = len(columns) > 2
        draw_graph(sheet, columns, widest=136 if nested else 192)
        if scene.passages:
            rows = [_lane(member, now, self.time, hues) for member in _with_lanes(scene.hub)]
            unit = "time" if self.time == "seconds" else "steps"
            sheet.y += 4
            draw_rows(
                sheet,
                rows,
                time_scale(now, self.time, live=live),
                legend=LEGEND,
                names=112,
                words=208,
                heads=(unit, "calls · tokens · cost"),
            )
        sheet.notes(self._why(), self._notes())

    def alt(self) -> str:
        task = self.scene.task or "A run"
        notes = " ".join([*self._why(), *self._notes()])
        return f"{task}: {self.scene.finding()} {notes}".strip()

    def _notes(self) -> list[str]:
        return waits(self.scene.passages)

    def _why(self) -> list[str]:
        """Returns the reasons of handoffs that did not end well, each once, except the finding's
        own.
        """
        given = self.scene.finding().lower()
        others = []
        for passage in self.scene.passages:
            reason = passage.reason.rstrip(".").lower()
            if reason not in given:
                others.append(passage)
        return first_reasons(others, MOST_REASONS)

    def text(self) -> str:
        scene = self.scene
        hub = scene.hub
        lines = [scene.task or "a run", scene.finding(), bill(scene.spent), ""]
        rows = []
        for member in scene.members:
            indent = "  " * _depth(member, hub)
            rows.append((indent + member.name, _state(member), _in_words(member)))
        widths = [max(len(row[column]) for row in rows) for column in (0, 1)]
        for name, state, detail in rows:
            row = f"{name.ljust(widths[0])}  {state.ljust(widths[1])}  {detail}"
            lines.append(row.rstrip())
        if scene.passages:
            head = "steps".ljust(widths[0])
            lines += ["", f"{head}  0 to {scene.now.step}   (█ a model call, ░ holds the work)"]
            for (name, _, _), member in zip(rows, scene.members, strict=True):
                if member.latest and (member.handoffs or member.own.calls):
                    lane = in_text(member.held, member.calls, scene.now)
                    lines.append(f"{name.ljust(widths[0])}  {lane}")
        notes = [*self._why(), *self._notes()]
        lines += ["", *notes] if notes else []
        return "\n".join(lines)

    def __repr__(self) -> str:
        names = listed(member.name for member in self.scene.members)
        handoffs = len(self.scene.passages)
        return f"TeamPicture({names}; {handoffs} handoffs)"


# ── shapes ────────────────────────────────────────────────────────────────────────────────────────


def _header(sheet: Drawing, scene: Scene, seconds: float | None) -> None:
    """The task, the models, and the totals."""
    spent = scene.spent
    figures = [
        (f"{spent.calls:,}", "call" if spent.calls == 1 else "calls"),
        (short(spent.tokens), "tokens"),
        (dollars(spent.cost), "cost"),
    ]
    if seconds is not None:
        figures.append((f"{seconds:.1f}", "seconds"))
    task = scene.task or "a run"
    models = listed(list(map(role_of, scene.models))) if scene.models else ""
    apart = sheet.room / len(figures) if sheet.narrow else 96
    if sheet.narrow:
        sheet.title(task)
        sheet.paragraph(models, fill=MUTED, size=SMALL)
        y, left, anchor = sheet.y + 8, sheet.left, None
        sheet.y += 46
    else:
        y, left, anchor = 38.0, sheet.right - apart * (len(figures) - 1), "end"
        room = left - apart + 8 - sheet.left
        fits = seconds is None or sheet.wide(task, TITLE, bold=True) <= room
        size = TITLE if fits else LABEL
        sheet.text(sheet.left, y, task, size=size, fill=INK, bold=True, width=room)
        sheet.text(sheet.left, y + 16, models, width=room)
        sheet.y = 82
    for index, (value, label) in enumerate(figures):
        x = left + apart * index
        sheet.text(x, y, value, size=TITLE, fill=INK, bold=True, anchor=anchor)
        sheet.text(x, y + 16, label, anchor=anchor)


def _with_lanes(hub: Member) -> list[Member]:
    """The members with a lane of time: everybody with a box of their own who has had work."""
    alone = [hub]
    for spoke in [*hub.specialists.values()][: _alone(len(hub.specialists))]:
        leaves = [*spoke.specialists.values()]
        alone += [spoke, *leaves[: _alone(len(leaves))]]
    return [member for member in alone if member.handoffs or member.own.calls]


def _alone(members: int) -> int:
    """Counts the members with a box of their own; those that do not fit share one more."""
    return members if members <= MOST else MOST - 1


def _columns(hub: Member, hues: Hues) -> list[Column]:
    """The hub, its specialists, and theirs: a column each."""
    centre = _node(hub, hues)
    columns = [Column([centre])]
    centre.lines.append(_own(hub))
    for spoke, members in _boxes(hub.specialists.values(), centre, hues, columns, 1):
        below = members[0].specialists.values() if len(members) == 1 else ()
        for leaf, own in _boxes(below, spoke, hues, columns, 2):
            deeper = len([*own[0].below]) if len(own) == 1 else 0
            if deeper:
                leaf.lines[:] = [f"+ {deeper} below"]
    return columns


def _boxes(
    members: Iterable[Member], parent: Node, hues: Hues, columns: list[Column], place: int
) -> Iterator[tuple[Node, tuple[Member, ...]]]:
    """A box for each member, and one for all that do not fit, put into the column at this place."""
    members = [*members]
    alone = _alone(len(members))
    groups: list[tuple[Member, ...]] = [(member,) for member in members[:alone]]
    if alone < len(members):
        groups.append(tuple(members[alone:]))
    for group in groups:
        node = _node(group[0], hues) if len(group) == 1 else _group(group)
        node.parents = [parent]
        while len(columns) <= place:
            columns.append(Column([]))
        columns[place].nodes.append(node)
        yield node, group


def _node(member: Member, hues: Hues) -> Node:
    hue = hues[member.name]
    working = member.state == "working"
    node = Node(
        member.name,
        hue,
        state=_state(member),
        lines=[_detail(member)],
        dot=hue if working or member.state == "done" else CARD,
        active=working,
        warns=member.state in TROUBLE,
        faint=not member.handoffs and member.hub is not None,
    )
    latest = member.latest
    if latest is None or member.hub is None:
        return node
    caller = latest.caller
    if member.open:
        node.carries_now = True
        node.carried = _on_its_way(latest, len(member.open))
    elif caller and caller.number and caller.latest_back is latest and caller.result is None:
        node.carries_now = node.arrow_back = True
        node.carried = [f"came back: {latest.in_brief}"]
    else:
        last = "last: " if member.handoffs > 1 else ""
        node.carried = [_numbers(member), last + sizes(latest.parts)]
    return node


def _group(members: tuple[Member, ...]) -> Node:
    states: dict[str, int] = {}
    for member in members:
        states[member.state] = states.get(member.state, 0) + 1
    summary = ", ".join(f"{many} {state}" for state, many in states.items())
    return Node(f"+ {len(members)} more", MUTED, lines=[summary], carried=[" "])


def _on_its_way(latest: Passage, at_once: int) -> list[str]:
    """Two lines: the number of the handoff with its parts, and their sizes."""
    if at_once > 1:
        return [f"{at_once} handoffs at once", f"latest: {sizes(latest.parts)}"]
    names = " + ".join(part.name for part in latest.parts) or "nothing"
    words = " + ".join(f"{part.words:,}" for part in latest.parts)
    return [f"{latest.number}: {names}", f"{words} words"]


def _lane(member: Member, now: Moment, time: Time, hues: Hues) -> Row:
    """All that one member held: overlapping handoffs one above the other."""
    hue = hues[member.name]
    marks = marks_of(member.bars, member.calls, now, time, hue)
    if member.merged:
        begin, end = member.merged.begin, member.merged.end or now
        first, last = float(begin.step), float(end.step)
        if time == "seconds":
            first, last = begin.seconds, end.seconds
        marks.append(Mark("paler", first, last, hue))
    own = member.own
    words = "–"
    if own.calls:
        words = f"{own.calls:,} · {own.tokens:,} · {dollars(own.cost)}"
    return Row(member.name, words, marks, lanes=member.slots)


def _state(member: Member) -> str:
    at_once = len(member.open)
    return f"{member.state} ×{at_once}" if at_once > 1 else member.state


def _detail(member: Member) -> str:
    """The second line of a box: its current work, or the outcome."""
    latest = member.latest
    if latest is None:
        return "not called yet"
    if latest.result is not None:
        return latest.in_brief.removeprefix("failed").strip(" ·")  # the state says so already
    if latest.state == "waiting" and latest.note:
        return latest.note
    if latest.state == "waiting":
        waits = [name for name, worker in member.specialists.items() if worker.open]
        return f"for {listed(waits)}" if waits else "for a specialist"
    if member.hub is None and not latest.doing:
        return "the one who asks"
    return latest.doing or latest.note or "has the work"


def _own(member: Member) -> str:
    calls = member.own.calls
    if calls == 0:
        return "no calls of its own"
    noun = "call" if calls == 1 else "calls"
    return f"{calls} own {noun}"


def _numbers(member: Member) -> str:
    """Lists the numbers in the log of the handoffs that went along this edge."""
    if member.handoffs > len(member.numbers):
        return f"{member.handoffs} handoffs"
    noun = "handoff" if member.handoffs == 1 else "handoffs"
    numbers = listed(map(str, member.numbers))
    return f"{noun} {numbers}"


# ── the text twin ─────────────────────────────────────────────────────────────────────────────────


def _depth(member: Member, hub: Member) -> int:
    depth = 0
    while member is not hub and member.hub is not None:
        member = member.hub
        depth += 1
    return depth


def _in_words(member: Member) -> str:
    pieces = [_detail(member)]
    for passage in member.open.values():
        pieces.append(f"holds {passage.number} ({sizes(passage.parts)})")
    if member.latest and member.handoffs and not member.open:
        last = "last: " if member.handoffs > 1 else ""
        pieces.append(f"{_numbers(member)} ({last}{sizes(member.latest.parts)})")
    if member.own.calls:
        pieces.append(bill(member.own))
    return " · ".join(pieces)
