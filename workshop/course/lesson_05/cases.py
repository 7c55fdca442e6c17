"""The author's side of lesson 05: what answers are tried on, known slips, right answers in other words."""

from __future__ import annotations

from random import Random
from typing import Any

from kernel.trace import counted

TOPICS = ("OpenTelemetry", "Qdrant", "pgvector", "Weaviate", "Pinecone", "Milvus")


# ── 05.1 ──────────────────────────────────────────────────────────────────────────────────────────


def reviews(draw: Random) -> dict[str, list[Any]]:
    """A verdict comes back: PASS, REVISE with issues, PASS with remarks; and nothing does."""
    issues = [
        f"sentence {draw.randint(1, 9)} has no source",
        f"{draw.randint(181, 999)} words are too many",
    ]

    def verdict(word: str, *issues: str) -> dict[str, Any]:
        result = {"status": "ok", "output": {"verdict": word, "issues": [*issues]}}
        return _review(
            draw, result, f"the reviewer says {word}, with {counted(len(issues), 'issue')}"
        )

    def nothing(status: str, output: str | None = None) -> dict[str, Any]:
        reason = f"no answer in {draw.randint(100, 999)} s"
        result = {"status": status, "reason": reason, "output": output}
        return _review(
            draw, result, f"nothing comes back: status {status!r}, reason {result['reason']!r}"
        )

    half = {"status": "exhausted", "output": f"So far: {issues[0]}", "reason": "no time is left"}
    reviewed = [verdict("REVISE", *issues), verdict("PASS", issues[1]), verdict("PASS")]
    first, second, third = draw.sample(["failed", "exhausted", "refused"], 3)
    return {
        "packed": [verdict("PASS"), verdict("PASS")],
        "told": [*reviewed, _review(draw, half, "the reviewer has half of its review")],
        "nothing": [nothing(first), nothing(second), nothing(third, "")],
    }


def _review(draw: Random, result: dict[str, Any], about: str) -> dict[str, Any]:
    topic, share = draw.choice(TOPICS), draw.randint(100, 999)
    given = {
        "intent": f"Review the draft on {topic}",
        "facts": f"- {topic} has {share} users. [{topic.lower()}-1]",
        "draft": f"{topic} has {share + draw.randint(0, 9)} users [{topic.lower()}-1].",
    }
    return {"about": about, "given": given, "result": result}


# ── 05.2 ──────────────────────────────────────────────────────────────────────────────────────────

NAMES = ("researcher", "writer", "reviewer", "editor", "translator")


def plans(draw: Random) -> dict[str, list[Any]]:
    """Two supervisors whose plans differ in some names; in names that work twice; in their order alone."""
    return {
        "names": [_plans(draw, ["some"]), _plans(draw, ["some", "some"])],
        "calls": [_plans(draw, ["some", "some", "again"])],
        "nothing": [
            _plans(draw, ["other order", *draw.sample(["again", "other order", "some", "more"], 4)])
        ],
    }


def _plans(draw: Random, kinds: list[str]) -> dict[str, Any]:
    verbs = ("Find facts on", "Write on", "Review")
    tasks = [
        f"{draw.choice(verbs)} {topic} {draw.randint(100, 999)}"
        for topic in draw.sample(TOPICS, len(kinds))
    ]
    fixed: dict[str, list[list[Any]]] = {}
    free: dict[str, list[list[Any]]] = {}
    for task, kind in zip(tasks, kinds, strict=True):
        names = draw.sample(NAMES, draw.randint(3, 4))
        kept = names
        if kind == "again":  # the first name and the last are needless, and the first is last, too
            names.append(names[0])
            kept = names[1:2]
        elif kind != "other order":
            kept = draw.sample(names, draw.randint(1, len(names) - 1))
        fixed[task] = [[name, draw.randint(2, 4)] for name in names]
        more = [name for name in NAMES if name not in names] * (kind != "some")
        chosen = draw.sample([*kept, *more], len([*kept, *more]))
        free[task] = [[name, draw.randint(1, 4)] for name in chosen]
    shown = "; ".join(
        f"{task!r}: {_told(fixed[task])} beside {_told(free[task])}" for task in tasks
    )
    return {
        "about": f"who works for how many calls: {shown}",
        "tasks": tasks,
        "fixed": fixed,
        "free": free,
    }


def _told(plan: list[list[Any]]) -> str:
    return ", ".join(f"{name} {calls}" for name, calls in plan)


# ── 05.3 ──────────────────────────────────────────────────────────────────────────────────────────


DRAFT = (
    ("has", "users"),
    ("runs on", "machines"),
    ("was started by", "people"),
    ("answers", "queries a second"),
)
"""Of each sentence of a draft, what it says of its topic."""


def teams(draw: Random) -> dict[str, list[Any]]:
    """A task that asks for one sentence, and one that does not."""
    return {
        "one sentence": [_team(draw, " and shorten it to one sentence")],
        "a brief": [_team(draw, ""), _team(draw, " and shorten it to one sentence")],
    }


