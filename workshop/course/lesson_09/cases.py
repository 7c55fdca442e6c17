"""The author's side of lesson 09: plans, findings and what people get wrong about them."""

from __future__ import annotations

from random import Random
from typing import Any

WORKERS = ("code", "ops", "data", "comms", "research", "review")
NAMES = ("find", "look", "count", "write", "check", "read", "try", "sum", "note", "trace")


def _ids(draw: Random, count: int) -> list[str]:
    return [f"{name} {draw.randint(2, 99)}" for name in draw.sample(NAMES, count)]


def _step(id: str, worker: str, *needs: str) -> dict[str, Any]:
    return {"id": id, "worker": worker, "needs": list(needs)}


def plans(draw: Random) -> dict[str, list[Any]]:
    """Plans with one fault, with several, and good ones beside them."""
    workers = draw.sample(WORKERS, 4)
    one, two, three, four = _ids(draw, 4)
    nobody = draw.choice(("dba", "designer", "lawyer"))

    def case(about: str, *steps: dict[str, Any]) -> dict[str, Any]:
        return {"about": about, "steps": list(steps), "workers": workers}

    good = case(
        "nothing is wrong",
        _step(one, workers[0]),
        _step(two, workers[1], one),
        _step(three, workers[0], one, two),
    )
    return {
        "workers": [
            case(f"there is no {nobody}", _step(one, workers[0]), _step(two, nobody, one)),
            case(
                "a part of a name is no name", _step(one, workers[0][:-1]), _step(two, workers[1])
            ),
            good,
        ],
        "needs": [
            case("one need is no step", _step(one, workers[2]), _step(two, workers[0], "ghost")),
            case(
                "two needs of one step are no steps",
                _step(one, workers[3]),
                _step(two, workers[1], "ghost", one, "spirit"),
            ),
            case("a step needs itself", _step(one, workers[1], one), _step(two, workers[0], one)),
            good,
        ],
        "ids": [
            case(
                "one id occurs three times",
                _step(one, workers[0]),
                _step(one, workers[1]),
                _step(two, workers[2]),
                _step(one, workers[3]),
            ),
            good,
        ],
        "several": [
            case(
                "four things are wrong",
                _step(one, nobody, two),
                _step(one, workers[1]),
                _step(three, workers[2], three, "ghost", four),
                _step(four, workers[3], one),
            )
        ],
    }


def graphs(draw: Random) -> dict[str, list[Any]]:
    """What needs what: a chain, side by side, a diamond in any order, and a cycle."""
    a, b, c, d, e = _ids(draw, 5)

    def case(about: str, needs: dict[str, list[str]]) -> dict[str, Any]:
        order = draw.sample(list(needs), len(needs))
        return {"about": about, "needs": {id: needs[id] for id in order}}

    tail = {f"last {number}": [f"last {number - 1}"] for number in range(2, draw.randint(3, 6))}
    return {
        "chain": [
            case("each needs the one before it", {a: [], b: [a], c: [b], "last 1": [c], **tail})
        ],
        "at once": [
            case("two need nothing", {a: [], b: [], c: [a, b], d: [a]}),
            case("a diamond", {a: [], b: [a], c: [a], d: [b, c], e: []}),
            case("one waits for the longer way", {a: [], b: [a], c: [b], d: [a, c]}),
        ],
        "cycle": [
            case("three need each other", {a: [c], b: [a], c: [b], d: []}),
            case("one needs itself", {a: [], b: [b, a]}),
            case("nobody needs each other", {a: [b], b: [], c: [b]}),
        ],
    }


def _finding(draw: Random, suggests: str, holds: bool | None) -> dict[str, Any]:
    claim = f"{draw.randint(2, 99)} of {draw.randint(100, 999)} orders are odd."
    return {"claim": claim, "holds": holds, "suggests": suggests}


def suggestions(draw: Random) -> dict[str, list[Any]]:
    """Findings that suggest somebody new, somebody busy, nobody, and somebody who does not exist."""
    new, other, busy, also = draw.sample(WORKERS, 4)
    workers = draw.sample([new, other, busy, also], 4)

    def case(about: str, *suggests: str) -> dict[str, Any]:
        held = (False, True, None, False)
        findings = [
            _finding(draw, name, holds) for name, holds in zip(suggests, held, strict=False)
        ]
        return {"about": about, "findings": findings, "busy": [busy, also], "workers": workers}

    return {
        "new": [
            case("one finding suggests somebody new", "", new),
            case("two suggest somebody new", other, "", new),
        ],
        "busy": [case("busy ones are suggested too", busy, new, also)],
        "twice": [
            case("two findings suggest the same one", new, busy, new, other),
            case("the first suggestion comes once more at the end", new, other, new),
        ],
        "unknown": [case("one name is nobody's", f"dba_{draw.randint(2, 999)}", other)],
    }


