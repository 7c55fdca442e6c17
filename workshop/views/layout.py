"""The layout of the team picture: hub on the left, specialists in one column, or two with leads."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from classroom.paper.svg import MARGIN

from .scene import Member

MOST = 12
"""Rows of specialists; those that do not fit share one more box."""
HUB_HEIGHT = 72.0
IN_TWO = ((MARGIN, 192), (544, 192), (0, 0))
IN_THREE = ((MARGIN, 128), (312, 128), (600, 136))
"""Left edge and width of each column, in px: the hub's, its specialists', and theirs."""


@dataclass
class Place:
    """A box: one member, or the group of those that do not fit."""

    member: Member
    x: float
    y: float
    width: float
    height: float
    hub: Place | None = None
    others: tuple[Member, ...] = ()
    """All members of the group; empty for a box of one."""
    deeper: int = 0
    """The number of members below it that the picture does not show."""

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
        """The members with a lane of time: everybody with a box of their own who has had work."""
        alone = (place.member for place in self.places if not place.others)
        return [member for member in alone if member.handoffs or member.own.calls]


def arrange(hub: Member, top: float) -> Layout:
    """Places for the hub and everybody below it, in the order in which they appeared."""
    spokes = list(hub.specialists.values())
    nested = any(member.specialists for member in spokes)
    rows = sum(max(1, len(member.specialists)) for member in spokes)
    height, pitch = (56.0, 72.0) if rows <= 6 else (42.0, 50.0)
    columns = IN_THREE if nested else IN_TWO
    (hub_x, hub_width), (spoke_x, spoke_width), (leaf_x, leaf_width) = columns
    centre = Place(hub, hub_x, top, hub_width, HUB_HEIGHT)
    spoke = Place(hub, spoke_x, top, spoke_width, height, centre)
    leaf = Place(hub, leaf_x, top, leaf_width, height)
    places = [centre]
    y = top
    if rows == 1:
        y += (HUB_HEIGHT - height) / 2
    for members in _fitted(spokes, MOST):
        first = members[0]
        others = members if len(members) > 1 else ()
        mine = replace(spoke, member=first, y=y, others=others)
        places.append(mine)
        below = list(first.specialists.values()) if nested and not others else []
        began = y
        for group in _fitted(below, MOST):
            others = group if len(group) > 1 else ()
            deeper = 0 if others else len([*group[0].below])
            place = replace(leaf, member=group[0], y=y, hub=mine, others=others, deeper=deeper)
            places.append(place)
            y += pitch
        if not below:
            y += pitch
        mine.y = (began + y - pitch) / 2
    bottom = max(y - (pitch - height), top + HUB_HEIGHT)
    centre.y = top + (bottom - top - HUB_HEIGHT) / 2
    return Layout(places, bottom)


def _fitted(members: list[Member], room: int) -> Iterator[tuple[Member, ...]]:
    """One by one, and the last as a group when there are more than `room`."""
    alone = members if len(members) <= room else members[: room - 1]
    yield from ((member,) for member in alone)
    if len(alone) < len(members):
        yield tuple(members[len(alone) :])
