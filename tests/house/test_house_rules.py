"""Facts about the house: what may import what, and what importing costs."""

from __future__ import annotations

import ast
import inspect
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import kernel
import offline_model
from kernel.core.budget import Hold

from . import size
from .test_imports import imported, modules_of

KERNEL = Path(kernel.__file__).parent
OFFLINE_MODEL = Path(offline_model.__file__).parent
MODULES = sorted([*KERNEL.rglob("*.py"), *OFFLINE_MODEL.rglob("*.py")])


def own_names(class_):
    """The names with an underscore that a class gives to its objects and to itself."""
    names = {name for name in vars(class_) if name.startswith("_") and not name.startswith("__")}
    tree = ast.parse(inspect.getsource(class_))
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and getattr(node.value, "id", "") == "self":
            names.add(node.attr)
    return {name for name in names if name.startswith("_")}


@pytest.mark.parametrize(
    ("class_", "variable"),
    [(kernel.Run, "run"), (kernel.Ledger, "ledger"), (Hold, "hold")],
    ids=["Run", "Ledger", "Hold"],
)
def test_nobody_reaches_into_a_run_a_ledger_or_a_hold(class_, variable):
    home = Path(inspect.getfile(class_))
    names = own_names(class_)
    assert names
    for path in [*MODULES, *sorted((KERNEL.parent / "workshop").rglob("*.py"))]:
        if path == home:
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Attribute) and node.attr in names:
                owner = getattr(node.value, "attr", getattr(node.value, "id", ""))
                assert variable not in owner, f"{path}:{node.lineno} uses {owner}.{node.attr}"


def test_no_object_is_made_past_its_constructor():
    for path in MODULES:
        text = path.read_text(encoding="utf-8")
        assert "vars(self).update" not in text, f"{path}: wrap it, do not copy its attributes"
        if path.name != "search.py":  # Corpus.of: as pickle makes it
            assert ".__new__(" not in text, f"{path}: give the class a constructor"


def test_the_kernel_knows_nothing_of_notebooks_or_teaching():
    unwanted = {"IPython", "ipywidgets", "matplotlib", "anthropic"}
    for package in ("kernel", "offline_model"):
        for name, path in modules_of(package).items():
            known = {module.split(".")[0] for module in imported(name, path, at_load=False)}
            assert not known & unwanted, f"{name} imports {known & unwanted}"


WRITERS = {
    *("write_text", "write_bytes", "touch", "os.open", "os.fdopen", "shutil.copy", "shutil.copy2"),
    *("shutil.copyfile", "tempfile.mkstemp", "tempfile.NamedTemporaryFile"),
}
KEPT_OPENS = {
    ("private_files.py", "open(Path(path), mode, opener=_owned)"): "the one way",
    ("private_files.py", "os.open(path, flags, OWNER_ONLY)"): "the one way",
    ("memory.py", "os.open(path, flags)"): "reads a note, and follows no link",
    ("terminal.py", "os.open(os.devnull, os.O_WRONLY)"): "no file",
}


def writes_of(tree):
    """The calls that may write a file in another way than `private_file`."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        called = ast.unparse(node.func)
        name = called.rpartition(".")[2]
        mode = [*node.args[1 if called == "open" else 0 :], *(k.value for k in node.keywords)][:1]
        reads = not mode or (
            isinstance(mode[0], ast.Constant) and "r" in str(mode[0].value).rstrip("bt")
        )
        updates = mode and "+" in ast.unparse(mode[0])
        if called in WRITERS or name in WRITERS or (name == "open" and (updates or not reads)):
            yield node


def test_the_kernel_writes_files_for_their_owner_alone():
    found = [
        (path, ast.unparse(node), node.lineno)
        for path in KERNEL.rglob("*.py")
        for node in writes_of(ast.parse(path.read_text(encoding="utf-8")))
    ]
    assert {(path.name, call) for path, call, _ in found} >= KEPT_OPENS.keys()
    for path, call, line in found:
        assert (path.name, call) in KEPT_OPENS, f"{path}:{line} {call}: use `private_file`"


PRINT = ("__main__.py", "terminal.py", "server.py")


def test_only_the_terminal_and_the_server_print():
    for path in MODULES:
        calls = [
            node
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
            if isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id == "print"
        ]
        assert not calls or path.name in PRINT, path


def test_importing_the_kernel_does_no_io_starts_nothing_and_needs_no_key():
    code = (
        "import httpx, pydantic, asyncio, sqlite3, sys, threading, pathlib\n"
        "touched = []\n"
        f"ours = {(str(KERNEL), str(kernel.LIBRARY))!r}\n"
        "def watch(event, arguments):\n"
        "    if event.startswith(('socket.', 'subprocess', 'sqlite3')): touched.append(event)\n"
        "    if event == 'open' and str(arguments[0]).startswith(ours): touched.append(str(arguments[0]))\n"
        "sys.addaudithook(watch)\n"
        "import kernel\n"
        "touched = [path for path in touched if '.py' not in path]\n"
        "assert not touched, touched\n"
        "assert threading.active_count() == 1\n"
        "assert not {'pydantic.plugin._loader'} & set(sys.modules), 'a model was built, which waits for its first use'\n"
        "assert not {'genai_prices', 'offline_model', 'offline_model.api.service', 'IPython'} & set(sys.modules)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=KERNEL.parent
    )
    assert done.returncode == 0, done.stderr


def test_only_the_tables_of_models_name_a_model():
    naming = {path for path in MODULES if "claude-" in path.read_text(encoding="utf-8")}
    assert {path.name for path in naming} == {"models.py"}


def test_every_public_name_has_a_docstring_or_is_a_plain_value():
    for name in kernel.__all__:
        thing = getattr(kernel, name)
        assert not (callable(thing) or isinstance(thing, type)) or thing.__doc__, name


# ── the workshop's rooms, and how plain the code is ───────────────────────────────────────────────

PROJECT = KERNEL.parent


@pytest.mark.parametrize(
    "command",
    [
        ["ruff", "format", "--check", "--no-cache", "."],
        ["ruff", "check", "--no-cache", "."],
        pytest.param(["mypy", "--cache-dir", os.devnull], marks=pytest.mark.exhaustive),
    ],
    ids=["format", "check", "mypy"],
)
def test_the_tools_find_nothing(command):
    done = subprocess.run(
        [sys.executable, "-m", *command], cwd=PROJECT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-5000:]


JSON_OBJECT = "dict[str, Any]"
ANY_FUNCTION = "Callable[..., Any]"


def public_functions(tree):
    """The functions of a module, and the methods of its classes, without an underscore."""
    for node in tree.body:
        if getattr(node, "name", "_").startswith("_"):
            continue
        if isinstance(node, ast.ClassDef):
            yield from public_functions(node)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node


def public_fields(tree):
    """The annotated fields of a module's public classes, without an underscore."""
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            for field in node.body:
                if isinstance(field, ast.AnnAssign) and not ast.unparse(field).startswith("_"):
                    yield field


