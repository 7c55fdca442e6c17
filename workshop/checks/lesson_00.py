"""The exercises of lesson 00: the order of the handoffs, and what another topic changes in a run."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass
from random import Random
from typing import Any

from kernel import (
    Client,
    Corpus,
    DeterministicSupervisor,
    Handoff,
    Result,
    Run,
    Verdict,
    connect,
    researcher,
    reviewer,
    writer,
)
from kernel.offline import Script
from workshop.views import TeamPicture, facts_of

from .probe import Probe, brief
from .register import Exercise, Misconception

TEAM = ("researcher", "writer", "reviewer")
SUBJECTS = ("rate limits", "vector stores", "tracing", "evaluation", "caching", "handoffs", "circuit breakers")
PASSES_AT_ONCE = ("pgvector", "Qdrant", "Pinecone", "Weaviate", "Milvus", "OpenTelemetry", "Jupyter", "Dask", "asyncio")
REVISED = ("the history of MCP", "retries", "circuit breakers", "SQLite")


# ── 00.1: the order of the handoffs ────────────────────────────────────────────────────────────────────────


@dataclass
class Specialist:
    """An executable that numbers its work, and that as a reviewer sends the first `refuses` drafts back."""

    name: str
    topic: str
    refuses: int | None = None
    description: str = "Works as the case says."
    calls: int = 0

    async def execute(self, handoff: Handoff, run: Run) -> Result:
        self.calls += 1
        if self.refuses is None:
            return Result(status="ok", output=f"- {self.name} {self.calls}: {self.topic}. [source-{self.calls}]")
        if self.calls > self.refuses:
            return Result(status="ok", output=Verdict(verdict="PASS"))
        said = f"sentence {self.calls} on {self.topic} names no source: add one"
        return Result(status="ok", output=Verdict(verdict="REVISE", issues=[said]))


def check_order(who_gets_work: Any, probe: Probe) -> None:
    """Drafts that are sent back twice, not at all, once, and more often than that; each is a real run."""
    draw = probe.random
    for drawn, times in ((Random(3), 2), (draw, 0), (draw, 1), (draw, draw.randint(3, 5))):
        right = _worked(probe, drawn, times)
        said = probe.call(times)
        said = list(said) if isinstance(said, tuple) else said
        _look_at_the_order(probe, said, right, times)


def _worked(probe: Probe, draw: Random, times: int) -> list[str]:
    """Who got work from the supervisor, in a run whose reviewer sends the draft back so many times."""
    topic = draw.choice(SUBJECTS)
    team = (Specialist(name, topic, times if name == "reviewer" else None) for name in TEAM)
    run = Run(Client(Script(), retries=0))
    probe.pictures.append(TeamPicture(run))
    desk = DeterministicSupervisor(*team, max_revisions=times)
    probe.run(run.dispatch(desk, Handoff(intent=f"Write a brief on {topic}")))
    return [it["to_agent"] for it in run.trace().handoffs()[1:]]


def _look_at_the_order(probe: Probe, came: Any, right: list[str], times: int) -> None:
    expected = str(right)
    if not isinstance(came, list) or not all(isinstance(it, str) for it in came):
        probe.wrong("not a list" if came is not None else None, came=brief(came), expected=f"a list of names: {right}")
    if came == right:
        return
    said = str(came)
    if "supervisor" in came or "user" in came:
        probe.wrong("supervisor listed", came=said, expected=expected)
    if unknown := [it for it in came if it not in TEAM]:
        probe.wrong("another name", came=said, expected=f"only the names {', '.join(TEAM)}; {unknown[0]!r} is none of them")
    name = None
    if not came:
        name = "nobody"
    elif came[:1] != right[:1]:
        name = "not researched first"
    elif came.count("researcher") > 1:
        name = "researched again"
    elif times and came.count("writer") == 1 and came.count("reviewer") > 1:
        name = "reviewer mends"
    elif came[-1] == "writer":
        name = "revision not reviewed"
    elif came == right[: len(came)]:
        name = "number not used"
    elif came == [*right, *TEAM[1:]]:
        name = "one round too many"
    elif came[: len(right)] == right:
        name = "grows with each call"
    probe.wrong(name, came=said, expected=expected)


ORDER = Exercise(
    id="00.1", title="Who gets work, and when", name="who_gets_work", difficulty=1, importance=4, minutes=2, points=2,
    check=check_order,
    objective="Predict in which order a supervisor hands work to its specialists",
    why="Whoever can say the order before a run sees at once when a run goes wrong.",
    hints=(
        "Every draft begins at the writer and ends at the reviewer, and only the reviewer's verdict ends the work. So "
        "count the drafts: there is the first one, and one more for each time that it is sent back.",
        "Begin with the list for a draft that passes at once, which the example shows. What has to follow it when the "
        "draft comes back once? The lesson's own run, with five handoffs, is that case.",
        "In Python, `[\"a\", \"b\"] * 2` is `[\"a\", \"b\", \"a\", \"b\"]`, and two lists are joined by `+`. What is "
        "repeated `sent_back` times is the pair that makes and reads one more draft.",
    ),
    misconceptions={
        "not a list": Misconception(
            "the answer is not a list with one text for each handoff; it may be one long text, or hold a list inside the list",
            'Return a list of texts in quotes, `["researcher", …]`; `+` makes one list of two.'),
        "nobody": Misconception(
            "the list is empty for this number, and somebody gets work whatever the reviewer says",
            "Begin with the three names of a draft that passes at once."),
        "another name": Misconception(
            "a name in the list is spelt in another way than the team's own",
            "Use the three names of the specialists, in small letters."),
        "supervisor listed": Misconception(
            "the supervisor gives the work and takes the results; asked for are those who get it",
            "Leave the supervisor out of the list."),
        "not researched first": Misconception(
            "the writer has no search tool: without facts there is nothing to write from",
            "Put the researcher at the beginning."),
        "researched again": Misconception(
            "a draft that is sent back keeps its facts, so nothing is searched a second time",
            "Repeat only the writer and the reviewer."),
        "reviewer mends": Misconception(
            "the reviewer only gives a verdict; it is the writer who mends a draft",
            "Each time a draft comes back, name the writer before the reviewer."),
        "revision not reviewed": Misconception(
            "the last draft goes out unread; a draft that was mended may be wrong in another place",
            "End the list with the reviewer."),
        "number not used": Misconception(
            "this is the order for a draft that comes back less often than `sent_back` says",
            "Add a pair of names for each time that the draft is sent back."),
        "one round too many": Misconception(
            "the first draft was counted as one that came back",
            "When `sent_back` is 0, nothing follows the first three names."),
        "grows with each call": Misconception(
            "there are more pairs than `sent_back` says; a list that outlives the call grows with each of them",
            "Make the list inside the function, so that each call begins with a new one."),
    },
    solution_note="One research, then a pair of handoffs for each draft. The order stands in the supervisor's code; only "
                  "the number of rounds comes from a model, as a verdict.",
    break_it="Call it with 1000. Who ends such a loop in the real team? Lesson 03 puts a cap on it.",
    alternative='''# The same as a loop: a round for each draft.
def who_gets_work(sent_back):
    order = ["researcher"]
    for _ in range(sent_back + 1):
        order += ["writer", "reviewer"]
    return order
''')


# ── 00.2: another topic ────────────────────────────────────────────────────────────────────────────────────


def check_changes(what_changed: Any, probe: Probe) -> None:
    """Two topics of which one is revised; two of the same shape; the same topic twice; the first, the other way."""
    draw = probe.random
    alike, others = draw.sample(PASSES_AT_ONCE, 2), [draw.choice(REVISED), draw.choice(PASSES_AT_ONCE)]
    before: list[Any] = []
    for topics in ([REVISED[0], PASSES_AT_ONCE[0]], alike, [draw.choice(PASSES_AT_ONCE)] * 2, others, others[::-1]):
        first, second = (_facts(probe, topic) for topic in topics)
        given = deepcopy((first, second))
        said = probe.call(first, second)
        if (first, second) != given:
            probe.wrong("facts changed", came=f"dicts with {len(first)} and {len(second)} facts left, or with others",
                        expected="both dicts as they were given")
        _look_at_the_changes(probe, said, first, second, before, " and ".join(topics))
        before.append(said)


def _facts(probe: Probe, topic: str) -> dict[str, Any]:
    """A real run of the lesson's team on the offline model."""
    run = Run(connect("offline", latency_ms=0))
    desk = DeterministicSupervisor(researcher(Corpus()), writer(), reviewer())
    probe.run(run.dispatch(desk, Handoff(intent=f"Write a brief on {topic}")))
    probe.pictures.append(TeamPicture(run))
    return facts_of(run.trace())


