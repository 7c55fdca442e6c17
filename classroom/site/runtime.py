"""The place of the edition that runs in a tab, and the files that its Python begins with."""

from __future__ import annotations

FOLDER = "try"
"""The folder of the edition in the site."""
PAGE = f"{FOLDER}/lab/index.html"
STATIC = f"{FOLDER}/static/pyodide"
FILES = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip")
"""Python itself, without its wheels."""
