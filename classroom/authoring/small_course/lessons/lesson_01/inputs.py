"""Draws what answers to lesson 01 are tried on."""

from __future__ import annotations

from random import Random
from typing import Any

WORDS = ("bread", "cheese", "apple", "tea", "honey", "rice", "carrot", "salt", "pepper", "milk")


def lists(draw: Random) -> dict[str, list[Any]]:
    """Lists of words: with one longest word, with two of them, and empty ones."""

    def case(about: str, words: list[str]) -> dict[str, Any]:
        return {"about": about, "words": words}

    words = draw.sample(WORDS, 4)
    first, second = (f"{draw.choice('abcdefgh')}{'o' * 8}{end}" for end in "xy")
    return {
        "one": [
            case("one word is the longest", [*words, first]),
            case("the longest comes first", [second, *words]),
        ],
        "two": [case("two words are equally long", [words[0], second, words[1], first])],
        "none": [case("there are no words", []), case("there is one word", words[:1])],
    }


def sentences(draw: Random) -> dict[str, list[Any]]:
    """Sentences: each word once, some of them twice, some in capitals."""

    def case(about: str, *words: str) -> dict[str, Any]:
        return {"about": about, "text": " ".join(words)}

    one, two, three, four = draw.sample(WORDS, 4)
    return {
        "once": [case("each word occurs once", one, two, three)],
        "twice": [case("two words occur twice", one, two, one, four, two)],
        "capitals": [case("a word stands in capitals, too", one.title(), two, one, one.upper())],
    }


INPUTS = {"01.1": lists, "01.2": sentences}
