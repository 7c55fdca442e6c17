"""Where the course under test has its notebooks and exercises."""

from workshop.course import COURSE
from workshop.root import ROOT

SOLUTIONS, EXERCISES, LESSONS = COURSE.solutions, COURSE.stubs, COURSE.notebooks
FOLDER = COURSE.exercise_folder
"""One folder a lesson: words, inputs, observations."""

__all__ = ["COURSE", "EXERCISES", "FOLDER", "LESSONS", "ROOT", "SOLUTIONS"]
