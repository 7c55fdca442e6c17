"""The exercises of lesson 05: a handoff tool, where a fixed order does needless work, a fourth specialist."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random
from typing import Any

from kernel import (
    Agent,
    Client,
    Corpus,
    DeterministicSupervisor,
    Handoff,
    HandoffTool,
    LLMSupervisor,
    Result,
    Run,
    Tool,
    Trace,
    Verdict,
    connect,
    models,
    researcher,
    reviewer,
    writer,
)
from kernel.offline import Script
from kernel.supervisors import SUPERVISOR
from workshop.views import HandoffLog

from .probe import Probe, brief
from .register import Exercise, Misconception

TOPICS = ("OpenTelemetry", "Qdrant", "pgvector", "Weaviate", "Pinecone", "Milvus")


# ── 05.1: the reviewer as a tool ───────────────────────────────────────────────────────────────────────────


@dataclass
class Desk:
    """A reviewer that notes what it is given, and gives back what the check has drawn."""

    answer: Result
    name: str = "reviewer"
    description: str = "Reviews a draft against the facts."
    seen: list[tuple[Handoff, Run]] = field(default_factory=list)

    async def execute(self, handoff: Handoff, run: Run) -> Result:
        self.seen.append((handoff, run))
        return self.answer


def check_reviewer_tool(reviewer_tool: Any, probe: Probe) -> None:
    """A supervisor's model calls the tool: a verdict with issues comes back, a PASS, and nothing at all."""
    draw = probe.random
    issues = [f"sentence {draw.randint(1, 9)} has no source", f"{draw.randint(181, 300)} words are too many"]
    answers = (
        Result(status="ok", output=Verdict(verdict="REVISE", issues=["sentence 2 has no source"])),
        Result(status="ok", output=Verdict(verdict="PASS")),
        Result(status="ok", output=Verdict(verdict="REVISE", issues=issues)),
        Result(status=draw.choice(["failed", "exhausted", "refused"]), reason=f"no answer in {draw.randint(5, 60)} s"),
    )
    for at, answer in enumerate(answers):
        drawn = draw if at else Random(5)
        desk = Desk(answer)
        made = probe.call(desk)
        if callable(made) and not isinstance(made, Tool):
            probe.wrong("no decorator", came=f"the function {brief(made)}", expected="a Tool, made by @tool")
        if isinstance(made, HandoffTool):
            probe.wrong("the kernel's own", came="a HandoffTool of the kernel", expected="a Tool of yours, made by @tool")
        if not isinstance(made, Tool):
            probe.wrong(came=brief(made), expected="the tool that is defined inside the function")
        offered = sorted(made.definition["input_schema"]["properties"])
        if offered != ["draft", "facts", "intent"]:
            probe.wrong("other parameters", came=f"a tool whose model sees {', '.join(offered) or 'nothing'}",
                        expected="a tool whose model sees intent, facts and draft")
        if made.name != "handoff_to_reviewer":
            probe.wrong("another name", came=f"a tool named {made.name!r}", expected="'handoff_to_reviewer'")
        topic, share = drawn.choice(TOPICS), drawn.randint(2, 90)
        given = {"intent": f"Review the draft on {topic}", "facts": f"- {topic} grew by {share} %. [{topic.lower()}-1]",
                 "draft": f"{topic} grew by {share} % [{topic.lower()}-1]."}
        call = {"type": "tool_use", "name": made.name, "input": given}
        run = Run(Client(Script([call, "Done."]), retries=0))
        probe.pictures.append(HandoffLog(run))
        lead = Agent("supervisor", "Leads the desk.", "Have drafts reviewed.", models.supervisor, (made,))
        problem = None
        try:
            probe.run(run.dispatch(lead, Handoff(intent=f"Brief on {topic}")))
        except Exception as error:
            problem = error
        _look_at_the_handoff(probe, desk, run, given)
        if problem is not None:
            if isinstance(problem, NameError) and problem.name == "run":
                probe.wrong("run not asked for", came=f"NameError: {problem}", expected="a tool that takes run: Run")
            if _raised(problem):
                probe.wrong("another error", came=f"{type(problem).__name__}: {problem}, and the run is over",
                            expected="a ToolError, which the model reads")
            raise problem
        (told,) = [event.data for event in run.events if event.kind == "tool_result"]
        _look_at_what_the_model_reads(probe, answer, told)


