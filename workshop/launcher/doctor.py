"""The doctor of this course, as lessons import it."""

from classroom.launcher.doctor import check, main, verdict

__all__ = ["check", "main", "verdict"]
