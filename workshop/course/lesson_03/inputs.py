"""The author's side of lesson 03: what answers are tried on, known slips, right answers in other
words.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from random import Random
from typing import Any

TOPICS = (
    "rate limits",
    "vector stores",
    "tracing",
    "evaluation",
    "caching",
    "handoffs",
    "circuit breakers",
)


def desk(
    draw: Random, issues: Sequence[int | None], cap: int, *, wordy: bool = False
) -> dict[str, Any]:
    """A desk whose reviewer finds `issues[n]` issues in draft n; None is a PASS, 0 a PASS with a
    remark, BARE a REVISE that names no issue; wordy: as in `_verdict`.
    """
    topic = draw.choice(TOPICS)
    sizes = draw.sample(range(20, 900), cap + 13)
    special = {None: "PASS", 0: "PASS with a remark", BARE: "REVISE without an issue"}
    found = ", ".join(special.get(count, str(count)) for count in issues[: cap + 1])
    return {
        "about": f"max_revisions is {cap}; the issues that the reviewer finds, draft by draft: {found}",
        "task": f"Write a brief on {topic}",
        "facts": f"- There are {draw.randint(1_000, 9_999)} documents on {topic}. [{topic[:5].strip()}-1]",
        "drafts": [
            f"# {topic.capitalize()}\n\nDraft {number}, of {size} words."
            for number, size in enumerate(sizes)
        ],
        "verdicts": [
            _verdict(draw, found, number, wordy=wordy) for number, found in enumerate(issues)
        ],
        "cap": cap,
    }


def _verdict(draw: Random, found: int | None, draft: int, *, wordy: bool) -> dict[str, Any]:
    """wordy: a single issue has more words than several have."""
    if found == 0:
        return {
            "verdict": "PASS",
            "issues": [f"sentence {draw.randint(100, 999)} of draft {draft} may be shorter"],
        }
    issues = [
        f"“A PASS after {draw.randint(100, 999)} s”: no fact of draft {draft} carries issue {number}; drop it"
        for number in range(1, (found or 0) + 1)
    ]
    if wordy and found == 1:
        issues = [f"{issues[0]}{', or find a document that carries it, and cite that one' * 6}"]
    return {"verdict": "REVISE" if found else "PASS", "issues": issues}


BARE = -1
"""For `desk`: a verdict REVISE without an issue."""


def loops(draw: Random) -> dict[str, list[Any]]:
    """Desks that pass a draft, that never do, and that pass one with remarks."""
    late = [draw.randint(1, 3) for _ in range(draw.randint(2, 3))]
    cap = draw.randint(3, 5)
    last = [*(draw.randint(1, 3) for _ in range(cap)), None]
    never = [draw.randint(1, 3) for _ in range(cap + 8)]
    return {
        "passes": [desk(draw, [2, None], 2), desk(draw, [*late, None], 3), desk(draw, [None], 2)],
        "the cap": [desk(draw, never, cap), desk(draw, last, cap)],
        "remarks": [
            desk(draw, [draw.randint(2, 3), 0], 3),
            desk(draw, [0], 3),
            desk(draw, [1, 2, None], 3),
            desk(draw, [1, BARE, None], 3),
        ],
    }


def best_drafts(draw: Random) -> dict[str, list[Any]]:
    """Desks whose best draft is the first one, one in the middle, the last; and one that passes."""
    few, some = draw.randint(2, 9), draw.randint(1, 9)
    more = [few + extra for extra in draw.sample(range(1, 6), 3)]
    mixed = draw.sample([some, *(some + extra for extra in draw.sample(range(1, 6), 3))], 4)
    last = [*draw.sample(range(3, 8), 3), draw.randint(1, 2)]
    many = draw.randint(12, 15)

    def made(issues: Sequence[int | None]) -> dict[str, Any]:
        return desk(draw, issues, len(issues) - 1, wordy=True)

    return {
        "the fewest": [
            made(issues)
            for issues in ([2, 1, 3, 5, 4], [few, *more], [more[0], few, *more[1:]], mixed)
        ]
        + [made([many + 2, many, many + 1])],
        "the last": [made(last)],
        "passes": [made([1, draw.randint(2, 3), 0]), made([2, 3, None])],
    }


STAGES = (
    ("facts", "researcher"),
    ("outline", "planner"),
    ("draft", "writer"),
    ("review", "reviewer"),
)
TROUBLE = (
    ("failed", "no network"),
    ("exhausted", "the budget is used up"),
    ("refused", "a handoff too deep"),
)
PART = ("exhausted", "stopped at a limit, with a part")


def stages(draw: Random) -> dict[str, list[Any]]:
    """Stages of which none, one in the middle, the first or the last does not deliver; one with a
    bug.
    """
    return {
        "all": [
            _staged(draw, None),
            _staged(draw, None, odd=True),
            *_breaking(draw, 0, trouble=[PART]),
        ],
        "middle": [
            *_breaking(draw, 1, 2),
            *_breaking(draw, 2, trouble=[PART]),
            *_breaking(draw, 1, trouble=TROUBLE[1:2]),
        ],
        "ends": [
            *_breaking(draw, 0, 3),
            *_breaking(draw, 3, trouble=[PART]),
            _staged(draw, draw.randint(1, 3), bug=True),
        ],
    }


def _breaking(draw: Random, *places: int, trouble: Any = TROUBLE) -> list[dict[str, Any]]:
    """Stages that end in different ways, at some places."""
    troubles = draw.sample(trouble, len(places))
    pairs = zip(places, troubles, strict=True)
    return [_staged(draw, place, trouble) for place, trouble in pairs]


def _staged(
    draw: Random,
    breaks: int | None,
    trouble: tuple[str, str] = ("", ""),
    *,
    odd: bool = False,
    bug: bool = False,
) -> dict[str, Any]:
    """odd: one stage delivers an empty text, and one a record in place of a text; bug: the stage
    that breaks raises, as only a bug does.
    """
    chosen = [STAGES[index] for index in sorted(draw.sample(range(len(STAGES)), 4))]
    about = "every stage delivers"
    results: list[Any] = [
        [
            name,
            description,
            {"status": "ok", "output": f"The {name}, of {draw.randint(100, 999)} words."},
        ]
        for name, description in chosen
    ]
    if odd:
        about = "every stage delivers; one an empty text, one a record"
        results[1][2]["output"] = ""
        results[2][2]["output"] = {"verdict": "PASS", "issues": [f"{draw.randint(100, 999)} words"]}
    if bug:
        assert breaks is not None  # it says which stage has the bug
        about = f"the stage {chosen[breaks][0]!r} has a bug, which raises a KeyError"
        results[breaks][2] = {"bug": f"source-{draw.randint(100, 999)}"}
    elif breaks is not None:
        status, why = trouble
        half = f"Half of it: {draw.randint(100, 999)} words."
        about = f"the stage {chosen[breaks][0]!r} is {status}"
        if (status, why) == PART:
            about += ", and has a part of its work"
        elif status == "exhausted":
            half = ""
            about += ", and has nothing"
        results[breaks][2] = {
            "status": status,
            "reason": f"{why} ({draw.randint(100, 999)})",
            "output": half,
            "artifacts": {"scraps": f"{draw.randint(100, 999)} loose notes"},
        }
    task = f"Write a brief on {draw.choice(TOPICS)} in {draw.randint(100, 999)} words"
    return {"about": about, "task": task, "stages": results}


FAULTS = (
    "has no citation",
    "names another year than the facts",
    "is carried by no fact",
    "cites a source that is not there",
    "says the same as the one before",
)


def reviews(draw: Random) -> dict[str, list[dict[str, Any]]]:
    """Answers of a reviewer: some fit, some do not, and some contradict themselves."""

    def issue(severity: str, **more: Any) -> dict[str, Any]:
        problem = f"sentence {draw.randint(2, 99)} {draw.choice(FAULTS)}"
        return {"problem": problem, "severity": severity, **more}

    def answer(verdict: str, *issues: dict[str, Any], **more: Any) -> str:
        return json.dumps({"verdict": verdict, "issues": [*issues], **more})

    def case(about: str, *replies: str) -> dict[str, Any]:
        draft = f"# {draw.choice(TOPICS).capitalize()}\n\nA draft of {draw.randint(20, 900)} words."
        return {"about": about, "draft": draft, "replies": [*replies]}

    minor = issue("minor")
    odd = {
        "another word as its verdict": answer("APPROVED"),
        "its verdict in small letters": answer("pass"),
        "no verdict": json.dumps({"issues": [minor]}),
        "no issues, not even an empty list": json.dumps({"verdict": "PASS"}),
        "a text as an issue": json.dumps({"verdict": "REVISE", "issues": [minor["problem"]]}),
        "another word as a severity": answer("REVISE", issue("fatal")),
        "an issue without a severity": answer("REVISE", {"problem": minor["problem"]}),
        "an issue without a problem": answer("REVISE", {"severity": "minor"}),
        "a field more": answer("REVISE", minor, score=draw.randint(1, 9)),
        "a field more in an issue": answer("REVISE", issue("minor", line=draw.randint(1, 99))),
    }
    refused = [
        case(f"the reviewer's first answer has {name}", one, answer("REVISE", issue("major")))
        for name, one in odd.items()
    ]
    well_formed = case(
        "the reviewer answers REVISE with two issues",
        answer("REVISE", issue("major"), issue("minor")),
    )
    bare_pass = case("the reviewer answers PASS without an issue", answer("PASS"))
    small = case("the reviewer answers PASS with a minor issue", answer("PASS", issue("minor")))
    bare = case("the reviewer answers REVISE without an issue", answer("REVISE"))
    contradiction = [issue("minor"), issue("major")]
    sent_back = case(
        "the reviewer answers PASS with a major issue, and REVISE when it is asked again",
        answer("PASS", *contradiction),
        answer("REVISE", *contradiction),
    )
    twice = case(
        "the reviewer contradicts itself twice",
        answer("PASS", issue("major")),
        answer("PASS", *contradiction),
        answer("REVISE", *contradiction),
    )
    return {
        "sent": [well_formed, bare_pass],
        "taken": [small, bare, *refused],
        "sent back": [sent_back, twice],
    }


INPUTS = {"03.1": loops, "03.2": best_drafts, "03.3": stages, "03.4": reviews, "03.t1": loops}
