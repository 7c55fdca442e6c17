"""Where the course under test has its notebooks and exercises."""

from workshop.course import COURSE
from workshop.root import ROOT

SOLUTIONS, EXERCISES, LESSONS = COURSE.solutions, COURSE.stubs, COURSE.notebooks
FOLDER = COURSE.exercise_folder
"""One folder a lesson: words, inputs, observations."""

BOOKS = {COURSE.lesson_of(path.stem): path for path in COURSE.books(LESSONS)}
"""Lessons by their numbers, and sittings by their names."""

__all__ = ["BOOKS", "COURSE", "EXERCISES", "FOLDER", "LESSONS", "ROOT", "SOLUTIONS"]
