"""Sources of the site: files of the clone, each with its place in the site."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from classroom.course import active

PICTURES = (
    "notebooks/images/*.svg",
    "notebooks/images/*.png",
    "docs/images/*.svg",
    "docs/images/*.png",
)
START = "README.md"
TOOLKIT = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class PageSource:
    """A file of the clone that becomes a page; `name` is its path in the clone, with slashes."""

    path: Path
    name: str

    @property
    def target(self) -> str:
        """The path of the page in the site, with slashes."""
        if self.name == START:
            return "index.html"
        return PurePosixPath(self.name).with_suffix(".html").as_posix()

    @property
    def is_notebook(self) -> bool:
        return self.path.suffix == ".ipynb"


def pages() -> list[PageSource]:
    """Every page of the site, in order. No solutions: a reader should be able to try."""
    course = active()
    return [
        PageSource(path, path.relative_to(course.root).as_posix())
        for pattern in course.site_pages
        for path in sorted(course.root.glob(pattern))
    ]


def pictures() -> list[Path]:
    """The pictures that pages show."""
    return [path for pattern in PICTURES for path in sorted(active().root.glob(pattern))]


def digest(options: str) -> str:
    """Returns a name for all that a site is built of: the course's files and the options."""
    course = active()
    found = hashlib.sha256(options.encode())
    folders = {"notebooks", "exercises", *course.packages, *course.linked, *course.site_pages}
    tops = {PurePosixPath(name).parts[0] for name in folders}
    for top in (TOOLKIT, *(course.root / name for name in sorted(tops))):
        for path in sorted([top, *top.rglob("*")]):
            if path.is_file() and "__pycache__" not in path.parts:
                found.update(f"{path.name}\0".encode() + path.read_bytes())
    return found.hexdigest()
