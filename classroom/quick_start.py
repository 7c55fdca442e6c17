"""Leaves out what Jupyter loads in every process, costs a second, and nobody here asks for."""

from __future__ import annotations

import sys

GRAMMAR = "rfc3987_syntax"
"""The package with which jsonschema, which nbformat loads, builds a grammar of international web
addresses; no schema of a notebook has one.
"""


def leave_out_the_grammar() -> None:
    """From now on the package counts as not installed in this process."""
    sys.modules.setdefault(GRAMMAR, None)  # type: ignore[arg-type]  # None: not to be imported
