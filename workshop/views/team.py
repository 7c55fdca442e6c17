"""The team picture: hub and spokes, who holds the work, what is on its way, what it used, and the
lanes of time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from classroom.paper.svg import (
    BODY,
    CARD,
    INK,
    LABEL,
    LINE,
    MARGIN,
    MUTED,
    PAPER,
    SMALL,
    TITLE,
    WARNING,
    WIDTH,
    box,
    card,
    cut,
    deep,
    element,
    line,
    number,
    path,
    text,
    text_width,
    tint,
    wrapped,
)
from kernel.plumbing.models import role_of
from workshop.views.hues import Hues

from .footer import first_reasons, footer
from .lanes import LEGEND, Scale, in_text, lane_height, member_lane
from .layout import Layout, Place, arrange
from .scene import Member, Part, Passage, Scene, bill, dollars, listed, short, sizes, waits
from .view import Source, Time, View

MOST_REASONS = 4
TROUBLE = ("failed", "stopped", "paused")


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

    def svg(self) -> str:
        scene = self.scene
        hues = self.hues
        live = self.live and not scene.finished
        now = scene.now
        if live and self._clock:
            now = now._replace(seconds=max(self._clock(), now.seconds))
        seconds = now.seconds if self.time == "seconds" else None
        max_lines = 2 if scene.finished else 1
        finding = wrapped(scene.finding(), WIDTH - 2 * MARGIN, BODY + 1, max_lines=max_lines)
        layout = arrange(scene.hub, 88.0 + 17 * len(finding))
        shapes = [*_header(scene, seconds, finding)]
        shapes += _edges(layout, hues)
        shapes += _boxes(layout, hues)
        y = layout.bottom + 24
        lanes = layout.lanes
        if scene.passages:
            scale = Scale(self.time, 136, 528, now, live)
            shapes += _lanes(lanes, y, scale, hues)
            y += 52 + sum(lane_height(member.slots) + 8 for member in lanes) + 16
        below, y = footer(self._why(), self._notes(), y)
        return card(y, scene.finding(), [*shapes, *below])

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


def _header(scene: Scene, seconds: float | None, finding: list[str]) -> Iterator[str]:
    spent = scene.spent
    calls = "call" if spent.calls == 1 else "calls"
    figures = [
        (f"{spent.calls:,}", calls),
        (short(spent.tokens), "tokens"),
        (dollars(spent.cost), "cost"),
    ]
    if seconds is not None:
        figures.append((f"{seconds:.1f}", "seconds"))
    apart = 96 if seconds is None else 86
    left = WIDTH - MARGIN - apart * (len(figures) - 1)
    for index, (value, label) in enumerate(figures):
        x = left + apart * index
        yield text(x, 38, value, size=TITLE, fill=INK, bold=True, anchor="end")
        yield text(x, 54, label, anchor="end")
    room = left - apart + 8 - MARGIN
    task = scene.task or "a run"
    fits = seconds is None or text_width(task, TITLE, bold=True) <= room
    size = TITLE if fits else LABEL
    yield text(MARGIN, 38, task, size=size, fill=INK, bold=True, width=room)
    models = listed(list(map(role_of, scene.models))) if scene.models else ""
    yield text(MARGIN, 54, models, width=room)
    for index, words in enumerate(finding):
        yield text(MARGIN, 82 + 17 * index, words, size=BODY + 1, fill=INK)


def _boxes(layout: Layout, hues: Hues) -> Iterator[str]:
    for place in layout.places:
        if place.others:
            yield from _group(place)
        else:
            yield from _box(place, hues[place.member.name], central=place.hub is None)


def _box(place: Place, hue: str, *, central: bool) -> Iterator[str]:
    member = place.member
    x = place.x
    y = place.y
    inner = place.width - 24
    state = member.state
    working = state == "working"
    size = place.width, place.height
    if len(member.open) > 1:
        yield box(x + 5, y - 5, *size, stroke=tint(hue, 0.45))
    fill = tint(hue, 0.09) if working else CARD
    edge, weight = _outline(member, hue)
    yield box(x, y, *size, fill=fill, stroke=edge, stroke_width=weight)
    first, second = (y + 18, y + 34) if place.height < 50 else (y + 23, y + 43)
    label = _state(member)
    colour = deep(WARNING if state in TROUBLE else hue)
    taken = _width(label) + 8
    small = place.width < 160
    tight = text_width(member.name, LABEL, bold=True) > inner - 15 - taken
    narrow = tight or small  # then the state moves down
    dot = hue if working or state == "done" else CARD
    cx = x + 16
    cy = first - 4.5
    yield element("circle", cx=cx, cy=cy, r=4.5, fill=dot, stroke=hue, stroke_width=1.5)
    room = inner - 15 if narrow else inner - 15 - taken
    name_size = BODY if small else LABEL
    yield text(x + 27, first, member.name, size=name_size, fill=INK, bold=True, width=room)
    if narrow:
        detail = f"+ {place.deeper} below" if place.deeper else _detail(member)
        yield text(x + 12, second, label, fill=colour, bold=True)
        yield text(x + 12 + taken, second, detail, width=inner - taken)
    else:
        yield text(x + place.width - 12, first, label, fill=colour, bold=True, anchor="end")
        yield text(x + 12, second, _detail(member), width=inner)
    if central:
        yield text(x + 12, y + 60, _own(member), width=inner)


def _outline(member: Member, hue: str) -> tuple[str, float]:
    """Colour and width of a box's edge."""
    colour = hue
    width = 2.5 if member.state == "working" else 1.25
    if member.state in TROUBLE:
        colour = WARNING
        width = 1.5
    unused = not member.handoffs and member.hub is not None
    if unused:
        colour = tint(hue, 0.35)
    return colour, width


