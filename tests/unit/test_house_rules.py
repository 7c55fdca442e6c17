"""Facts about the house: what may import what, and what importing costs."""

from __future__ import annotations

import ast
import io
import subprocess
import sys
import tokenize
from pathlib import Path

import pytest

import kernel

KERNEL = Path(kernel.__file__).parent
ORDER = ["wire", "budget", "models", "client", "contract", "events", "trace", "run", "tools", "agent", "search", "team", "supervisors"]
"""Data flows one way: a module imports only from those before it."""
ALLOWED_BACK = {("contract", "run")}
"""For a type only: not when the module is loaded."""


def imports(path, *, nested=True):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    nodes = ast.walk(tree) if nested else tree.body
    for node in nodes:
        if isinstance(node, ast.ImportFrom):
            yield ("." * node.level) + (node.module or ""), [alias.name for alias in node.names]
        elif isinstance(node, ast.Import):
            yield from ((alias.name, []) for alias in node.names)


@pytest.mark.parametrize("name", ORDER)
def test_imports_run_one_way(name):
    for module, names in imports(KERNEL / f"{name}.py"):
        if module.startswith("."):
            for target in [module[1:]] if module != "." else names:
                if target in ORDER:
                    assert ORDER.index(target) < ORDER.index(name) or (name, target) in ALLOWED_BACK, f"{name} imports {target}"


def test_the_kernel_knows_nothing_of_notebooks_or_teaching():
    for path in KERNEL.rglob("*.py"):
        for module, _ in imports(path):
            assert module.split(".")[0] not in {"workshop", "IPython", "ipywidgets", "matplotlib", "anthropic"}, f"{path} imports {module}"


def test_only_the_terminal_and_the_server_print():
    for path in KERNEL.rglob("*.py"):
        calls = [node for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
                 if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print"]
        assert not calls or path.name in ("__main__.py", "server.py"), path


def test_importing_the_kernel_does_no_io_starts_nothing_and_needs_no_key():
    code = ("import httpx, pydantic, asyncio, sqlite3, sys, threading, pathlib\n"
            "touched = []\n"
            f"ours = {(str(KERNEL), str(kernel.LIBRARY))!r}\n"
            "def watch(event, arguments):\n"
            "    if event.startswith(('socket.', 'subprocess', 'sqlite3')): touched.append(event)\n"
            "    if event == 'open' and str(arguments[0]).startswith(ours): touched.append(str(arguments[0]))\n"
            "sys.addaudithook(watch)\n"
            "import kernel\n"
            "touched = [it for it in touched if '.py' not in it]\n"
            "assert not touched, touched\n"
            "assert threading.active_count() == 1\n"
            "assert not {'pydantic.plugin._loader'} & set(sys.modules), 'a model was built, which waits for its first use'\n"
            "assert not {'genai_prices', 'kernel.offline.api', 'kernel.offline.reader', 'IPython'} & set(sys.modules)\n")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=KERNEL.parent)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("path", sorted(KERNEL.rglob("*.py")), ids=lambda path: path.relative_to(KERNEL).as_posix())
def test_a_module_begins_with_its_one_job_and_reads_files_as_utf8(path):
    text = path.read_text(encoding="utf-8")
    assert ast.get_docstring(ast.parse(text)), f"{path} has no first line that says its job"
    assert "claude-" not in text or path.name in ("models.py", "api.py", "rules.py"), f"{path} names a model"


def test_every_public_name_has_a_docstring_or_is_a_plain_value():
    for name in kernel.__all__:
        thing = getattr(kernel, name)
        assert not (callable(thing) or isinstance(thing, type)) or thing.__doc__, name


def code_lines(path):
    """How many lines hold code: no blank lines, comments or docstrings."""
    text = path.read_text(encoding="utf-8")
    none = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}
    tokens = [it for it in tokenize.generate_tokens(io.StringIO(text).readline) if it.type not in none]
    strings = [it for it in ast.walk(ast.parse(text)) if isinstance(it, ast.Expr) and isinstance(it.value, ast.Constant)]
    prose = {line for it in strings for line in range(it.lineno, it.end_lineno + 1)}
    return len({line for it in tokens for line in range(it.start[0], it.end[0] + 1)} - prose)


def test_the_core_can_be_read_in_one_sitting():
    lines = {path.name: code_lines(path) for path in KERNEL.glob("*.py")}
    assert sum(lines.values()) <= 1_325 and max(lines.values()) <= 180, lines
