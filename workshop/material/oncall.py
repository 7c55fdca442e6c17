"""Lessons 08 to 12: the on-call desk; each incident is made in a folder of its own."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from functools import cache
from pathlib import Path

from workshop.desks.incidents import IncidentCase, make
from workshop.desks.oncall import OnCallDesk, patches_in


class IncidentDesk(OnCallDesk):
    """The desk in front of an incident, and beside it what only the incident's maker knows."""

    async def hidden_test(self, draft: str) -> bool:
        """True if the patch in a draft passes the maker's own test, which no executable sees."""
        made = case(Path(self.folder).name)
        return all([await made.holds(diff) for diff in patches_in(draft)])


@cache
def _folder() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="shop-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


@cache
def case(ticket: str) -> IncidentCase:
    """An incident with what only its maker knows: T-21, T-31, T-40, T-44 or T-52.

    Asked for twice it is the same one. Raises ValueError for a ticket that is none of these.
    """
    return make(ticket, _folder() / ticket)


@cache
def oncall(ticket: str) -> IncidentDesk:
    """The desk in front of an incident; it does not see what the maker knows."""
    return IncidentDesk(case(ticket).incident.folder)