def _group(place: Place) -> Iterator[str]:
    yield box(place.x, place.y, place.width, place.height, fill=PAPER, stroke=LINE)
    states: dict[str, int] = {}
    for member in place.others:
        states[member.state] = states.get(member.state, 0) + 1
    x = place.x + 12
    more = f"+ {len(place.others)} more"
    summary = ", ".join(f"{many} {state}" for state, many in states.items())
    yield text(x, place.middle - 3, more, size=LABEL, fill=INK, bold=True)
    yield text(x, place.middle + 14, summary, width=place.width - 24)


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


def _edges(layout: Layout, hues: Hues) -> Iterator[str]:
    """Idle edges first, so that what is on its way lies on top."""
    spokes = [(place, place.hub) for place in layout.places if place.hub]
    for place, hub in sorted(spokes, key=lambda spoke: bool(spoke[0].member.open)):
        members = place.others or (place.member,)
        working = any(member.open for member in members)
        start = hub.x + hub.width
        y = hub.middle
        bend = start + _bend(start, place.x)
        middle = (start + bend) / 2
        points = (middle, y, middle, place.middle, bend, place.middle)
        curve = " ".join(map(number, points))
        stroke = LINE
        if working:
            stroke = MUTED if place.others else hues[place.member.name]
        shape = f"M{number(start)} {number(y)}C{curve}H{number(place.x)}"
        yield path(shape, stroke=stroke, width=2.5 if working else 1.5)
    for place, hub in spokes:
        if not place.others:
            yield from _chip(place, hub, hues[place.member.name])


def _chip(place: Place, hub: Place, hue: str) -> Iterator[str]:
    """Draws the handoff on its way along an edge, with its parts and sizes; else the numbers of the
    handoffs that went along it.
    """
    member = place.member
    latest = member.latest
    if latest is None:
        return
    start = hub.x + hub.width
    left = start + _bend(start, place.x) + 8
    room = place.x - 12 - left
    middle = left + room / 2
    y = place.middle
    caller = latest.caller
    if member.open:
        yield from _on_its_way(member, latest, left, y, room, hue)
        yield _arrow(place.x - 1, y, -8, hue)
    elif caller and caller.number and caller.latest_back is latest and caller.result is None:
        yield from _back(latest, middle, y, room, hue)
        yield _arrow(start + 1, hub.middle, 8, hue)
    else:
        went = _went(latest, member.handoffs, room)
        yield text(middle, y - 6, _numbers(member), anchor="middle", width=room)
        yield text(middle, y + 15, went, anchor="middle", width=room)


def _on_its_way(
    member: Member,
    latest: Passage,
    left: float,
    y: float,
    room: float,
    hue: str,
) -> Iterator[str]:
    """A chip in the middle of the edge: the handoff's number where there is room, and what it
    carries.
    """
    wide = room > 150
    badge = str(latest.number)
    radius = 0.0
    before = 14.0
    if wide:
        radius = max(9.0, _width(badge) / 2 + 4)
        before = 2 * radius + 14
    inner = room - before - 12
    first, second = _carried(latest, len(member.open), inner)
    first = cut(first, inner, SMALL, bold=True)
    second = cut(second, inner)
    width = max(_width(first), text_width(second)) + before + 12
    x = left + (room - width) / 2
    yield box(x, y - 19, width, 38, radius=19, fill=CARD, stroke=hue, stroke_width=1.5)
    if wide:
        across = 2 * radius
        yield box(x + 8, y - radius, across, across, radius=radius, fill=hue)
        yield text(x + 8 + radius, y + 4, badge, fill=CARD, bold=True, anchor="middle")
    yield text(x + before, y - 3, first, fill=INK, bold=True)
    yield text(x + before, y + 12, second)


