"""Grading: submissions in, marks and explanations out, with nbval as the engine. Also a plugin for pytest."""

from .plugin import pytest_addoption, pytest_collect_file, pytest_configure, pytest_report_header


def main(argv: list[str]) -> int:
    """`python3 -m workshop grade`; returns the exit status."""
    from .command import main

    return main(argv)


__all__ = ["main", "pytest_addoption", "pytest_collect_file", "pytest_configure", "pytest_report_header"]
