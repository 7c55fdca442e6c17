"""The author's side of lesson 00: what answers are tried on, known slips, right answers in other words."""

from __future__ import annotations

from copy import deepcopy
from random import Random
from typing import Any

TEAM = ("researcher", "writer", "reviewer")
FACTS = ("who", "writer got", "order", "calls", "documents")


def orders(draw: Random) -> dict[str, list[Any]]:
    """Drafts that come back a few times, and often."""
    few, often = [2, 0, 1, draw.randint(3, 39)], [draw.randint(40, 80), draw.randint(3, 20)]
    return {
        name: [{"sent_back": times} for times in several]
        for name, several in (("a few", few), ("often", often))
    }


def pairs(draw: Random) -> dict[str, list[Any]]:
    """Two runs that differ in one fact or several; in none, in all."""
    some = [_pair(draw, draw.sample(FACTS, size)) for size in (1, 3, 2, 4)]
    usual = _pair(draw, ["order", "calls", "documents"])
    ends = [_pair(draw, draw.sample(FACTS, size)) for size in draw.sample([0, 5, 1, 3], 4)]
    return {"some": [usual, *some], "ends": ends}


def _pair(draw: Random, names: list[str]) -> dict[str, Any]:
    first = _facts(draw)
    second = deepcopy(first)
    for name in names:
        while second[name] == first[name]:
            second[name] = _facts(draw)[name]
    return {
        "first": first,
        "second": second,
        "about": f"the runs made {first['calls']} and {second['calls']} calls",
    }


def _facts(draw: Random) -> dict[str, Any]:
    """What could be counted in a run, as the lesson names it."""
    team = draw.sample(TEAM, draw.randint(1, 3))
    topics = [draw.choice(("qdrant", "mcp", "dask")) for _ in range(3)]
    return {
        "who": team,
        "writer got": draw.sample(("facts", "style", "draft"), draw.randint(1, 2)),
        "order": draw.choices(team, k=draw.randint(3, 9)),
        "calls": draw.randint(3, 30),
        "documents": sorted(f"{topic}-{draw.randint(1, 99)}" for topic in topics),
    }


INPUTS = {"00.1": orders, "00.2": pairs}

FIRST = 'order = ["researcher", "writer", "reviewer"]'
ORDER = 'return order + ["writer", "reviewer"] * sent_back'
CHANGED = "return [name for name in first if first[name] != second[name]]"

SLIPS = {
    "00.1": {
        "not a list": [(ORDER, 'return " → ".join(order)')],
        "list in the list": [(ORDER, 'return [*order, ["writer", "reviewer"] * sent_back]')],
        "capitals": [
            (FIRST, FIRST.title().replace("Order", "order")),
            (ORDER, ORDER.replace("writer", "Writer").replace("reviewer", "Reviewer")),
        ],
        "one round too few": [(ORDER, ORDER.replace("sent_back", "(sent_back - 1)"))],
        "another name": [(FIRST, FIRST.replace('"writer"', '"Writer"'))],
        "supervisor listed": [(FIRST, FIRST.replace("[", '["supervisor", '))],
        "not researched first": [(FIRST, FIRST.replace('"researcher", ', ""))],
        "researched again": [(ORDER, ORDER.replace('["writer"', '["researcher", "writer"'))],
        "reviewer fixes": [(ORDER, ORDER.replace('"writer", ', ""))],
        "revision not reviewed": [
            (ORDER, "return (order + ['writer', 'reviewer'] * sent_back)[:-1]")
        ],
        "number not used": [(ORDER, "return order")],
        "one round too many": [(ORDER, ORDER.replace("sent_back", "(sent_back + 1)"))],
        "nobody": [(ORDER, 'return {2: order + ["writer", "reviewer"] * 2}.get(sent_back, [])')],
        "grows with each call": [
            (FIRST, f"who_gets_work.__dict__.setdefault('order', {FIRST.partition(' = ')[2]})"),
            (
                ORDER,
                "order = who_gets_work.order\n    order += ['writer', 'reviewer'] * sent_back\n    return order",
            ),
        ],
    },
    "00.2": {
        "yes or no": [(CHANGED, "return first != second")],
        "not the names": [("[name for", "[first[name] for")],
        "the same ones": [("!=", "==")],
        "nothing differs": [("first[name] != second[name]", "name not in second")],
        "some left out": [("if first", "if isinstance(first[name], list) and first")],
        "stops at the first": [(CHANGED, f"{CHANGED}[0]")],
        "one name only": [(CHANGED, f"{CHANGED}[:1]")],
        "one direction": [("!=", "<")],
        "equal ones too": [("!=", "is not")],
        "always the same": [("", "    return ['order', 'calls', 'documents']\n")],
    },
}
"""By exercise and name, our solution changed: (old text, new text); where the old text is empty, the new one is the body."""

RIGHT = {
    "00.1": [
        """\
# The same as a loop: a round for each draft.
def who_gets_work(sent_back):
    order = ["researcher"]
    for _ in range(sent_back + 1):
        order += ["writer", "reviewer"]
    return order
""",
        """\
def who_gets_work(sent_back):
    return ("researcher", *("writer", "reviewer") * (1 + sent_back))
""",
    ],
    "00.2": [
        """\
# The same as a loop, one name after the other.
def what_changed(first, second):
    changed = []
    for name, value in first.items():
        if value != second[name]:
            changed.append(name)
    return changed
""",
        """\
def what_changed(first, second):
    return {name for name in second if not first[name] == second[name]}
""",
    ],
}
"""By exercise; `solution` shows the first beside ours."""
