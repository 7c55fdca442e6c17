"""Trials of lesson 06: a loop under a budget, the lost handoff, a local budget, a ring."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

from kernel import Handoff, Result, Run, Verdict, models, researcher
from workshop.desks import Shelf

from .desk import ending, held
from .trial import Trial, call, wait
from .wire import Wire, call_of, free

TOPICS = ("OpenTelemetry", "Qdrant", "pgvector", "Weaviate", "Pinecone", "Milvus")


# ── 06.1 ───────────────────────────────────────────────────────────────────────────────────────────────────


@dataclass
class Worker:
    """A specialist that asks a model `size` times before it answers, and notes for whom it began to work."""

    name: str
    size: int
    answer: Callable[[], Any]
    log: list[dict[str, Any]]
    description: str = "Works by a plan."
    asked: int = 0

    async def execute(self, handoff: Handoff, run: Run) -> Result:
        self.asked += 1
        if self.asked > 40:
            raise AssertionError(f"the {self.name} was asked {self.asked} times; expected an end when the calls are used up")
        for at in range(self.size):
            await run.ask(model=models.worker, max_tokens=16, messages=[{"role": "user", "content": "Hello"}])
            if at == 0:  # a handoff that no call is left for is neither asked for nor forbidden
                self.log.append({"to": self.name, "intent": handoff.intent, "artifacts": dict(handoff.artifacts)})
        return Result(status="ok", output=self.answer())


@dataclass
class Desk:
    """A reviewer that passes the version of number `passes` (0: none), and a writer; both take calls."""

    reviewer: Worker
    writer: Worker


def capped(revise_within: Any, draw: Random, *, passes: int, reviews: int, writes: int, calls: int,
           artifacts: bool = False) -> dict[str, Any]:
    """A loop under a budget, in a run that has used calls before; `artifacts`: also what was handed over."""
    topic = draw.choice(TOPICS)
    drafts = [f"# {topic}\n\nDraft {at}, of {size} words." for at, size in enumerate(draw.sample(range(20, 900), 60))]
    issues = [[f"sentence {draw.randint(100, 999)} is dull", f"{draw.randint(100, 999)} needs a source"] for _ in drafts]
    task, facts = f"Write a brief on {topic}", f"- {topic} has {draw.randint(100, 999)} parts. [{topic.lower()}-1]"
    log: list[dict[str, Any]] = []

    def review() -> Verdict:
        good = desk.reviewer.asked == passes
        return Verdict(verdict="PASS") if good else Verdict(verdict="REVISE", issues=issues[desk.reviewer.asked])

    desk = Desk(Worker("reviewer", reviews, review, log), Worker("writer", writes, lambda: drafts[desk.writer.asked], log))
    run = Wire(["Done."] * 300).run()
    wait(run.dispatch(Worker("researcher", draw.randint(2, 4), lambda: facts, []), Handoff(intent=task)))
    before = run.spent.calls
    came = call(revise_within, run, desk, task, facts, drafts[0], calls)
    seen = {"worked": [it["to"] for it in log], "spent": [run.spent.calls - before, calls], **ending(came)}
    if artifacts:
        known = [issue for several in issues for issue in several]
        seen["handed over"] = [{"intent": it["intent"], **{name: it["artifacts"].get(name) for name in ("facts", "draft")},
                                **({"feedback": held(it["artifacts"].get("feedback"), *known)} if it["to"] == "writer" else {})}
                               for it in log]
    return seen


# ── 06.2 ───────────────────────────────────────────────────────────────────────────────────────────────────

AGENTS = ("editor", "checker", "translator", "writer", "reviewer", "printer")
PARTS = ("draft", "style", "facts", "feedback", "glossary")


def lost(lost_handoffs: Any, draw: Random, *, traps: bool) -> list[Any]:
    """Logs with complete handoffs and gaps; traps: texts without text, agents without needs."""
    return [call(lost_handoffs, *_log(draw, traps)) for _ in range(2)]


def _log(draw: Random, traps: bool) -> tuple[list[dict[str, Any]], dict[str, list[str]]]:
    names = draw.sample(AGENTS, 4)
    needs = {name: sorted(draw.sample(PARTS, draw.randint(2, 3)), reverse=True) for name in names}
    log = []
    kinds = ["whole", "half", "half", "none", "whole", "half"] + ["blank", "nobody", "blank"] * traps
    draw.shuffle(kinds)
    for kind in kinds:
        name = "archivist" if kind == "nobody" else draw.choice(names)
        wanted = needs.get(name, [])
        there = wanted if kind in ("whole", "blank") else draw.sample(wanted, len(wanted) - 1) if kind == "half" else []
        artifacts = {part: f"The {part} of {draw.randint(1990, 2024)}." for part in draw.sample(there, len(there))}
        if kind == "blank":
            artifacts[draw.choice(wanted)] = draw.choice(["", "  \n", "\n"])
        if draw.random() < 0.5:
            artifacts["notes"] = "More on the draft."
        log.append(Handoff(intent="Work on the draft, the style and the facts", artifacts=artifacts, from_agent="supervisor",
                           to_agent=name).model_dump())
    return log, needs


# ── 06.3 ───────────────────────────────────────────────────────────────────────────────────────────────────


def within(facts_within: Any, draw: Random, *, ends: int = 99, turns: int = 20) -> dict[str, Any]:
    """The kernel's researcher, whose model answers after `ends` searches, or when it has no further turn."""
    topic, calls = draw.choice(TOPICS), draw.randint(4, 7)
    shelf = Shelf(draw, "library", [f"{topic} {part}" for part in range(30)])
    final = f"- {topic} has {draw.randint(1_000, 9_999)} parts. [{shelf.documents[0].id}]"

    def search(at: int) -> Callable[[dict], Any]:
        query = f"{topic} {at}"
        return lambda request: call_of("search", query=query) if free(request) and at < ends else final

    wire = Wire([search(at) for at in range(29)])
    run = wire.run()
    came = call(facts_within, run, researcher(shelf, max_turns=turns), f"Find facts about {topic}", calls)
    given = [event.data for event in run.events if event.kind == "dispatch"]
    return {"requests": [len(wire.requests), calls], "returned": came,
            "handoffs": [[it["handoff"]["to_agent"], it["handoff"]["intent"], it["limits"]["calls"]] for it in given]}


