"""`site`: builds the site, says what it holds, and shows it from this machine."""

from __future__ import annotations

import argparse
import importlib.util
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from classroom.course import active
from classroom.site import runtime, sources

if TYPE_CHECKING:
    from classroom.site.frame import Frame

NEEDED = ("nbconvert", "bs4", "pagefind")
NEEDED_IN_A_TAB = (*NEEDED, "jupyterlite_core", "jupyterlite_pyodide_kernel", "pip", "setuptools")
MARK = ".site"
"""A file that says that a folder is a site of ours, so that it may be replaced, and of what it was
built.
"""
NODE = (
    "come with Node.js: get it from nodejs.org or from your system's packages. "
    "Without --browser the site has pages to read, and needs none"
)
FETCHED = "The edition for a tab is fetched once, by npm and pip from their registries or a mirror."
SERVED = "build/site"
"""The folder of the site that is served where none is named."""


def read(argv: list[str]) -> argparse.Namespace:
    """Returns the options; wrong ones, or a machine without Node.js, end the program with exit
    status 2. Needs the standard library alone: it runs before anything is installed.
    """
    parser = argparse.ArgumentParser(prog=f"{active().command} site", description=__doc__)
    parser.add_argument(
        "--out", type=Path, metavar="DIR", help="a new folder for it; --serve has one of its own"
    )
    parser.add_argument(
        "--browser", action="store_true", help="also the edition that runs in a tab"
    )
    parser.add_argument(
        "--cache",
        type=Path,
        metavar="DIR",
        help="keeps what --browser fetched (default: DIR.cache)",
    )
    parser.add_argument(
        "--url",
        type=_address,
        default=None,
        help="where the site will be, such as https://example.org/course/: for 404.html",
    )
    parser.add_argument(
        "--serve",
        action="store_true",
        help="open it in a browser, from this machine; it is built again only where a file changed",
    )
    options = parser.parse_args(argv)
    if not (options.out or options.serve):
        parser.error("name a folder for the site with --out DIR, or show it with --serve")
    absent = [name for name in ("node", "npm") if not shutil.which(name)]
    if options.browser and absent:
        parser.error(f"--browser needs {' and '.join(absent)}, which {NODE}")
    return options


def main(argv: list[str]) -> int:
    """Build the site; returns the exit status. Refuses a folder that holds anything else."""
    options = read(argv)
    out = (options.out or active().root / SERVED).resolve()
    if problem := refusal(out, browser=options.browser):
        print(problem, file=sys.stderr)
        return 2
    content = sources.digest(f"{options.browser} {options.url}")
    if not options.serve or _built_of(out) != content:
        try:
            _make(out, options)
        except RuntimeError as problem:  # with what a tool wrote
            print(problem, FETCHED if options.browser else "", sep="\n", file=sys.stderr)
            return 1
        (out / MARK).write_text(content, encoding="utf-8")
    if options.serve:
        from classroom.site import serving

        serving.serve(out, runtime.start() if options.browser else "index.html")
    return 0


def _built_of(out: Path) -> str:
    """The content of which a site was built, as `sources.digest` names it; "" for none."""
    mark = out / MARK
    return mark.read_text(encoding="utf-8") if mark.is_file() else ""


def _make(out: Path, options: argparse.Namespace) -> None:
    """Builds what the options ask for, and prints what it is."""
    from classroom.site.frame import Frame

    print("Building the site; this takes some minutes …", flush=True)
    began = time.monotonic()
    unlinked = build(out, Frame(browser=options.browser, url=options.url or ""))
    size = sum(path.stat().st_size for path in out.rglob("*") if path.is_file())
    count = len(list(out.rglob("*.html")))
    print(f"{count} pages, {size / 1e6:.1f} MB, in {time.monotonic() - began:.0f} s: {out}")
    if options.browser:
        cache = options.cache or out.with_name(f"{out.name}.cache")
        print(_browser_edition(out, cache.resolve()))
    print(f"{len(unlinked)} links to files that are not in the site are plain text there.")