def _raised(problem: Exception) -> bool:
    """Whether the last line of an error is a `raise` or an `assert`, and not a slip."""
    import traceback

    return (traceback.extract_tb(problem.__traceback__)[-1].line or "").startswith(("raise", "assert"))


def _look_at_the_handoff(probe: Probe, desk: Desk, run: Run, given: dict[str, str]) -> None:
    if not desk.seen:
        if any(event.kind == "tool_result" for event in run.events):
            probe.wrong("never hands over", came="an answer without a handoff to the reviewer",
                        expected="one handoff for each call of the tool")
        return
    handoff, its_run = desk.seen[0]
    if its_run.name != "reviewer":
        probe.wrong("around the door", came="the reviewer was executed, and no handoff is in the log",
                    expected="a dispatch through the run that the tool is given")
    handoffs = run.trace().handoffs()[1:]
    if not handoffs:
        probe.wrong("another run", came="the reviewer at work, and no handoff in the log of this run",
                    expected="a dispatch through the run that the tool is given")
    material = {"facts": given["facts"], "draft": given["draft"]}
    if handoff.artifacts == {"facts": given["draft"], "draft": given["facts"]}:
        probe.wrong("mixed up", came="the draft as facts and the facts as draft", expected=f"artifacts {material}")
    if handoff.artifacts != material:
        inside = given["draft"] in handoff.intent + handoff.context
        name = "material in the text" if inside else "no material"
        if material.items() <= handoff.artifacts.items():
            name = "too much"
        probe.wrong(name, expected=f"artifacts {material}",
                    came=f"artifacts {handoff.artifacts} and the intent {brief(handoff.intent)}")
    if handoff.intent != given["intent"]:
        probe.wrong("own intent", came=f"the intent {brief(handoff.intent)}", expected=repr(given["intent"]))
    if len(handoffs) > 1:
        probe.wrong("asked twice", came=f"{len(handoffs)} handoffs to the reviewer", expected="one for each call of the tool")


def _look_at_what_the_model_reads(probe: Probe, answer: Result, told: dict[str, Any]) -> None:
    content, said = told["content"], f"the model read {brief(told['content'])}"
    if answer.ok:
        if content == answer.as_text():
            return
        name = None
        if content.startswith('{"status"'):
            name = "whole result"
        elif answer.output.issues and all(it in content for it in answer.output.issues):
            name = "in another form"
        elif answer.output.verdict in content and '"issues"' not in content:
            name = "verdict only"
        probe.wrong(name, came=said, expected=f"the reviewer's output as text: {answer.as_text()}")
    if not told["is_error"]:
        name = "error as text" if answer.reason in content and not content.startswith("{") else "silence"
        probe.wrong("whole result" if content.startswith('{"status"') else name,
                    came=f"{said}, not marked as an error", expected="a ToolError: nothing came back")
    if answer.reason not in content or answer.status not in content:
        probe.wrong("no reason", came=f"an error with the text {content!r}",
                    expected=f"the status {answer.status!r} and the reason {answer.reason!r} in the error")


