"""Trials of lesson 05: a handoff tool, where a fixed order does needless work, a fourth specialist."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random
from typing import Any

from kernel import (
    Agent,
    Client,
    Corpus,
    Handoff,
    LLMSupervisor,
    Result,
    Run,
    Tool,
    Verdict,
    connect,
    models,
    researcher,
    reviewer,
    writer,
)
from workshop.desks import Specialist

from .desk import held
from .trial import Trial, call, wait
from .wire import Wire, call_of

TOPICS = ("OpenTelemetry", "Qdrant", "pgvector", "Weaviate", "Pinecone", "Milvus")


# ── 05.1 ───────────────────────────────────────────────────────────────────────────────────────────────────


def reviewed(reviewer_tool: Any, draw: Random, answer: Result) -> dict[str, Any]:
    """A supervisor's model calls the tool: what the reviewer was given, and what the model was told."""
    made = call(reviewer_tool, Specialist("reviewer", lambda _: answer))
    if not isinstance(made, Tool):
        return {"no tool": made}
    topic, share = draw.choice(TOPICS), draw.randint(100, 999)
    given = {"intent": f"Review the draft on {topic}", "facts": f"- {topic} has {share} users. [{topic.lower()}-1]",
             "draft": f"{topic} has {share + draw.randint(0, 9)} users [{topic.lower()}-1]."}
    run = Wire([call_of(made.name, **given), "Done."]).run()
    lead = Agent("supervisor", "Leads the desk.", "Have drafts reviewed.", models.supervisor, (made,))
    wait(run.dispatch(lead, Handoff(intent=f"Brief on {topic}")))
    told = [event.data for event in run.events if event.kind == "tool_result"]
    return {"tool": [made.name, sorted(made.definition["input_schema"]["properties"])],
            "handoffs": [[it["to_agent"], it["intent"], it["artifacts"]] for it in run.trace().handoffs()[1:]],
            "told": [[it["content"], it["is_error"]] for it in told]}


def packed(reviewer_tool: Any, draw: Random) -> Any:
    seen = reviewed(reviewer_tool, draw, Result(status="ok", output=Verdict(verdict="PASS")))
    return {name: it for name, it in seen.items() if name != "told"}


def told(reviewer_tool: Any, draw: Random) -> Any:
    """What the model reads of a verdict, and how many handoffs there were."""
    issues = [f"sentence {draw.randint(1, 9)} has no source", f"{draw.randint(181, 999)} words are too many"]
    verdicts = [Verdict(verdict="REVISE", issues=issues), Verdict(verdict="PASS", issues=issues[1:]), Verdict(verdict="PASS")]
    seen = [reviewed(reviewer_tool, draw, Result(status="ok", output=it)) for it in verdicts]
    return [{"told": it["told"], "handoffs": len(it["handoffs"])} if "told" in it else it for it in seen]


def nothing_back(reviewer_tool: Any, draw: Random) -> Any:
    """What the model reads when no work came back; the wording is free."""
    status, reason = draw.choice(["failed", "exhausted", "refused"]), f"no answer in {draw.randint(100, 999)} s"
    seen = reviewed(reviewer_tool, draw, Result(status=status, reason=reason))
    return {"told": [[held(text, reason), held(text.replace(reason, ""), status), error] for text, error in seen["told"]],
            "handoffs": len(seen["handoffs"])} if "told" in seen else seen


# ── 05.2 ───────────────────────────────────────────────────────────────────────────────────────────────────


@dataclass
class Asking:
    """A specialist that asks its model so many times."""

    name: str
    calls: int
    description: str = "Asks its model."

    async def execute(self, handoff: Handoff, run: Run) -> Result:
        for number in range(self.calls):
            said = await run.ask(model=models.worker, messages=[{"role": "user", "content": f"{handoff.intent}, part {number}"}])
        return Result(status="ok", output=said.text)


@dataclass
class Planned:
    """A supervisor that employs whom its plan for the task names, and notes where it worked."""

    plans: dict[str, list[tuple[str, int]]]
    name: str = "supervisor"
    description: str = "Works by a plan."
    runs: list[tuple[str, Run]] = field(default_factory=list)

    async def execute(self, handoff: Handoff, run: Run) -> Result:
        self.runs.append((handoff.intent, run))
        for step, (name, calls) in enumerate(self.plans.get(handoff.intent, ())):
            await run.dispatch(Asking(name, calls), Handoff(intent=f"{handoff.intent}, step {step}"))
        return Result(status="ok", output=handoff.intent)

    def seen(self) -> list[list[Any]]:
        """For each task: how deep in its run this worked, and how many tasks that run had."""
        return sorted([task, len(run.path), sum(it.kind == "dispatch" and "." not in it.run for it in run.events)]
                      for task, run in self.runs)


