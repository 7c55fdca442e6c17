"""The team picture: hub and spokes, who holds the work, what is on its way, what it used, and the
lanes of time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from kernel.models import role_of

from .lanes import LEGEND, Scale, in_text, lane_height, member_lane
from .layout import Layout, Place, arrange
from .scene import Member, Passage, Scene, bill, dollars, listed, reasons, short, sizes, waits
from .svg import (
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
    Hues,
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
from .understood import not_understood
from .view import Source, Time, View

MOST_REASONS = 4
TROUBLE = ("failed", "stopped", "paused")


class TeamPicture(View):
    """The whole team at one moment: `TeamPicture(run)`, `TeamPicture(trace)`.

    time: the unit of the lanes; `seconds` also counts them beside the totals.
    live: marks "now", for a picture that goes on.
    team: names to show from the beginning, before they are first called.
    """

    def __init__(
        self, source: Source, *, time: Time = "steps", live: bool = False, team: Iterable[str] = ()
    ) -> None:
        super().__init__(source, team=team)
        if time not in ("steps", "seconds"):
            raise ValueError(f'time is {time!r}; expected "steps" or "seconds"')
        self.time, self.live, self.team = time, live, tuple(team)
        self._clock: Callable[[], float] | None = None

    def kept(self) -> TeamPicture:
        return type(self)(self._source, time="seconds", team=self.team)

    def moving(self, clock: Callable[[], float]) -> TeamPicture:
        picture = type(self)(self._source, time="seconds", live=True, team=self.team)
        picture._clock = clock
        return picture

    def svg(self) -> str:
        scene = self.scene
        hues = self.hues
        live = self.live and not scene.finished
        now = (
            scene.now._replace(seconds=max(self._clock(), scene.now.seconds))
            if live and self._clock
            else scene.now
        )
        seconds = now.seconds if self.time == "seconds" else None
        finding = wrapped(
            scene.finding(), WIDTH - 2 * MARGIN, BODY + 1, max_lines=2 if scene.finished else 1
        )
        layout = arrange(scene.hub, 88.0 + 17 * len(finding))
        shapes = [*_header(scene, seconds, finding), *_edges(layout, hues), *_boxes(layout, hues)]
        y, lanes = layout.bottom + 24, layout.lanes
        if scene.passages:
            shapes += _lanes(lanes, y, Scale(self.time, 136, 528, now, live), hues)
            y += 52 + sum(lane_height(member.slots) + 8 for member in lanes) + 16
        for words, fill in self._footer():
            shapes.append(text(MARGIN, y + 4, words, size=BODY, fill=fill))
            y += 17
        return card(y, scene.finding(), shapes)

    def alt(self) -> str:
        return f"{self.scene.task or 'A run'}: {self.scene.finding()} {' '.join([*self._why(), *self._notes()])}".strip()

    def _footer(self) -> Iterator[tuple[str, str]]:
        """The lines under the picture with their colours: reasons, waits, what was not
        understood.
        """
        for notes, fill in ((self._why(), WARNING), (self._notes(), MUTED)):
            for note in notes:
                for words in wrapped(note, WIDTH - 2 * MARGIN, BODY, max_lines=8):
                    yield words, fill

    def _notes(self) -> list[str]:
        return [*waits(self.scene.passages), *not_understood(self.events)]

    def _why(self) -> list[str]:
        """Why handoffs did not end well, each reason once, without the one that the finding
        gives.
        """
        given = self.scene.finding().lower()
        others = (
            passage
            for passage in self.scene.passages
            if passage.reason.rstrip(".").lower() not in given
        )
        found = reasons(others)
        hidden = len(found) - MOST_REASONS
        more = [f"and {hidden} more reasons: HandoffLog shows each"] if hidden > 0 else []
        return [*found[:MOST_REASONS], *more]

    def text(self) -> str:
        scene = self.scene
        hub = scene.hub
        lines = [scene.task or "a run", scene.finding(), bill(scene.spent), ""]
        rows = [
            (("  " * _depth(member, hub)) + member.name, _state(member), _in_words(member))
            for member in scene.members
        ]
        widths = [max(len(row[column]) for row in rows) for column in (0, 1)]
        lines += [
            f"{name.ljust(widths[0])}  {state.ljust(widths[1])}  {detail}".rstrip()
            for name, state, detail in rows
        ]
        if scene.passages:
            lines += [
                "",
                f"{'steps'.ljust(widths[0])}  0 to {scene.now.step}   (█ a model call, ░ holds the work)",
            ]
            lines += [
                f"{row[0].ljust(widths[0])}  {in_text(member.held, member.calls, scene.now)}"
                for row, member in zip(rows, scene.members, strict=True)
                if member.latest and (member.handoffs or member.own.calls)
            ]
        notes = [*self._why(), *self._notes()]
        lines += ["", *notes] if notes else []
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"TeamPicture({listed(member.name for member in self.scene.members)}; {len(self.scene.passages)} handoffs)"


# ── shapes ────────────────────────────────────────────────────────────────────────────────────────


def _header(scene: Scene, seconds: float | None, finding: list[str]) -> Iterator[str]:
    figures = [
        (f"{scene.spent.calls:,}", "call" if scene.spent.calls == 1 else "calls"),
        (short(scene.spent.tokens), "tokens"),
        (dollars(scene.spent.cost), "cost"),
    ]
    if seconds is not None:
        figures.append((f"{seconds:.1f}", "seconds"))
    apart = 96 if seconds is None else 86
    left = WIDTH - MARGIN - apart * (len(figures) - 1)
    for index, (value, label) in enumerate(figures):
        yield text(left + apart * index, 38, value, size=TITLE, fill=INK, bold=True, anchor="end")
        yield text(left + apart * index, 54, label, anchor="end")
    room = left - apart + 8 - MARGIN
    task = scene.task or "a run"
    fits = seconds is None or text_width(task, TITLE, bold=True) <= room
    yield text(MARGIN, 38, task, size=TITLE if fits else LABEL, fill=INK, bold=True, width=room)
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
    member, x, y, inner = place.member, place.x, place.y, place.width - 24
    state = member.state
    working, unused = state == "working", not member.handoffs and member.hub is not None
    edge, weight = (WARNING, 1.5) if state in TROUBLE else (hue, 2.5 if working else 1.25)
    size = place.width, place.height
    if len(member.open) > 1:
        yield box(x + 5, y - 5, *size, stroke=tint(hue, 0.45))
    fill, edge = tint(hue, 0.09) if working else CARD, tint(hue, 0.35) if unused else edge
    yield box(x, y, *size, fill=fill, stroke=edge, stroke_width=weight)
    first, second = (y + 18, y + 34) if place.height < 50 else (y + 23, y + 43)
    label, colour = _state(member), deep(WARNING if state in TROUBLE else hue)
    taken = text_width(label, SMALL, bold=True) + 8
    tight = text_width(member.name, LABEL, bold=True) > inner - 15 - taken
    narrow = tight or place.width < 160  # then the state moves down
    dot = hue if working or state == "done" else CARD
    yield element(
        "circle", cx=x + 16, cy=first - 4.5, r=4.5, fill=dot, stroke=hue, stroke_width=1.5
    )
    room, size = (
        (inner - 15, BODY if place.width < 160 else LABEL)
        if narrow
        else (inner - 15 - taken, LABEL)
    )
    yield text(x + 27, first, member.name, size=size, fill=INK, bold=True, width=room)
    if narrow:
        yield text(x + 12, second, label, fill=colour, bold=True)
        yield text(
            x + 12 + taken,
            second,
            f"+ {place.deeper} below" if place.deeper else _detail(member),
            width=inner - taken,
        )
    else:
        yield text(x + place.width - 12, first, label, fill=colour, bold=True, anchor="end")
        yield text(x + 12, second, _detail(member), width=inner)
    if central:
        yield text(x + 12, y + 60, _own(member), width=inner)


def _group(place: Place) -> Iterator[str]:
    yield box(place.x, place.y, place.width, place.height, fill=PAPER, stroke=LINE)
    states: dict[str, int] = {}
    for member in place.others:
        states[member.state] = states.get(member.state, 0) + 1
    yield text(
        place.x + 12,
        place.middle - 3,
        f"+ {len(place.others)} more",
        size=LABEL,
        fill=INK,
        bold=True,
    )
    summary = ", ".join(f"{many} {state}" for state, many in states.items())
    yield text(place.x + 12, place.middle + 14, summary, width=place.width - 24)


def _state(member: Member) -> str:
    return f"{member.state} ×{len(member.open)}" if len(member.open) > 1 else member.state


def _detail(member: Member) -> str:
    """The second line of a box: what it is doing, or what came of it."""
    latest = member.latest
    if latest is None:
        return "not called yet"
    if latest.result is not None:
        return latest.in_brief.removeprefix("failed").strip(" ·")  # the state says so already
    if latest.state == "waiting":
        waits = [name for name, one_member in member.specialists.items() if one_member.open]
        return latest.note or (f"for {listed(waits)}" if waits else "for a specialist")
    if member.hub is None and not latest.doing:
        return "the one who asks"
    return latest.doing or latest.note or "has the work"


def _own(member: Member) -> str:
    calls = member.own.calls
    return f"{calls} own call{'' if calls == 1 else 's'}" if calls else "no calls of its own"


def _edges(layout: Layout, hues: Hues) -> Iterator[str]:
    """Idle edges first, so that what is on its way lies on top."""
    spokes = [one_place for one_place in layout.places if one_place.hub]
    for place in sorted(spokes, key=lambda spoke: bool(spoke.member.open)):
        hub, working = place.hub, any(other.open for other in place.others or (place.member,))
        start, end, y0, y1 = hub.x + hub.width, place.x, hub.middle, place.middle
        bend = start + _bend(start, end)
        middle = (start + bend) / 2
        stroke = LINE if not working else MUTED if place.others else hues[place.member.name]
        curve = " ".join(map(number, (middle, y0, middle, y1, bend, y1)))
        yield path(
            f"M{number(start)} {number(y0)}C{curve}H{number(end)}",
            stroke=stroke,
            width=2.5 if working else 1.5,
        )
    for place in spokes:
        if not place.others:
            yield from _chip(place, hues[place.member.name])


def _chip(place: Place, hue: str) -> Iterator[str]:
    """What lies on an edge: the handoff on its way with its parts and sizes; else which handoffs
    went along it.
    """
    member, hub = place.member, place.hub
    latest = member.latest
    if latest is None:
        return
    start, end = hub.x + hub.width, place.x
    left, y = start + _bend(start, end) + 8, place.middle
    room = end - 12 - left
    if member.open:
        wide, badge = room > 150, str(latest.number)
        radius = max(9.0, text_width(badge, SMALL, bold=True) / 2 + 4) if wide else 0.0
        before = 2 * radius + 14 if wide else 14.0
        first, second = _carried(latest, len(member.open), room - before - 12)
        first, second = (
            cut(first, room - before - 12, SMALL, bold=True),
            cut(second, room - before - 12),
        )
        width = max(text_width(first, SMALL, bold=True), text_width(second)) + before + 12
        x = left + (room - width) / 2
        yield box(x, y - 19, width, 38, radius=19, fill=CARD, stroke=hue, stroke_width=1.5)
        if wide:
            yield box(x + 8, y - radius, 2 * radius, 2 * radius, radius=radius, fill=hue)
            yield text(x + 8 + radius, y + 4, badge, fill=CARD, bold=True, anchor="middle")
        yield text(x + before, y - 3, first, fill=INK, bold=True)
        yield text(x + before, y + 12, second)
        yield _arrow(end - 1, y, -8, hue)
        return
    middle = left + room / 2
    caller = latest.caller
    if caller and caller.number and caller.latest_back is latest and caller.result is None:
        label = cut(f"came back: {latest.in_brief}", room - 20, SMALL, bold=True)
        width = text_width(label, SMALL, bold=True) + 20
        yield box(
            middle - width / 2,
            y - 11,
            width,
            22,
            radius=11,
            fill=CARD,
            stroke=hue,
            stroke_width=1.5,
        )
        yield text(middle, y + 4, label, fill=INK, bold=True, anchor="middle")
        yield _arrow(start + 1, hub.middle, 8, hue)
        return
    yield text(middle, y - 6, _numbers(member), anchor="middle", width=room)
    yield text(middle, y + 15, _went(latest, member.handoffs, room), anchor="middle", width=room)


def _arrow(x: float, y: float, length: float, hue: str) -> str:
    """A tip at (x, y); its back is `length` px to the right."""
    return path(
        f"M{number(x + length)} {number(y - 5)}L{number(x)} {number(y)}L{number(x + length)} {number(y + 5)}Z",
        fill=hue,
    )


def _bend(start: float, end: float) -> float:
    return min(80.0, (end - start) * 0.24)


def _carried(latest: Passage, at_once: int, room: float) -> tuple[str, str]:
    """Two lines: the names of the parts, and their sizes."""
    parts = latest.parts
    whole = f"{latest.number}: {sum(part.words for part in parts):,} words"
    if at_once > 1:
        return f"{at_once} handoffs at once", f"latest: {sizes(parts)}" if room > 150 else whole
    while True:
        names = " + ".join(part.name for part in parts) or "nothing"
        summary = " + ".join(f"{part.words:,}" for part in parts) + " words"
        if text_width(names, SMALL, bold=True) <= room or len(parts) < 2 or parts[0].name != "task":
            break
        parts = parts[1:]  # every handoff has a task: that one can be left out
    return names, summary if room > 150 else whole


def _numbers(member: Member) -> str:
    """Which handoffs went along this edge, as they are numbered in the log."""
    if member.handoffs > len(member.numbers):
        return f"{member.handoffs} handoffs"
    return f"handoff{'' if member.handoffs == 1 else 's'} {listed(map(str, member.numbers))}"


def _went(latest: Passage, handoffs: int, room: float) -> str:
    """What the latest handoff carried: with sizes where there is room, else by name."""
    first = "last: " if handoffs > 1 else ""
    label = first + sizes(latest.parts)
    return (
        label
        if text_width(label) <= room
        else first + ", ".join(part.name for part in latest.parts)
    )


def _lanes(members: list[Member], y: float, scale: Scale, hues: Hues) -> Iterator[str]:
    yield line(MARGIN, y - 8, WIDTH - MARGIN, y - 8, stroke=tint(LINE, 0.6))
    yield text(MARGIN, y + 12, "time" if scale.time == "seconds" else "steps", bold=True)
    yield text(scale.left, y + 12, LEGEND, width=scale.right - scale.left)
    columns = (592.0, 664.0, WIDTH - MARGIN)
    for x, label in zip(columns, ("calls", "tokens", "cost"), strict=True):
        yield text(x, y + 12, label, anchor="end", bold=True)
    y += 28
    bottom = y + sum(lane_height(one_member.slots) + 8 for one_member in members) - 4
    yield from scale.axis(y - 2, bottom)
    for member in members:
        height = lane_height(member.slots)
        middle = y + height / 2 + 4
        yield text(MARGIN, middle, member.name, fill=INK, width=scale.left - MARGIN - 12)
        yield from member_lane(member, y, scale, hues[member.name])
        own: Any = member.own
        for x, value in zip(
            columns, (f"{own.calls:,}", f"{own.tokens:,}", dollars(own.cost)), strict=True
        ):
            yield text(
                x,
                middle,
                value if own.calls else "–",
                fill=INK if own.calls else MUTED,
                anchor="end",
            )
        y += height + 8


# ── the text twin ─────────────────────────────────────────────────────────────────────────────────


def _depth(member: Member, hub: Member) -> int:
    depth = 0
    while member is not hub and member.hub is not None:
        member, depth = member.hub, depth + 1
    return depth


def _in_words(member: Member) -> str:
    pieces = [_detail(member)]
    if member.open:
        pieces += [
            f"holds {passage.number} ({sizes(passage.parts)})" for passage in member.open.values()
        ]
    elif member.handoffs:
        pieces.append(
            f"{_numbers(member)} ({'last: ' if member.handoffs > 1 else ''}{sizes(member.latest.parts)})"
        )
    if member.own.calls:
        pieces.append(bill(member.own))
    return " · ".join(pieces)