REVIEWER_TOOL = Exercise(
    id="05.1", title="The reviewer as a tool", name="reviewer_tool", difficulty=2, importance=5, minutes=3,
    points=3, check=check_reviewer_tool,
    objective="Turn a specialist into a tool that a supervisor's model can hand work to",
    why="This is the one mechanism behind every supervisor whose model chooses; all else is a prompt.",
    hints=(
        "A handoff tool does three things: it packs what the model gives into a handoff, sends that through "
        "the run, and says in text what came back. When nothing came back, the model has to know why.",
        "An async function inside yours, with `@tool` and a docstring. A parameter with the type `Run` is "
        "filled by the kernel. `Handoff` has `artifacts`, a dict of texts; `Result` has `as_text()`, `status` "
        "and `reason`; errors that the model may read are `ToolError`.",
        "Inside, `async def handoff_to_reviewer(intent: str, …, run: Run) -> str:`. Then `result = await "
        "run.dispatch(…, Handoff(intent=…, artifacts={…}))`. If `result.as_text()` is empty, raise `ToolError` "
        "with status and reason; else return that text.",
    ),
    misconceptions={
        "no decorator": Misconception(
            "the inner function is returned as it is; without a schema no model can call it",
            "Put `@tool` above the inner function."),
        "other parameters": Misconception(
            "the model fills exactly what the schema shows; the run must not be there, and the material must",
            "Give the function `intent`, `facts` and `draft` as `str`, and `run` with the type `Run`."),
        "the kernel's own": Misconception(
            "this is the kernel's handoff tool, whose model sees other parameters; here you write it yourself",
            "Put `@tool` above an async function inside yours."),
        "run not asked for": Misconception(
            "the tool uses a run that nobody gave it",
            "Add the parameter `run: Run`; the kernel fills it in, and hides it from the model."),
        "another run": Misconception(
            "the tool works in a run of its own: the budget and the log of the run at hand know nothing of it",
            "Take the parameter `run: Run`, and dispatch through that."),
        "asked twice": Misconception(
            "one call of the tool hands the work over more than once, and each time is paid for",
            "Dispatch once, and keep the result under a name."),
        "too much": Misconception(
            "more was handed over than facts and draft, and the reviewer reads and pays for all of it",
            'Hand over two artifacts: `{"facts": facts, "draft": draft}`.'),
        "in another form": Misconception(
            "verdict and issues are there, in a form of Python's or of your own; everywhere else the model reads JSON",
            "Return `result.as_text()`."),
        "another name": Misconception(
            "a tool takes the name of its function",
            "Call the inner function `handoff_to_reviewer`."),
        "never hands over": Misconception(
            "the tool answers by itself; the reviewer never got any work",
            "Send a `Handoff` to `reviewer` by `await run.dispatch(…)`."),
        "around the door": Misconception(
            "the specialist was called directly: no budget, no log and no limit stands between",
            "Call `run.dispatch(reviewer, handoff)` instead of `reviewer.execute`."),
        "mixed up": Misconception(
            "two artifacts changed places: the reviewer checks the facts against the draft",
            "Compare the names of the artifacts with the values behind them."),
        "material in the text": Misconception(
            "facts and draft were written into the task; the reviewer looks for them by name",
            'Hand them over as `artifacts={"facts": …, "draft": …}`.'),
        "no material": Misconception(
            "the reviewer sees nothing but its handoff, and what it needs is not all in there",
            'Pass both: `artifacts={"facts": facts, "draft": draft}`.'),
        "own intent": Misconception(
            "the task was written anew; what the supervisor's model asked for is lost",
            "Pass the parameter `intent` on as it is."),
        "whole result": Misconception(
            "the whole `Result` was returned, with fields that are the program's own",
            "Return `result.as_text()`: what the reviewer said, and nothing else."),
        "verdict only": Misconception(
            "only the word was passed on; without the issues nobody can revise",
            "Return `result.as_text()`: verdict and issues as JSON."),
        "silence": Misconception(
            "nothing came back, and the model reads an empty text: it may take that for a PASS",
            "Test for an empty text, and raise `ToolError`."),
        "error as text": Misconception(
            "the failure was returned like a review; nothing marks it as an error",
            "Raise `ToolError` with the same message."),
        "no reason": Misconception(
            "the model learns that it failed, but not why, so it cannot choose what to do next",
            "Put `result.status` and `result.reason` into the message."),
        "another error": Misconception(
            "this exception counts as a bug of the program: it ends the whole run, with all work so far",
            "Raise `ToolError`; the model may go on without the review."),
    },
    solution_note="The handoff goes through the run, so it is logged, budgeted and limited like any other. The "
                  "text of the result is all that the supervisor's model ever learns of the review.",
    break_it="Dispatch the same handoff twice in your tool, and return the second result: what does the run say?",
    alternative='''# The kernel's own tool, called with the packed arguments; @tool gives the model another schema.
from kernel import HandoffTool

def reviewer_tool(reviewer):
    inner = HandoffTool(reviewer)

    @tool(name=inner.name, description=reviewer.description)
    async def review(intent: str, facts: str, draft: str, run: Run) -> str:
        return await inner.call({"intent": intent, "artifacts": {"facts": facts, "draft": draft}}, run)

    return review
''')


