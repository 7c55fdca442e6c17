"""Imports nbformat without a parser of internet addresses that takes more than a second of CPU to
import.

It is an optional part of jsonschema, which nbformat imports, and no notebook needs it. It is out of
sight for this import only: whoever wants it later gets it.
"""

from __future__ import annotations

import sys

OPTIONAL = "rfc3987_syntax"


def load() -> None:
    """To be called before anything else imports nbformat."""
    before = sys.modules.get(OPTIONAL)
    sys.modules[OPTIONAL] = before  # type: ignore[assignment]  # None: an import of it raises ImportError
    try:
        import nbformat  # noqa: F401
    finally:
        if before is None:
            del sys.modules[OPTIONAL]
