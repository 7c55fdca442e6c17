"""The frame around the text of a page: head, navigation, the list of lessons, the doors."""

from __future__ import annotations

import html
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath
from posixpath import relpath

from bs4 import BeautifulSoup, Tag

from classroom.authoring import lessons
from classroom.course import active
from classroom.site import runtime
from classroom.site.render import Page
from classroom.site.sources import PageSource

LONGEST_DESCRIPTION = 160
"""Characters of a description; search engines cut longer ones."""
FAVICON = (
    "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E"
    "%3Cpath d='M8 4v4M8 8L3 12M8 8l5 4M8 8v4' stroke='%230a58ca'/%3E"
    "%3Cg fill='%230a58ca'%3E%3Ccircle cx='8' cy='3.5' r='2.5'/%3E%3Ccircle cx='3' cy='13' r='2'/%3E"
    "%3Ccircle cx='8' cy='13' r='2'/%3E%3Ccircle cx='13' cy='13' r='2'/%3E%3C/g%3E%3C/svg%3E"
)
"""One above three."""
WEIGHTS = {"notebooks": 3, "exercises": 1}
"""The weight of a hit in the search, by the folder of its page: a lesson before its exercises."""
WEIGHT_OF_OTHERS = 2
NOT_FOUND = "404.html"


@dataclass(frozen=True)
class Frame:
    """The parts that are the same on all pages of a site.

    browser: whether the edition that runs in a tab is built beside the pages. url: where the site
    will be, with a slash at its end; empty where that is not known, and then pages name no address.
    """

    browser: bool = False
    url: str = ""

    def around(self, page: Page) -> str:
        """The whole document of a page."""
        origin = page.source.target
        folder = PurePosixPath(page.source.name).parts[0]
        weight = WEIGHTS.get(folder, WEIGHT_OF_OTHERS)
        searched = "" if page.is_search else f' data-pagefind-body data-pagefind-weight="{weight}"'
        return (
            f'<!doctype html>\n<html lang="en">\n<head>\n{self._head(page)}</head>\n<body>\n'
            '<a class="skip" href="#text">Skip to the text</a>\n'
            f"<header>{self._navigation(origin)}{self._place(page.source)}</header>\n"
            f'<main id="text"{searched}>\n{self._body(page)}\n</main>\n</body>\n</html>\n'
        )

    def _head(self, page: Page) -> str:
        origin = page.source.target
        title = page.title
        if title != active().title:
            title = f"{title} · {active().title}"
        description = html.escape(described(page.body))
        lines = [
            '<meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{html.escape(title)}</title>",
            f'<meta name="description" content="{description}">',
            f'<meta property="og:title" content="{html.escape(title)}">',
            f'<meta property="og:description" content="{description}">',
            '<meta property="og:type" content="website">',
            f'<link rel="icon" href="{FAVICON}">',
        ]
        if self.browser and (page.source.is_notebook or origin == "index.html"):
            lines += [_fetched_ahead(origin, name) for name in runtime.FILES]
        if self.url:
            lines.append(f'<link rel="canonical" href="{html.escape(self.url + origin)}">')
        if origin == NOT_FOUND and self.url:
            lines.append(f'<base href="{html.escape(self.url)}">')
        lines.append(f'<link rel="stylesheet" href="{_from(origin, "site.css")}">')
        return "\n".join(lines) + "\n"

    def _navigation(self, origin: str) -> str:
        course = active()
        pages = [(course.title, "index.html"), *course.navigation, ("Search", "search.html")]
        links = "".join(_link(words, target, origin) for words, target in pages)
        return f'<nav aria-label="Site">{links}</nav>'

    def _place(self, source: PageSource) -> str:
        """Returns the place of a page among the lessons, the one before and after it, and the ways
        to run it.
        """
        if not source.is_notebook:
            return ""
        folder, _, name = source.name.partition("/")
        kind = "exercise" if folder == "exercises" else "lesson"
        run = (
            f'<a href="{self._tab(source)}">run it in this browser</a>, or ' if self.browser else ""
        )
        install = f'<a href="{_from(source.target, "index.html")}#Start">install it</a>'
        note = (
            f'<p class="edition">You are reading this {kind}; {run or "to run it, "}{install}.</p>'
        )
        return f"{_lessons(source.target, name)}{note}"

    def _body(self, page: Page) -> str:
        if page.source.target != "index.html":
            return page.body
        soup = BeautifulSoup(page.body, "html.parser")
        first = soup.find("p")
        if first is None:
            return page.body
        links = first.find_next_sibling()
        if links is not None and _has_links_alone(links):
            links.decompose()
        first.insert_after(BeautifulSoup(self._doors(), "html.parser"))
        return str(soup)

    def _doors(self) -> str:
        """The ways in: run it here, read it, install it."""
        name = f"notebooks/{active().first_notebook}"
        first = PurePosixPath(name).with_suffix(".html").as_posix()
        doors = [
            ("Read it", first, "Every lesson with what it prints. Nothing to install."),
            ("Install it", "#Start", "Two commands, for JupyterLab on your machine."),
        ]
        if self.browser:
            tab = f"{runtime.PAGE}?path={name}"
            doors.insert(0, ("Run it here", tab, "Python starts in this browser. No account."))
        items = "".join(
            f'<li><a href="{html.escape(target)}">{words}</a><span>{about}</span></li>'
            for words, target, about in doors
        )
        return f'<ul class="doors">{items}</ul>'

    def _tab(self, source: PageSource) -> str:
        return _from(source.target, runtime.PAGE) + f"?path={source.name}"


