"""What browser tests need: Chromium, one JupyterLab for all of them, and a folder of notebooks for each."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import nbformat
import pytest

from classroom.authoring.build import KERNELSPEC

from .lab import ROOT, Lab, browser_path

WITHOUT_HASTE = "model_switch(pace_ms=800)"
PARTS = ("kernel", "offline_model", "classroom", "workshop", "notebooks", "exercises", "solutions")


def pytest_collection_modifyitems(items):
    """A busy machine can lose a key or be slower than a browser waits: a failed test gets one second try, counted as
    rerun in the last line. What is broken fails twice."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.flaky(reruns=1))


@pytest.fixture(scope="package")
def playwright():
    """The one driver of browsers: of two that are open in one process, the second does not start."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        yield playwright


@pytest.fixture(scope="package")
def lab(tmp_path_factory, playwright):
    """The launcher's JupyterLab in a clone; every test uses it."""
    if browser_path() is None:
        pytest.skip("no Chromium found; install it, or name it in BROWSER_PATH")
    clone = tmp_path_factory.mktemp("clone")
    for part in PARTS:
        shutil.copytree(ROOT / part, clone / part, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "requirements.txt", clone)
    with Lab(clone, playwright) as lab:
        yield lab


@pytest.fixture
def folder(lab, request):
    """A folder of the test's own in the lab, with the learner's copies; nothing is kept from before."""
    folder = lab.folder / request.node.name.replace("[", "-").replace("]", "")
    shutil.copytree(lab.folder / "my-work", folder)
    shutil.rmtree(lab.folder / ".workshop", ignore_errors=True)
    yield folder
    lab.end_kernels()
    shutil.rmtree(folder)


@pytest.fixture
def open_notebook(lab, folder):
    """Opens a notebook of the test's folder."""
    return lambda name, **how: lab.open(f"{folder.name}/{name}", **how)


@pytest.fixture
def known(lab):
    """What the workshop keeps on this machine: a table of a file in `.workshop`."""

    def read(name, table):
        file = lab.folder / ".workshop" / name
        return json.loads(file.read_text(encoding="utf-8"))[table]

    return read


@pytest.fixture
def calm(folder):
    """Lesson 00 with a slow offline model: on a busy machine, too, there is time to act while the team works."""
    path = folder / "notebooks" / "00_start_here.ipynb"
    lesson = nbformat.read(path, as_version=4)
    for cell in lesson.cells:
        cell.source = cell.source.replace("model_switch()", WITHOUT_HASTE)
    assert any(WITHOUT_HASTE in cell.source for cell in lesson.cells)
    nbformat.write(lesson, path)


@pytest.fixture
def written(folder, open_notebook):
    """Opens a notebook with these cells, made for the test."""

    def write(cells, **how):
        notebook = nbformat.v4.new_notebook(
            cells=[nbformat.v4.new_code_cell(cell) for cell in cells],
            metadata={"kernelspec": KERNELSPEC},
        )
        nbformat.write(notebook, folder / "written.ipynb")
        return open_notebook("written.ipynb", **how)

    return write
