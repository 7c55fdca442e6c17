"""The exercises of lesson 06: a loop under a budget, the lost handoff, a local budget, a ring."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass, field
from random import Random
from typing import Any

from kernel import Budget, Corpus, Handoff, LLMSupervisor, Result, Run, Verdict, connect, models, researcher, reviewer, writer
from kernel.offline import Temperament
from workshop.views import HandoffLog, Timeline

from .probe import Probe, Wrong, brief
from .register import Exercise, Misconception

TOPICS = ("OpenTelemetry", "Qdrant", "pgvector", "Weaviate", "Pinecone", "Milvus")


# ── 06.1: a loop under a budget ────────────────────────────────────────────────────────────────────────────

ISSUES = ["It could be more engaging", "Its end is dull"]

@dataclass
class Worker:
    """A specialist that asks a model `size` times before it answers; one that is asked for ever ends the check."""

    name: str
    size: int
    answer: Callable[[], Any]
    probe: Probe
    most: int = 40
    description: str = "Works as the case says."
    asked: int = 0
    given: list[Handoff] = field(default_factory=list)
    """Those that a first call was left for."""

    async def execute(self, handoff: Handoff, run: Run) -> Result:
        self.asked += 1
        if self.asked > self.most:
            self.probe.wrong("no end", came=f"{self.asked} handoffs to the {self.name}, and no end",
                             expected="an end when the calls are used up")
        for at in range(self.size):
            await run.ask(model=models.worker, max_tokens=16, messages=[{"role": "user", "content": "Hello"}])
            if at == 0:
                self.given.append(handoff)
        return Result(status="ok", output=self.answer())


@dataclass
class Desk:
    """What the function is given: a reviewer that passes version `passes` (0: none), and a writer."""

    reviewer: Worker
    writer: Worker


class Case:
    """A budget, a desk, and what a loop that keeps to both must do."""

    def __init__(self, probe: Probe, drawn: Random, *, passes: int, reviews: int, writes: int, calls: int) -> None:
        """The specialists take `reviews` and `writes` calls a handoff; `last` is the draft that is to come back."""
        self.calls, self.passes, topic = calls, passes, drawn.choice(TOPICS)
        self.task = f"Write a brief on {topic}"
        self.facts = f"- {topic} has {drawn.randint(2, 90)} parts. [{topic.lower()}-1]"
        self.drafts = [f"# {topic}\n\nDraft {at}, of {size} words." for at, size in enumerate(drawn.sample(range(20, 180), 60))]
        self.desk = Desk(Worker("reviewer", reviews, self._review, probe), Worker("writer", writes, self._write, probe))
        self.before, self.last, self.passed, left = drawn.randint(2, 4), 0, False, calls
        while reviews <= left and not self.passed:
            left, self.passed = left - reviews, self.last + 1 == passes
            if self.passed or writes > left:
                break
            left, self.last = left - writes, self.last + 1
        self.spent = calls - left if self.passed else calls  # a specialist goes on until its budget stops it

    def _review(self) -> Verdict:
        good = self.desk.reviewer.asked == self.passes
        return Verdict(verdict="PASS") if good else Verdict(verdict="REVISE", issues=ISSUES)

    def _write(self) -> str:
        return self.drafts[self.desk.writer.asked]


def _cases(probe: Probe) -> Iterator[Case]:
    first, draw = Random(6), probe.random
    yield Case(probe, first, passes=0, reviews=1, writes=1, calls=6)
    yield Case(probe, draw, passes=draw.randint(2, 3), reviews=1, writes=2, calls=draw.randint(12, 16))
    yield Case(probe, draw, passes=0, reviews=2, writes=3, calls=5 * draw.randint(1, 2) + draw.randint(3, 4))
    yield Case(probe, draw, passes=0, reviews=3, writes=1, calls=4 * draw.randint(2, 3) + 2)
    yield Case(probe, draw, passes=0, reviews=1, writes=1, calls=2 * draw.randint(2, 4) + 1)


def check_revise_within(revise_within: Any, probe: Probe) -> None:
    """Desks whose reviewer is never content, or late; whose specialists take one call or several."""
    for case in _cases(probe):
        run = Run(connect("offline"))
        probe.pictures.append(Timeline(run))
        earlier = Worker("researcher", case.before, lambda: "facts", probe)
        probe.run(run.dispatch(earlier, Handoff(intent=case.task)))
        came, problem = probe.attempt(run, case.desk, case.task, case.facts, case.drafts[0], case.calls)
        if problem and (isinstance(problem, Wrong) or run.spent.calls - case.before <= case.calls):
            raise problem
        if case.passed and case.desk.reviewer.asked > case.passes:
            probe.wrong("PASS not seen", came=f"{case.desk.reviewer.asked} reviews; version {case.passes} had passed",
                        expected="an end at the first PASS")
        _look_at_what_is_handed(probe, case)
        _look_at_the_spending(probe, run, case)
        _look_at_the_result(probe, came, case)


def _look_at_what_is_handed(probe: Probe, case: Case) -> None:
    for worker, needs in ((case.desk.reviewer, ("facts", "draft")), (case.desk.writer, ("facts", "draft", "feedback"))):
        for at, handoff in enumerate(worker.given):
            parts, said = handoff.artifacts, f"handoff {at + 1} to the {worker.name}"
            if missing := [it for it in needs if it not in parts]:
                probe.wrong("feedback missing" if missing == ["feedback"] else "material missing", expected=", ".join(needs),
                            came=f"{said}, with {', '.join(parts) or 'no artifacts'}")
            if parts["draft"] in case.drafts[:at]:
                probe.wrong("old draft", came=f"{said}, with {brief(parts['draft'])}", expected=brief(case.drafts[at]))
            if handoff.intent != case.task or parts["facts"] != case.facts:
                probe.wrong(came=f"{said}, with the intent {brief(handoff.intent)} and the facts {brief(parts['facts'])}",
                            expected=f"{case.task!r} and {case.facts!r}")
            if lost := [it for it in ISSUES if worker is case.desk.writer and it not in parts["feedback"]]:
                probe.wrong("feedback missing", came=f"{said}, with the feedback {brief(parts['feedback'])}",
                            expected=f"a text with all issues, such as {lost[0]!r}")


def _look_at_the_spending(probe: Probe, run: Run, case: Case) -> None:
    given = [event for event in run.events if event.kind == "dispatch"][1:]
    spent = run.spent.calls - case.before
    said = f"{spent} calls for the loop, in {len(given)} handoffs"
    if not given:
        past = case.desk.reviewer.asked or case.desk.writer.asked
        probe.wrong("past the door" if past else "never asks", expected="a first one to the reviewer",
                    came=f"a result without a handoff{', after calls of execute' * bool(past)}")
    if spent > case.calls:
        held = [event.data["limits"]["calls"] for event in given if event.data["limits"]["calls"] is not None]
        near = spent < case.calls + max(case.desk.reviewer.size, case.desk.writer.size)
        name = "whole budget each time" if held else "looked, not held" if near else "rounds for calls"
        probe.wrong(name, came=said, expected=f"at most {case.calls} calls")
    if spent < case.spent:
        name = "earlier work counted" if case.spent - spent == case.before else "calls left over"
        probe.wrong(name, came=said,
                    expected=f"{case.spent} calls; the {case.before} before the loop are not the loop's")


def _look_at_the_result(probe: Probe, came: Any, case: Case) -> None:
    if not isinstance(came, Result):
        probe.wrong("no result" if came is not None else None, came=brief(came), expected="a Result with a status and the draft")
    wanted = "ok" if case.passed else "exhausted"
    if not came.as_text():
        probe.wrong("draft lost", came=f"status {came.status!r} and no draft", expected=brief(case.drafts[case.last]))
    if came.status != wanted:
        name = "limit not said" if came.status == "ok" else None
        probe.wrong(name, came=f"status {came.status!r}", expected=f"status {wanted!r}")
    if came.output != case.drafts[case.last]:
        old = came.output in case.drafts[:case.last]
        name = "old draft" if old else "half work" if came.output not in case.drafts else None
        probe.wrong(name, came=brief(came.output), expected=brief(case.drafts[case.last]))


CAP = Exercise(
    id="06.1", title="Cap the loop with a budget", name="revise_within", difficulty=3, importance=5, minutes=5,
    points=3, check=check_revise_within,
    objective="End a loop between two agents by a budget, and keep its work",
    why="Rounds are not what you pay for: only a budget of calls holds whatever happens inside a round.",
    hints=(
        "Before each handoff, work out how many calls the loop has left, and give the specialist no more than "
        "that. Whatever is not ok then ends the loop; the draft in your hand is the answer.",
        "`run.spent.calls` counts everything that the run has used, also what was before your loop: note it at the "
        "start. `run.dispatch` takes `budget=Budget(calls=…)`.",
        "Note `before = run.spent.calls`. In the loop, `left = calls - (run.spent.calls - before)`; when it is 0, leave. "
        "Dispatch the reviewer with that, leave if it is not ok, return at PASS; work out `left` anew, dispatch the "
        "writer, leave if it is not ok, else take its draft. Behind the loop, return the draft as exhausted.",
    ),
    misconceptions={
        "never asks": Misconception(
            "the answer is written into the function; it has to come from the desk",
            "Dispatch the draft to `desk.reviewer` first."),
        "no end": Misconception(
            "neither a verdict nor the budget ends the loop",
            "Leave the loop when no calls are left, or when a result is not ok."),
        "rounds for calls": Misconception(
            "rounds are counted, but one round may take any number of calls",
            "Compare `run.spent.calls` with its value before the loop, instead of counting rounds."),
        "looked, not held": Misconception(
            "the spending is looked at between the handoffs; nothing holds the specialist that is at work",
            "Give each dispatch a budget of what is left: `budget=Budget(calls=left)`."),
        "whole budget each time": Misconception(
            "a dispatch may use more than what the ones before it have left over",
            "Work out what is left before each dispatch, also before the second of a round."),
        "past the door": Misconception(
            "`execute` was called directly, so no budget stands over this work, and no log holds it",
            "Call `await run.dispatch(who, handoff, budget=…)` instead."),
        "material missing": Misconception(
            "a specialist sees nothing but its handoff, and what it needs is not all in this one",
            'Hand over `artifacts={"facts": facts, "draft": draft}`, and the writer\'s feedback besides.'),
        "feedback missing": Misconception(
            "the writer is asked to revise, and not told all that is wrong",
            'Add the artifact `feedback`, with all issues: `"\\n".join(reviewed.output.issues)`.'),
        "calls left over": Misconception(
            "the loop ends though a call is left, and one call may be all that the next handoff needs",
            "Go on as long as anything is left: `left > 0`."),
        "half work": Misconception(
            "this text comes from a specialist that its budget stopped half-way; it is no draft",
            "Take the writer's text only when its result is `ok`, and at the limit return the draft in your hand."),
        "earlier work counted": Misconception(
            "the loop ends although it has calls left: what the run spent before the loop was counted too",
            "Note `run.spent.calls` at the start, and subtract it."),
        "PASS not seen": Misconception(
            "the draft had passed, and the loop went on",
            'Return at once when `reviewed.output.verdict` is `"PASS"`.'),
        "no result": Misconception(
            "the draft came back without a status; the caller cannot tell a good one from an unfinished one",
            "Return a `Result` on every path."),
        "draft lost": Misconception(
            "the paid drafts are not in what came back; was the result of the specialist that ran out returned?",
            "At a limit, return the draft in your hand as `output`."),
        "limit not said": Misconception(
            "no reviewer passed this draft, and the status says that all is well",
            'Return status `"exhausted"` when the calls are used up.'),
        "old draft": Misconception(
            "a draft from before a revision was handed over once more, or returned",
            "Overwrite `draft` as soon as the writer has given you a new one."),
    },
    solution_note="Each handoff gets what is left, so the sum holds even when a specialist takes more calls than anybody "
                  "thought. What is not ok ends the loop, and the draft was never out of our hands.",
    break_it="Take the budget off the writer's dispatch. How far over the limit can the loop get?",
    alternative='''# The loop as an executable of its own: one dispatch, one budget over everything below it.
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
''')


# ── 06.2: the lost handoff ─────────────────────────────────────────────────────────────────────────────────

NEEDS = {"writer": ["facts"], "reviewer": ["facts", "draft"]}
Log = list[dict[str, Any]]
Found = list[tuple[int, str, list[str]]]


def check_lost_handoffs(lost_handoffs: Any, probe: Probe) -> None:
    """A real run whose supervisor drops the facts, a healthy one, and logs with gaps of several kinds."""
    for at in range(4):
        drawn = probe.random if at else Random(6)
        if at < 2:
            client = connect("offline", temperament=Temperament(drops_facts=not at), seed=6)
            run = Run(client)
            team = (researcher(Corpus()), writer(), reviewer())
            probe.run(run.dispatch(LLMSupervisor(team), Handoff(intent=f"Write a brief on {drawn.choice(TOPICS)}")))
            probe.pictures.append(HandoffLog(run))
            log, needs = run.trace().handoffs(), NEEDS if at else {"writer": NEEDS["writer"]}
        else:
            given, needs = _drawn(drawn)
            run = Run(connect("offline"))
            probe.pictures.append(HandoffLog(run))
            probe.run(run.dispatch(Hub(given), Handoff(intent="Work on the draft and the facts")))
            log = run.trace().handoffs()
        came, problem = probe.attempt(deepcopy(log), deepcopy(needs))
        if isinstance(problem, KeyError):
            probe.wrong("everybody has needs", came=f"KeyError: {problem}", expected="an agent without an entry needs nothing")
        if problem:
            raise problem
        _look_at_what_is_lost(probe, log, needs, came)


@dataclass
class Hub:
    """Hands these artifacts to agents of these names, in this order; with no one to call, it only answers."""

    given: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    name: str = "supervisor"
    description: str = "Hands work around."

    async def execute(self, handoff: Handoff, run: Run) -> Result:
        for at, (name, artifacts) in enumerate(self.given):
            await run.dispatch(Hub(name=name), Handoff(intent=f"{handoff.intent}, step {at}", artifacts=artifacts))
        return Result(status="ok", output="done")


def _drawn(drawn: Random) -> tuple[list[tuple[str, dict[str, str]]], dict[str, list[str]]]:
    """Who gets what, with at least one gap of each kind, in any order; and what they need."""
    needs = {"editor": ["style", "draft"], "checker": ["facts", "draft"], "translator": ["draft"]}
    fact, draft = f"- A fact of {drawn.randint(1990, 2024)}. [doc-{drawn.randint(1, 9)}]", "# A title\n\nA sentence."
    given = [
        ("archivist", {}), ("editor", {"draft": draft, "style": "plain"}), ("checker", {"facts": fact}),
        ("editor", {"feedback": "shorter"}), ("translator", {"draft": drawn.choice(["", "  \n", "\n"])}),
        ("checker", {"facts": fact, "draft": draft}), ("checker", {"draft": draft, "notes": fact}),
    ]
    drawn.shuffle(given)
    return given, needs


def _lost(log: Log, needs: dict[str, list[str]], *, blank: bool = True, first: int = 1) -> Found:
    found = []
    for number, it in enumerate(log, first):
        there = {name for name, text in it["artifacts"].items() if text.strip() or not blank}
        if missing := [name for name in needs.get(it["to_agent"], []) if name not in there]:
            found.append((number, it["to_agent"], missing))
    return found


def _look_at_what_is_lost(probe: Probe, log: Log, needs: dict[str, list[str]], came: Any) -> None:
    right = _lost(log, needs)
    slips = {
        "counted from 0": _lost(log, needs, first=0),
        "first one only": right[:1],
        "empty counts as there": _lost(log, needs, blank=False),
        "all missing or nothing": [it for it in right if it[2] == needs[it[1]]],
        "one name each": [(number, name, missing[:1]) for number, name, missing in right],
        "needs for missing": [(number, name, needs[name]) for number, name, _ in right],
        "nothing found": [],
        "complete ones too": [(at, it["to_agent"], next((gap[2] for gap in right if gap[0] == at), []))
                              for at, it in enumerate(log, 1)],
    }
    if came == right:
        return
    shaped = isinstance(came, list) and all(isinstance(it, tuple) and len(it) == 3 and isinstance(it[2], list) for it in came)
    if not shaped:
        probe.wrong("another shape" if came is not None else None, came=brief(came),
                    expected=f"a list of (number, agent, missing names): {right}")
    name = next((name for name, slip in slips.items() if came == slip), None)
    if sorted((*it[:2], sorted(it[2])) for it in came) == sorted((*it[:2], sorted(it[2])) for it in right):
        name = "another order"
    probe.wrong(name, came=brief(came), expected=str(right))


LOST = Exercise(
    id="06.2", title="Find the lost handoff", name="lost_handoffs", difficulty=2, importance=4, minutes=3,
    points=2, check=check_lost_handoffs,
    objective="Find in the log the handoff that lacks what its receiver needs",
    why="A run that lost its facts ends with status ok; only the log knows.",
    hints=(
        "The log holds every handoff in full. For each, compare the names that its receiver needs with the "
        "artifacts that it carries; an empty text carries nothing.",
        '`enumerate(handoffs, 1)` counts as the log does. Each handoff is a dict: `"to_agent"` is a name, '
        '`"artifacts"` a dict of texts. `needs.get(name, [])` is empty for an agent without needs.',
        'For each number and handoff, make `missing`, the list of names of `needs.get(…, [])` for which '
        '`handoff["artifacts"].get(name, "")` is empty after `strip()`. If there are any, append the tuple.',
    ),
    misconceptions={
        "counted from 0": Misconception(
            "the log's first handoff has the number 1",
            "Start counting at 1: `enumerate(handoffs, 1)`."),
        "first one only": Misconception(
            "the function ends at the first gap; the same cause often makes more",
            "Collect them all, and return behind the loop."),
        "empty counts as there": Misconception(
            "a name with an empty text behind it counts as given",
            "Look at the text, without its blanks, not only at the name."),
        "all missing or nothing": Misconception(
            "a handoff that carries one of the things it needs counts as complete",
            "Look at each name by itself."),
        "one name each": Misconception(
            "only the first missing name of a handoff is reported",
            "Collect the names in a list."),
        "needs for missing": Misconception(
            "everything that the receiver needs is listed, also what it got",
            "Keep only the names whose text is missing."),
        "nothing found": Misconception(
            "no gap was seen: perhaps the words were looked for in the whole handoff, whose task speaks of facts and carries "
            "none, or the giver was taken for the receiver",
            'Look into `handoff["artifacts"]`, for what `handoff["to_agent"]` needs.'),
        "complete ones too": Misconception(
            "handoffs that lack nothing are listed as well, with an empty list",
            "Append a tuple only when something is missing."),
        "another order": Misconception(
            "the gaps are the right ones; they, or the names of one, stand in another order",
            "Go once over the log, and in it over `needs[…]` as it stands, without sorting."),
        "everybody has needs": Misconception(
            "not every agent has an entry in `needs`; the supervisor has none, for example",
            "Use `needs.get(name, [])`."),
        "another shape": Misconception(
            "the entries are not tuples of a number, a name and a list of names",
            "Append `(number, name, missing)`."),
    },
    solution_note="What each specialist needs is written down once, and every handoff is held against it. The same "
                  "function works as a guard before the handoff, where it costs no call.",
    break_it="Let the facts be there, but cut after 20 characters. Does your function notice, and how could it?",
    alternative='''# A comprehension, with the gaps of one handoff in an inner function.
def lost_handoffs(handoffs, needs):
    def gaps(handoff):
        carried = {name for name, text in handoff["artifacts"].items() if text.strip()}
        return [name for name in needs.get(handoff["to_agent"], ()) if name not in carried]

    numbered = enumerate(handoffs, start=1)
    return [(number, it["to_agent"], gaps(it)) for number, it in numbered if gaps(it)]
''')


# ── 06.3: a local budget ───────────────────────────────────────────────────────────────────────────────────


def check_facts_within(facts_within: Any, probe: Probe) -> None:
    """Real researchers: one that never stops, one that works as it should, one that is out of turns first."""
    for at in range(4):
        drawn = probe.random if at else Random(6)
        runaway, turns = at != 1, 2 if at == 2 else 20
        calls = drawn.randint(4, 6)
        run = Run(connect("offline", temperament=Temperament(never_done=runaway), seed=6))
        probe.pictures.append(Timeline(run))
        task = f"Find facts about {drawn.choice(TOPICS)}"
        came, problem = probe.attempt(run, researcher(Corpus(), max_turns=turns), task, calls)
        if problem and probe.raised_by_hand(problem):
            probe.wrong("raises", came=f"{type(problem).__name__}: {problem}", expected="a text with what was found")
        if problem:
            raise problem
        _look_at_the_local_budget(probe, run, calls)
        intent = run.trace().handoffs()[0]["intent"]
        if intent != task:
            probe.wrong("own task", came=f"the intent {intent!r}", expected=repr(task))
        (result,) = [Result(**event.data["result"]) for event in run.events if event.kind == "return"]
        _look_at_the_facts(probe, result, came)


def _look_at_the_local_budget(probe: Probe, run: Run, calls: int) -> None:
    given = [event.data["limits"] for event in run.events if event.kind == "dispatch"]
    used = run.client.ledger.spent.calls
    if not given:
        name = "around the door" if run.spent.calls else "another run" if used else "never asks"
        probe.wrong(name, came=f"{used} calls, and no handoff in the run's log", expected="one handoff through the run")
    if len(given) > 1:
        probe.wrong("asked again", came=f"{len(given)} handoffs", expected="one handoff, and what came of it")
    if given[0]["calls"] is None:
        name = "turns for calls" if given[0]["turns"] is not None else "no local budget"
        probe.wrong(name, came=f"{used} calls, without a limit on calls", expected=f"a budget of {calls} calls")
    if given[0]["calls"] != calls:
        probe.wrong("another number", came=f"a budget of {given[0]['calls']} calls", expected=f"{calls} calls")


def _look_at_the_facts(probe: Probe, result: Result, came: Any) -> None:
    kept = result.artifacts.get("tool_results", "")
    right = result.as_text() or kept
    if came == right:
        return
    said = f"{brief(came)} for a result with status {result.status!r}"
    if not isinstance(came, str):
        probe.wrong("not a text", came=said, expected=f"the text {brief(right)}")
    name = None
    if came == kept and result.as_text():
        name = "raw documents"
    elif not came or came == "None":
        name = "answer thrown away" if result.as_text() else "work thrown away"
    elif came == result.reason:
        name = "reason for facts"
    elif kept and kept in came:
        name = "answer and documents"
    probe.wrong(name, came=said, expected=brief(right))


LOCAL = Exercise(
    id="06.3", title="A local budget", name="facts_within", difficulty=2, importance=5, minutes=2,
    points=2, check=check_facts_within,
    objective="Give one specialist a budget of its own, and go on with what it found",
    why="Under the run's budget alone, one runaway specialist spends what all the others needed.",
    hints=(
        "A dispatch can have a budget that holds for this specialist alone. When it is used up you get a result "
        "all the same; it is not ok, and it carries the work so far.",
        "`run.dispatch` takes `budget=Budget(calls=…)`. `result.as_text()` is the answer, empty if there was none; "
        '`result.artifacts` then holds `"tool_results"`, what the searches brought.',
        "Dispatch `Handoff(intent=task)` with the budget, await the result, and return `result.as_text()`, or, when that is "
        'empty, what `result.artifacts.get("tool_results", …)` gives.',
    ),
    misconceptions={
        "never asks": Misconception(
            "the facts are written into the function; they have to come from the researcher",
            "Dispatch the task to `researcher`."),
        "around the door": Misconception(
            "`execute` was called directly; then no budget of its own stands over the specialist",
            "Call `run.dispatch(researcher, …)`."),
        "another run": Misconception(
            "a new run was made: the old one's budget and log know nothing of it",
            "Dispatch through the `run` that is given, with `budget=`."),
        "asked again": Misconception(
            "the specialist was asked a second time, so the budget was spent twice",
            "Use what the first result carries."),
        "no local budget": Misconception(
            "nothing holds this specialist but the budget of the whole run",
            "Add `budget=Budget(calls=calls)` to the dispatch."),
        "turns for calls": Misconception(
            "turns are rounds of one agent's loop; at their end the kernel asks once more, and sub-agents do not count",
            "Limit `calls`."),
        "another number": Misconception(
            "the budget does not have the number that was given",
            "Pass the parameter `calls` on as it is."),
        "not a text": Misconception(
            "something else than a text was returned; the writer needs a text",
            "Return `result.as_text()`, or the kept texts."),
        "work thrown away": Misconception(
            "no answer, but paid work: what the searches brought is in the result's artifacts",
            'Fall back on `result.artifacts.get("tool_results", "")`.'),
        "answer thrown away": Misconception(
            "a result that is not ok may still hold an answer, given at the last turn",
            "Ask for the text, not for the status."),
        "raw documents": Misconception(
            "the researcher gave an answer, and the raw documents were returned instead",
            "Take `result.as_text()` first."),
        "answer and documents": Misconception(
            "there is an answer, and the raw documents went along with it",
            "Use what was kept only when the answer is empty: `… or …`."),
        "raises": Misconception(
            "the limit is treated as an error, and an exception carries none of the work",
            "Return what the searches brought."),
        "own task": Misconception(
            "the task was written anew; the researcher looks for other words than were asked for",
            "Pass it on as it is: `Handoff(intent=task)`."),
        "reason for facts": Misconception(
            "the reason of the limit was returned as if it were a fact",
            'Return the kept texts: `result.artifacts.get("tool_results", "")`.'),
    },
    solution_note="The limit holds at this specialist, so the writer and the reviewer keep their share. The result at the "
                  "limit is ordinary: an answer if there is one, else the material for it.",
    break_it="Give the whole run a budget of 5 calls, and the researcher one of 20. Which one holds?",
    alternative='''# By the status: what is ok has an answer, what is exhausted has one or the material.
async def facts_within(run, researcher, task, calls):
    limit = Budget(calls=calls)
    result = await run.dispatch(researcher, Handoff(intent=task), budget=limit)
    if result.ok or result.output:
        return result.as_text()
    return "\\n\\n".join(text for name, text in result.artifacts.items() if name == "tool_results")
''')


# ── 06.4: a ring ───────────────────────────────────────────────────────────────────────────────────────────


@dataclass
class Member:
    """Hands work to each of its colleagues in turn, whoever that is."""

    name: str
    colleagues: list[Member] = field(default_factory=list)
    description: str = "Has the work done by colleagues."

    async def execute(self, handoff: Handoff, run: Run) -> Result:
        for number, it in enumerate(self.colleagues):
            await run.dispatch(it, Handoff(intent=f"{handoff.intent}, part {number}"), budget=Budget(depth=20))
        return Result(status="ok", output="done")


NAMES = ("newsroom", "archive", "writer", "checker", "editor", "translator", "lawyer", "printer")


def check_find_ring(find_ring: Any, probe: Probe) -> None:
    """Rings of two to four behind a hub, and two teams without one: repeated handoffs, and two ways to one agent."""
    for kind in ("two", "repeats", "two ways", "long"):
        drawn = Random(6) if kind == "two" else probe.random
        hub, first, second, *others = (Member(name) for name in ("supervisor", *drawn.sample(NAMES, 7)))
        ring: list[str] = []
        if kind == "repeats":
            hub.colleagues = [first, second, first, second, others[0]]
        elif kind == "two ways":
            hub.colleagues, first.colleagues, second.colleagues = [first, second], [others[0]], [others[0]]
        else:
            chain = [first, second, *others[: drawn.randint(1, 2) if kind == "long" else 0]]
            ring = [it.name for it in (*chain, first)]
            for caller, called in zip(chain, [*chain[1:], first], strict=True):
                caller.colleagues = [called] if caller is first or kind == "two" else [others[-1], called, others[-1]]
            hub.colleagues = [others[-2], first]
        run = Run(connect("offline"), budget=Budget(depth=20))
        probe.pictures.append(HandoffLog(run))
        probe.run(run.dispatch(hub, Handoff(intent="Write a brief"), budget=Budget(depth=20)))
        _look_at_the_ring(probe, kind, ring, probe.call(run.trace().handoffs()))


def _look_at_the_ring(probe: Probe, kind: str, ring: list[str], came: Any) -> None:
    if not isinstance(came, list) or any(not isinstance(it, str) for it in came):
        name = "no ring, no list" if came is None else "yes or no" if isinstance(came, bool) else "another shape"
        probe.wrong(name, came=brief(came), expected=f"a list of names: {ring}")
    way = " → ".join(came) or "no ring"
    if not ring:
        if came:
            name = "called again" if kind == "repeats" else "two ways to one agent"
            probe.wrong(name, came=way, expected="[]: nobody gets back what they handed on")
        return
    turns = [[*ring[at:-1], *ring[:at], ring[at]] for at in range(len(ring) - 1)]
    if came in turns:
        return
    name = None
    if not came:
        name = "back and forth only" if kind == "long" else "no ring seen"
    elif came in [it[:-1] for it in turns]:
        name = "not closed"
    elif came[::-1] in turns:
        name = "against the arrows"
    elif set(ring) < set(came):
        name = "more than the ring"
    elif set(came) < set(ring):
        name = "names counted"
    probe.wrong(name, came=way, expected=" → ".join(ring))


RING = Exercise(
    id="06.4", title="Detect a ring", name="find_ring", difficulty=4, importance=3, minutes=4,
    points=4, check=check_find_ring,
    objective="Find a ring of agents in the log of a run",
    why="The door refuses a ring where it closes; who built it is written in the log.",
    hints=(
        "Draw an arrow for each handoff, from its giver to its receiver. Walk along the arrows and remember your way: "
        "when the next agent is already on it, the part from there on is a ring.",
        'A dict from each name to the list of names that it handed to holds the arrows: `"from_agent"` and '
        '`"to_agent"`. A function that gets the way so far, and calls itself for each next name, walks it.',
        "`walk(way)` goes over the receivers of `way[-1]`. If one is in `way`, return the part of `way` from "
        "`way.index(name)` on, and the name once more. Else walk on with a longer way; return what comes back if it is not "
        "empty. Start a walk at each giver.",
    ),
    misconceptions={
        "called again": Misconception(
            "a hub that calls the same specialist twice is no ring: the work came back in between",
            "Follow the arrows, do not count names, and give each branch a way of its own: `[*way, name]`."),
        "two ways to one agent": Misconception(
            "two agents may hand to the same third; nobody gets back what they handed on",
            "Compare with the way that led here, not with all names that were ever seen."),
        "no ring seen": Misconception(
            "the way is not followed until it closes; the ring lies behind the hub",
            "Start a walk at each giver, and return what an inner walk found."),
        "back and forth only": Misconception(
            "a ring of two was found, and this longer one was not: the walk ends early, or follows one arrow of each agent",
            "Walk on from each receiver, along all of its arrows."),
        "more than the ring": Misconception(
            "the way into the ring was returned as well, or a branch beside it",
            "Cut the way: begin where the repeated name stands first."),
        "names counted": Misconception(
            "some of the ring's names are there, without the way: perhaps names that come twice in the log were counted",
            "Follow the arrows from one giver on, and keep the way."),
        "not closed": Misconception(
            "the last step, back to the start, is missing",
            "Append the name at which the ring closes."),
        "against the arrows": Misconception(
            "the names stand in the order from receiver to giver",
            "Follow the handoffs from giver to receiver, or turn the list round."),
        "yes or no": Misconception(
            "a truth value says that there is a ring, but not which one",
            "Return the names on the ring, and an empty list if there is none."),
        "no ring, no list": Misconception(
            "a path through the function ends without a list; no ring is an empty list",
            "Return `[]` at the end."),
        "another shape": Misconception(
            "the answer is not a list of names",
            "Return the names as a list of texts."),
    },
    solution_note="The way so far is the only memory, and each branch has its own: that is why two ways to one agent are "
                  "no ring. The door does the same with the names above a dispatch, before it happens.",
    break_it="Give each agent of the ring a new name each time, as the lesson did. What would you have to compare?",
    alternative='''# Strip what cannot be on a ring, again and again; what is left is walked until a name repeats.
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
''')

EXERCISES = (CAP, LOST, LOCAL, RING)
