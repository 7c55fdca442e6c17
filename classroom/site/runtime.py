"""The place of the edition that runs in a tab, and the files that its Python begins with."""

from __future__ import annotations

from classroom.course import active

FOLDER = "try"
"""The folder of the edition in the site."""
PAGE = f"{FOLDER}/lab/index.html"
STATIC = f"{FOLDER}/static/pyodide"
FILES = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip")
"""Python itself, without its wheels."""


def start() -> str:
    """Returns the path of the page on which the edition begins."""
    return f"{PAGE}?path=notebooks/{active().first_notebook}"
