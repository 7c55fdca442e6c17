"""Any folder of documents as a library: Markdown, text and HTML; what is not read is named."""

from __future__ import annotations

import re
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path

from kernel import Corpus
from kernel.plumbing.search import CorpusError, Document, parse_document

READ = (".md", ".txt", ".html", ".htm")
LARGEST_BYTES = 2_000_000
"""A larger file is no document that an agent should search whole."""
MOST_FILES = 5_000
NOT_SHOWN = {"script", "style", "template", "noscript", "svg", "head"}
BLOCKS = {"p", "div", "li", "tr", "br", "h1", "h2", "h3", "h4", "section", "article", "td"}
VOID = {"br", "img", "hr", "input", "meta", "link", "wbr", "area", "base", "col", "embed"}


@dataclass(frozen=True)
class Folder:
    """The content of a folder: the library, and each file that is not in it with the reason."""

    library: Corpus
    unread: dict[str, str]


def read_folder(folder: str | Path) -> Folder:
    """Reads every .md, .txt and .html file below a folder; hidden files are left out.

    Raises CorpusError for what is not a folder, and for one without a document that can be read.
    """
    folder = Path(folder).expanduser()
    if not folder.is_dir():
        raise CorpusError(f"{folder} is not a folder; expected one with .md, .txt or .html files")
    documents: dict[str, Document] = {}
    unread: dict[str, str] = {}
    for path in _files(folder):
        name = path.relative_to(folder).as_posix().encode("utf-8", "replace").decode()
        found = _document(path, folder)
        if isinstance(found, str):
            unread[name] = found
        elif found.id in documents:
            unread[name] = f"another document has the id {found.id!r}; rename one"
        else:
            documents[found.id] = found
    if not documents:
        raise CorpusError(
            f"no document of {folder} can be read; expected .md, .txt or .html in UTF-8"
            + "".join(f"\n  {name}: {why}" for name, why in [*unread.items()][:10])
        )
    return Folder(Corpus.of(documents.values()), unread)


def _files(folder: Path) -> list[Path]:
    """The files of a folder, without hidden ones, in a fixed order."""
    found = []
    for path in sorted(folder.rglob("*")):
        hidden = any(part.startswith(".") for part in path.relative_to(folder).parts)
        if not hidden and path.is_file():
            found.append(path)
    if len(found) > MOST_FILES:
        raise CorpusError(f"{folder} has more than {MOST_FILES:,} files; name a smaller folder")
    return found


def _document(path: Path, folder: Path) -> Document | str:
    """The document, or why there is none."""
    if path.is_symlink():
        return "a link; copy the file itself"
    if path.suffix.lower() not in READ:
        return f"{path.suffix or 'no ending'}: only {', '.join(READ[:3])} are read"
    try:
        content = path.read_bytes()
    except OSError as problem:
        return f"cannot be read: {problem.strerror}"
    if len(content) > LARGEST_BYTES:
        return f"{len(content):,} bytes; at most {LARGEST_BYTES:,} are read"
    if why := why_no_text(content):
        return why
    text = content.decode("utf-8-sig")
    if path.suffix.lower().startswith(".htm"):
        text = text_of(text)
    document = parse_document(text, "-".join(path.relative_to(folder).with_suffix("").parts))
    return document if document.text else "holds no text"


def why_no_text(content: bytes) -> str:
    """Returns the reason that the bytes of a file are no text; empty when they are."""
    try:
        content.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        return f"not UTF-8 (byte {problem.start}); save it as UTF-8"
    return ""


def text_of(page: str) -> str:
    """Returns the visible text of an HTML page: its title as a heading, then a line a block."""
    reader = _Reader()
    reader.feed(page)
    reader.close()
    lines = (" ".join(line.split()) for line in "".join(reader.words).splitlines())
    text = "\n".join(filter(None, lines))
    title = " ".join("".join(reader.title).split())
    return f"# {title}\n\n{text.removeprefix(title).lstrip()}\n" if title else text


class _Reader(HTMLParser):
    """Collects the visible words of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.words: list[str] = []
        self.title: list[str] = []
        self._hidden: list[str] = []
        """Open tags from the first one whose content is not shown."""
        self._in_title = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._in_title = tag == "title"
        given = dict(attrs)
        style = re.sub(r"\s", "", given.get("style") or "").lower()
        hides = tag in NOT_SHOWN or "hidden" in given or "display:none" in style
        if tag == "body":
            self._hidden.clear()  # a head without an end
        elif (hides or self._hidden) and tag not in VOID:
            self._hidden.append(tag)
        if tag in BLOCKS:
            self.words.append("\n")

    def handle_endtag(self, tag: str) -> None:
        self._in_title = False
        if tag in self._hidden:
            del self._hidden[len(self._hidden) - 1 - self._hidden[::-1].index(tag) :]
        if tag in BLOCKS:
            self.words.append("\n")

    def handle_data(self, data: str) -> None:
        if self._in_title:
            self.title.append(data)
        elif not self._hidden:
            self.words.append(data)
