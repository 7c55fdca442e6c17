"""Pages that `build` keeps up to date besides: the cheat sheet, pictures and README's brief."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path


def pages() -> Iterator[tuple[Path, str]]:
    """Each page and picture, with what it should hold."""
    from . import cheatsheet, run_picture, walks, whole

    yield whole.picture()
    yield from walks.pictures()
    yield cheatsheet.page()
    yield from run_picture.pages()