# ── 05.2: where a fixed order does needless work ───────────────────────────────────────────────────────────


@dataclass
class Watched:
    """A supervisor that remembers the runs in which it worked, and for which task."""

    supervisor: Any
    runs: list[tuple[str, Run]] = field(default_factory=list)

    @property
    def name(self) -> str:
        return self.supervisor.name

    @property
    def description(self) -> str:
        return self.supervisor.description

    async def execute(self, handoff: Handoff, run: Run) -> Result:
        self.runs.append((handoff.intent, run))
        return await self.supervisor.execute(handoff, run)


def check_needless_work(needless_work: Any, probe: Probe) -> None:
    """Real runs on the offline model: briefs, a search, a review and a comparison, in a drawn order."""
    for first in (True, False):
        drawn = Random(5) if first else probe.random
        topics = drawn.sample(TOPICS, 4)
        tasks = [f"Write a brief on {topics[0]}", f"Just find facts about {topics[1]}",
                 f'Review this text: "{topics[2]} is a project of the year {drawn.randint(2010, 2024)}."']
        tasks += [] if first else [f"Compare {topics[2]} and {topics[3]}"]
        drawn.shuffle(tasks)
        team = (researcher(Corpus()), writer(), reviewer())
        fixed, free = Watched(DeterministicSupervisor(*team)), Watched(LLMSupervisor(team))
        came, problem = probe.attempt(fixed, free, tasks, connect("offline"))
        runs = [*fixed.runs, *free.runs]
        if free.runs:
            probe.pictures.append(HandoffLog(Trace(free.runs[-1][1].events)))
        if isinstance(problem, KeyError) and problem.args[0] in [it.name for it in team]:
            probe.wrong("calls of the free run", came=f"KeyError: {problem}", expected="calls of the fixed run, where they worked")
        if problem:
            raise problem
        _look_at_the_runs(probe, fixed, free, runs, tasks)
        _look_at_the_table(probe, fixed, free, came)


def _look_at_the_runs(probe: Probe, fixed: Watched, free: Watched, runs: list[tuple[str, Run]],
                      tasks: list[str]) -> None:
    if not runs:
        probe.wrong("never runs", came="an answer without a run", expected=f"{2 * len(tasks)} runs")
    if any(run.parent is None for _, run in runs):
        probe.wrong("around the door", came="a supervisor that was executed, not dispatched",
                    expected="run.dispatch(supervisor, Handoff(intent=task))")
    for _, run in runs:
        roots = [it for it in run.events if it.kind == "dispatch" and "." not in it.run]
        if len(roots) > 1:
            probe.wrong("one run for all", came=f"{len(roots)} tasks in one run", expected="a new Run for each")
    for name, watched in (("fixed", fixed), ("free", free)):
        worked = [task for task, _ in watched.runs]
        if sorted(worked) != sorted(tasks):
            probe.wrong("not every task", came=f"{len(worked)} tasks through {name}",
                        expected=f"each of the {len(tasks)} tasks, once")


