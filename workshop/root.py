"""The folder of this course: the clone, or what a grader copied of it."""

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
