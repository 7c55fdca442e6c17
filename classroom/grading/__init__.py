"""Grading: submissions in, marks and explanations out. What decides is `classroom.checks.compare`;
nbval and pytest, of which this is a plugin, run the checks and report them.
"""

from __future__ import annotations

from typing import Any

from classroom.quick_start import leave_out_the_grammar

leave_out_the_grammar()  # here, since every pytest that grades loads this package first


def main(argv: list[str]) -> int:
    """The command `grade`, in a process without keys; returns the exit status."""
    from . import anew
    from .command import main

    anew.begin()

    return main(argv)


# The hooks of `-p classroom.grading`. The plugin itself is loaded when pytest calls one of them,
# since the launcher reads the command line with this package before anything is installed.


def pytest_addoption(parser: Any) -> None:
    from . import plugin

    plugin.pytest_addoption(parser)


def pytest_configure(config: Any) -> None:
    from . import plugin

    plugin.pytest_configure(config)


def pytest_report_header(config: Any) -> list[str]:
    from . import plugin

    return plugin.pytest_report_header(config)


def pytest_collect_file(file_path: Any, parent: Any) -> Any:
    from . import plugin

    return plugin.pytest_collect_file(file_path, parent)