def _look_at_the_table(probe: Probe, fixed: Watched, free: Watched, came: Any) -> None:
    orders, calls, whole, handed, between = {}, {}, {}, {}, {}
    for task, run in fixed.runs:
        trace = Trace(run.events)
        other = Trace(next(run for its, run in free.runs if its == task).events)
        mine, theirs = ([it["to_agent"] for it in each.handoffs()[1:]] for each in (trace, other))
        names = [it for it in dict.fromkeys(mine) if it not in theirs]
        if names:
            orders[task] = names
            calls[task] = sum(trace.by_agent()[it]["calls"] for it in names)
            whole[task] = trace.totals()["calls"]
            handed[task] = sum(it in names for it in mine)
            between[task] = whole[task] - other.totals()["calls"]
    right = {task: (names, calls[task]) for task, names in orders.items()}
    if came is None:
        probe.wrong(came="None", expected="a dict")
    if not isinstance(came, dict) or not all(isinstance(it, tuple) and len(it) == 2 for it in came.values()):
        probe.wrong("another shape", came=brief(came), expected="a dict: task to (names, calls)")
    if came == right:
        return
    if set(came) - set(right):
        empty = [task for task in came if task not in right]
        probe.wrong("needless nowhere", came=f"{brief(empty[0])}: {came[empty[0]]}",
                    expected=f"only tasks with needless work: {[*right]}")
    for task, expected in right.items():
        if task not in came:
            probe.wrong("wrong way round" if not came else None, came=f"no entry for {task!r}",
                        expected=f"{expected}")
        names, number = came[task]
        if isinstance(names, set) or [*names] != expected[0]:  # a set that comes out in order does so by chance
            name = None
            if isinstance(names, set):
                name = "no order"
            elif len(names) > len(set(names)):
                name = "one name twice"
            elif set(expected[0]) < set(names):
                name = "who worked, not who was needless"
            probe.wrong(name, came=f"{names} for {task!r}", expected=f"{expected[0]}")
        if number != expected[1]:
            name = {between[task]: "difference of the runs", whole[task]: "calls of the whole run",
                    handed[task]: "handoffs counted"}.get(number)
            probe.wrong(name, came=f"{number} calls for {task!r}", expected=f"{expected[1]} calls of {expected[0]}")


NEEDLESS_WORK = Exercise(
    id="05.2", title="Where the fixed order does worse", name="needless_work", difficulty=3, importance=4,
    minutes=4, points=3, check=check_needless_work,
    objective="Measure on which tasks a fixed order employs specialists for nothing",
    why="Which supervisor you need is a question about your tasks, and the runs answer it better than an opinion.",
    hints=(
        "Run each task twice, once with each supervisor, and compare who was employed. Whoever only the "
        "fixed order called was called for nothing; what they asked of the model is the waste.",
        "Each task and supervisor wants a `Run(client)` of its own. `run.trace().handoffs()[1:]` lists the "
        'handoffs below the supervisor, each with `"to_agent"`; `run.trace().by_agent()` has the `"calls"` '
        "of each. `dict.fromkeys(…)` drops names that repeat and keeps the order.",
        "For each task: two traces in a list; from each the names in `to_agent`; `needless` holds those of "
        "the first that are not in the second. If there are any, sum up their `[\"calls\"]` in the first "
        "trace, and store `(needless, calls)` under the task.",
    ),
    misconceptions={
        "never runs": Misconception(
            "the answer is written into the function; it has to come from runs",
            "Dispatch each task to both supervisors, and read the traces."),
        "around the door": Misconception(
            "`execute` was called directly; then the trace lacks the supervisor's own handoff",
            "Write `await run.dispatch(supervisor, Handoff(intent=task))`."),
        "one run for all": Misconception(
            "one run holds one trace: handoffs and calls of several tasks are added up in it",
            "Make a new `Run(client)` for each task and each supervisor."),
        "not every task": Misconception(
            "the loop ends early, or goes through one supervisor only",
            "Let the return stand behind both loops."),
        "another shape": Misconception(
            "the entries are not pairs of a list of names and a number",
            "Store `(needless, calls)` under each task."),
        "needless nowhere": Misconception(
            "tasks on which the fixed order employed nobody for nothing are in the answer as well",
            "Store an entry only if there are needless specialists; another order alone is no waste."),
        "wrong way round": Misconception(
            "the comparison asks for whom only the free supervisor employed",
            "Look for names of the fixed order that are missing in the free one."),
        "one name twice": Misconception(
            "a specialist who was called again for a revision is listed again",
            "Go over `dict.fromkeys(names)` instead of the names."),
        "who worked, not who was needless": Misconception(
            "all of the fixed order's specialists are listed, also those whom the free one needed",
            "Leave out the names that are in the free supervisor's handoffs."),
        "calls of the whole run": Misconception(
            "the number counts the needed work as well",
            'Sum up `by_agent()[name]["calls"]` over the needless names only.'),
        "calls of the free run": Misconception(
            "the calls were looked up in the free supervisor's run, and these specialists had no work there",
            "Take `by_agent()` of the fixed run's trace."),
        "difference of the runs": Misconception(
            "one run was subtracted from the other, and in that the free supervisor's own calls are counted too",
            'Sum up `by_agent()[name]["calls"]` over the needless names, in the fixed run alone.'),
        "no order": Misconception(
            "a set forgets who came first",
            "Go over `dict.fromkeys(names)`, which drops repetitions and keeps the order."),
        "handoffs counted": Misconception(
            "a handoff is not a call: one handoff to a researcher takes several requests",
            'Take the `"calls"` of `run.trace().by_agent()`.'),
    },
    solution_note="A trace of each run says who worked and what that took. The fixed order is compared with what "
                  "another supervisor needed for the same task, not with an idea of what it should need.",
    break_it="Swap the two supervisors in the call below. What does an empty answer prove, and what not?",
    alternative='''# Both supervisors through one inner function; a comprehension finds the names.
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
''')


