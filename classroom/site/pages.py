"""The pages of the site that no file of the course holds."""

from __future__ import annotations

from pathlib import Path

from classroom.site.render import Page
from classroom.site.sources import PageSource


def search() -> Page:
    """The only page with a script: the search, which is the site's own."""
    body = (
        '<h1>Search</h1><div id="search"></div>'
        "<noscript><p>The search needs JavaScript; the links above do not.</p></noscript>"
        '<link rel="stylesheet" href="pagefind/pagefind-ui.css">'
        '<script src="pagefind/pagefind-ui.js"></script>'
        '<script>new PagefindUI({element: "#search", showImages: false, showSubResults: true});'
        'document.querySelector("#search input").setAttribute("aria-label", "Search the lessons");'
        "</script>"
    )
    return Page(PageSource(Path("search.md"), "search.md"), "Search", body, is_search=True)


def not_found(*, linked: bool) -> Page:
    """A page for addresses that the site does not have, in whichever folder. So its links lead
    somewhere only where the address of the site is known.
    """
    way = "Begin at the top of this page." if linked else "Go back, and take another link."
    body = f"<h1>There is no such page</h1><p>Its address may have changed. {way}</p>"
    return Page(PageSource(Path("404.md"), "404.md"), "There is no such page", body, is_search=True)