def _browser_edition(out: Path, cache: Path) -> str:
    """Builds the browser edition beside the pages; says its size and how to measure its speed."""
    from classroom.site import browser

    cache.mkdir(parents=True, exist_ok=True)
    whole, compressed = browser.build(out, cache)
    size = f"{whole:.1f} MB, {compressed:.1f} MB compressed"
    return f"The browser edition has {size}. It begins at {runtime.start()}"


def refusal(out: Path, *, browser: bool = False) -> str:
    """Returns the reason that the site cannot be built in a folder; empty when it can."""
    if browser and not (active().root / "pyproject.toml").is_file():
        return "The edition for a browser's tab needs the course to be a package: pyproject.toml."
    needed = NEEDED_IN_A_TAB if browser else NEEDED
    missing = [name for name in needed if not _installed(name)]
    if missing:
        return (
            f"The site needs {', '.join(missing)}. In the course's environment: "
            f"{_install(browser=browser)}"
        )
    if out.exists() and not out.is_dir():
        return f"{out} is a file; name a new folder."
    if out.is_dir() and any(out.iterdir()) and not (out / MARK).is_file():
        return f"{out} holds other files; name a new or an empty folder."
    return ""


def _install(*, browser: bool) -> str:
    """The command that installs what the site needs; its files lie beside this one."""
    folder, root = Path(__file__).resolve().parent, active().root
    folder = folder.relative_to(root) if folder.is_relative_to(root) else folder
    files = ("requirements.txt", "browser-requirements.txt") if browser else ("requirements.txt",)
    return " ".join(["pip install", *(f"-r {(folder / name).as_posix()}" for name in files)])


def _installed(name: str) -> bool:
    return importlib.util.find_spec(name) is not None


def build(out: Path, frame: Frame | None = None) -> list[str]:
    """Writes the pages; returns the files that pages name and the site does not hold."""
    from classroom.site import pages, render
    from classroom.site.frame import NOT_FOUND, Frame

    frame = frame or Frame()
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    course = active()
    (out / MARK).touch()
    found = sources.pages()
    targets = {source.name: source.target for source in found}
    unlinked: list[str] = []
    for source in found:
        page = render.render(source, targets)
        unlinked += page.unlinked
        _write(out / source.target, frame.around(page))
    for picture in sources.pictures():
        _copy(picture, out / picture.relative_to(course.root))
    _write(out / "search.html", frame.around(pages.search()))
    _write(out / NOT_FOUND, frame.around(pages.not_found(linked=bool(frame.url))))
    _write(
        out / "site.css",
        (Path(__file__).parent / "site.css").read_text(encoding="utf-8") + _colours(),
    )
    _index(out)
    return unlinked


def _address(word: str) -> str:
    if not re.fullmatch(r"https?://[^/\s?#]+(/[^\s?#]*)?", word):
        raise argparse.ArgumentTypeError(f"{word!r} is not an address; expected https://HOST/PATH/")
    return word.rstrip("/") + "/"


def _colours() -> str:
    """Returns the styles that colour code, in both themes."""
    from pygments.formatters import HtmlFormatter

    light = HtmlFormatter(style="default").get_style_defs(".highlight")
    dark = HtmlFormatter(style="github-dark").get_style_defs(".highlight")
    plain = ".highlight { background: none; }"
    return f"\n{light}\n@media (prefers-color-scheme: dark) {{\n{dark}\n}}\n{plain}\n"


def _index(out: Path) -> None:
    """The search index. Raises RuntimeError with what the indexer wrote when it fails."""
    done = subprocess.run(
        [sys.executable, "-m", "pagefind", "--site", str(out)],
        capture_output=True,
        text=True,
        encoding="utf-8",
    )
    if done.returncode:
        raise RuntimeError(f"the search index was not made: {done.stdout}{done.stderr}")


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="\n")


def _copy(path: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(path, target)