def clashes(draw: Random) -> dict[str, list[Any]]:
    """Findings of several steps that agree, contradict each other, or cannot tell."""
    one, two, three = draw.sample(WORKERS, 3)
    number = draw.randint(3, 99)
    discount = f"{number} pieces or more are cheaper."
    stock = f"Reserved pieces of article {number} are not sold twice."

    def found(step: str, claim: str, holds: bool | None) -> dict[str, Any]:
        return {"step": step, "claim": claim, "holds": holds}

    def case(about: str, *findings: dict[str, Any]) -> dict[str, Any]:
        return {"about": about, "findings": list(findings)}

    return {
        "clash": [
            case("two steps differ", found(one, discount, True), found(two, discount, False)),
            case(
                "the no comes first",
                found(one, stock, False),
                found(two, discount, True),
                found(three, stock, True),
            ),
            case(
                "one says yes, two say no",
                found(one, stock, True),
                found(two, stock, False),
                found(three, stock, False),
            ),
            case(
                "claims that are nearly the same",
                found(one, stock, True),
                found(two, stock.rstrip("."), False),
                found(three, stock.replace(" ", "  ", 1), False),
            ),
        ],
        "agreement": [
            case(
                "two agree, one differs",
                found(one, discount, True),
                found(two, discount, True),
                found(three, discount, False),
                found(one, stock, False),
                found(two, stock, False),
            )
        ],
        "undecided": [
            case(
                "one cannot tell",
                found(one, discount, None),
                found(two, discount, False),
                found(three, discount, True),
            )
        ],
        "itself": [
            case(
                "one step says yes and no",
                found(one, stock, True),
                found(one, stock, False),
                found(two, stock, True),
            )
        ],
        "wording": [
            case(
                "the same claim in capitals and with blanks",
                found(one, discount.upper(), True),
                found(two, f"  {discount} ", False),
            )
        ],
    }


INPUTS = {"09.1": plans, "09.2": graphs, "09.3": suggestions, "09.4": clashes}

