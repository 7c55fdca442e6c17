"""The author's side of lesson 06: what answers are tried on, known slips, right answers in other words."""

from __future__ import annotations

from random import Random
from typing import Any

from kernel import Handoff

TOPICS = ("OpenTelemetry", "Qdrant", "pgvector", "Weaviate", "Pinecone", "Milvus")


# ── 06.1 ──────────────────────────────────────────────────────────────────────────────────────────


def loops(draw: Random) -> dict[str, list[Any]]:
    """A reviewer that passes version `passes` (0: none), and what a review and a revision take."""
    sizes = [
        (1, 1, 2 * draw.randint(2, 4) + 1),
        (2, 3, 5 * draw.randint(1, 2) + draw.randint(3, 4)),
    ]
    sizes.append((3, 1, 4 * draw.randint(2, 3) + draw.randint(0, 2)))
    return {
        "passes": [
            _loop(draw, 2, 1, 2, 14),
            _loop(draw, draw.randint(2, 4), 1, 2, draw.randint(14, 20), remarks=True),
        ],
        "limit": [_loop(draw, 0, *several) for several in (*sizes, (3, 1, 2))],
        "handed": [
            _loop(draw, 3, 2, 1, draw.randint(8, 12)),
            _loop(draw, 0, 1, 2, draw.randint(4, 9)),
            _loop(draw, 0, 3, 1, 4 * draw.randint(1, 2) + 1),
        ],
    }


def _loop(
    draw: Random, passes: int, reviews: int, writes: int, calls: int, *, remarks: bool = False
) -> dict[str, Any]:
    """remarks: the verdict PASS comes with a remark."""
    topic = draw.choice(TOPICS)
    rounds = 2 + calls // (reviews + writes)
    drafts = [
        f"# {topic}\n\nDraft {number}, of {size} words."
        for number, size in enumerate(draw.sample(range(20, 900), rounds))
    ]
    issues = [
        [f"sentence {draw.randint(100, 999)} is dull", f"{draw.randint(100, 999)} needs a source"]
        for _ in drafts
    ]
    verdicts = f"version {passes} passes" if passes else "no version passes"
    verdicts += ", with a remark" if remarks else ""
    return {
        "about": f"calls is {calls}; a review takes {reviews}, a revision {writes}; {verdicts}",
        "task": f"Write a brief on {topic}",
        "facts": f"- {topic} has {draw.randint(100, 999)} parts. [{topic.lower()}-1]",
        "drafts": drafts,
        "issues": issues,
        "passes": passes,
        "remarks": [f"sentence {draw.randint(100, 999)} may be shorter"] if remarks else [],
        "reviews": reviews,
        "writes": writes,
        "calls": calls,
        "before": draw.randint(2, 4),
    }


# ── 06.2 ──────────────────────────────────────────────────────────────────────────────────────────

AGENTS = ("editor", "checker", "translator", "writer", "reviewer", "printer")
PARTS = ("draft", "style", "facts", "feedback", "glossary")


def logs(draw: Random) -> dict[str, list[Any]]:
    """Logs with complete handoffs and gaps; then also texts without text, and agents without needs."""
    kinds = ["whole", "half", "half", "none", "whole", "half"]
    return {
        "gaps": [_log(draw, names) for names in (["whole", "half", "none"], kinds, kinds)],
        "traps": [_log(draw, [*kinds, "blank", "nobody", "blank"]) for _ in range(2)],
    }