def _has_links_alone(paragraph: Tag) -> bool:
    """True for a paragraph of links alone, with dots between them, as the doors of a clone are."""
    words = paragraph.get_text()
    for link in paragraph.find_all("a"):
        words = words.replace(link.get_text(), "", 1)
    return paragraph.name == "p" and not words.strip(" ·\n")


def _fetched_ahead(origin: str, name: str) -> str:
    """A link for a page that leads into the tab: the browser fetches a file when it is idle."""
    return f'<link rel="prefetch" href="{_from(origin, f"{runtime.STATIC}/{name}")}">'


def described(body: str) -> str:
    """The first paragraph of a page, cut behind a word where it is too long."""
    first = BeautifulSoup(body, "html.parser").find("p")
    words = " ".join(first.get_text().split()) if first else active().title
    if len(words) <= LONGEST_DESCRIPTION:
        return words
    return words[:LONGEST_DESCRIPTION].rpartition(" ")[0] + " …"


def _lessons(origin: str, name: str) -> str:
    """The list of all lessons, closed, with this one marked; before and after it the neighbours."""
    books = [(number, title, f"notebooks/{path}") for number, title, path in _books()]
    names = [PurePosixPath(path).name for _, _, path in books]
    if name not in names:
        return ""
    place = names.index(name)
    items = "".join(
        f"<li>{_link(f'{number} {title}', _page(path), origin)}</li>"
        for number, title, path in books
    )
    before = _neighbour(books[place - 1], origin, "prev", "← {}") if place else ""
    after = _neighbour(books[place + 1], origin, "next", "{} →") if place + 1 < len(books) else ""
    number, title, _ = books[place]
    summary = f"Lesson {number} of {books[-1][0]}: {title}"
    return (
        f'<nav class="lessons" aria-label="Lessons">{before}'
        f"<details><summary>{html.escape(summary)}</summary><ul>{items}</ul></details>{after}</nav>"
    )


def _books() -> Iterator[tuple[str, str, str]]:
    for lesson, path in lessons.written().items():
        yield lesson.number, lesson.title, path.name


def _neighbour(book: tuple[str, str, str], origin: str, rel: str, words: str) -> str:
    number, title, path = book
    label = html.escape(words.format(number))
    name = html.escape(f"{number} {title}")
    return f'<a rel="{rel}" href="{_from(origin, _page(path))}" title="{name}" aria-label="{name}">{label}</a>'


def _page(path: str) -> str:
    return PurePosixPath(path).with_suffix(".html").as_posix()


def _link(words: str, target: str, origin: str) -> str:
    current = ' aria-current="page"' if target == origin else ""
    return f'<a href="{html.escape(_from(origin, target))}"{current}>{html.escape(words)}</a>'


def _from(origin: str, target: str) -> str:
    """The address of a page, from another one."""
    return relpath(target, PurePosixPath(origin).parent.as_posix())
