"""Features that a browser's tab lacks, and the sentence for an error that has one of them behind
it.
"""

from __future__ import annotations

from collections.abc import Iterator

FEATURES = {"process": "another process", "threads": "threads", "socket": "a port to listen on"}
"""The features that a tab lacks beside packages, by the name in a cell's tag (`needs-process`)."""
SIGNS = {
    "emscripten does not support processes": "process",
    "start new thread": "threads",
    "[Errno 138]": "socket",
}
"""The words in Python's errors where a tab lacks a feature: it has no types for that."""


def explained(error: BaseException) -> str:
    """The sentence for an error with a feature behind it that a tab lacks; "" for any other."""
    for cause in _causes(error):
        for sign, name in SIGNS.items():
            if sign in str(cause):
                return f"This needs {FEATURES[name]}, and a browser's tab has none."
    return ""


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        for part in getattr(error, "exceptions", ()):
            yield from _causes(part)
        error = error.__cause__ or error.__context__
