"""Nothing that the program knows, or is tried on, is a sentence of an exercise's answer."""

from __future__ import annotations

import ast
import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import kernel
from offline_model.reader.lexicon import families, table
from tests.on_each import on_each
from workshop.course import lessons

HERE = Path(__file__).parent
COURSE = Path(lessons.__file__).parent
SOLUTIONS = COURSE.parents[1] / "solutions"
ROLE = re.compile(r"you (?:are|lead|plan)\b")
"""Says only who somebody is."""
FEWEST = 4
"""Words: what is shorter is said by everybody."""


def sentences(text: str) -> set[str]:
    """The sentences of a text that are long enough to be somebody's own, for comparing."""
    plain = " ".join(text.lower().split())
    pieces = (piece.strip(" -\"“”'.:;!?") for piece in re.split(r"(?<=[.!?])\s+", plain))
    return {piece for piece in pieces if len(piece.split()) >= FEWEST and not ROLE.match(piece)}


def strings(source: str) -> Iterator[str]:
    """The texts that a piece of Python holds."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def answers() -> Iterator[str]:
    """The code of all right answers: our solutions and those in other words."""
    for path in COURSE.glob("lesson_*/right/*.py"):
        yield path.read_text(encoding="utf-8")
    for path in SOLUTIONS.glob("*.ipynb"):
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            if cell["metadata"].get("workshop", {}).get("role") == "answer":
                yield "".join(cell["source"])


def told() -> str:
    """The kernel's code, whose prompts are declared references."""
    sources = (
        path.read_text(encoding="utf-8") for path in Path(kernel.__file__).parent.rglob("*.py")
    )
    return " ".join("\n".join(sources).lower().split())


TOLD = told()
OF_ANSWERS = {
    sentence
    for answer in answers()
    for text in strings(answer)
    for sentence in sentences(text)
    if sentence not in TOLD
}
TABLE = tomllib.loads((HERE / "wordings.toml").read_text(encoding="utf-8"))
TEXTS = {
    "references": [
        text
        for name in families("behaviours")
        for key in ("sentences", "tasks")
        for text in table(f"behaviours/{name}").get(key, ())
    ],
    "prompts of one's own": [
        table(f"own_prompts/{name}")["prompt"] for name in families("own_prompts")
    ],
    "wordings": [
        text
        for rows in TABLE.values()
        for row in rows
        for text in row.values()
        if isinstance(text, str)
    ],
    "planner's prompts": list(
        strings((HERE / "test_planner_prompts.py").read_text(encoding="utf-8"))
    ),
}


@on_each("where", TEXTS)
def test_no_sentence_of_an_answer_stands_here(where):
    assert not {sentence for text in TEXTS[where] for sentence in sentences(text)} & OF_ANSWERS


def test_a_sentence_of_an_answer_is_seen():
    assert "do at most one revision" in OF_ANSWERS
    assert sentences("You are it. Do at most one  revision.") & OF_ANSWERS