NAMES = ("researcher", "writer", "reviewer", "editor", "translator")


def compared(needless_work: Any, draw: Random, kinds: list[str], *, calls: bool) -> dict[str, Any]:
    """Two supervisors with plans; `calls`: also how many calls were counted."""
    tasks = [f"{draw.choice(('Find facts on', 'Write on', 'Review'))} {topic} {draw.randint(100, 999)}"
             for topic in draw.sample(TOPICS, len(kinds))]
    fixed, free = Planned({}), Planned({})
    for task, kind in zip(tasks, kinds, strict=True):
        names = draw.sample(NAMES, draw.randint(3, 4))
        used = [*names, *draw.choices(names, k=2)] if kind == "again" else names
        fixed.plans[task] = [(name, draw.randint(2, 4)) for name in used]
        kept = names if kind == "other order" else draw.sample(names, draw.randint(1, len(names) - 1))
        more = [it for it in NAMES if it not in names] * (kind != "some")
        free.plans[task] = [(name, draw.randint(1, 4)) for name in draw.sample([*kept, *more], len([*kept, *more]))]
    came = call(needless_work, fixed, free, list(tasks), Client(Wire(["Said."] * 400), retries=0))
    return {"fixed": fixed.seen(), "free": free.seen(),
            "table": {task: _entry(it, calls) for task, it in came.items()} if isinstance(came, dict) else came}


def _entry(entry: Any, calls: bool) -> Any:
    if type(entry) is not tuple or len(entry) != 2 or not isinstance(entry[0], list | tuple):
        return {"no pair": entry}
    return {"names": [*entry[0]], **({"calls": entry[1]} if calls else {})}


# ── 05.3 ───────────────────────────────────────────────────────────────────────────────────────────────────


def with_team(with_editor: Any, draw: Random, *ends: str) -> dict[str, Any]:
    """A run for each task: who was at work, whether the editor was asked, and came last."""
    team = [researcher(Corpus(), max_turns=draw.randint(6, 12)), writer(), reviewer()]
    draw.shuffle(team)
    came = call(with_editor, tuple(team))
    if not isinstance(came, LLMSupervisor):
        return {"no supervisor": came}
    editors = [it for it in came.specialists if it.name == "editor"]
    seen: dict[str, Any] = {
        "prompt": came.system, "team": sorted(it.name for it in came.specialists),
        "the very ones": [it.name for it in team if any(it is one for one in came.specialists)],
        "editors with a prompt": [isinstance(it, Agent) and bool(it.system.strip()) for it in editors], "runs": []}
    for end in ends:
        task = f"Write a brief on {draw.choice(TOPICS)}{end}"
        run = Run(connect("offline", latency_ms=0))
        result = wait(run.dispatch(came, Handoff(intent=task)))
        order = [it["to_agent"] for it in run.trace().handoffs()[1:]]
        edited = [it.data["result"]["status"] for it in run.events if it.kind == "return" and it.agent == "editor"]
        found = next((it.data["result"]["output"] for it in run.events if it.kind == "return" and it.agent == "researcher"), "")
        seen["runs"].append({"task": task, "status": result.status, "at work": sorted({*order}), "last": order[-1:],
                             "edited": edited[-1:], "found": str(found)[:80]})
    return seen


ONE_SENTENCE = " and shorten it to one sentence"

TRIALS = {
    "05.1": (
        Trial(title="packs intent, facts and draft into a handoff that goes through the run", points=1,
              observe=lambda answer, draw: [packed(answer, draw) for _ in range(2)]),
        Trial(title="the model reads what the reviewer said", points=1, observe=told),
        Trial(title="when nothing came back, the model gets an error that says why", points=1, hidden=True,
              observe=lambda answer, draw: [nothing_back(answer, draw) for _ in range(2)]),
    ),
    "05.2": (
        Trial(title="finds whom only the fixed order employed, each task in a run of its own", points=1,
              observe=lambda answer, draw: compared(answer, draw, ["some", "some"], calls=False)),
        Trial(title="counts the calls of those, and no others", points=1,
              observe=lambda answer, draw: compared(answer, draw, ["some", "some", "again"], calls=True)),
        Trial(title="names nobody twice, and leaves out tasks without needless work", points=1, hidden=True,
              observe=lambda answer, draw: compared(answer, draw, draw.sample(["again", "other order", "some", "more"], 4),
                                                    calls=True)),
    ),
    "05.3": (
        Trial(title="the editor is asked, last of all, when a task wants one sentence", points=1,
              observe=lambda answer, draw: with_team(answer, draw, ONE_SENTENCE)),
        Trial(title="the editor is left alone otherwise", points=1, hidden=True,
              observe=lambda answer, draw: with_team(answer, draw, "", ONE_SENTENCE)),
    ),
}