def _log(draw: Random, kinds: list[str]) -> dict[str, Any]:
    names = draw.sample(AGENTS, 4)
    needs = {name: sorted(draw.sample(PARTS, draw.randint(2, 3)), reverse=True) for name in names}
    log = []
    for kind in draw.sample(kinds, len(kinds)):
        name = "archivist" if kind == "nobody" else draw.choice(names)
        required = needs.get(name, [])
        given_parts = list(required) if kind in ("whole", "blank") else []
        if kind == "half":
            given_parts = draw.sample(required, len(required) - 1)
        artifacts = {
            part: f"The {part} of {draw.randint(1990, 2024)}."
            for part in draw.sample(given_parts, len(given_parts))
        }
        if kind == "blank":
            artifacts[draw.choice(required)] = draw.choice(["", "  \n", "\n"])
        if draw.random() < 0.5:
            artifacts["notes"] = "More on the draft."
        log.append(
            _handoff("Work on the draft, the style and the facts", "supervisor", name, artifacts)
        )
    handed = "; ".join(
        f"{handoff['to_agent']} got {', '.join(handoff['artifacts']) or 'nothing'}"
        for handoff in log
    )
    wanted_by = "; ".join(f"{name} needs {', '.join(parts)}" for name, parts in needs.items())
    return {"log": log, "needs": needs, "about": f"the log: {handed}. {wanted_by}"}


def _handoff(intent: str, giver: str, receiver: str, artifacts: dict[str, str]) -> dict[str, Any]:
    handoff = Handoff(
        intent=intent, artifacts=artifacts, from_agent=giver, to_agent=receiver, return_to=giver
    )
    return handoff.model_dump(mode="json")


# ── 06.3 ──────────────────────────────────────────────────────────────────────────────────────────


def searches(draw: Random) -> dict[str, list[Any]]:
    """A researcher that is never done, one that answers, and one that answers at its last turn."""
    return {
        "runaway": [_search(draw, 99, 12), _search(draw, 99, 12)],
        "answers": [_search(draw, draw.randint(1, 2), 12), _search(draw, 99, 2)],
    }


def _search(draw: Random, ends: int, turns: int) -> dict[str, Any]:
    topic = draw.choice(TOPICS)
    documents = [
        {
            "id": f"library-{part}-{draw.randint(100, 999)}",
            "title": f"On {topic} {part}",
            "text": f"The library has {draw.randint(100, 999)} pages on {topic} {part}.",
        }
        for part in range(8)
    ]
    about = (
        f"it answers after {('one search', 'two searches')[ends - 1]}"
        if ends < 99
        else f"it would search on, and has {turns} turns"
    )
    return {
        "about": f"the researcher: {about}",
        "topic": topic,
        "documents": documents,
        "final": f"- {topic} has {draw.randint(1_000, 9_999)} parts. [{documents[0]['id']}]",
        "ends": ends,
        "turns": turns,
        "calls": draw.randint(4, 7),
    }


# ── 06.4 ──────────────────────────────────────────────────────────────────────────────────────────

NAMES = (
    "newsroom",
    "archive",
    "writer",
    "checker",
    "editor",
    "translator",
    "lawyer",
    "printer",
    "librarian",
    "proofreader",
)


def rings(draw: Random) -> dict[str, list[Any]]:
    """Logs with a ring of so many agents (0: none), and with ways that are not one."""
    tricky = [
        (0, ("two ways", "repeats")),
        (2, ("two ways", "repeats")),
        (0, ("two ways", "repeats")),
    ]
    return {
        "two": [*(_ring(draw, 2) for _ in range(2)), _ring(draw, 1)],
        "long": [_ring(draw, draw.randint(3, 4)) for _ in range(2)],
        "none": [_ring(draw, size, more) for size, more in tricky],
        "other ways": [
            _ring(draw, 3, more)
            for more in (("a way in",), ("repeats", "two ways"), ("another user",))
        ],
    }