SLIPS: dict[str, dict[str, list[tuple[str, str]]]] = {
    "09.1": {
        "never asks": [("", "    return [('look', 'unknown worker')]\n")],
        "only the first fault": [("    return found\n", "    return found[:1]\n")],
        "workers not checked": [('if step["worker"] not in workers:', "if False:")],
        "itself taken for a step": [('if need == step["id"]:', "if False:")],
        "needs not checked": [("elif need not in ids:", "elif False:")],
        "earlier steps only": [
            ("elif need not in ids:", 'elif need not in ids[: ids.index(step["id"])]:')
        ],
        "ids not checked": [("if ids.count(id) > 1:", "if False:")],
        "an id for each repetition": [
            ("for id in dict.fromkeys(ids):", "for place, id in enumerate(ids):"),
            ("if ids.count(id) > 1:", "if id in ids[:place]:"),
        ],
        "the need's name": [
            ('found.append((step["id"], "unknown need"))', 'found.append((need, "unknown need"))')
        ],
        "an id for each time": [("for id in dict.fromkeys(ids):", "for id in ids:")],
        "one unknown need a step": [
            (
                'found.append((step["id"], "unknown need"))',
                'found.append((step["id"], "unknown need"))\n                break',
            )
        ],
        "sentences": [('"unknown worker"))', "f\"there is no {step['worker']}\"))")],
    },
    "09.2": {
        "never asks": [("", "    return [['look'], ['write']]\n")],
        "one step a batch": [
            ("batches.append(ready)", "ready = ready[:1]\n        batches.append(ready)")
        ],
        "all at once": [("if set(waiting[id]) <= done", "if True")],
        "any need is enough": [
            ("if set(waiting[id]) <= done", "if not waiting[id] or set(waiting[id]) & done")
        ],
        "cycle left out": [("raise ValueError(f\"a cycle among {', '.join(waiting)}\")", "break")],
        "cycle as a batch": [
            ("raise ValueError(f\"a cycle among {', '.join(waiting)}\")", "ready = list(waiting)")
        ],
        "another error": [("raise ValueError(", "raise RuntimeError(")],
        "two batches": [
            (
                "",
                "    free = [id for id in needs if not needs[id]]\n"
                "    return [free, [id for id in needs if id not in free]]\n",
            )
        ],
        "number of needs": [
            (
                "",
                "    sizes = sorted({len(needs[id]) for id in needs})\n"
                "    return [[id for id in needs if len(needs[id]) == size] for size in sizes]\n",
            )
        ],
        "done too early": [
            (
                "ready = [id for id in waiting if set(waiting[id]) <= done]",
                "ready = [id for id in waiting if set(waiting[id]) <= done and not done.add(id)]",
            ),
        ],
        "first batch only": [("    return batches\n", "    return batches[:1]\n")],
    },
    "09.3": {
        "never asks": [("", "    return ['ops']\n")],
        "anybody": [("if name in workers and name", "if name")],
        "busy ones again": [("name not in [*busy, *found]", "name not in found")],
        "twice": [("name not in [*busy, *found]", "name not in busy")],
        "first one only": [("    return found\n", "    return found[:1]\n")],
        "only what holds": [
            ("for finding in findings:", 'for finding in [it for it in findings if it["holds"]]:')
        ],
        "only what does not hold": [
            (
                "for finding in findings:",
                'for finding in [it for it in findings if not it["holds"]]:',
            )
        ],
        "only who does not exist": [("if name in workers and", "if name not in workers and")],
        "order of the workers": [
            ("    return found\n", "    return [name for name in workers if name in found]\n")
        ],
        "alphabet": [("    return found\n", "    return sorted(found)\n")],
    },
    "09.4": {
        "never asks": [("", "    return [('It is so.', 'code', 'ops')]\n")],
        "null is a no": [('no["holds"] is False', 'not no["holds"]')],
        "itself": [(' and yes["step"] != no["step"]', "")],
        "wording": [
            (
                'yes["claim"].strip().lower() == no["claim"].strip().lower()',
                'yes["claim"] == no["claim"]',
            )
        ],
        "claims not compared": [
            ('yes["claim"].strip().lower() == no["claim"].strip().lower()', "True")
        ],
        "found twice": [
            (
                'yes["holds"] is True and no["holds"] is False',
                'None not in (yes["holds"], no["holds"]) and yes["holds"] != no["holds"]',
            )
        ],
        "as they come": [
            ("for no in findings:", "for no in findings[findings.index(yes) + 1 :]:"),
            (
                'yes["holds"] is True and no["holds"] is False',
                'yes["holds"] is not None and no["holds"] is (not yes["holds"])',
            ),
        ],
        "one step for each answer": [
            (
                "    return found\n",
                "    last = {claim: (claim, yes, no) for claim, yes, no in found}\n    return [*last.values()]\n",
            )
        ],
        "claim as it was": [
            ('found.append((yes["claim"].strip().lower(),', 'found.append((yes["claim"],')
        ],
        "agreement": [('no["holds"] is False', 'no["holds"] is not None')],
        "first one only": [("    return found\n", "    return found[:1]\n")],
        "the no first": [
            (
                '(yes["claim"].strip().lower(), yes["step"], no["step"])',
                '(yes["claim"].strip().lower(), no["step"], yes["step"])',
            )
        ],
    },
}
"""By exercise and name, our solution changed: (old text, new text); where the old text is empty, the new one is the body."""

RIGHT = {
    "09.1": [
        """\
def faults(steps, workers):
    there = [step["id"] for step in steps]
    return [
        *((id, "duplicate id") for id in {*there} if there.count(id) > 1),
        *((step["id"], "unknown worker") for step in steps if step["worker"] not in {*workers}),
        *((step["id"], "needs itself") for step in steps if step["id"] in step["needs"]),
        *(
            (step["id"], "unknown need")
            for step in steps
            for need in step["needs"]
            if need not in there
        ),
    ]
""",
    ],
    "09.2": [
        """\
def batches(needs):
    from graphlib import TopologicalSorter

    sorter = TopologicalSorter(needs)
    sorter.prepare()
    made = []
    while sorter.is_active():
        made.append(list(sorter.get_ready()))
        sorter.done(*made[-1])
    return made
""",
        """\
def batches(needs):
    def depth(id, above=()):
        if id in above:
            raise ValueError("cycle at " + id)
        return 1 + max((depth(need, (*above, id)) for need in needs[id]), default=-1)

    depths = {id: depth(id) for id in needs}
    return [[id for id in needs if depths[id] == level] for level in range(max(depths.values()) + 1)]
""",
    ],
    "09.3": [
        """\
def to_plan_for(findings, busy, workers):
    names = dict.fromkeys(finding["suggests"] for finding in findings)
    return [name for name in names if name in {*workers} - {*busy}]
""",
    ],
    "09.4": [
        """\
def contradictions(findings):
    found = []
    for one in findings:
        for other in findings:
            alike = one["claim"].lower().strip() == other["claim"].lower().strip()
            if alike and (one["holds"], other["holds"]) == (True, False):
                if one["step"] != other["step"]:
                    found.insert(0, (one["claim"].lower().strip(), one["step"], other["step"]))
    return found
""",
    ],
}