# ── 05.3: a fourth specialist ──────────────────────────────────────────────────────────────────────────────


def check_with_editor(with_editor: Any, probe: Probe) -> None:
    """Two runs on the offline model: a task that asks for one sentence, and one that does not."""
    for first in (True, False):
        drawn = Random(5) if first else probe.random
        team = [researcher(Corpus(), max_turns=drawn.randint(6, 12)), writer(), reviewer()]
        drawn.shuffle(team)
        came = probe.call(tuple(team))
        _look_at_the_team(probe, came, team)
        topic = drawn.choice(TOPICS)
        wanted = f"Write a brief on {topic} and shorten it to one sentence"
        for task in (wanted, f"Write a brief on {topic}"):
            run = Run(connect("offline"))
            probe.pictures.append(HandoffLog(run))
            result = probe.run(run.dispatch(came, Handoff(intent=task)))
            given = [it for it in run.trace().handoffs() if it["to_agent"] == "editor"]
            said = f"{len(given)} handoffs to the editor for {task!r}"
            if task == wanted and not given:
                probe.wrong("description says nothing", came=said, expected="one: the task asks for it")
            if task != wanted and given:
                probe.wrong("turn not clear", came=said, expected="none: the task does not ask for it")
            order = [it["to_agent"] for it in run.trace().handoffs()[1:]]
            if not {it.name for it in team} <= {*order} or (given and order[-1] != "editor"):
                probe.wrong("turn not clear", came=f"the order {' → '.join(order)}",
                            expected="research, writing and review as before, and the editor at the end")
            ended = [it.data["result"] for it in run.events if it.kind == "return" and it.agent == "editor"]
            if ended and ended[-1]["status"] != "ok":
                probe.wrong("editor fails", came=f"an editor that {ended[-1]['status']}: {ended[-1]['reason']}",
                            expected="a sentence from the editor")
            if task == wanted and result.status != "ok":
                probe.wrong(came=f"status {result.status!r}: {result.reason}", expected="status 'ok'")


def _look_at_the_team(probe: Probe, came: Any, team: list[Agent]) -> None:
    if not isinstance(came, LLMSupervisor):
        probe.wrong("no supervisor" if came is not None else None, came=brief(came), expected="an LLMSupervisor")
    specialists = came.specialists
    if not isinstance(specialists, tuple | list) or any(isinstance(it, tuple | list) for it in specialists):
        probe.wrong("not one tuple", came=f"specialists that are {brief(specialists)}",
                    expected=f"one tuple of {len(team) + 1} specialists")
    if any(isinstance(it, HandoffTool | Tool) for it in specialists):
        probe.wrong("already a tool", came="a tool among the specialists", expected="specialists, as agents")
    names = [it.name for it in specialists]
    if any(not any(it is member for it in specialists) for member in team):
        probe.wrong("team lost", came=f"the specialists {', '.join(names)}",
                    expected="the very team that was given, and the editor")
    if len(specialists) == len(team):
        probe.wrong("nobody added", came=f"the specialists {', '.join(names)}", expected="one more: the editor")
    if names.count("editor") != 1:
        probe.wrong("another name", came=f"the specialists {', '.join(names)}", expected="one named 'editor'")
    if came.system != SUPERVISOR:
        probe.wrong("supervisor changed", came=f"a supervisor with the prompt {brief(came.system)}",
                    expected="the prompt that every LLMSupervisor has")
    if not getattr(next(it for it in specialists if it.name == "editor"), "system", "").strip():
        probe.wrong("no prompt", came="an editor without a system prompt", expected="a prompt with its one job")