def _ring(draw: Random, size: int, more: tuple[str, ...] = ()) -> dict[str, Any]:
    names = draw.sample(NAMES, len(NAMES))
    arrows: dict[str, list[str]] = {"user": ["supervisor"], "supervisor": []}
    members, others = names[:size], names[size:]
    for index, name in enumerate(members):
        arrows[name] = [members[(index + 1) % size]]
    if members:
        arrows["supervisor"] += [members[0]]
        arrows[members[-1]] = [others[0], members[0], others[0]]
    one, two, both, again = others[1:5]
    if "two ways" in more:
        arrows["supervisor"] += [one, two]
        arrows[one], arrows[two] = [both], [both]
    if "repeats" in more:
        arrows["supervisor"] += [again, others[5], again]
    if "a way in" in more:
        arrows["supervisor"].insert(0, others[6])
        arrows[others[6]] = [members[-1]]
    log = []
    if "another user" in more:
        arrows |= {"supervisor": [one], "night shift": [members[0]]}
        log = _walked(arrows, "night shift", ())
    log = _walked(arrows, "user", ()) + log
    shown = ", ".join(f"{handoff['from_agent']} → {handoff['to_agent']}" for handoff in log)
    return {"log": log, "about": f"the log: {shown}"}


def _walked(arrows: dict[str, list[str]], name: str, way: tuple[str, ...]) -> list[dict[str, Any]]:
    """The log of a run in which each hands work to all that their arrows name; who is at work already is refused."""
    log = []
    for part, receiver in enumerate(arrows.get(name, ())):
        log.append(_handoff(f"Write a brief, part {part}", name, receiver, {}))
        if receiver not in (*way, name):
            log += _walked(arrows, receiver, (*way, name))
    return log


INPUTS = {"06.1": loops, "06.2": logs, "06.3": searches, "06.4": rings}

REVIEW = "desk.reviewer, handoff, budget=Budget(calls=left)"
WRITE = "desk.writer, handoff, budget=Budget(calls=left)"
ROUND = "while left := calls - (run.spent.calls - before):"
AGAIN = "        left = calls - (run.spent.calls - before)\n"
END = '    return Result(status="exhausted", output=draft, reason=f"{calls} calls are used up")'
MISSING = '[name for name in wanted if not it["artifacts"].get(name, "").strip()]'
DISPATCH = "await run.dispatch(researcher, Handoff(intent=task), budget=Budget(calls=calls))"
FACTS = 'result.as_text() or result.artifacts.get("tool_results", "")'
FOUND = "return [*way[way.index(name):], name]"
ON_THE_WAY = "            if name in way:"

COUNTED = """    receivers = [it["to_agent"] for it in handoffs]
    for it in handoffs:
        back = [it["to_agent"], it["from_agent"]]
        if any([other["from_agent"], other["to_agent"]] == back for other in handoffs):
            return [*back, it["to_agent"]]
    return [name for name in dict.fromkeys(receivers) if receivers.count(name) > 1]
"""
SEEN = """    arrows, seen = {}, set()
    for it in handoffs:
        arrows.setdefault(it["from_agent"], {})[it["to_agent"]] = True

    def walk(way):
        for name in arrows.get(way[-1], []):
            if name in seen:
                return [*way[way.index(name):], name] if name in way else [name, name]
            seen.add(name)
            if ring := walk([*way, name]):
                return ring
        return []

    return walk([handoffs[0]["from_agent"]])
"""

