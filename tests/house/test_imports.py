"""Facts about who may know whom: the walls between the packages, and no circles within them."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from functools import cache
from pathlib import Path
from typing import get_args

import pytest

from kernel.core import events
from tests.places import ROOT

MAY_KNOW = {
    "kernel": {"kernel", "offline_model"},
    "offline_model": {"offline_model"},
    "classroom": {"classroom"},
    "workshop": {"workshop", "classroom", "kernel", "offline_model"},
}
"""Each package of the product, and which of them it may import, also inside a function."""
PACKAGES = sorted(MAY_KNOW)


def modules_of(package: str) -> dict[str, Path]:
    """The modules of a package by their full names, answers of authors left out."""
    found = {}
    for path in (ROOT / package).rglob("*.py"):
        if path.parent.name == "right":
            continue
        parts = path.relative_to(ROOT).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def is_left_out(node: ast.stmt) -> bool:
    """Whether a block is for type checkers, or for another system."""
    test = ast.unparse(node.test) if isinstance(node, ast.If) else ""
    return "TYPE_CHECKING" in test or "sys.platform" in test


def imported(name: str, path: Path, *, at_load: bool) -> set[str]:
    """What a module imports, by full names; at_load: only what runs when it is loaded."""
    if at_load:
        nodes = [
            part
            for node in tree_of(path).body
            if not is_left_out(node)
            for part in outside_of_functions(node)
        ]
    else:
        nodes = [*ast.walk(tree_of(path))]
    package = name.split(".") if path.name == "__init__.py" else name.split(".")[:-1]
    found = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else []
            base = ".".join([*above, *filter(None, [node.module])])
            found |= {base} | {f"{base}.{alias.name}" for alias in node.names}
    return found


def outside_of_functions(node: ast.AST) -> list[ast.AST]:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
        return []
    return [
        node,
        *(part for child in ast.iter_child_nodes(node) for part in outside_of_functions(child)),
    ]


def test_each_package_of_the_product_has_its_rule():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    listed = project["tool"]["setuptools"]["packages"]["find"]["include"]
    assert sorted(name.removesuffix("*") for name in listed) == PACKAGES


@pytest.mark.parametrize("package", PACKAGES)
def test_a_package_knows_only_whom_it_may(package):
    for name, path in modules_of(package).items():
        known = {module.split(".")[0] for module in imported(name, path, at_load=False)}
        assert known & {*PACKAGES} <= MAY_KNOW[package], f"{name} imports {known & {*PACKAGES}}"


@pytest.mark.parametrize("package", PACKAGES)
def test_no_module_is_loaded_in_a_circle(package):
    modules = modules_of(package)
    arrows = {
        name: imported(name, path, at_load=True) & modules.keys() - {name}
        for name, path in modules.items()
    }
    for name in modules:
        assert name not in reached(arrows, name), f"{name} imports itself in the end"


def reached(arrows: dict[str, set[str]], start: str) -> set[str]:
    """All modules that a module loads, through others too; its own package does not count."""
    found: set[str] = set()
    waiting = [module for module in arrows[start] if not start.startswith(f"{module}.")]
    while waiting:
        module = waiting.pop()
        if module not in found:
            found.add(module)
            waiting += [
                next_one for next_one in arrows[module] if not module.startswith(f"{next_one}.")
            ]
    return found


def test_templates_are_for_the_pages_of_a_gradebook_only():
    users = set()
    for package in PACKAGES:
        for name, path in modules_of(package).items():
            known = {module.split(".")[0] for module in imported(name, path, at_load=False)}
            if known & {"jinja2", "markupsafe"}:
                users.add(name.rpartition(".")[0])
    assert users == {"classroom.grading.reports"}


def test_the_launcher_needs_nothing_but_the_standard_library():
    """A Python without any package has to start it."""
    start = [
        "workshop",
        "workshop.__main__",
        "classroom.launcher.commands",
        "classroom.launcher.doctor",
    ]
    modules = modules_of("workshop") | modules_of("classroom")
    arrows = {name: imported(name, path, at_load=True) for name, path in modules.items()}
    own = {name: arrows[name] & modules.keys() for name in modules}
    for name in {module for first in start for module in {first, *reached(own, first)}}:
        outside = {module.split(".")[0] for module in arrows[name]} - {"workshop", "classroom"}
        assert outside <= sys.stdlib_module_names, f"{name} imports {outside}"


def part_of(module: str) -> str:
    """The part of the kernel that a module belongs to; "" for one of no part."""
    return (
        re.sub(r"^kernel\.parts\.?|\..*", "", module) if module.startswith("kernel.parts") else ""
    )


def test_the_kernel_has_three_floors():
    for name, path in modules_of("kernel").items():
        known = {each for each in imported(name, path, at_load=False) if "kernel" in each}
        others = {part_of(each) for each in known} - {"", part_of(name)}
        floor = name.split(".")[1:2]
        if floor in (["core"], ["plumbing"]):
            assert not others and "kernel.testing" not in known, f"{name} imports {others}"
        elif part_of(name):
            assert len(others) <= 1, f"{name} imports {others}"
        private = [each for each in known if re.search(r"\._(?!_)", each)]
        assert not private, f"{name} imports {private}"


# ── one fold of events ────────────────────────────────────────────────────────────────────────────

EVENTS = {each.__name__ for each in get_args(events.Event)}
FOLDS = {"kernel/core/events.py", "kernel/core/run.py", "kernel/plumbing/work.py"}
"""The classes of events, the run that keeps its replies by dispatch, and the one reader."""


def told_apart(path: Path) -> set[str]:
    """The classes of events that a file names, but where it makes one."""
    tree = tree_of(path)
    own = (
        EVENTS
        if path.name == "events.py"
        else {
            alias.asname or alias.name
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[-1] == "events"
            for alias in node.names
        }
    )
    made = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    found = set()
    for node in ast.walk(tree):
        if id(node) in made:
            continue
        if isinstance(node, ast.Name) and node.id in own:
            found.add(node.id)
        elif isinstance(node, ast.Attribute) and ast.unparse(node.value) == "events":
            found.add(node.attr)
    return found & EVENTS


def test_only_the_fold_tells_events_apart():
    found = set()
    for package in PACKAGES:
        for path in modules_of(package).values():
            if told_apart(path):
                found.add(path.relative_to(ROOT).as_posix())
    assert found == FOLDS
