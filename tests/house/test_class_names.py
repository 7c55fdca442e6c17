"""One class name, one meaning: a public class has its name to itself, as far as readers meet it."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from pathlib import Path

import pytest

import kernel

PROJECT = Path(kernel.__file__).parent.parent
ROOMS = sorted(
    folder.name
    for folder in PROJECT.iterdir()
    if (folder / "__init__.py").exists() and folder.name != "tests"
)
BESIDE_THE_KERNEL = ("classroom", "workshop")
"""Rooms whose files use the kernel's names beside their own."""
STAND_INS = re.compile(r"workshop/course/(lesson_\d\d)/")
"""Where the classes are one lesson's alone: its observations play workers, services and desks with
them, and no other module uses them.
"""
IN_LESSONS = {
    "Elsewhere": "the kernel's is written into logs as a wrapper's name; lesson 26 shows the view",
    "Report": "lesson 22 shows the report of an evaluation, lesson 27 that of a team",
}
"""Names that kernel and workshop both have, and the reason that neither can change."""


def public_classes(room):
    """The modules that define each public class of a room; stand-ins are left out."""
    modules = defaultdict(list)
    for path in sorted((PROJECT / room).rglob("*.py")):
        name = path.relative_to(PROJECT).as_posix()
        if STAND_INS.match(name):
            continue
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                modules[node.name].append(name)
    return modules


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_has_one_class_of_a_name(room):
    classes = public_classes(room)
    assert classes
    assert {name: paths for name, paths in classes.items() if len(paths) > 1} == {}


@pytest.mark.parametrize("room", BESIDE_THE_KERNEL)
def test_no_room_beside_the_kernel_has_a_class_of_a_kernels_name(room):
    kernels = public_classes("kernel")
    both = {
        name: [*kernels[name], *paths]
        for name, paths in public_classes(room).items()
        if name in kernels and name not in IN_LESSONS
    }
    assert both == {}


@pytest.mark.parametrize("name", IN_LESSONS)
def test_an_exempted_name_is_that_of_a_class_here_and_there(name):
    assert name in public_classes("kernel")
    assert name in public_classes("workshop")


def test_no_module_imports_a_stand_in_of_another_lesson():
    for path in sorted((PROJECT / "workshop").rglob("*.py")):
        own = STAND_INS.match(path.relative_to(PROJECT).as_posix())
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            lesson = isinstance(node, ast.ImportFrom) and re.search(
                r"lesson_\d\d", node.module or ""
            )
            assert not lesson or (own and own[1] == lesson[0]), f"{path}:{node.lineno}"
