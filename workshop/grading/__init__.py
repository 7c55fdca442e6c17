"""Grading of this course: `classroom.grading`, bound to it. Also a plugin for pytest."""

from classroom.grading import (
    main,
    pytest_addoption,
    pytest_collect_file,
    pytest_configure,
    pytest_report_header,
)

__all__ = [
    "main",
    "pytest_addoption",
    "pytest_collect_file",
    "pytest_configure",
    "pytest_report_header",
]
