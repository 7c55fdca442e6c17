"""Facts about docs/ARCHITECTURE.md: what it names exists, and it names every room and every file of the kernel."""

from __future__ import annotations

import ast
import re
from functools import cache

import pytest

from workshop.authoring import walks, whole
from workshop.authoring.walks import ROOT, WALKS

from .test_imports import imported as imported_by
from .test_imports import modules_of

PAGE = ROOT / "docs" / "ARCHITECTURE.md"
TEXT = PAGE.read_text(encoding="utf-8")
ROOM = re.compile(r"`((?:workshop|classroom)/\w+)/`")


@cache
def names_in(file):
    """What a module defines at its top: functions, classes and their methods, values."""
    found = set()
    for node in ast.parse((ROOT / file).read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(node.name)
        if isinstance(node, ast.ClassDef):
            found |= {
                f"{node.name}.{member.name}"
                for member in node.body
                if isinstance(member, ast.FunctionDef | ast.AsyncFunctionDef)
            }
        if isinstance(node, ast.Assign):
            found |= {target.id for target in node.targets if isinstance(target, ast.Name)}
    return found


def test_a_station_of_a_picture_is_defined_where_the_picture_says():
    for walk in WALKS:
        for station in walk.stations:
            assert station.name in names_in(station.file), f"{walk.name}: {station.name}"


@pytest.mark.parametrize("walk", WALKS, ids=lambda walk: walk.name)
def test_a_picture_is_stored_as_it_is_drawn_shows_every_word_and_has_its_alt_text(walk):
    assert walk.path.read_text(encoding="utf-8") == walk.svg()
    assert "…" not in walk.svg(), "something is cut"
    assert f"![{walk.alt}](images/{walk.path.name})" in TEXT


def test_the_picture_of_the_whole_is_stored_as_it_is_drawn_and_has_its_alt_text():
    file, content = whole.picture()
    assert file.read_text(encoding="utf-8") == content and "…" not in content
    assert f"![{whole.ALT}](images/{file.name})" in TEXT


def test_the_arrows_of_the_whole_are_the_imports_between_packages():
    packages = {each.name for each in whole.PACKAGES if (ROOT / each.name).is_dir()}
    drawn = {(one.name, other.name) for one, other in (*whole.BELOW, *whole.BESIDE)}
    assert {pair for pair in drawn if packages >= {*pair}} == {
        (package, other)
        for package in packages
        for name, file in modules_of(package).items()
        for module in imported_by(name, file, at_load=False)
        for other in {module.partition(".")[0]} & packages - {package}
    }


def test_every_picture_is_shown():
    drawn = (whole.picture(), *walks.pictures())
    assert {path.name for path, _ in drawn} == set(re.findall(r"\(images/(.+?)\)", TEXT))


def test_a_name_on_the_page_is_defined_in_the_file_that_it_links():
    links = re.findall(r"\[`(\S+?)`\]\((\S+?)\)", TEXT)
    assert links
    for name, file in links:
        path = (PAGE.parent / file).resolve()
        assert name in names_in(path.relative_to(ROOT)), f"{name} in {file}"


def test_a_link_or_a_path_of_the_page_leads_somewhere():
    links = re.findall(r"\]\((?!https?:)(\S+?)\)", TEXT)
    assert links and not [link for link in links if not (PAGE.parent / link).exists()]
    folders = (ROOT, ROOT / "offline_model", ROOT / "workshop", ROOT / "classroom")
    paths = re.findall(r"(?<!\[)`([\w./]+/[\w./]*)`", TEXT)
    assert paths
    for path in paths:
        assert any((folder / path).exists() for folder in folders), path


def test_every_room_is_on_the_page():
    rooms = [
        path for house in ("classroom", "workshop") for path in (ROOT / house).glob("*/__init__.py")
    ]
    assert {*ROOM.findall(TEXT)} == {path.parent.relative_to(ROOT).as_posix() for path in rooms}


KERNEL = ROOT / "kernel"
SECTION = TEXT.partition("## The kernel\n")[2].partition("\n## ")[0]
TEN = re.findall(r"^\| \[(\w+)\]\(\.\./kernel/core/", SECTION, re.M)


def test_every_file_of_the_kernel_is_named():
    named = {*TEN, *re.findall(r"`(?:kernel/(?:\w+/)*)?(\w+)/?`", SECTION)}
    files = {path.stem for path in KERNEL.rglob("*.py") if path.name != "__init__.py"}
    rooms = {path.parent.name for path in KERNEL.glob("*/**/__init__.py")}
    assert named == files | rooms


def test_the_ten_are_read_in_an_order_that_their_imports_follow():
    """A file is read after those that it imports, but for types."""
    assert len(TEN) == 10
    for place, name in enumerate(TEN):
        path = KERNEL / "core" / f"{name}.py"
        known = imported_by(f"kernel.core.{name}", path, at_load=True)
        later = {f"kernel.core.{each}" for each in TEN[place + 1 :]}
        if name != "run":  # it is read before the two to which it leads
            assert not known & later, name