def _back(
    latest: Passage,
    middle: float,
    y: float,
    room: float,
    hue: str,
) -> Iterator[str]:
    """A chip that says what the handoff came to."""
    label = cut(f"came back: {latest.in_brief}", room - 20, SMALL, bold=True)
    width = _width(label) + 20
    left = middle - width / 2
    yield box(left, y - 11, width, 22, radius=11, fill=CARD, stroke=hue, stroke_width=1.5)
    yield text(middle, y + 4, label, fill=INK, bold=True, anchor="middle")


def _width(words: str) -> float:
    """px of a small bold text."""
    return text_width(words, SMALL, bold=True)


def _arrow(x: float, y: float, length: float, hue: str) -> str:
    """A tip at (x, y); its back is `length` px to the right."""
    back = number(x + length)
    top = f"{back} {number(y - 5)}"
    bottom = f"{back} {number(y + 5)}"
    return path(f"M{top}L{number(x)} {number(y)}L{bottom}Z", fill=hue)


def _bend(start: float, end: float) -> float:
    return min(80.0, (end - start) * 0.24)


def _carried(latest: Passage, at_once: int, room: float) -> tuple[str, str]:
    """Two lines: the names of the parts, and their sizes."""
    parts = latest.parts
    wide = room > 150
    words = sum(part.words for part in parts)
    whole = f"{latest.number}: {words:,} words"
    if at_once > 1:
        first = f"{at_once} handoffs at once"
        return first, f"latest: {sizes(parts)}" if wide else whole
    # Every handoff has a task: where there is no room, that one is left out.
    names = _joined(parts)
    while _width(names) > room and len(parts) > 1 and parts[0].name == "task":
        parts = parts[1:]
        names = _joined(parts)
    summary = " + ".join(f"{part.words:,}" for part in parts) + " words"
    return names, summary if wide else whole


def _joined(parts: Sequence[Part]) -> str:
    return " + ".join(part.name for part in parts) or "nothing"


def _numbers(member: Member) -> str:
    """Lists the numbers in the log of the handoffs that went along this edge."""
    if member.handoffs > len(member.numbers):
        return f"{member.handoffs} handoffs"
    noun = "handoff" if member.handoffs == 1 else "handoffs"
    numbers = listed(map(str, member.numbers))
    return f"{noun} {numbers}"


def _went(latest: Passage, handoffs: int, room: float) -> str:
    """Lists the parts of the latest handoff: with sizes where there is room, else by name."""
    first = "last: " if handoffs > 1 else ""
    label = first + sizes(latest.parts)
    if text_width(label) <= room:
        return label
    names = ", ".join(part.name for part in latest.parts)
    return first + names


def _lanes(members: list[Member], y: float, scale: Scale, hues: Hues) -> Iterator[str]:
    unit = "time" if scale.time == "seconds" else "steps"
    yield line(MARGIN, y - 8, WIDTH - MARGIN, y - 8, stroke=tint(LINE, 0.6))
    yield text(MARGIN, y + 12, unit, bold=True)
    yield text(scale.left, y + 12, LEGEND, width=scale.right - scale.left)
    columns = (592.0, 664.0, WIDTH - MARGIN)
    for x, label in zip(columns, ("calls", "tokens", "cost"), strict=True):
        yield text(x, y + 12, label, anchor="end", bold=True)
    y += 28
    heights = [lane_height(member.slots) + 8 for member in members]
    bottom = y + sum(heights) - 4
    yield from scale.axis(y - 2, bottom)
    room = scale.left - MARGIN - 12
    for member in members:
        height = lane_height(member.slots)
        middle = y + height / 2 + 4
        yield text(MARGIN, middle, member.name, fill=INK, width=room)
        yield from member_lane(member, y, scale, hues[member.name])
        own: Any = member.own
        values = (f"{own.calls:,}", f"{own.tokens:,}", dollars(own.cost))
        fill = INK
        if not own.calls:
            values = ("–", "–", "–")
            fill = MUTED
        for x, value in zip(columns, values, strict=True):
            yield text(x, middle, value, fill=fill, anchor="end")
        y += height + 8


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