SLIPS = {
    "06.1": {
        "never asks": [("", "    return Result(status='exhausted', output='# Qdrant ...')\n")],
        "no end": [
            (ROUND, "while True:"),
            (REVIEW, "desk.reviewer, handoff"),
            (WRITE, "desk.writer, handoff"),
            (AGAIN, ""),
        ],
        "rounds for calls": [
            (ROUND, "for _ in range(calls):"),
            (REVIEW, "desk.reviewer, handoff"),
            (WRITE, "desk.writer, handoff"),
            (AGAIN, ""),
        ],
        "looked, not held": [
            (ROUND, "while (left := calls - (run.spent.calls - before)) > 0:"),
            (REVIEW, "desk.reviewer, handoff"),
            (WRITE, "desk.writer, handoff"),
        ],
        "whole budget each time": [
            ("calls=left", "calls=calls"),
            (ROUND, ROUND.replace("):", ") > 0:").replace("left := ", "")),
        ],
        "past the door": [
            (f"run.dispatch({REVIEW})", "desk.reviewer.execute(handoff, run)"),
            (f"run.dispatch({WRITE})", "desk.writer.execute(handoff, run)"),
            (ROUND, "while (left := calls - (run.spent.calls - before)) > 0:"),
        ],
        "reviewer without a budget": [
            (REVIEW, "desk.reviewer, handoff"),
            (
                ROUND,
                ROUND.replace("):", ") > 0:")
                .replace("while left", "while (left")
                .replace(") > 0", ")) > 0"),
            ),
        ],
        "writer without a budget": [
            (WRITE, "desk.writer, handoff"),
            (
                ROUND,
                ROUND.replace("):", ") > 0:")
                .replace("while left", "while (left")
                .replace(") > 0", ")) > 0"),
            ),
        ],
        "material missing": [('work = {"facts": facts, ', "work = {")],
        "feedback missing": [('{**work, "feedback": "\\n".join(reviewed.output.issues)}', "work")],
        "calls left over": [(ROUND, "while (left := calls - (run.spent.calls - before)) > 1:")],
        "half work": [("        if not written.ok:\n            break\n", "")],
        "earlier work counted": [
            ("before = run.spent.calls", "before = 0"),
            (ROUND, ROUND.replace("left := ", "0 < (left := ").replace("):", ")):")),
        ],
        "PASS not seen": [('verdict == "PASS"', 'verdict == "pass"')],
        "no result": [(END, "    return draft")],
        "draft lost": [(END, END.replace("output=draft, ", ""))],
        "limit not said": [('status="exhausted"', 'status="ok"')],
        "old draft": [
            ("    before =", "    first = draft\n    before ="),
            ('status="exhausted", output=draft', 'status="exhausted", output=first'),
        ],
    },
    "06.2": {
        "counted from 0": [("enumerate(handoffs, 1)", "enumerate(handoffs)")],
        "first one only": [("    return found", "            return found\n    return found")],
        "empty counts as there": [
            (MISSING, '[name for name in wanted if name not in it["artifacts"]]')
        ],
        "all missing or nothing": [("if missing:", "if missing and missing == wanted:")],
        "one name each": [("missing))", "missing[:1]))")],
        "needs for missing": [("missing))", "wanted))")],
        "complete ones too": [("if missing:", "if True:")],
        "another order": [("missing))", "sorted(missing)))")],
        "nothing found": [('it["artifacts"].get(name, "").strip()', "name in str(it)")],
        "everybody has needs": [('needs.get(it["to_agent"], [])', 'needs[it["to_agent"]]')],
        "another shape": [
            ('found.append((number, it["to_agent"], missing))', "found.append(number)")
        ],
    },
    "06.3": {
        "never asks": [("", "    return '- Qdrant is ...'\n")],
        "around the door": [(DISPATCH, "await researcher.execute(Handoff(intent=task), run)")],
        "another run": [
            (
                DISPATCH,
                "await Run(run.client).dispatch(researcher, Handoff(intent=task), budget=Budget(calls=calls))",
            )
        ],
        "asked again": [
            (
                "    return result",
                f"    if not result.ok:\n        result = {DISPATCH.replace('=task', '=task + chr(33)')}\n    return result",
            )
        ],
        "no local budget": [(", budget=Budget(calls=calls)", "")],
        "turns for calls": [("Budget(calls=calls)", "Budget(turns=calls)")],
        "another number": [("Budget(calls=calls)", "Budget(calls=calls + 1)")],
        "not a text": [(FACTS, "result")],
        "work thrown away": [(FACTS, "result.as_text()")],
        "answer thrown away": [
            (
                FACTS,
                'result.as_text() if result.ok or "budget" not in result.reason else '
                'result.artifacts.get("tool_results", "")',
            ),
            (
                "return result.as_text() if",
                "return '' if 'turns' in result.reason else result.as_text() if",
            ),
        ],
        "raw documents": [(FACTS, 'result.artifacts.get("tool_results", "") or result.as_text()')],
        "answer and documents": [
            (FACTS, 'result.as_text() + result.artifacts.get("tool_results", "")')
        ],
        "raises": [
            (
                "    return result",
                "    if not result.ok:\n        raise RuntimeError(result.reason)\n    return result",
            )
        ],
        "own task": [("intent=task", 'intent=f"{task}, please"')],
        "reason for facts": [(FACTS, "result.as_text() or result.reason")],
    },
    "06.4": {
        "called again": [("", COUNTED)],
        "names counted": [
            (
                "",
                "    names = [it['to_agent'] for it in handoffs]\n"
                "    return [name for name in dict.fromkeys(names) if names.count(name) > 1]\n",
            )
        ],
        "two ways to one agent": [("", SEEN)],
        "no ring seen": [
            ("            if ring := walk([*way, name]):\n                return ring\n", "")
        ],
        "back and forth only": [
            (ON_THE_WAY, "            if len(way) > 1 and name == way[-2]:"),
            ("            if ring := walk", "            if len(way) < 4 and (ring := walk"),
            ("[*way, name]):", "[*way, name])):"),
        ],
        "more than the ring": [(FOUND, "return [*way, name]")],
        "not closed": [(FOUND, "return way[way.index(name):]")],
        "against the arrows": [(FOUND, FOUND.replace("name]", "name][::-1]"))],
        "yes or no": [
            ("            return ring\n    return []", "            return True\n    return False")
        ],
        "no ring, no list": [("            return ring\n    return []", "            return ring")],
        "another shape": [(FOUND, "return '-'.join(way)")],
    },
}
"""By exercise and name, our solution changed: (old text, new text); where the old text is empty, the new one is the body."""

