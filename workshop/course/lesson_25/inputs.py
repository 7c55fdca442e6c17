"""The author's side of lesson 25: what answers are tried on."""

from __future__ import annotations

import json
from random import Random
from typing import Any

TOOLS = ("orders", "stock", "prices", "returns")
STATES = ("left on 3 March", "waits for its payment", "is on its way", "came back")
TOPICS = ("tea", "coffee", "paper", "glass", "silk", "salt")


def answers(draw: Random) -> dict[str, list[Any]]:
    """Texts, other blocks, errors, long answers, and a client that raises."""
    tool = draw.choice(TOOLS)
    numbers = draw.sample(range(1000, 9999), 4)
    lines = [f"Order {number} {draw.choice(STATES)}." for number in numbers]

    def text(line: str) -> dict[str, str]:
        return {"type": "text", "text": line}

    def case(about: str, longest: int = 20_000, **answer: Any) -> dict[str, Any]:
        return {
            "about": about,
            "tool": tool,
            "arguments": {"query": str(numbers[0]), "limit": draw.randint(1, 9)},
            "longest": longest,
            "answer": answer,
        }

    def gives(about: str, *blocks: Any, is_error: bool = False, longest: int = 20_000) -> Any:
        return case(about, longest, blocks=[*blocks], is_error=is_error)

    picture, sound = {"type": "image", "data": "iVBOR"}, {"type": "audio", "data": "UklGR"}
    whole = "\n".join(lines[:2])
    return {
        "texts": [
            gives("the server answers with one text", text(lines[0])),
            gives("the server answers with two texts", text(lines[0]), text(lines[1])),
            gives("a picture stands between two texts", text(lines[2]), picture, text(lines[3])),
            gives("the answer is a sound", sound),
            gives("the answer has no block"),
        ],
        "errors": [
            gives("the tool failed", text(f"no order {numbers[1]}"), is_error=True),
            gives(
                "the tool failed, and says it in two blocks",
                text(f"no order {numbers[2]}"),
                text("try another one"),
                is_error=True,
            ),
        ],
        "long": [
            gives("the answer is too long", text(lines[0]), longest=draw.randint(5, 9)),
            gives("two texts together are too long", *map(text, lines[:2]), longest=len(whole) - 1),
            gives("the answer is just short enough", *map(text, lines[:2]), longest=len(whole)),
            gives("the error is too long", text(lines[3]), is_error=True, longest=10),
        ],
        "ends": [
            case("the server has ended", raises="ended", problem=f"no line to {numbers[0]}"),
            case("the protocol is broken", raises="protocol", problem=f"no id {numbers[1]}"),
            case("the server is too slow", raises="too long", problem=f"waited {numbers[2]} ms"),
            case("the client has an error of its own", raises="own", problem=f"at {numbers[3]}"),
            case("the caller cancels while the server works", waits=True),
        ],
    }


def reviews(draw: Random) -> dict[str, list[Any]]:
    """Verdicts, statuses of HTTP, bodies that are no result, and nobody there."""
    topic = draw.choice(TOPICS)
    year = draw.randint(1200, 1900)
    issue = f"the year {year} is wrong"
    place = f"door {draw.randint(100, 999)}"

    def ok(output: Any) -> dict[str, Any]:
        return {"status": 200, "body": json.dumps({"status": "ok", "output": output})}

    def body(text: str) -> dict[str, Any]:
        return {"status": 200, "body": text}

    def http(status: int) -> dict[str, Any]:
        return {"status": status, "body": draw.choice(("", "<html>", '{"error": "no"}'))}

    def case(about: str, *answers: dict[str, Any]) -> dict[str, Any]:
        return {
            "about": about,
            "task": f"Write a brief on {topic}",
            "facts": f"- {topic.title()} was taxed in {year}. [{topic}-1]",
            "drafts": [f"# {topic.title()}\n\nDraft {number} of {year}." for number in range(9)],
            "answers": [*answers],
        }

    fine = ok({"verdict": "PASS", "issues": []})
    again = ok({"verdict": "REVISE", "issues": [issue]})
    spent = {"status": "exhausted", "reason": f"the budget of {place} is used up"}
    refused = {"status": "failed", "reason": f"{place} is shut", "transient": True}
    return {
        "verdicts": [
            case("the reviewer lets the draft pass", fine),
            case("the reviewer wants another draft, then lets it pass", again, fine),
            case("the far side's budget is used up", body(json.dumps(spent))),
            case("the far side failed for now", body(json.dumps(refused))),
        ],
        "statuses": [
            case("the token is wrong", http(401)),
            case("the handoff is not understood", http(400)),
            case("there are too many requests", http(429)),
            case("the far side has a bug", http(500)),
            case("the far side is overloaded", http(503)),
            case("the address is another one", http(302)),
        ],
        "claims": [
            case("the body is no JSON", body(f"draft {year} is fine")),
            case("the body has no status", body(json.dumps({"output": "PASS"}))),
            case("the status is unknown", body(json.dumps({"status": "splendid"}))),
            case("the output is a text", ok("PASS")),
            case("the verdict is none", ok({"verdict": "FINE", "issues": [issue]})),
            case("there is no output", ok(None)),
        ],
        "nobody": [
            case("nobody is there", {"raises": "ended", "problem": f"{place} is closed"}),
            case("there is a bug in post", {"raises": "bug", "problem": f"a typo in {place}"}),
        ],
    }


INPUTS = {"25.1": answers, "25.2": reviews}