def _team(draw: Random, end: str) -> dict[str, Any]:
    task = f"Write a brief on {draw.choice(TOPICS)}{end}"
    team = draw.sample(["researcher", "writer", "reviewer"], 3)
    topic = draw.choice(TOPICS)
    source = f"[{topic.lower()}-{draw.randint(1, 9)}]"
    draft = " ".join(
        f"{topic} {verb} {draw.randint(100, 999)} {things} {source}."
        for verb, things in draw.sample(DRAFT, 3)
    )
    return {
        "about": f"the task is {task!r}",
        "team": team,
        "draft": draft,
        "turns": draw.randint(6, 12),
        "task": task,
    }


INPUTS = {"05.1": reviews, "05.2": plans, "05.3": teams}

DISPATCH = "result = await run.dispatch(reviewer, handoff)"
ARTIFACTS = '{"facts": facts, "draft": draft}'
RAISE = 'raise ToolError(f"status: {result.status}; {result.reason}")'
TEXT = "        return result.as_text()"
SIGNATURE = "intent: str, facts: str, draft: str, run: Run"
TEAM = "LLMSupervisor((*team, editor))"
DESCRIPTION = "Shortens a finished text to one sentence. Artifacts: draft."
FIXED = "for name in dict.fromkeys(mine) if name not in theirs"
CALLS = 'sum(used[name]["calls"] for name in needless)'

SLIPS = {
    "05.1": {
        "no decorator": [("@tool\n", "\n")],
        "other parameters": [
            (SIGNATURE, "intent: str, artifacts: dict, run: Run"),
            (ARTIFACTS, "artifacts"),
        ],
        "another name": [
            ("handoff_to_reviewer(intent", "review(intent"),
            ("return handoff_to_reviewer", "return review"),
        ],
        "the kernel's own": [
            ("return handoff_to_reviewer", "return __import__('kernel').HandoffTool(reviewer)")
        ],
        "run not asked for": [(SIGNATURE, SIGNATURE.removesuffix(", run: Run"))],
        "another run": [("await run.dispatch(", "await Run(connect()).dispatch(")],
        "asked twice": [
            (DISPATCH, f"{DISPATCH}\n        await run.dispatch(reviewer, Handoff(intent='Again'))")
        ],
        "too much": [(ARTIFACTS, '{"facts": facts, "draft": draft, "notes": intent}')],
        "in another form": [(TEXT, "        return str(result.output)")],
        "never hands over": [(DISPATCH, 'return \'{"verdict":"PASS","issues":[]}\'')],
        "around the door": [("run.dispatch(reviewer, handoff)", "reviewer.execute(handoff, run)")],
        "mixed up": [(ARTIFACTS, '{"facts": draft, "draft": facts}')],
        "material in the text": [
            (f"intent=intent, artifacts={ARTIFACTS}", "intent=intent + facts + draft")
        ],
        "no material": [(ARTIFACTS, '{"draft": draft}')],
        "own intent": [("intent=intent", "intent='Review this.'")],
        "whole result": [("result.as_text()", "result.model_dump_json()")],
        "verdict only": [(TEXT, "        return result.output.verdict")],
        "silence": [(RAISE, "pass")],
        "error as text": [(RAISE, RAISE.replace("raise ToolError", "return str"))],
        "half refused": [("if not result.as_text()", "if not result.ok")],
        "no reason": [(RAISE, "raise ToolError('nothing came back')")],
        "another error": [(RAISE, RAISE.replace("ToolError", "RuntimeError"))],
    },
    "05.2": {
        "never runs": [
            ("", "    return {'Just find facts about MCP': (['writer', 'reviewer'], 2)}\n")
        ],
        "around the door": [
            (
                "await run.dispatch(supervisor, Handoff(intent=task))",
                "await supervisor.execute(Handoff(intent=task), run)",
            )
        ],
        "one run for all": [
            ("    table = {}", "    table = {}\n    run = Run(client)"),
            ("            run = Run(client)\n", ""),
        ],
        "not every task": [("    return table", "        return table")],
        "another shape": [(f"(needless, {CALLS})", "needless")],
        "needless nowhere": [("if needless:", "if True:")],
        "wrong way round": [(FIXED, "for name in dict.fromkeys(theirs) if name not in mine")],
        "one name twice": [("dict.fromkeys(mine)", "mine + mine[-1:]")],
        "who worked, not who was needless": [
            (FIXED, "for name in dict.fromkeys(mine)"),
            ("if needless:", "if {*mine} - {*theirs}:"),
        ],
        "calls of the whole run": [(CALLS, "traces[0].totals()['calls']")],
        "calls of the free run": [("used = traces[0]", "used = traces[1]")],
        "difference of the runs": [
            (CALLS, "traces[0].totals()['calls'] - traces[1].totals()['calls']")
        ],
        "no order": [
            (
                "needless = [name for name in dict.fromkeys(mine) if name not in theirs]",
                "needless = {*mine} - {*theirs}",
            )
        ],
        "handoffs counted": [(CALLS, "sum(name in needless for name in mine)")],
    },
    "05.3": {
        "no supervisor": [(TEAM, "(*team, editor)")],
        "not one tuple": [("(*team, editor)", "(team, editor)")],
        "editor fails": [("models.worker", "'a-model'")],
        "already a tool": [
            (TEAM, "LLMSupervisor((*team, __import__('kernel').HandoffTool(editor)))")
        ],
        "team lost": [(TEAM, "LLMSupervisor((editor,))")],
        "nobody added": [(TEAM, "LLMSupervisor(team)")],
        "another name": [('"editor"', '"shortener"')],
        "supervisor changed": [
            ("(*team, editor))", "(*team, editor), system='Call the editor last.')")
        ],
        "no prompt": [("You shorten the draft to one sentence, and keep its citation.", "")],
        "description says nothing": [(DESCRIPTION, "A helpful assistant.")],
        "another job": [
            (
                "You shorten the draft to one sentence, and keep its citation.",
                "Translate the draft into French.",
            )
        ],
        "turn not clear": [(DESCRIPTION, "Writes a brief and shortens it.")],
    },
}
"""By exercise and name, our solution changed: (old text, new text); where the old text is empty, the new one is the body."""