FOURTH = Exercise(
    id="05.3", title="A fourth specialist", name="with_editor", difficulty=2, importance=4, minutes=3,
    points=2, check=check_with_editor,
    objective="Add a specialist to a team without touching its supervisor",
    why="A free supervisor knows a specialist by its description alone: who describes well need not rewire.",
    hints=(
        "The supervisor's model reads one thing about a specialist: its description. Say there what it makes, "
        "of what, and which material it needs, in words that a task would use as well.",
        "`Agent(name, description, system, model)` makes the specialist; `LLMSupervisor(specialists)` takes a "
        "tuple of them and makes the tools by itself. Look at the writer's description in the lesson.",
        'Make `Agent("editor", "Shortens …. Artifacts: draft.", "You shorten …", models.worker)`, and '
        "return `LLMSupervisor` of a tuple that holds the team and the new agent.",
    ),
    misconceptions={
        "no supervisor": Misconception(
            "what came back is not the supervisor, but its team or the new specialist alone",
            "Return `LLMSupervisor(…)`."),
        "not one tuple": Misconception(
            "team and editor do not stand side by side in one tuple; a tuple inside a tuple is one thing, not three",
            "A star unpacks the team: `LLMSupervisor((*team, editor))`."),
        "editor fails": Misconception(
            "the editor was given work and could not do it: one of its settings is not what the service takes",
            "Compare yours with `Agent(name, description, system, models.worker)`."),
        "already a tool": Misconception(
            "the supervisor makes the handoff tools by itself, of agents",
            "Put the agent itself into the tuple."),
        "team lost": Misconception(
            "the team that was given is not in the new one; somebody else's specialists, or nobody's, are",
            "Start the tuple with `*team`."),
        "nobody added": Misconception(
            "the new specialist was made, but not put into the team",
            "Give `LLMSupervisor` the tuple with the new agent in it."),
        "another name": Misconception(
            "tool and log take the specialist's name, so it has to be the agreed one",
            'Name the agent `"editor"`.'),
        "supervisor changed": Misconception(
            "the supervisor's prompt was rewritten for one specialist; the next one would need that again",
            "Leave `system` as it is, and say in the specialist's description what it is for."),
        "no prompt": Misconception(
            "the specialist has no instructions of its own",
            "Give the agent a system prompt with its one job."),
        "description says nothing": Misconception(
            "the supervisor's model cannot see from the description that this specialist does what was asked",
            "Begin the description with what it does: shortens a finished text."),
        "turn not clear": Misconception(
            "from this description the model takes the editor for somebody else of the team, or does not see "
            "that it works on a finished text",
            "Describe only what nobody else does, and of what: shortens a finished text."),
    },
    solution_note="Nothing but the tuple changed. The tool, its schema and its place in the log follow from the "
                  "agent; when to call it follows from the description.",
    break_it="Change the description to \"A helpful assistant.\" and run the check again.",
    alternative='''# Made of the writer: a copy with another name, description and prompt.
import dataclasses

from kernel import writer


def with_editor(team):
    editor = dataclasses.replace(
        writer(), name="editor",
        description="Shortens a finished text to the length that is asked for. Artifacts: draft.",
        system="You are the editor of an editorial desk. Shorten the draft to one sentence; keep its citation.",
    )
    return LLMSupervisor(specialists=(*team, editor))
''')

EXERCISES = (REVIEWER_TOOL, NEEDLESS_WORK, FOURTH)
