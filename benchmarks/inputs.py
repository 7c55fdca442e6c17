"""Inputs that are hard to read: one short piece over and over, wherever a text can be."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kernel.parts.planning.plan import PLANNER
from workshop.desks.oncall import PROMPTS

SIZE = 24 * 1024
PIECES = [
    *("at most 20 words ", "no source ", "No source. ", "do not ", "you must cite each source "),
    *(
        "<facts>",
        "<a>",
        "<a>b</a>\n",
        "< ",
        "[",
        "[a, b] ",
        "(",
        "1,",
        "1, ",
        "1. ",
        "20 a ",
        "-1 ",
    ),
    *("\n", "a\n", "a:\n", "Facts:\n", "Draft: x\n", "- a\n", "# a\n", "**a**\n", "a\u2028", "\t"),
    *(
        ". ",
        "? ",
        "e.g. ",
        '"',
        "“",
        "'",
        "“a” ",
        "_",
        "a-b-",
        "Mc",
        "word ",
        "A B ",
        "é",
        "日本。",
    ),
    *('{"a":', "[1,", "Compare A and B. ", "A, ", "A vs ", "team: a, b, ", "a (b) ", "| a | b |\n"),
    *("- Qdrant was made in {n} [a-{n}].\n", "Fact {n} is here. ", "# Part {n}\n\nIt is {n}.\n\n"),
    *("[d-{n}] Title {n} (2020-01-01)\nIt is {n}.\n", "Name of Thing {n} made {n} more [s-{n}]. "),
]
FACTS = "- Qdrant is a vector database [a].\n- Qdrant is written in Rust [b].\n"
TEXT = {"type": "string"}
STEP = {
    "type": "object",
    "properties": {"id": TEXT, "worker": TEXT, "intent": TEXT},
    "required": ["id", "worker", "intent"],
    "additionalProperties": False,
}
PLAN = {
    "type": "object",
    "properties": {"steps": {"type": "array", "items": STEP}},
    "required": ["steps"],
    "additionalProperties": False,
}


def text_of(piece: str, size: int = SIZE) -> str:
    """A text of so many characters: a piece over and over; `{n}` counts them."""
    made: list[str] = []
    length = 0
    while length < size:
        made.append(piece.replace("{n}", str(len(made))))
        length += len(made[-1])
    return "".join(made)[:size]


def _parts(**named: str) -> list[dict]:
    text = "\n\n".join(f"<{name}>\n{text}\n</{name}>" for name, text in named.items())
    return [{"role": "user", "content": text}]


def _tool(name: str, description: str, field: str) -> dict:
    schema = {"type": "object", "properties": {field: TEXT}, "required": [field]}
    return {"name": name, "description": description, "input_schema": schema}


def requests(text: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """(where the text is, a request with it) for each role and part."""
    half = text[: len(text) // 2]
    writer, reviewer = "You are the writer. Cite each sentence.", "You are the reviewer."
    search = _tool("search", "Search the library.", "query")
    hand = _tool("handoff_to_writer", "Hand work to the writer.", "intent")
    used = {"type": "tool_use", "id": "toolu_1", "name": "search", "input": {"query": "Qdrant"}}
    found = {"type": "tool_result", "tool_use_id": "toolu_1", "content": text}
    alone = [{"role": "user", "content": f"Hello: {text}"}]
    searched = [
        {"role": "user", "content": "Find facts about Qdrant"},
        {"role": "assistant", "content": [used]},
        {"role": "user", "content": [found]},
    ]
    order = "Write a brief on Qdrant"
    both = _parts(task="Revise the draft", draft=half, facts=half, feedback="Sentence 1 is wrong.")
    yield "alone", {"messages": alone}
    yield "system prompt", {"system": f"Be: {text}", "messages": _parts(task=order, facts=FACTS)}
    yield "facts", {"system": writer, "messages": _parts(task=order, facts=text)}
    yield "task", {"system": writer, "messages": _parts(task=text, facts=FACTS)}
    yield "draft and facts", {"system": writer, "messages": both}
    yield "reviewed", {"system": reviewer, "messages": _parts(task=order, draft=text, facts=FACTS)}
    yield "research", {"system": "Researcher", "tools": [search], "messages": alone}
    yield "result", {"system": "Researcher", "tools": [search], "messages": searched}
    yield "supervisor", {"system": "Lead the team", "tools": [hand], "messages": alone}
    yield "merged", {"system": "You are the synthesizer.", "messages": _parts(one=half, two=half)}
    yield (
        "planned",
        {
            "system": f"{PLANNER}\n{text}",
            "messages": _parts(task=order, findings=half),
            "output_config": {"format": {"type": "json_schema", "schema": PLAN}},
        },
    )
    test = _tool("run_tests", "Runs the project's tests.", "path")
    yield (
        "patched",
        {
            "system": PROMPTS["code"],
            "tools": [test, _tool("read_file", "Reads a file of the project.", "path")],
            "messages": [
                {"role": "user", "content": f"Ticket T-1: Wrong.\nExpected: 2.\n{half}"},
                {"role": "assistant", "content": [used | {"name": "run_tests"}]},
                {"role": "user", "content": [found | {"content": half}]},
            ],
        },
    )
    yield "noted", {"system": PROMPTS["comms"], "messages": _parts(task=order, findings=text)}
    yield "judged", {"system": "You are a judge.", "messages": _parts(draft=text, facts=FACTS)}
