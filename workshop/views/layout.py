"""Where everybody stands in the team picture: hub on the left, specialists in one column, or leads
and theirs in two.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from .scene import Member
from .svg import MARGIN

MOST = 12
"""Rows of specialists; those for whom there is no room share one more box."""
HUB_HEIGHT = 72.0


@dataclass
class Place:
    """A box: one member, or the group of those for whom there is no room."""

    member: Member
    x: float
    y: float
    width: float
    height: float
    hub: Place | None = None
    others: tuple[Member, ...] = ()
    """All members of the group; empty for a box of one."""
    deeper: int = 0
    """How many there are below it that the picture does not show."""

    @property
    def middle(self) -> float:
        return self.y + self.height / 2


@dataclass
class Layout:
    """The places, hub first, and the y below them."""

    places: list[Place]
    bottom: float

    @property
    def lanes(self) -> list[Member]:
        """Who gets a lane of time: everybody with a box of their own who has had work."""
        alone = (place.member for place in self.places if not place.others)
        return [member for member in alone if member.handoffs or member.own.calls]


def arrange(hub: Member, top: float) -> Layout:
    """Places for the hub and everybody below it, in the order in which they appeared."""
    spokes = list(hub.specialists.values())
    nested = any(member.specialists for member in spokes)
    rows = sum(max(1, len(member.specialists)) for member in spokes)
    height, pitch = (56.0, 72.0) if rows <= 6 else (42.0, 50.0)
    xs, widths = (
        ((MARGIN, 312, 600), (128, 128, 136)) if nested else ((MARGIN, 544, 0), (192, 192, 0))
    )
    centre = Place(hub, xs[0], top, widths[0], HUB_HEIGHT)
    spoke, leaf = (
        Place(hub, xs[1], top, widths[1], height, centre),
        Place(hub, xs[2], top, widths[2], height),
    )
    places, y = [centre], top + (HUB_HEIGHT - height) / 2 * (rows == 1)
    for members in _fitted(spokes, MOST):
        mine = replace(spoke, member=members[0], y=y, others=members if len(members) > 1 else ())
        places.append(mine)
        below = list(members[0].specialists.values()) if nested and not mine.others else []
        began = y
        for group in _fitted(below, MOST):
            others = group if len(group) > 1 else ()
            deeper = 0 if others else sum(1 for _ in group[0].below)
            places.append(
                replace(leaf, member=group[0], y=y, hub=mine, others=others, deeper=deeper)
            )
            y += pitch
        y += 0 if below else pitch
        mine.y = (began + y - pitch) / 2
    bottom = max(y - (pitch - height), top + HUB_HEIGHT)
    centre.y = top + (bottom - top - HUB_HEIGHT) / 2
    return Layout(places, bottom)


def _fitted(members: list[Member], room: int) -> Iterator[tuple[Member, ...]]:
    """One by one, and the last as a group when there are more than `most`."""
    alone = members if len(members) <= room else members[: room - 1]
    yield from ((member,) for member in alone)
    if len(alone) < len(members):
        yield tuple(members[len(alone) :])
