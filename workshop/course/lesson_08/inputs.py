"""Inputs for answers to lesson 08: functions, teams, selections and switchboards."""

from __future__ import annotations

import json
from collections.abc import Iterable
from random import Random
from typing import Any

TEAM = {
    "code": "Finds bugs in the source and proposes patches.",
    "ops": "Reads settings and counts what hosts do.",
    "comms": "Writes a note to customers.",
    "reviewer": "Reviews a patch against its docstring.",
    "researcher": "Researches a topic in the library.",
}
ASKS = {
    "code": "proposes patches",
    "ops": "reads settings",
    "comms": "writes a note",
    "reviewer": "reviews a docstring",
    "researcher": "researches a topic",
}
THREE_CAN = (
    ("patch reviews of a topic", "reviewer", "code", "researcher"),
    ("notes to read on a topic of the library", "researcher", "comms", "ops"),
    ("customers, hosts and settings of the library", "ops", "comms", "researcher"),
    ("bugs that customers need a note on, reviewed", "comms", "code", "reviewer"),
)
"""A question, who fits it best, who fits it less and is the first by name, and a third."""
NOBODY = ("translate into French", "paint walls", "bake bread", "drive trucks")


def functions(draw: Random) -> dict[str, list[Any]]:
    """Functions that return a text, and such that raise a ToolError."""

    def case(about: str, problem: str = "", bug: str = "") -> dict[str, Any]:
        number = draw.randint(10, 999)
        return {
            "about": about,
            "name": draw.choice(("counter", "finder", "weigher")),
            "before": draw.choice(("caller", "keeper", "reader")),
            "description": f"Counts {number} things.",
            "intent": f"How many of {number}?",
            "artifacts": {"text": f"there are {draw.randint(10, 999)} of them"},
            "output": f"{draw.randint(10, 999)} words",
            "second": f"How many of {number + 1}?",
            "problem": problem,
            "bug": bug,
        }

    return {
        "works": [case("the function returns a text"), case("another name and text")],
        "fails": [
            case("the function raises a ToolError", f"no file {draw.randint(10, 999)}"),
            case("the function has a bug", bug=f"no key {draw.randint(10, 999)}"),
        ],
    }


def capabilities(draw: Random) -> dict[str, list[Any]]:
    """Capabilities that somebody has, and such that nobody has."""

    def case(about: str, capability: str, names: list[str]) -> dict[str, Any]:
        kinds = draw.sample(("tool", "skill", "agent"), 3)
        workers = [[name, TEAM[name], kinds[index % 3]] for index, name in enumerate(names)]
        return {"about": about, "capability": capability, "workers": workers}

    def team(*chosen: str) -> list[str]:
        others = [name for name in TEAM if name not in chosen]
        names = [*chosen, *draw.sample(others, 2)]
        return draw.sample(names, len(names))

    def rivals(capability: str, best: str, *others: str) -> dict[str, Any]:
        first, last = others
        more = [name for name in TEAM if name not in (best, first, last)]
        names = [first, *draw.sample([best, *more], 3), last]
        about = f"{first} and {last} can do a part of it, {best} fits better"
        return case(about, capability, names)

    one, two, first, last = draw.sample(list(TEAM), 4)
    if (two, last) == ("code", "reviewer"):  # who fits a little must not be the last of the team
        first, last = last, first
    (asked, best, *others), (asked_too, best_too, *others_too) = draw.sample(THREE_CAN, 2)
    return {
        "somebody": [
            case(f"{one} can", ASKS[one], team(one)),
            case(f"{two} can, between two others", ASKS[two], [first, two, last]),
            rivals(asked, best, *others),
            rivals(asked_too, best_too, *reversed(others_too)),
        ],
        "nobody": [
            case("nobody has it", draw.choice(NOBODY), team()),
            case("nobody is there", ASKS[one], []),
            case("nobody has it in a larger team", draw.choice(NOBODY), team(one, two)),
        ],
    }


