"""A submission: what is known of one exercise notebook of one learner. The intake finds it out
once; from there it travels as it is, in the plan's file too, until its report is written.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Any


@dataclass(frozen=True, kw_only=True)
class Submission:
    """One exercise notebook of one learner: the version that counts."""

    learner: str
    """The name as text, exactly as the folder or the file says it; it may hold anything."""
    notebook: str
    """The name of the exercise notebook, such as 03_deterministic_supervisor."""
    file: str
    """Its name as submitted, below SUBMISSIONS, with slashes."""
    path: Path
    """A copy of the bytes under a safe name."""
    sha256: str
    submitted: datetime | None = None
    """The time at which it was handed in, or its file last changed, in UTC; None when not known."""
    older: tuple[str, ...] = ()
    """The names of other versions, which do not count."""
    problems: tuple[str, ...] = ()
    """Remarks for the instructor on how it was read; the first says why it could not be, if so."""
    platform: str = ""
    """moodle, canvas, gradescope, or empty."""
    number: str = ""
    """The platform's, for the person (Canvas) or for this person's submission (Moodle)."""
    upload: str = ""
    """The platform's folder, or the file's name without its ending."""
    readable: bool = True
    """True if it is a notebook; one that is not has no answers, and every point is lost."""
    documents: str = ""
    """The fingerprint of the documents that were brought along with it."""
    key: str = ""
    """The name of its report, without the ending; empty until the command has given one."""
    course: str = ""
    """The beginning of the fingerprint of what it is graded with."""

    @property
    def when(self) -> str | None:
        """The time of submission as reports hold it."""
        return self.submitted.isoformat() if self.submitted else None

    def facts(self) -> dict[str, Any]:
        """Returns the submission as plain values."""
        return {**asdict(self), "path": "", "submitted": self.when}


def of_facts(path: Path, facts: Mapping[str, Any]) -> Submission:
    """The submission of which `facts` says this."""
    when = facts["submitted"]
    changed = {
        "path": path,
        "submitted": datetime.fromisoformat(when) if when else None,
        "older": tuple(facts["older"]),
        "problems": tuple(facts["problems"]),
    }
    return Submission(**{**facts, **changed})
