"""Facts about Wikipedia behind the protocol of a source."""

from __future__ import annotations

import httpx
import pytest

from kernel import Run, ToolError, search_tool
from kernel.plumbing.search import Document
from tests.on_each import on_each
from tests.scripted import scripted
from workshop.material.wikipedia import Wikipedia


def wikipedia(answer):
    return Wikipedia("https://wiki.example", transport=httpx.MockTransport(answer))


async def test_wikipedia_keeps_the_same_protocol():
    def answer(request):
        assert request.url.path == "/w/api.php" and request.url.params["gsrsearch"] == "ducks"
        return httpx.Response(
            200,
            json={
                "query": {
                    "pages": [
                        {
                            "pageid": 2,
                            "index": 2,
                            "title": "Goose",
                            "extract": "A goose.",
                            "fullurl": "https://wiki.example/Goose",
                        },
                        {
                            "pageid": 1,
                            "index": 1,
                            "title": "Duck",
                            "extract": "A duck is a bird.",
                            "touched": "2026-01-02T00:00:00Z",
                            "fullurl": "https://wiki.example/Duck",
                        },
                    ]
                }
            },
        )

    hits = await wikipedia(answer).search("ducks", limit=2)
    assert [hit.document.id for hit in hits] == ["wiki-1", "wiki-2"]
    assert hits[0].document == Document(
        "wiki-1", "Duck", "A duck is a bird.", "2026-01-02", "https://wiki.example/Duck"
    )
    text = await search_tool(wikipedia(answer)).call({"query": "ducks"}, Run(scripted()))
    assert text.startswith("[wiki-1] Duck (2026-01-02)")


@on_each(
    "answer",
    [
        lambda _: httpx.Response(503),
        lambda _: httpx.Response(200, text="<html>"),
        lambda _: httpx.Response(200, json=[]),
        lambda _: httpx.Response(200, json={"error": {"code": "maxlag"}}),
        lambda _: httpx.Response(200, json={"query": {"pages": None}}),
        lambda _: httpx.Response(200, json={"query": {"pages": {"1": {"pageid": 1}}}}),
        lambda _: httpx.Response(200, json={"query": {"pages": 3}}),
        lambda _: httpx.Response(200, text="[" * 20_000),
        lambda _: httpx.Response(302, headers={"location": "https://[no"}),
    ],
)
async def test_when_wikipedia_does_not_answer_the_model_is_told(answer):
    with pytest.raises(ToolError, match="Wikipedia did not answer"):
        await wikipedia(answer).search("ducks")


async def test_wikipedia_without_matches_finds_nothing():
    assert (
        await wikipedia(lambda _: httpx.Response(200, json={"batchcomplete": True})).search("qqq")
        == []
    )
    with pytest.raises(KeyError):
        await wikipedia(
            lambda _: httpx.Response(
                200, json={"query": {"pages": [{"pageid": 7, "missing": True}]}}
            )
        ).get("wiki-7")


async def test_an_articles_title_is_one_line():
    page = {"pageid": 1, "title": "A\n[good] B", "extract": "Text.", "index": 1}
    answer = {"query": {"pages": [page]}}
    (found,) = await wikipedia(lambda _: httpx.Response(200, json=answer)).search("a")
    assert found.document.title == "A [good] B"
