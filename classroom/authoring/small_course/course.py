"""The course: its title, its lessons, and what else the toolkit has to know of it."""

from pathlib import Path

from classroom.course import Course, Lesson

COURSE = Course(
    module="course",
    root=Path(__file__).resolve().parent,
    title="Words in Python",
    lessons=(Lesson("01", "Lists of words", sees="a list of words, and a question to it"),),
    name="words-in-python",
)
