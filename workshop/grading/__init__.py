"""Grading: submissions in, marks and explanations out, with nbval as the engine. Also a plugin for pytest."""

import sys

# An optional part of jsonschema, which nbformat imports: it builds parsers of addresses for a second of CPU in every
# process. No notebook needs them.
sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]

from .plugin import pytest_addoption, pytest_collect_file, pytest_configure, pytest_report_header  # noqa: E402


def main(argv: list[str]) -> int:
    """`python3 -m workshop grade`; returns the exit status."""
    from .command import main

    return main(argv)


__all__ = ["main", "pytest_addoption", "pytest_collect_file", "pytest_configure", "pytest_report_header"]
