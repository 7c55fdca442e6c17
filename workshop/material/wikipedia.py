"""Wikipedia as a source: an example of a search that is not the kernel's, behind the same protocol.

Nothing of it is recorded: it needs a network.
"""

from __future__ import annotations

from typing import Any, NoReturn

import httpx

from kernel import ToolError
from kernel.plumbing.search import SNIPPET, Document, Hit


class Wikipedia:
    """The same protocol over live Wikipedia (https://www.mediawiki.org/wiki/API:Search)."""

    def __init__(
        self,
        base_url: str = "https://en.wikipedia.org",
        *,
        sentences: int = 8,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        always: dict[str, str | int] = {
            "action": "query",
            "format": "json",
            "formatversion": 2,
            "prop": "extracts|info",
            "inprop": "url",
            "explaintext": 1,
            "exintro": 1,
            "exsentences": sentences,
            "exlimit": "max",
        }
        self._http = httpx.AsyncClient(
            base_url=base_url,
            params=always,
            timeout=20,
            transport=transport,
            follow_redirects=True,
            headers={"user-agent": "supervisor-workshop (teaching)"},
        )

    async def search(self, query: str, limit: int = 5) -> list[Hit]:
        """The best matching articles with their opening sentences. Raises ToolError when Wikipedia
        does not answer."""
        pages = await self._pages(generator="search", gsrsearch=query, gsrlimit=limit)
        articles = map(_article, pages)
        return [
            Hit(article, article.text[:SNIPPET], float(rank))
            for rank, article in enumerate(articles, 1)
        ]

    async def get(self, id: str) -> Document:
        """One article by its id (`wiki-<page id>`). Raises KeyError."""
        for page in await self._pages(pageids=id.removeprefix("wiki-")):
            if "missing" not in page:
                return _article(page)
        raise KeyError(f"no article {id!r}")

    async def aclose(self) -> None:
        await self._http.aclose()

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            "Wikipedia's connection stays in its process; call Wikipedia() in the process that"
            " searches"
        )

    async def _pages(self, **query: str | int) -> list[dict[str, Any]]:
        try:
            response = await self._http.get("/w/api.php", params=query)
            answer = response.raise_for_status().json()
            if "error" in answer:
                raise ValueError(answer["error"])
            return sorted(
                answer.get("query", {}).get("pages", []), key=lambda page: page.get("index", 0)
            )
        except (
            httpx.HTTPError,
            httpx.InvalidURL,
            ValueError,
            AttributeError,
            TypeError,
            RecursionError,
        ) as error:
            raise ToolError(
                f"Wikipedia did not answer ({type(error).__name__}); try again or use the library"
            ) from None


def _article(page: dict[str, Any]) -> Document:
    return Document(
        f"wiki-{_one_line(str(page.get('pageid', 0)))}",
        _one_line(str(page.get("title", ""))),
        str(page.get("extract") or "").strip(),
        _one_line(str(page.get("touched", "")))[:10],
        _one_line(str(page.get("fullurl", ""))),
    )


def _one_line(text: str) -> str:
    return " ".join(text.split())
