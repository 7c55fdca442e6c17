"""A course of two lessons on questions to tables, in SQL."""

from pathlib import Path
from typing import Any

from classroom.course import Course, Lesson


def _picture_of(kind: str, noted: list[Any]) -> Any:
    """The bars of what an answer added up."""
    from shop.bars import Bars

    return Bars(noted[0]) if kind == "bars" and noted else None


COURSE = Course(
    module="course",
    root=Path(__file__).resolve().parent,
    title="Questions to tables",
    lessons=(
        Lesson("01", "Rows", sees="a shop's things in one table"),
        Lesson("02", "Two tables", sees="what each customer spent, as bars"),
    ),
    name="questions-to-tables",
    packages=("shop",),
    handout=("course.py", "README.md", "requirements.txt", "shop"),
    open_to_submissions=("course.py", "shop"),
    picture_of=_picture_of,
)
