"""Search: a full-text index over a folder of documents, and the same protocol over live Wikipedia.

The index is SQLite's FTS5 with its bm25 ranking (https://www.sqlite.org/fts5.html), built in memory at start.
"""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import httpx

from .contract import ToolError
from .tools import Tool, tool

LIBRARY = Path(__file__).resolve().parent.parent / "notebooks" / "data" / "corpus"
"""The workshop's own documents."""

STOP_WORDS = frozenset("a about an and are as at be brief by can compare do does for from has have how in into is it its "
                       "me of on or please tell that the their these this to was were what when where which who why "
                       "will with write you".split())


@dataclass(frozen=True)
class Document:
    id: str
    title: str
    text: str
    date: str = ""
    url: str = ""


@dataclass(frozen=True)
class Hit:
    """A document that matched, with the piece around the match and its rank (lower bm25 is better)."""

    document: Document
    snippet: str
    score: float


class Source(Protocol):
    """Anything that can be searched: swap one for another and no agent notices."""

    async def search(self, query: str, limit: int = 5) -> list[Hit]: ...

    async def get(self, id: str) -> Document: ...


class CorpusError(ValueError):
    """The library cannot be used as it is; the message names the file and the remedy."""


class Corpus:
    """A folder of `.md` and `.txt` documents behind a full-text index.

    A document may begin with a front matter of `id`, `title`, `date` and `url` between two `---` lines; what is
    missing is taken from the file's name and first heading. Raises CorpusError for a missing or empty folder,
    a document that is not UTF-8, or two documents with one id.
    """

    def __init__(self, folder: str | Path = LIBRARY) -> None:
        folder = Path(folder)
        if not folder.is_dir():
            raise CorpusError(f"the library {str(folder)!r} is not a folder; expected a folder of .md or .txt documents")
        self.documents: dict[str, Document] = {}
        for path in sorted(it for it in folder.rglob("*") if it.suffix.lower() in (".md", ".txt") and it.is_file()):
            document = _read(path)
            if document.id in self.documents:
                raise CorpusError(f"two documents have the id {document.id!r}; the second is {path.name}: rename one")
            self.documents[document.id] = document
        if not self.documents:
            raise CorpusError(f"the library {str(folder)!r} is empty; put at least one .md or .txt document into it")
        import sqlite3  # not at the top: importing the kernel opens no database

        self._index = sqlite3.connect(":memory:", check_same_thread=False)
        self._index.execute("CREATE VIRTUAL TABLE documents USING fts5(id UNINDEXED, title, text, "
                            "tokenize = \"porter unicode61 remove_diacritics 2\")")
        self._index.executemany("INSERT INTO documents VALUES (?, ?, ?)",
                                [(it.id, it.title, it.text) for it in self.documents.values()])

    def __len__(self) -> int:
        return len(self.documents)

    async def search(self, query: str, limit: int = 5) -> list[Hit]:
        """The documents that match any of the query's words, best first (titles count double)."""
        words = re.findall(r"\w+", query.lower())
        terms = [word for word in words if word not in STOP_WORDS] or words
        if not terms:
            return []
        rows = self._index.execute(
            "SELECT id, snippet(documents, 2, '', '', '…', 24), bm25(documents, 0, 2.0, 1.0) AS score FROM documents "
            "WHERE documents MATCH ? ORDER BY score, id LIMIT ?",
            (" OR ".join(f'"{term}"' for term in dict.fromkeys(terms)), limit))
        return [Hit(self.documents[id], snippet, score) for id, snippet, score in rows]

    async def get(self, id: str) -> Document:
        """The document of that id. Raises KeyError."""
        if id not in self.documents:
            raise KeyError(f"no document {id!r} in the library of {len(self)}")
        return self.documents[id]


def _read(path: Path) -> Document:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise CorpusError(f"{path.name} is not UTF-8 (byte {error.start}); save it as UTF-8") from None
    fields: dict[str, str] = {}
    if front := re.match(r"---\s*\n(.*?)\n---\s*\n", text, re.DOTALL):
        text = text[front.end():]
        pairs = (line.partition(":") for line in front[1].splitlines())
        fields = {name.strip(): value.strip().strip("\"'") for name, _, value in pairs}
    title = path.stem
    if heading := re.match(r"\s*#+ +(.+)\n", text):
        text, title = text[heading.end():], heading[1].strip()
    id = " ".join(re.sub(r"[\[\],;|]", " ", fields.get("id") or path.stem).split())  # it shall stand between brackets, in a list
    return Document(id or "document", fields.get("title") or title, text.strip(), fields.get("date", ""), fields.get("url", ""))


class Wikipedia:
    """The same protocol over live Wikipedia (https://www.mediawiki.org/wiki/API:Search)."""

    def __init__(self, base_url: str = "https://en.wikipedia.org", *, sentences: int = 8,
                 transport: httpx.AsyncBaseTransport | None = None) -> None:
        always = {"action": "query", "format": "json", "formatversion": 2, "prop": "extracts|info", "inprop": "url",
                  "explaintext": 1, "exintro": 1, "exsentences": sentences, "exlimit": "max"}
        self._http = httpx.AsyncClient(base_url=base_url, params=always, timeout=20, transport=transport, follow_redirects=True,
                                       headers={"user-agent": "supervisor-workshop (teaching)"})

    async def search(self, query: str, limit: int = 5) -> list[Hit]:
        """The best matching articles with their opening sentences. Raises ToolError when Wikipedia does not answer."""
        pages = await self._pages(generator="search", gsrsearch=query, gsrlimit=limit)
        return [Hit(_article(page), _article(page).text[:160], float(rank)) for rank, page in enumerate(pages, 1)]

    async def get(self, id: str) -> Document:
        """One article by its id (`wiki-<page id>`). Raises KeyError."""
        for page in await self._pages(pageids=id.removeprefix("wiki-")):
            if "missing" not in page:
                return _article(page)
        raise KeyError(f"no article {id!r}")

    async def aclose(self) -> None:
        await self._http.aclose()

    async def _pages(self, **query: str | int) -> list[dict]:
        try:
            response = await self._http.get("/w/api.php", params=query)
            answer = response.raise_for_status().json()
            if "error" in answer:
                raise ValueError(answer["error"])
            return sorted(answer.get("query", {}).get("pages", []), key=lambda page: page.get("index", 0))
        except (httpx.HTTPError, ValueError, AttributeError, TypeError) as error:
            raise ToolError(f"Wikipedia did not answer ({type(error).__name__}); try again or use the library") from None


def _article(page: dict) -> Document:
    text = str(page.get("extract") or "").strip()
    return Document(f"wiki-{page.get('pageid', 0)}", str(page.get("title", "")), text, str(page.get("touched", ""))[:10],
                    str(page.get("fullurl", "")))


def as_text(hits: list[Hit]) -> str:
    """Hits as a model reads them: id, title, date, address and text of each."""
    return "\n\n".join(f"[{hit.document.id}] {hit.document.title} ({hit.document.date or 'no date'})\n"
                       f"{hit.document.url}\n{hit.document.text}".replace("\n\n", "\n") for hit in hits)


def search_tool(source: Source, *, limit: int = 6) -> Tool:
    """The `search` tool of a researcher, over any source."""

    @tool
    async def search(query: str) -> str:
        """Search the library. Returns the best matching documents, each with its source id, title, date and text."""
        hits = await source.search(query, limit)
        return as_text(hits) if hits else f"No documents match {query!r}. Try other words."

    return search