RIGHT = {
    "05.1": [
        """\
# The kernel's own tool, called with the packed arguments; @tool gives the model another schema.
from kernel import HandoffTool

def reviewer_tool(reviewer):
    inner = HandoffTool(reviewer)

    @tool(name=inner.name, description=reviewer.description)
    async def review(intent: str, facts: str, draft: str, run: Run) -> str:
        return await inner.call({"intent": intent, "artifacts": {"facts": facts, "draft": draft}}, run)

    return review
""",
        '''\
def reviewer_tool(reviewer):
    async def call(draft: str, run: Run, facts: str, intent: str = "") -> str:
        """Ask for a review."""
        came = await run.dispatch(reviewer, Handoff(artifacts=dict(draft=draft, facts=facts), intent=intent))
        text = came.as_text()
        if text == "":
            raise ToolError(f"No review. {came.reason}. It {came.status}.")
        return text
    return tool(call, name="handoff_to_reviewer")
''',
        """\
class Door:
    def __init__(self, who):
        self.who = who
    async def send(self, run, handoff):
        result = await run.dispatch(self.who, handoff)
        match result.as_text():
            case "":
                raise ToolError("\\n".join([result.status, result.reason]))
            case text:
                return text
def reviewer_tool(reviewer):
    door = Door(reviewer)
    @tool(name="handoff_to_reviewer", description="Review the draft")
    async def _(intent: str, facts: str, draft: str, run: Run) -> str:
        return await door.send(run, Handoff(intent=intent, artifacts=dict(facts=facts, draft=draft)))
    return _
""",
    ],
    "05.2": [
        """\
# Both supervisors through one inner function; a comprehension finds the names.
async def needless_work(fixed, free, tasks, client):
    async def trace_of(supervisor, task):
        run = Run(client)
        await run.dispatch(supervisor, Handoff(intent=task))
        return run.trace()

    table = {}
    for task in tasks:
        mine, theirs = await trace_of(fixed, task), await trace_of(free, task)
        needed = {it["to_agent"] for it in theirs.handoffs()}
        names = list(dict.fromkeys(it["to_agent"] for it in mine.handoffs() if it["to_agent"] not in needed))
        if names:
            table[task] = (names, sum(mine.by_agent()[name]["calls"] for name in names))
    return table
""",
        """\
async def needless_work(fixed, free, tasks, client):
    import asyncio
    runs = {(task, who): Run(client) for task in tasks for who in ("fixed", "free")}
    await asyncio.gather(*(run.dispatch({"fixed": fixed, "free": free}[who], Handoff(intent=task))
                           for (task, who), run in runs.items()))
    found = {}
    for task in reversed(tasks):
        one, other = (runs[task, who].trace() for who in ("fixed", "free"))
        there = [it["to_agent"] for it in other.handoffs()[1:]]
        names, calls = [], 0
        for it in one.handoffs()[1:]:
            if it["to_agent"] not in there + names:
                names.append(it["to_agent"])
        calls = sum(it.kind == "reply" and it.agent in names for it in one.events)
        if calls > 0:
            found[task] = tuple([names, calls])
    return found
""",
    ],
    "05.3": [
        """\
# Made of the writer: a copy with another name, description and prompt.
import dataclasses

from kernel import writer


def with_editor(team):
    editor = dataclasses.replace(
        writer(), name="editor",
        description="Shortens a finished text to the length that is asked for. Artifacts: draft.",
        system="You are the editor of an editorial desk. Shorten the draft to one sentence; keep its citation.",
    )
    return LLMSupervisor(specialists=(*team, editor))
""",
        """\
def with_editor(team):
    says = "Shortens a finished text to one sentence, and changes nothing else. Artifacts: draft."
    return LLMSupervisor(specialists=(Agent(name="editor", description=says, system="Shorten the draft.", model=models.supervisor), *team))
""",
    ],
}
"""By exercise; `solution` shows the first beside ours."""
