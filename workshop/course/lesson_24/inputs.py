"""The author's side of lesson 24: what answers are tried on, known slips, right answers."""

from __future__ import annotations

import json
from random import Random
from typing import Any

TOPICS = ("tea", "coffee", "paper", "glass", "silk", "salt", "ink", "clay")
PLACES = ("England", "China", "Venice", "Egypt", "Persia", "Peru")


def _block(kind: str, **given: Any) -> dict[str, Any]:
    return {"type": kind, **given}


def reviews(draw: Random) -> dict[str, list[Any]]:
    """Verdicts; an answer that does not fit, once or twice; refusals, cuts and errors."""
    topic, place = draw.choice(TOPICS), draw.choice(PLACES)
    year = draw.randint(1200, 1900)
    fact = f"- {topic.title()} was taxed in {place} in {year}. [{topic}-{draw.randint(1, 9)}]"
    draft = f"{topic.title()} was taxed in {place} in {year + draw.randint(1, 90)}."
    handoff = {
        "intent": f"Review the brief on {topic}",
        "context": f"It is printed at {draw.randint(1, 9)} o'clock.",
        "artifacts": {"facts": fact, "draft": draft},
    }
    issue = f"{place} taxed {topic} in {year}: correct the year"
    signature = f"{draw.randrange(16**8):08x}"
    thinking = _block("thinking", thinking="", signature=signature)

    def reply(
        text: str, stop: str = "end_turn", *, thinks: bool = True, at_a_comma: bool = False
    ) -> dict[str, Any]:
        """at_a_comma: the text blocks meet where JSON allows a line end, else anywhere."""
        cut = draw.randint(1, max(1, len(text) - 1))
        if at_a_comma:
            cut = text.index(",") + 1
        pieces = [_block("text", text=part) for part in (text[:cut], text[cut:]) if part]
        return {"stop_reason": stop, "content": [thinking] * thinks + pieces}

    def verdict(word: str, *issues: str) -> str:
        return json.dumps({"verdict": word, "issues": [*issues]})

    def case(about: str, *replies: dict[str, Any]) -> dict[str, Any]:
        return {"about": about, "handoff": handoff, "replies": [*replies]}

    fine, wrong = verdict("PASS"), verdict("REVISE", issue)
    odd = verdict(draw.choice(("MAYBE", "OK", "FAIL")), issue)
    words = f"The year is wrong, it was {year}."
    half = wrong[: draw.randint(15, 25)].strip()
    sorry = f"I will not judge {topic}."
    return {
        "verdicts": [
            case("the model thinks, then gives a verdict", reply(wrong)),
            case("the model gives a verdict at once", reply(fine, thinks=False, at_a_comma=True)),
            case("the answer stopped for another reason, and fits", reply(wrong, "stop_sequence")),
        ],
        "again": [
            case("the first answer has another verdict", reply(odd), reply(wrong)),
            case("the first answer is words", reply(words), reply(fine)),
            case("no answer fits", reply(odd), reply(words), reply(fine)),
            case(
                "a verdict stands within other words", reply(f"```json\n{fine}\n```"), reply(wrong)
            ),
        ],
        "ends": [
            case("the model refuses", reply(sorry, "refusal")),
            case("the answer is cut", reply(half, "max_tokens")),
            case("the answer is cut just after a verdict", reply(fine, "max_tokens")),
            case("the model refuses at once, without a word", reply("", "refusal", thinks=False)),
            case("the model gives half a verdict that fits, and refuses", reply(fine, "refusal")),
            case("the second answer is cut", reply(odd), reply(half, "max_tokens")),
            case("the second time the model refuses", reply(words), reply(sorry, "refusal")),
        ],
        "errors": [
            case("the service has no room", {"raises": "Overloaded"}),
            case("there is a bug in the client", {"raises": "TypeError"}),
            case("the service has no room the second time", reply(odd), {"raises": "Overloaded"}),
        ],
    }


# ── 24.2 ──────────────────────────────────────────────────────────────────────────────────────────


def ports(draw: Random) -> dict[str, list[Any]]:
    """A port that answers, one that a budget or its own limit ends, one with a bug."""
    topic = draw.choice(TOPICS)
    year = draw.randint(1200, 1900)
    facts = f"- {topic.title()} was taxed in {draw.choice(PLACES)} in {year}. [{topic}-1]"
    done = {"status": "ok", "output": f"# {topic.title()}\n\nTaxed in {year}.", "by": "writer"}
    failed = {"status": "failed", "output": f"half of {year}", "reason": f"desk {year} is shut"}

    def case(
        about: str,
        turns: int,
        *,
        calls: int = 20,
        problem: str = "",
        brief: dict[str, Any] = done,
        replies: list[Any] | None = None,
    ) -> dict[str, Any]:
        steps = [f"Step {number} of {year}." for number in range(turns)]
        return {
            "about": about,
            "topic": topic,
            "turns": turns,
            "calls": calls,
            "problem": problem,
            "facts": facts,
            "brief": brief,
            "replies": steps if replies is None else replies,
        }

    turns = draw.randint(2, 4)
    return {
        "works": [
            case("the port asks the model twice", 2),
            case("the port asks the model once", 1),
            case("the writer fails", turns, brief=failed),
        ],
        "limits": [
            case("the budget ends before the port does", turns + 1, calls=turns),
            case("the budget is just enough", turns, calls=turns),
        ],
        "ends": [
            case("the port is out of turns", turns, problem="turns"),
            case("the service refuses the second request", 3, replies=["Step 0.", 400]),
        ],
        "bug": [case("there is a bug in the port", turns, problem="bug")],
    }


INPUTS = {"24.1": reviews, "24.2": ports}