def selections(draw: Random) -> dict[str, list[Any]]:
    """A model's answers: good ones, and with unknown, double, no names, or no JSON."""
    names = [f"{name}_{draw.randint(2, 99)}" for name in draw.sample(list(TEAM), 4)]
    names[1] += " [day, night]"
    one, two, *_ = names
    ghosts = draw.sample(("dba", "lawyer", "designer"), 2)
    ghost, other = (f"{name}_{draw.randint(2, 999)}" for name in ghosts)

    def case(about: str, *executables: str, text: str = "") -> dict[str, Any]:
        answer = text or json.dumps(
            {"executables": [*executables], "parallel": draw.random() < 0.5}
        )
        return {"about": about, "answer": answer, "names": names}

    return {
        "names": [
            case("one name is nobody's", one, ghost),
            case("two names are nobody's", other, two, ghost),
            case("nothing is wrong", *draw.sample(names, 2)),
        ],
        "twice": [
            case("one name occurs three times", one, two, one, one),
            case("one name occurs twice", two, one, two),
            case("nobody's name occurs twice", ghost, one, ghost),
            case("one name is written in capitals", one.upper(), two),
            case("nothing is wrong", two),
        ],
        "empty": [case("nobody was selected"), case("one name is nobody's", ghost)],
        "no JSON": [
            case("the answer is a sentence", text=f"I would ask {one}."),
            case("JSON, and no selection", text=json.dumps([one, two])),
            case(
                "a dict without executables", text=json.dumps({"agents": [one], "parallel": True})
            ),
            case("the word is no key: a list", text=json.dumps(["executables", one])),
            case("the word is no key: a text", text=json.dumps("executables")),
            case("the word stands in a value", text=json.dumps({"note": "no executables"})),
            case(
                "the executables alone, and nothing is wrong",
                text=json.dumps({"executables": [one]}),
            ),
            case("one name is nobody's", two, other),
        ],
    }


JOBS = {
    "code": ("Finds bugs in the source and proposes patches.", "propose patches"),
    "ops": ("Reads settings and counts hosts.", "count hosts"),
    "comms": ("Writes notes to customers.", "write notes"),
    "reviewer": ("Reviews patches of the source.", "reviews of patches"),
    "ticket": ("Reads one ticket by its number.", "one ticket please"),
}
"""The descriptions of members of a switchboard, and a wish for each."""
RIVALS = (
    ("reviews of patches", ("code", "reviewer")),
    ("proposes patches of bugs", ("reviewer", "code")),
    ("reads settings", ("ticket", "ops")),
    ("reads a ticket number", ("ops", "ticket")),
)
"""A wish that the first of two shares a word of, and the second more than one."""


def switchboards(draw: Random) -> dict[str, list[Any]]:
    """Members, what is wished for, and what comes back of whoever works."""

    def case(about: str, wish: str, names: Iterable[str], ends: str = "ok") -> dict[str, Any]:
        number = draw.randint(10, 999)
        members = [[name, JOBS[name][0]] for name in names]
        return {
            "about": about,
            "members": members,
            "wish": wish,
            "context": f"ticket T-{number}",
            "artifacts": {"facts": f"{number} facts"},
            "ends": ends,
            "output": f"{number + 1} lines",
            "problem": f"no file {number}" if ends == "failed" else "",
        }

    one, two, three = draw.sample(list(JOBS), 3)
    (rivals, pair), (other_rivals, other_pair) = draw.sample(RIVALS, 2)
    named = draw.choice(("comms", "ops"))
    return {
        "finds": [
            case(f"{one} can", JOBS[one][1], draw.sample([one, two, three], 3)),
            case(f"{pair[0]} can a part of it, {pair[1]} more", rivals, pair),
            case(f"{other_pair[0]} can a part of it", other_rivals, [*other_pair, "comms"]),
            case("three fit equally well", "reads patches", ["ops", "code", "ticket"]),
            case(
                "ops fits best, two others a part",
                "reads settings, counts hosts, bugs",
                ["code", "ops", "comms", "ticket"],
            ),
            case("the name alone fits", f"ask {named} for it", ["code", named, "ticket"]),
        ],
        "hands on": [
            case("the work succeeds", JOBS[two][1], draw.sample([one, two, three], 3)),
            case("the work fails", JOBS[three][1], [three, one], "failed"),
            case("the work is stopped by a limit", rivals, [*pair, "comms"], "exhausted"),
        ],
        "nobody": [
            case("nobody can do it", draw.choice(NOBODY), [one, two]),
            case("nobody is there", JOBS[one][1], []),
            case("a part of a word is another word", "count a bug", ["code", "ops"]),
            case("nobody can do it in a larger team", draw.choice(NOBODY), list(JOBS)),
            case(f"{one} can", JOBS[one][1], [two, one]),
        ],
    }


INPUTS = {
    "08.1": functions,
    "08.2": capabilities,
    "08.3": selections,
    "08.4": switchboards,
}
