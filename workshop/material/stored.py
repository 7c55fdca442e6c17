"""Pictures as the lessons store them, for an edition that cannot draw them anew."""

from __future__ import annotations

from pathlib import Path

FOLDER = Path(__file__).parent / "stored_pictures"
"""Written by the build of the browser edition: `12-held.png` is of lesson 12, cell `held`."""


def show_stored(lesson: str, cell: str) -> None:
    """Shows the stored picture of a cell, and says that it is stored."""
    from IPython.display import Image, display

    path = FOLDER / f"{lesson}-{cell}.png"
    if path.is_file():
        display(Image(data=path.read_bytes()))
        print("This picture is the stored one: this edition has no matplotlib to draw it anew.")
    else:
        print("There is no matplotlib here to draw the picture; the numbers follow.")
