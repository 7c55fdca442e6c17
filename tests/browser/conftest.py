"""What browser tests need: Chromium, and a folder of notebooks that may be run without touching the repository's."""

from __future__ import annotations

import shutil

import pytest

from .lab import ROOT, browser_path


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
