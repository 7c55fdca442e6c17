"""A notebook or a Markdown file as the HTML of one page, with links that lead within the site."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from posixpath import normpath, relpath
from typing import Any

import nbformat
from bs4 import BeautifulSoup, Tag
from nbconvert import HTMLExporter

from classroom.authoring.your_turn import TAG
from classroom.site.sources import PageSource

MARKDOWN_CELL = "text"
ANSWER_FOLDERS = {"solutions": "exercises"}
"""A link to a solution leads to its exercise: the site shows no solutions."""


@dataclass
class Page:
    """One page: its title, its body, and the files it links to that are not in the site."""

    source: PageSource
    title: str
    body: str
    unlinked: list[str] = field(default_factory=list)
    is_search: bool = False
    """True if it searches the others, and is not to be found itself."""


def render(source: PageSource, targets: dict[str, str]) -> Page:
    """The page of one file. targets: the name of each source, and where its page is."""
    exporter = HTMLExporter(
        template_name="basic", exclude_input_prompt=True, exclude_output_prompt=True
    )
    body, _ = exporter.from_notebook_node(_notebook(source))
    soup = BeautifulSoup(body, "html.parser")
    page = Page(source, _title(soup, source), "")
    _headings(soup)
    _fold(soup)
    _alternatives(soup)
    for link in soup.find_all("a"):
        _lead(link, source, targets, page.unlinked)
    _unique_ids(soup)
    page.body = str(soup)
    return page


def _notebook(source: PageSource) -> Any:
    text = source.path.read_text(encoding="utf-8")
    if source.is_notebook:
        notebook = nbformat.reads(text, as_version=4)
        for cell in notebook.cells:
            for output in cell.get("outputs", []):
                _name_picture(output)
        return notebook
    return nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell(text, id=MARKDOWN_CELL)])


def _name_picture(output: Any) -> None:
    """The text twin of a picture becomes its alternative text."""
    bundle = output.get("data", {})
    twin = bundle.get("text/plain", "").strip()
    if "image/png" in bundle and twin:
        output.setdefault("metadata", {})["image/png"] = {"alt": " ".join(twin.split())}


def _title(soup: BeautifulSoup, source: PageSource) -> str:
    heading = soup.find("h1")
    return heading.get_text().rstrip("¶").strip() if heading else source.path.stem


def _headings(soup: BeautifulSoup) -> None:
    """Headings lose the mark that nbconvert adds; those that a cell printed are not the page's."""
    for mark in soup.find_all("a", class_="anchor-link"):
        mark.decompose()
    for heading in soup.select(".output h1, .output h2, .output h3, .output h4"):
        heading.name = "p"
        heading["class"] = "printed-heading"


def _fold(soup: BeautifulSoup) -> None:
    """Our way of a turn is opened by whoever wants to read it."""
    for way in soup.select(f".celltag_{TAG}"):
        details = way.wrap(soup.new_tag("details", attrs={"class": TAG}))
        summary = soup.new_tag("summary")
        summary.string = "Our way"
        details.insert(0, summary)


def _alternatives(soup: BeautifulSoup) -> None:
    """A picture without words says that it has none; what can be wider than the page is reached and
    scrolled by the keyboard; a table's head that is empty is none.
    """
    for picture in soup.find_all("img"):
        if not picture.get("alt") or str(picture["alt"]).startswith("No description"):
            picture["alt"] = "A picture without a description."
    for wide in soup.select("pre, .output_area"):
        wide["tabindex"] = "0"
    for head in soup.find_all("th"):
        if not head.get_text(strip=True) and not head.find("img"):
            head.name = "td"
            del head["scope"]
    for head in soup.find_all("thead"):
        if not head.get_text(strip=True):
            head.decompose()
    for table in soup.find_all("table"):
        table.wrap(soup.new_tag("div", attrs={"class": "wide", "tabindex": "0"}))


def _lead(link: Tag, source: PageSource, targets: dict[str, str], unlinked: list[str]) -> None:
    """A link to a file leads to its page, or becomes plain text when it has none."""
    address = str(link.get("href", ""))
    if re.match(r"[a-z]+:|#|$", address):
        return
    path, _, heading = address.partition("#")
    name = normpath((PurePosixPath(source.name).parent / path).as_posix())
    first, _, rest = name.partition("/")
    name = f"{ANSWER_FOLDERS.get(first, first)}/{rest}" if rest else name
    if name in targets:
        folder = PurePosixPath(source.target).parent.as_posix()
        link["href"] = relpath(targets[name], folder) + (f"#{heading}" if heading else "")
    else:
        unlinked.append(name)
        link.unwrap()


def _unique_ids(soup: BeautifulSoup) -> None:
    """Two cells may draw the same picture: what a later one names anew, its references follow."""
    count: dict[str, int] = {}
    for part in soup.find_all(id=True):
        name = str(part["id"])
        count[name] = count.get(name, 0) + 1
        if count[name] > 1:
            part["id"] = another = f"{name}-{count[name]}"
            if drawing := part.find_parent("svg"):
                _refer(drawing, name, another)


def _refer(drawing: Tag, before: str, after: str) -> None:
    """Lets a drawing's references to one id lead to another."""
    for part in drawing.find_all(True):
        for key, value in part.attrs.items():
            if value in (f"#{before}", f"url(#{before})"):
                part[key] = value.replace(f"#{before}", f"#{after}")
