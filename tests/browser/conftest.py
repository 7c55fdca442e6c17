"""What browser tests need: Chromium, and a folder of notebooks that may be run without touching the repository's."""

from __future__ import annotations

import shutil

import nbformat
import pytest

from .lab import ROOT, browser_path

WITHOUT_HASTE = "model_switch(pace_ms=800)"


@pytest.fixture(autouse=True)
def chromium():
    if browser_path() is None:
        pytest.skip("no Chromium found; install it, or name it in BROWSER_PATH")


@pytest.fixture
def folder(tmp_path):
    """The lessons, beside an empty .jupyter."""
    (tmp_path / "notebooks").mkdir()
    for path in (ROOT / "notebooks").glob("*.ipynb"):
        shutil.copy(path, tmp_path / "notebooks")
    return tmp_path


@pytest.fixture
def calm_folder(folder):
    """The lessons with a slow offline model: on a busy machine, too, there is time to act while the team works."""
    path = folder / "notebooks" / "00_start_here.ipynb"
    lesson = nbformat.read(path, as_version=4)
    for cell in lesson.cells:
        cell.source = cell.source.replace("model_switch()", WITHOUT_HASTE)
    assert any(WITHOUT_HASTE in cell.source for cell in lesson.cells)
    nbformat.write(lesson, path)
    return folder