# ── 06.4 ───────────────────────────────────────────────────────────────────────────────────────────────────

NAMES = ("newsroom", "archive", "writer", "checker", "editor", "translator", "lawyer", "printer", "librarian", "proofreader")


def ring(find_ring: Any, draw: Random, size: int, *, more: tuple[str, ...] = ()) -> Any:
    """The ring found in a log with one of so many agents (0: none), and with `more` that is no ring; begun anywhere."""
    names = draw.sample(NAMES, len(NAMES))
    arrows: dict[str, list[str]] = {"user": ["supervisor"], "supervisor": []}
    members, others = names[:size], names[size:]
    for at, name in enumerate(members):
        arrows[name] = [members[(at + 1) % size]]
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
    came = call(find_ring, _walked(arrows, "user", ()))
    names_only = type(came) is list and all(type(it) is str for it in came)
    if not names_only or len(came) < 2 or came[0] != came[-1]:
        return came
    start = came.index(min(came))
    return [*came[start:-1], *came[:start], came[start]]


def _walked(arrows: dict[str, list[str]], name: str, way: tuple[str, ...]) -> list[dict[str, Any]]:
    """The log of a run in which each hands work to all that their arrows name; who is at work already is refused."""
    log = []
    for part, it in enumerate(arrows.get(name, ())):
        log.append(Handoff(intent=f"Write a brief, part {part}", from_agent=name, to_agent=it, return_to=name).model_dump())
        if it not in (*way, name):
            log += _walked(arrows, it, (*way, name))
    return log


TRIALS = {
    "06.1": (
        Trial(title="revises until a verdict is PASS", points=1,
              observe=lambda answer, draw: capped(answer, draw, passes=draw.randint(2, 4), reviews=1, writes=2,
                                                  calls=draw.randint(14, 20))),
        Trial(title="never uses more than its calls, and returns the latest draft at the limit", points=1,
              observe=lambda answer, draw: [
                  capped(answer, draw, passes=0, reviews=1, writes=1, calls=2 * draw.randint(2, 4) + 1),
                  capped(answer, draw, passes=0, reviews=2, writes=3, calls=5 * draw.randint(1, 2) + draw.randint(3, 4)),
                  capped(answer, draw, passes=0, reviews=3, writes=1, calls=4 * draw.randint(2, 3) + draw.randint(0, 2))]),
        Trial(title="hands facts, draft and feedback to whom they are for", points=1, hidden=True,
              observe=lambda answer, draw: [
                  capped(answer, draw, passes=3, reviews=2, writes=1, calls=draw.randint(8, 12), artifacts=True),
                  capped(answer, draw, passes=0, reviews=1, writes=2, calls=draw.randint(4, 9), artifacts=True)]),
    ),
    "06.2": (
        Trial(title="finds every handoff that lacks something, by its number", points=1,
              observe=lambda answer, draw: lost(answer, draw, traps=False)),
        Trial(title="a text without text, and agents without needs", points=1, hidden=True,
              observe=lambda answer, draw: lost(answer, draw, traps=True)),
    ),
    "06.3": (
        Trial(title="returns what the searches brought when the calls are used up", points=1,
              observe=lambda answer, draw: within(answer, draw)),
        Trial(title="returns an answer as it is, also one that was given at the last turn", points=1, hidden=True,
              observe=lambda answer, draw: [within(answer, draw, ends=draw.randint(1, 2)), within(answer, draw, turns=2)]),
    ),
    "06.4": (
        Trial(title="finds a ring of two", points=1, observe=lambda answer, draw: [ring(answer, draw, 2) for _ in range(2)]),
        Trial(title="finds a longer ring, and nobody else", points=1,
              observe=lambda answer, draw: [ring(answer, draw, draw.randint(3, 4)) for _ in range(2)]),
        Trial(title="sees no ring where nobody gets back what they handed on", points=1,
              observe=lambda answer, draw: [ring(answer, draw, size, more=("two ways", "repeats")) for size in (0, 2, 0)]),
        Trial(title="finds a ring among other ways", points=1, hidden=True,
              observe=lambda answer, draw: [ring(answer, draw, 3, more=it) for it in (("a way in",), ("repeats", "two ways"))]),
    ),
}
