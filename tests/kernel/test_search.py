"""Facts about the library: what it finds and what it refuses."""

from __future__ import annotations

import re
from datetime import date

import pytest

from kernel import LIBRARY, Corpus, Run, search_tool
from kernel.plumbing.search import CorpusError, Document
from tests.on_each import on_each
from tests.scripted import scripted


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "ducks.md").write_text(
        "---\nid: ducks\ntitle: Ducks\ndate: 2024-01-02\nurl: https://example.org/d\n---\n\n"
        "A duck is a bird. Ducks swim.\n",
        encoding="utf-8",
    )
    (tmp_path / "plain.txt").write_text("# A plain note\n\nThe café serves soup.", encoding="utf-8")
    return tmp_path


async def test_documents_are_found_by_stem_title_and_accent(folder):
    corpus = Corpus(folder)
    assert [hit.document.id for hit in await corpus.search("swimming")] == ["ducks"]
    assert [hit.document.id for hit in await corpus.search("cafe")] == ["plain"]
    assert (await corpus.get("ducks")) == Document(
        "ducks", "Ducks", "A duck is a bird. Ducks swim.", "2024-01-02", "https://example.org/d"
    )
    assert (await corpus.get("plain")).title == "A plain note"
    assert "swim" in (await corpus.search("swim"))[0].snippet


@pytest.mark.parametrize(
    "query", ["", "   ", '"', "AND OR NOT", "a* ^b NEAR(c)", "title:duck", "(((", "💥", "-", "the"]
)
async def test_no_query_is_a_syntax_error(folder, query):
    await Corpus(folder).search(query)


async def test_an_unknown_document_is_a_key_error(folder):
    with pytest.raises(KeyError, match="no document 'geese'"):
        await Corpus(folder).get("geese")


def test_a_library_that_cannot_be_used_says_what_to_do(folder, tmp_path):
    with pytest.raises(CorpusError, match="is not a folder"):
        Corpus(tmp_path / "nowhere")
    (tmp_path / "empty").mkdir()
    with pytest.raises(CorpusError, match="is empty"):
        Corpus(tmp_path / "empty")
    (folder / "twin.md").write_text("---\nid: ducks\n---\nQuack.", encoding="utf-8")
    with pytest.raises(
        CorpusError, match="two documents have the id 'ducks'; the second is twin.md"
    ):
        Corpus(folder)


def test_a_document_that_is_not_utf8_is_named(folder):
    (folder / "old.txt").write_bytes("Größe".encode("latin-1"))
    with pytest.raises(CorpusError, match=r"old.txt is not UTF-8 \(byte 2\)"):
        Corpus(folder)


async def test_the_search_tool_gives_ids_titles_and_text_or_says_that_nothing_matched(folder):
    search = search_tool(Corpus(folder))
    run = Run(scripted())
    assert (await search.call({"query": "duck"}, run)).startswith(
        "[ducks] Ducks (2024-01-02)\nhttps://example.org/d\nA duck is a bird."
    )
    assert "No documents match 'zebra'" in await search.call({"query": "zebra"}, run)


# ── the workshop's own documents ───────────────────────────────────────────────────────────────────────────


def test_the_library_holds_sixty_documents_on_a_dozen_topics_each_with_its_source():
    corpus = Corpus()
    assert len(corpus) >= 60
    topics = set()
    for path in LIBRARY.glob("*.md"):
        topics.update(re.findall(r"^topic: (.+)$", path.read_text(encoding="utf-8"), re.MULTILINE))
    assert len(topics) >= 12
    for document in corpus.documents.values():
        assert document.title and document.url.startswith("https://"), document.id
        date.fromisoformat(document.date)
        assert 3 <= len(re.findall(r"[.!?](?:\s|$)", document.text)) <= 9, document.id


@on_each(
    ("query", "expected"),
    [
        ("the history of MCP", "mcp-"),
        ("pgvector", "pgvector-"),
        ("Qdrant", "qdrant-"),
        ("Pinecone", "pinecone-"),
        ("circuit breaker", "circuit-breaker"),
        ("OpenTelemetry", "opentelemetry-"),
        ("Jupyter notebooks", "jupyter"),
    ],
)
async def test_each_topic_finds_its_own_documents_first(query, expected):
    hits = await Corpus().search(query)
    assert sum(hit.document.id.startswith(expected) for hit in hits) >= 3, [
        hit.document.id for hit in hits
    ]


async def test_an_id_can_stand_between_brackets(tmp_path):
    (tmp_path / "zorb [final], v2.MD").write_text(
        "The zorb engine was released in 2021.", encoding="utf-8"
    )
    library = Corpus(tmp_path)
    assert [hit.document.id for hit in await library.search("zorb")] == ["zorb-final-v2"]
    assert (await library.get("zorb final v2")).text.startswith("The zorb")
