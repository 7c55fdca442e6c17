"""Search: a full-text index over a folder of documents, as a tool.

The index is SQLite's FTS5 with its bm25 ranking (https://www.sqlite.org/fts5.html), built in memory
at start.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Protocol

from ..core.tools import Tool, tool
from .data import shipped
from .labels import free_label, label
from .texts import cut, shortened
from .untrusted import as_data, is_address

LIBRARY = shipped("corpus")
"""The workshop's own documents."""

LONGEST_TEXT = 20_000
"""Characters of a document that a model reads; a longer document is cut."""

LONGEST_FIELD = 1_000
"""Characters of a document's title, date or address that a model reads."""

SNIPPET = 160
"""Characters around a match that are shown."""

STOP_WORDS = frozenset(
    "a about an and are as at be brief by can compare do does for from has have how in into is it"
    " its me of on or please tell that the their these this to was were what when where which who"
    " why will with write you".split()
)


@dataclass(frozen=True)
class Document:
    """A document. Its id is cited, so it is a label: "My notes" becomes "My-notes". All other
    fields are untrusted text."""

    id: str
    title: str
    text: str
    date: str = ""
    url: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "id", label(self.id))


@dataclass(frozen=True)
class Hit:
    """A document that matched, with the piece around the match and its rank (lower bm25 is
    better)."""

    document: Document
    snippet: str
    score: float


class Source(Protocol):
    """Anything that can be searched. Sources are interchangeable."""

    async def search(self, query: str, limit: int = 5) -> list[Hit]: ...

    async def get(self, id: str) -> Document: ...


class CorpusError(ValueError):
    """The library cannot be used; the message names the file and the remedy."""


class Corpus:
    """A folder of `.md` and `.txt` documents behind a full-text index.

    A document may begin with a front matter of `id`, `title`, `date` and `url` between two `---`
    lines; the defaults are the file's name and first heading. Raises CorpusError for a missing or
    empty folder, a document that is not UTF-8, or two documents with one id. Pickling sends the
    documents; the index is built again in the other process.
    """

    def __init__(self, folder: str | Path = LIBRARY) -> None:
        folder = Path(folder)
        shown = _one_line(str(folder))
        if not folder.is_dir():
            raise CorpusError(
                f"the library {shown!r} is not a folder; expected a folder of .md or .txt documents"
            )
        documents: dict[str, Document] = {}
        for path in sorted(folder.rglob("*")):
            if path.suffix.lower() not in (".md", ".txt") or not path.is_file():
                continue
            document = _read(path)
            if document.id in documents:
                raise CorpusError(
                    f"two documents have the id {document.id!r}; the second is"
                    f" {_one_line(path.name)}: rename one (in an id all signs but letters and"
                    " digits count as a dash)"
                )
            documents[document.id] = document
        if not documents:
            raise CorpusError(
                f"the library {shown!r} is empty; put at least one .md or .txt document into it"
            )
        self.__setstate__(documents)

    @classmethod
    def of(cls, documents: Iterable[Document]) -> Corpus:
        """A corpus of documents in memory. If two have the same id, the second gets a number."""
        found: dict[str, Document] = {}
        for document in documents:
            if found.get(document.id) != document:
                id = free_label(document.id, found)
                found[id] = replace(document, id=id)
        corpus = cls.__new__(cls)
        corpus.__setstate__(found)
        return corpus

    def __getstate__(self) -> dict[str, Document]:
        return self.documents

    def __setstate__(self, documents: dict[str, Document]) -> None:
        import sqlite3  # not at the top: importing the kernel opens no database

        self.documents = documents
        self._index = sqlite3.connect(":memory:", check_same_thread=False)
        self._index.execute(
            "CREATE VIRTUAL TABLE documents USING fts5(id UNINDEXED, title, text, "
            'tokenize = "porter unicode61 remove_diacritics 2")'
        )
        rows = [(each.id, each.title, each.text) for each in documents.values()]
        self._index.executemany("INSERT INTO documents VALUES (?, ?, ?)", rows)

    def __len__(self) -> int:
        return len(self.documents)

    async def search(self, query: str, limit: int = 5) -> list[Hit]:
        """The documents that match any word of the query, best first (titles count double)."""
        words = re.findall(r"\w+", query.lower())
        terms = [word for word in words if word not in STOP_WORDS] or words
        if not terms:
            return []
        rows = self._index.execute(
            "SELECT id, bm25(documents, 0, 2.0, 1.0) AS score FROM documents "
            "WHERE documents MATCH ? ORDER BY score, id LIMIT ?",
            (" OR ".join(f'"{term}"' for term in dict.fromkeys(terms)), limit),
        )
        found = [(self.documents[id], score) for id, score in rows]
        return [Hit(document, _snippet(document.text, terms), score) for document, score in found]

    async def get(self, id: str) -> Document:
        """The document of that id. Raises KeyError."""
        own = label(id)
        if own not in self.documents:
            raise KeyError(f"no document {id!r} in the library of {len(self)}")
        return self.documents[own]


