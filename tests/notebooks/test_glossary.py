"""The glossary and the cheat sheet: defined once, linked at first use, written from the code."""

from __future__ import annotations

import re

import nbformat
import pytest

import kernel
from classroom.authoring import glossary
from tests.places import ROOT
from workshop.authoring import cheatsheet
from workshop.course import COURSE

from .books import sources

LESSONS = COURSE.books(ROOT / "notebooks")
LINK = re.compile(r"\[([^\]]+)\]\(\.\./docs/glossary\.md#([\w-]+)\)")


def prose(path):
    return [*sources(path, "markdown").values()]


def test_each_word_is_defined_in_one_or_two_sentences():
    terms = glossary.terms()
    assert len(terms) >= 30 and list(terms) == sorted(terms)
    for term, text in terms.items():
        assert text.endswith(".") and len(text.split()) <= 45, term
        assert term == term.lower(), "headings are anchors"


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: COURSE.lesson_of(path.stem))
def test_a_lesson_links_each_word_once_and_where_it_first_stands(path):
    texts = prose(path)
    found = [link for text in texts for link in LINK.findall(text)]
    targets = [target for _, target in found]
    assert targets, "no word of this lesson is in the glossary"
    assert len(targets) == len(set(targets)), "a word is linked twice"
    anchors = {term.replace(" ", "-"): term for term in glossary.terms()}
    assert set(targets) <= set(anchors), "a link leads nowhere"
    for number, text in enumerate(texts):
        for shown, target in LINK.findall(text):
            term = anchors[target]
            assert shown.lower() in (term, f"{term}s")
            for before in texts[:number]:
                plain = re.sub(glossary.NOT_PROSE, " ", before)
                assert not re.search(rf"(?<![\w/-]){term}s?(?![\w-])", plain, re.IGNORECASE), before


def test_links_are_made_anew_from_the_words_alone():
    notebook = nbformat.v4.new_notebook(
        cells=[
            nbformat.v4.new_markdown_cell(text)
            for text in (
                "# The agent\n\nAn `agent` is code here; two agents, one [agent](x.md).",
                "Another agent, with [an old](../docs/glossary.md#gone) link.",
            )
        ]
    )
    glossary.link(notebook)
    first, second = (cell.source for cell in notebook.cells)
    assert first.count("glossary") == 1 and "two [agents](../docs/glossary.md#agent)," in first
    assert second == "Another agent, with an old link."
    once = [cell.source for cell in notebook.cells]
    glossary.link(notebook)
    assert [cell.source for cell in notebook.cells] == once


def test_the_cheat_sheet_names_what_the_kernel_has():
    text = cheatsheet.PAGE.read_text(encoding="utf-8")
    assert cheatsheet.page() == (cheatsheet.PAGE, text), "stale: run `python3 -m workshop build`"
    for name in set(kernel.__all__) - {"LIBRARY", "Event"}:
        assert re.search(rf"^\| `{name}\b", text, re.MULTILINE), name
    assert all(len(line) < 260 for line in text.splitlines())