def _look_at_the_changes(probe: Probe, came: Any, first: dict, second: dict, before: list[Any], topics: str) -> None:
    right = [name for name in first if first[name] != second[name]]
    expected = f"{right}, when the topics are {topics}"
    if isinstance(came, bool):
        probe.wrong("yes or no", came=str(came), expected=expected)
    if came is not None and right and came == right[0]:
        probe.wrong("stops at the first", came=repr(came), expected=expected)
    names = isinstance(came, list | tuple | set) and all(isinstance(it, str) and it in first for it in came)
    if not names:
        probe.wrong("not the names" if came is not None else None, came=brief(came), expected=expected)
    if set(came) == set(right):
        return
    same = [name for name in first if name not in right]
    grew, shrank = ({it for it in right if one[it] < other[it]} for one, other in ((first, second), (second, first)))
    name = None
    if before and all(set(it) == set(came) for it in before):
        name = "always the same"
    elif set(came) == set(same):
        name = "the same ones"
    elif not came:
        name = "nothing differs"
    elif list(came) == right[:1]:
        name = "stops at the first"
    elif set(came) in (grew, shrank):
        name = "one direction"
    elif set(right) < set(came):
        name = "equal ones too"
    elif set(came) < set(right):
        name = "some left out"
    probe.wrong(name, came=str(list(came)), expected=expected)