RIGHT = {
    "06.1": [
        """\
# The loop as an executable of its own: one dispatch, one budget over everything below it.
from dataclasses import dataclass
from typing import Any


@dataclass
class Revising:
    desk: Any
    draft: str
    name: str = "revising"
    description: str = "Has a draft revised until it passes."

    async def execute(self, handoff, run):
        while True:
            work = {**handoff.artifacts, "draft": self.draft}
            reviewed = await run.dispatch(self.desk.reviewer, Handoff(intent=handoff.intent, artifacts=work))
            if not reviewed.ok or reviewed.output.verdict == "PASS":
                return Result(status=reviewed.status, output=self.draft, reason=reviewed.reason)
            work["feedback"] = "\\n".join(reviewed.output.issues)
            written = await run.dispatch(self.desk.writer, Handoff(intent=handoff.intent, artifacts=work))
            if not written.ok:
                return Result(status=written.status, output=self.draft, reason=written.reason)
            self.draft = written.as_text()


async def revise_within(run, desk, task, facts, draft, calls):
    handoff = Handoff(intent=task, artifacts={"facts": facts})
    return await run.dispatch(Revising(desk, draft), handoff, budget=Budget(calls=calls))
""",
        """\
async def revise_within(run, desk, task, facts, draft, calls):
    end = run.spent.calls + calls
    status = "exhausted"
    while run.spent.calls < end:
        parts = {"draft": draft, "facts": facts}
        said = await run.dispatch(desk.reviewer, Handoff(intent=task, artifacts=parts), budget=Budget(calls=end - run.spent.calls))
        if said.status != "ok":
            break
        if said.output.verdict == "PASS":
            status = "ok"
            break
        if run.spent.calls >= end:
            break
        parts["feedback"] = "; ".join(said.output.issues)
        new = await run.dispatch(desk.writer, Handoff(intent=task, artifacts=parts), budget=Budget(calls=end - run.spent.calls))
        draft = new.output if new.ok else draft
    return Result(status=status, output=draft, reason="", artifacts={"draft": draft})
""",
        """\
async def revise_within(run, desk, task, facts, draft, calls):
    if calls <= 0:
        return Result(status="exhausted", output=draft)
    before = run.spent.calls
    parts = {"facts": facts, "draft": draft}
    match await run.dispatch(desk.reviewer, Handoff(intent=task, artifacts=parts), budget=Budget(calls=calls)):
        case Result(status="ok", output=verdict) if verdict.verdict == "PASS":
            return Result(status="ok", output=draft)
        case Result(status="ok", output=verdict):
            left = calls - (run.spent.calls - before)
            if left:
                new = await run.dispatch(desk.writer, Handoff(intent=task, artifacts={**parts, "feedback": " ".join(verdict.issues)}), budget=Budget(calls=left))
                if new.ok:
                    return await revise_within(run, desk, task, facts, new.output, calls - (run.spent.calls - before))
    return Result(status="exhausted", output=draft)
""",
    ],
    "06.2": [
        """\
# A comprehension, with the gaps of one handoff in an inner function.
def lost_handoffs(handoffs, needs):
    def gaps(handoff):
        carried = {name for name, text in handoff["artifacts"].items() if text.strip()}
        return [name for name in needs.get(handoff["to_agent"], ()) if name not in carried]

    numbered = enumerate(handoffs, start=1)
    return [(number, it["to_agent"], gaps(it)) for number, it in numbered if gaps(it)]
""",
        """\
def lost_handoffs(handoffs, needs):
    gaps, number = [], 0
    for it in handoffs:
        number += 1
        who = it["to_agent"]
        if who in needs:
            lacks = list(filter(lambda name: name not in it["artifacts"] or it["artifacts"][name].isspace()
                                or not it["artifacts"][name], needs[who]))
            gaps += [(number, who, lacks)] if len(lacks) else []
    return gaps
""",
    ],
    "06.3": [
        """\
# By the status: what is ok has an answer, what is exhausted has one or the material.
async def facts_within(run, researcher, task, calls):
    limit = Budget(calls=calls)
    result = await run.dispatch(researcher, Handoff(intent=task), budget=limit)
    if result.ok or result.output:
        return result.as_text()
    return "\\n\\n".join(text for name, text in result.artifacts.items() if name == "tool_results")
""",
        """\
async def facts_within(run, researcher, task, calls):
    came = await run.dispatch(researcher, Handoff(intent=task, context="Be quick."), budget=Budget(calls=calls))
    return came.output if came.output else came.artifacts["tool_results"]
""",
        """\
async def facts_within(run, researcher, task, calls):
    match await run.dispatch(researcher, Handoff(intent=task), budget=Budget(calls=calls)):
        case Result(output=str(text)) if text:
            return text
        case Result(artifacts={"tool_results": kept}):
            return kept
    return ""
""",
    ],
    "06.4": [
        """\
# Strip what cannot be on a ring, again and again; what is left is walked until a name repeats.
def find_ring(handoffs):
    arrows = {(it["from_agent"], it["to_agent"]) for it in handoffs}
    while ends := {b for _, b in arrows} - {a for a, _ in arrows}:
        arrows = {(a, b) for a, b in arrows if b not in ends}
    if not arrows:
        return []
    way = [min(arrows)[0]]
    while way.count(way[-1]) < 2:
        way.append(min(b for a, b in arrows if a == way[-1]))
    return way[way.index(way[-1]):]
""",
        """\
def find_ring(handoffs):
    names = {it["from_agent"] for it in handoffs} | {it["to_agent"] for it in handoffs}
    for start in sorted(names):
        ways = [[start]]
        while ways:
            way = ways.pop()
            for it in handoffs:
                if it["from_agent"] == way[-1]:
                    if it["to_agent"] == start:
                        return way + [start]
                    if it["to_agent"] not in way:
                        ways.append(way + [it["to_agent"]])
    return []
""",
        """\
def find_ring(handoffs):
    from graphlib import TopologicalSorter, CycleError
    sorter = TopologicalSorter()
    for h in handoffs:
        sorter.add(h["to_agent"], h["from_agent"])
    try:
        sorter.prepare()
    except CycleError as ring:
        return ring.args[1]
    return []
""",
    ],
}
"""By exercise; `solution` shows the first beside ours."""