def says_any(*annotations):
    types = " ".join(map(ast.unparse, annotations))
    return re.search(r"\bAny\b", types.replace(JSON_OBJECT, "").replace(ANY_FUNCTION, ""))


def test_any_in_a_public_signature_or_field_has_its_reason_beside_it():
    for path in MODULES:
        text = path.read_text(encoding="utf-8")
        tree, lines = ast.parse(text), text.splitlines()
        for function in public_functions(tree):
            header = lines[function.lineno - 1 : function.body[0].lineno - 1]
            reasoned = any("# Any: " in line for line in header)
            annotations = [function.args, *filter(None, [function.returns])]
            assert reasoned or not says_any(*annotations), f"{path}:{function.lineno}"
        for field in public_fields(tree):
            reasoned = any("# Any: " in line for line in lines[field.lineno - 1 : field.end_lineno])
            assert reasoned or not says_any(field.annotation), f"{path}:{field.lineno}"


@pytest.mark.parametrize("folder", ["kernel", "workshop", "classroom", "offline_model"])
def test_every_module_begins_with_its_one_job(folder):
    for path in (PROJECT / folder).rglob("*.py"):
        if path.parent.name == "right":
            continue  # an answer, as a learner writes it
        tree = ast.parse(path.read_text(encoding="utf-8"))
        assert not tree.body or ast.get_docstring(tree), f"{path} has no line that says its job"


# ── names ─────────────────────────────────────────────────────────────────────────────────────────

NOT_A_NAME = {
    *("it", "its", "they", "them", "said", "told", "came", "got", "wanted", "most", "at"),
    *("here", "there", "who", "whose", "what"),
}
"""A variable, a parameter or a field is called by a noun that says what it is."""
KEPT_NAMES = {
    ("kernel/parts/journal/journal.py", "at"): "a parameter that the design of a fork names",
    ("kernel/core/events.py", "at"): "every stored log has this key",
    ("classroom/grading/check.py", "came"): "a key of the gradebook's results",
    ("classroom/launcher/doctor.py", "said"): "lesson 00 prints it",
}


def names_given(tree):
    """The names of variables, parameters and fields, each with its line."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id, node.lineno
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.attr, node.lineno
        elif isinstance(node, ast.arg):
            yield node.arg, node.lineno


@pytest.mark.parametrize("folder", ["kernel", "workshop", "classroom", "benchmarks", "tests"])
def test_a_name_is_a_noun(folder):
    for path in (PROJECT / folder).rglob("*.py"):
        place = path.relative_to(PROJECT).as_posix()
        for name, line in names_given(ast.parse(path.read_text(encoding="utf-8"))):
            kept = (place, name) in KEPT_NAMES
            assert name not in NOT_A_NAME or kept, f"{place}:{line} names something {name!r}"


def test_each_name_that_is_kept_is_still_there():
    for place, name in KEPT_NAMES:
        tree = ast.parse((PROJECT / place).read_text(encoding="utf-8"))
        assert name in dict(names_given(tree)), f"{place} has no {name!r} any more"


def test_the_size_of_a_module_is_its_tokens_without_comments(tmp_path):
    (tmp_path / "module.py").write_text("# a comment\nx = 1\n\n\ny = x  # another\n")
    assert size.tokens_in(tmp_path / "module.py") == len(["x", "=", "1", "y", "=", "x"])


def test_a_line_says_what_grew():
    line = size.growth({"kernel": 10, "workshop": 7}, {"kernel": 12, "tests": 1, "workshop": 5})
    assert line == (
        "Size: 18 tokens, +1 since tests/house/size.toml was written: kernel +2, tests +1."
    )
    assert size.growth({"a": 2}, {"a": 1}).endswith(
        " 1 tokens, -1 since tests/house/size.toml was written."
    )