CHANGES = Exercise(
    id="00.2", title="What another topic changes", name="what_changed", difficulty=2, importance=4, minutes=2, points=2,
    check=check_changes,
    objective="Compare two runs by what their traces say",
    why="What stays the same in every run is the design; what differs comes from the task and from the models.",
    hints=(
        "Both dicts have the same names. Go through the names of one of them, look at what stands behind each name in "
        "both, and keep the names where the two are not equal.",
        "`first[\"calls\"]` is what stands behind the name calls in the first dict. A loop over a dict gives its names, "
        "one by one: `for name in first`.",
        "Begin with an empty list. In the loop, ask whether `first[name]` and `second[name]` differ (the sign is `!=`), "
        "and if they do, append the name. After the loop, return the list.",
    ),
    misconceptions={
        "yes or no": Misconception(
            "it says whether anything changed, and not what",
            "Return a list with the names of what differs."),
        "not the names": Misconception(
            "the answer is not a list of names of facts: it may hold the values behind them, or be one text",
            'Return a list of names, such as `["documents"]`.'),
        "facts changed": Misconception(
            "the dicts that were given have changed; who looks at the two runs next will miss something",
            "Leave both as they are, and collect the names in a list of your own."),
        "the same ones": Misconception(
            "these are the names whose values are equal: the design, and not what changed",
            "Turn the comparison round: `!=` in place of `==`."),
        "nothing differs": Misconception(
            "no difference was found: the names were compared, which are the same in both runs, or the loop ended at the "
            "first name",
            "Compare `first[name]` with `second[name]`, and return after the loop."),
        "some left out": Misconception(
            "names are missing whose values differ; they are lists and numbers, and may differ in any way",
            "Compare the values themselves, with `!=`, for every name."),
        "stops at the first": Misconception(
            "a `return` inside the loop ends it with the first name that differs",
            "Collect the names in a list, and return it after the loop."),
        "one direction": Misconception(
            "only what is larger in one of the runs was found; a change may go either way",
            "Ask with `!=` whether the two differ."),
        "equal ones too": Misconception(
            "names were reported whose values are equal; `is not`, for one, asks whether two things are one object, not "
            "whether they are equal",
            "Compare with `!=`, and keep only the names where it says yes."),
        "always the same": Misconception(
            "the list is the one for other runs; it is written down and not computed",
            "Compute the list from the two dicts that the function is given."),
    },
    solution_note="Who works and what the writer is handed never changed: that is the supervisor's code. The documents "
                  "follow the topic, and order and calls follow the reviewer's verdict.",
    break_it="Run the team on a topic that the library knows nothing of, and compare: does the design still hold?",
    alternative='''# The same as a loop, one name after the other.
def what_changed(first, second):
    changed = []
    for name, value in first.items():
        if value != second[name]:
            changed.append(name)
    return changed
''')

EXERCISES = [ORDER, CHANGES]
