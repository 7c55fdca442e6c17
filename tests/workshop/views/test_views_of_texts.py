"""Facts about two texts side by side: which sentences are marked, and that nothing of a text becomes markup."""

from __future__ import annotations

import pytest

from workshop.views import SideBySide

FIRST = "# Title\n\nOne is old. Two stays [a]. Version 0.1.0 is out."
SECOND = "# Title\n\nTwo stays [a]. Version 0.1.0 is out. Three is new!"


def test_a_sentence_that_only_one_text_has_is_marked_in_words():
    view = SideBySide({"before": FIRST, "after": SECOND})
    assert view.finding() == "1 sentence only in “before”, 1 sentence only in “after”."
    marked = [line for line in view.text().splitlines() if line.startswith("> ")]
    assert marked == ["> One is old.", "> Three is new!"]
    assert view.html().count("only here:") == 2


def test_a_sentence_keeps_its_numbers_and_sources():
    view = SideBySide({"before": FIRST, "after": SECOND})
    assert ("Version 0.1.0 is out.", False) in view.sentences()["before"]
    assert ("Two stays [a].", False) in view.sentences()["after"]


def test_equal_texts_are_said_to_be_equal():
    view = SideBySide({"before": FIRST, "after": FIRST})
    assert view.finding() == "Both texts have the same sentences."
    assert "only here:" not in view.html()


def test_nothing_of_a_text_becomes_markup():
    view = SideBySide({"<b>one</b>": "<script>alert(1)</script>", "two": ""})
    html = view._repr_mimebundle_()["text/html"]
    assert "<script>" not in html and "<b>one" not in html
    assert "&lt;script&gt;" in html


@pytest.mark.parametrize("texts", [{}, {"one": "a"}, {"one": "a", "two": "b", "three": "c"}])
def test_another_number_of_texts_is_refused(texts):
    with pytest.raises(ValueError, match=r"texts; expected two"):
        SideBySide(texts)
