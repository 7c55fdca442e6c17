"""The doctor of this course, as lessons import it."""

from classroom.launcher.doctor import check

__all__ = ["check"]