def _snippet(text: str, terms: list[str]) -> str:
    """The piece of a text around the earliest match of one of the words; FTS5's own takes quadratic
    time."""
    beginnings = "|".join(re.escape(term[:4]) for term in dict.fromkeys(terms))
    match = re.search(rf"\b(?:{beginnings})", text, re.IGNORECASE)
    middle = match.start() if match else 0
    begin = max(0, middle - SNIPPET // 2)
    piece = " ".join(text[begin : begin + SNIPPET].split())
    before = "…" if begin else ""
    after = "…" if begin + SNIPPET < len(text) else ""
    return f"{before}{piece}{after}"


def _read(path: Path) -> Document:
    name = _one_line(path.name)
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise CorpusError(f"{name} is not UTF-8 (byte {error.start}); save it as UTF-8") from None
    return parse_document(text, path.stem)


def parse_document(text: str, name: str) -> Document:
    """A document from its text. `name` is the default of id and title."""
    fields, text = _front_matter(text)
    title, text = _heading(text)
    stem = _one_line(name)
    return Document(
        fields.get("id") or stem or "document",
        fields.get("title") or title or stem,
        text.strip(),
        fields.get("date", ""),
        fields.get("url", ""),
    )


def _front_matter(text: str) -> tuple[dict[str, str], str]:
    """The fields between two `---` lines at the beginning, and the rest of the text."""
    lines = text.splitlines(keepends=True)
    if not lines or lines[0].rstrip() != "---":
        return {}, text
    fields: dict[str, str] = {}
    for number, line in enumerate(islice(lines, 1, None), 1):
        if line.rstrip() == "---":
            return fields, "".join(lines[number + 1 :])
        name, _, value = line.partition(":")
        fields[name.strip()] = value.strip().strip("\"'")
    return {}, text


def _heading(text: str) -> tuple[str, str]:
    """The heading at the beginning of a text (empty without one), and the rest."""
    text = text.lstrip()
    first, line_end, rest = text.partition("\n")
    title = first.lstrip("#")
    if title == first or not title.startswith(" ") or not title.strip() or not line_end:
        return "", text
    return title.strip(), rest


def _one_line(text: str) -> str:
    """Text on one line and without lone surrogates: names of files may have both."""
    return " ".join(text.encode("utf-8", "replace").decode().split())


_BLANK_LINES = re.compile(r"\n(?:[ \t]*\n)+")


def as_text(hits: list[Hit]) -> str:
    """Hits as text for a model: id, title, date, address and text of each.

    A document cannot impersonate another: brackets are changed where a field looks like the head of
    a document, or cites another document of the hits.
    """
    ids = {hit.document.id.lower() for hit in hits}
    return "\n\n".join(_shown(hit.document, ids - {hit.document.id.lower()}) for hit in hits)


def heads(documents: Iterable[Document]) -> list[tuple[str, str]]:
    """The head of each document in a list, (id, title and date; address), escaped as in
    `as_text`."""
    found = list(documents)
    ids = {document.id.lower() for document in found}
    return [_head(document, ids - {document.id.lower()}) for document in found]


def _head(document: Document, others: set[str]) -> tuple[str, str]:
    def field(text: str) -> str:
        return as_data(shortened(_one_line(text), LONGEST_FIELD), others)

    address = field(document.url)
    if address and not is_address(document.url):
        address = f"“{address}”"
    return f"[{document.id}] {field(document.title)} ({field(document.date) or 'no date'})", address


def _shown(document: Document, others: set[str]) -> str:
    head, address = _head(document, others)
    text = cut(as_data(document.text, others), LONGEST_TEXT)
    return _BLANK_LINES.sub("\n", f"{head}\n{address}\n{text}")


def search_tool(source: Source, *, limit: int = 6) -> Tool:
    """The `search` tool of a researcher, over any source."""

    async def search(query: str) -> str:
        hits = await source.search(query, limit)
        return as_text(hits) if hits else f"{NO_MATCH} {query!r}. Try other words."

    return tool(search, description=SEARCH)


NO_MATCH = "No documents match"
"""The beginning of the result of `search` without a match."""


def ids_in(result: str) -> set[str] | None:
    """The ids of the documents in a result of `search`, in lowercase; None for any other text.

    Only heads count; no text of a document has a line that looks like one (see `as_text`).
    """
    found = {id.lower() for id in _HEAD.findall(result)}
    return found if found or result.startswith(NO_MATCH) else None


_HEAD = re.compile(r"(?:\A|\n\n)\[([\w.-]+)\] ")


SEARCH = (
    "Search the library. Returns the best matching documents, each with its source id, title, date"
    " and text."
)
