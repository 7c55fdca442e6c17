"""The exercises of lesson 07: a comparison of two traces, an item of a rubric, a verdict from numbers."""

from __future__ import annotations

import re
from dataclasses import replace
from decimal import Decimal
from random import Random
from typing import Any

from kernel import (
    Agent,
    Corpus,
    DeterministicSupervisor,
    Handoff,
    Run,
    Trace,
    connect,
    models,
    researcher,
    reviewer,
    search_tool,
    writer,
)
from workshop.views import Timeline, Transcript

from .probe import Probe, brief
from .register import Exercise, Misconception

SUBJECTS = ("vector stores", "retries", "tracing", "evaluation", "memory", "budgets", "caching", "handoffs")
PRICED = models.ROLES["worker"]
"""The checks compare dollars: their offline runs are on this one, whatever model the learner's lessons are on."""


# ── 07.1: two traces ───────────────────────────────────────────────────────────────────────────────────────


def check_compare(compare: Any, probe: Probe) -> None:
    """A team of several against one; a team of fewer calls; a price that is not known."""
    draw = probe.random
    for drawn, sizes, unknown in ((Random(7), (4, 1), False), (draw, (draw.randint(2, 5), 1), False),
                                  (draw, (draw.randint(1, 2), draw.randint(3, 5)), False),
                                  (draw, (draw.randint(2, 4), 1), True)):
        runs = [_worked(probe, drawn, size) for size in sizes]
        probe.pictures.append(Timeline(runs[0]))
        traces = [run.trace() for run in runs]
        if unknown:
            at = drawn.randrange(2)
            traces[at] = _unpriced(traces[at])
        _look_at_the_comparison(probe, traces, unknown)


def _worked(probe: Probe, draw: Random, size: int) -> Run:
    """A real run of so many agents, one call each."""
    run = Run(connect("offline", latency_ms=0))
    for place in range(1, size + 1):
        agent = Agent(f"worker {place}", "Works.", "You are a worker of the desk. " * draw.randint(1, 9),
                      PRICED)
        said = ", ".join(draw.sample(SUBJECTS, draw.randint(2, 6)))
        probe.run(run.dispatch(agent, Handoff(intent=f"Say what you need for a brief on {said}")))
    return run


def _unpriced(trace: Trace) -> Trace:
    """The same run on a model whose price nobody knows."""
    replied = [replace(it, data={**it.data, "spent": {**it.data["spent"], "usd": None}}) if it.kind == "reply" else it
               for it in trace.events]
    return Trace(replied)


def _look_at_the_comparison(probe: Probe, traces: list[Trace], unknown: bool) -> None:
    team, alone = (it.totals() for it in traces)
    came, problem = probe.attempt(*traces)
    if problem:
        if unknown and isinstance(problem, TypeError):
            probe.wrong("unknown price crashes", came=f"TypeError: {problem}", expected="'usd': None")
        raise problem
    if not isinstance(came, dict) or not {"calls", "tokens", "usd"} <= came.keys():
        probe.wrong("no dict" if came is not None else None, came=brief(came),
                    expected="a dict with 'calls', 'tokens' and 'usd'")
    calls = team["calls"] - alone["calls"]
    whole = [it["input_tokens"] + it["output_tokens"] for it in (team, alone)]
    ratio = whole[0] / whole[1]
    if came["calls"] != calls:
        probe.wrong("sign lost" if came["calls"] == -calls > 0 else "wrong way round" if came["calls"] == -calls else
                    "not a difference" if came["calls"] == team["calls"] else None,
                    came=f"'calls': {brief(came['calls'])}", expected=f"{team['calls']} - {alone['calls']} = {calls}")
    said, near = f"'tokens': {brief(came['tokens'])}", max(0.01 * ratio, 0.005 + 1e-9)  # two digits are enough
    if not isinstance(came["tokens"], int | float) or abs(came["tokens"] - ratio) > near:
        names = {"upside down": whole[1] / whole[0], "subtracted": whole[0] - whole[1],
                 "only the input": team["input_tokens"] / alone["input_tokens"],
                 "only the output": team["output_tokens"] / alone["output_tokens"]}
        name = next((it for it, value in names.items()
                     if isinstance(came["tokens"], int | float) and abs(came["tokens"] - value) < 1e-6), None)
        probe.wrong(name, came=said, expected=f"{whole[0]} / {whole[1]} = {ratio:.2f}")
    if unknown:
        if came["usd"] is not None:
            probe.wrong(None if isinstance(came["usd"], str) else "unknown is zero", came=f"'usd': {brief(came['usd'])}",
                        expected="None: one of the two prices is not known")
        return
    usd = team["usd"] - alone["usd"]
    if came["usd"] is None or abs(Decimal(str(came["usd"])) - usd) > Decimal("1e-9"):
        name = {-usd: "wrong way round", team["usd"]: "not a difference"}.get(came["usd"])
        probe.wrong(name, came=f"'usd': {brief(came['usd'])}", expected=f"{team['usd']} - {alone['usd']} = {usd}")


COMPARE = Exercise(
    id="07.1", title="Compare two traces", name="compare", difficulty=2, importance=4, minutes=2, points=2,
    check=check_compare,
    objective="Compute from two traces what one design costs more than another",
    why="A design is chosen by what it adds to the bill, and the traces of two runs hold all of it.",
    hints=(
        "A trace knows its own sums. Take the sums of both runs, subtract the calls and the dollars, and divide the "
        "tokens. Tokens in and tokens out are both paid for.",
        "`trace.totals()` gives a dict with `calls`, `input_tokens`, `output_tokens` and `usd`. A price that is not "
        "known is `None` there, and `None` cannot be subtracted: look first.",
        "With `ours, theirs = team.totals(), alone.totals()`: the calls are `ours[…] - theirs[…]`; the tokens are one "
        "sum divided by the other; the dollars are a difference only when neither `usd` is `None`, and else `None`.",
    ),
    misconceptions={
        "no dict": Misconception(
            "the answer is not a dict with these three names; who compares needs all three figures",
            'Return `{"calls": …, "tokens": …, "usd": …}`.'),
        "wrong way round": Misconception(
            "the team was subtracted from the single agent; what the team adds has the team first",
            "Subtract the single agent's figure from the team's."),
        "sign lost": Misconception(
            "this team needs fewer calls than the single agent, and the number does not say so",
            "Subtract, and leave the sign as it comes."),
        "not a difference": Misconception(
            "this is the team's own figure, and not what it needs more than the single agent",
            "Subtract the figure of the other run."),
        "upside down": Misconception(
            "the ratio is the single agent's tokens over the team's",
            "Divide the team's tokens by those of the single agent."),
        "subtracted": Misconception(
            "the tokens were subtracted; a ratio says the same for a short task and for a long one",
            "Divide the team's tokens by those of the single agent."),
        "only the input": Misconception(
            "the tokens of the answers are missing, and these are the dearer ones",
            "Add `input_tokens` and `output_tokens` of each run before you divide."),
        "only the output": Misconception(
            "the tokens that were sent are missing, and these are the most",
            "Add `input_tokens` and `output_tokens` of each run before you divide."),
        "unknown is zero": Misconception(
            "a price that nobody knows was counted as nothing, so that the unknown looks cheap",
            "Give `None` for `usd` when one of the two is `None`."),
        "unknown price crashes": Misconception(
            "the price of one model is not known, and `None` cannot be subtracted",
            "Look whether either `usd` is `None` before you subtract."),
    },
    solution_note="Differences say what you pay for one task, a ratio says it for tasks of any size. Unknown stays "
                  "unknown: a comparison with a made-up zero is worse than none.",
    break_it="Compare two runs of the same design. Is each figure what you expect?",
    alternative='''# From the table by agent instead of the totals.
def compare(team, alone):
    def total(trace, *names):
        return sum(used[name] for used in trace.by_agent().values() for name in names)

    both = ("input_tokens", "output_tokens")
    try:
        usd = total(team, "usd") - total(alone, "usd")
    except TypeError:
        usd = None
    calls = total(team, "calls") - total(alone, "calls")
    return {"calls": calls, "tokens": total(team, *both) / total(alone, *both), "usd": usd}
''')


# ── 07.2: an item of the rubric ────────────────────────────────────────────────────────────────────────────

SAYINGS = ("The tracing library writes {} spans a second", "A cached prompt saves {} tokens of the desk",
           "The smallest budget of the desk is {} tokens", "The notes file holds {} lines of memory",
           "The waiting queue takes {} tasks at once", "The golden set of the judge has {} questions")


def check_numbers(share: Any, probe: Probe) -> None:
    """A brief that a writer wrote, with some numbers that its documents do not hold; then one trap at a time."""
    for drawn in (Random(3), probe.random):
        pairs, documents = _written(probe, drawn)
        _look_at_the_share(probe, pairs, documents, None, "a brief of the writer's")
    draw = probe.random
    one, two, three = draw.sample(range(100, 999), 3)
    page = {"queue-1": f"The queue takes {one} tasks.", "notes-2": f"The notes hold {two} lines.",
            "old-3": f"Once there were 7{three} agents."}
    right = (f"The queue takes {one} tasks", ["queue-1"])
    for name, pairs in (
        ("any document", [right, (f"The queue takes {two} tasks", ["queue-1"])]),
        ("all sentences", [right, (f"The notes hold {two} lines", []), (f"The desk has {three} agents", [])]),
        ("one number is enough", [right, (f"The queue takes {one} tasks and {three} notes", ["queue-1"])]),
        ("part of a number", [right, (f"Once there were {three} agents", ["old-3"])]),
        ("every source", [right, (f"The notes hold {two} lines", ["queue-1", "notes-2"])]),
        ("no number in it", [right, ("The queue is fair", ["queue-1"])]),
        ("unknown source", [right, (f"The desk has {three} agents", ["nowhere-9"])]),
        ("nothing cited", [(f"The queue takes {one} tasks", [])]),
    ):
        _look_at_the_share(probe, pairs, page, name, "")


def _written(probe: Probe, draw: Random) -> tuple[list[tuple[str, list[str]]], dict[str, str]]:
    """A brief of four sentences; one or three of its documents hold another number."""
    facts = {f"source-{letter}": f"{says.format(draw.randint(100, 999))}."
             for letter, says in zip("abcd", draw.sample(SAYINGS, 4), strict=True)}
    run = Run(connect("offline", latency_ms=0))
    bullets = "\n".join(f"- {says} [{id}]" for id, says in facts.items())
    handoff = Handoff(intent="Write a brief on the desk", artifacts={"facts": bullets})
    text = probe.run(run.dispatch(writer(), handoff)).as_text()
    probe.pictures.append(Transcript(run))
    for id in draw.sample(sorted(facts), draw.choice((1, 3))):
        facts[id] = re.sub(r"\d+", lambda found: "".join(str((int(it) + 5) % 10) for it in found[0]), facts[id])
    return _sentences(text), facts


def _sentences(text: str) -> list[tuple[str, list[str]]]:
    body = " ".join(line for line in text.splitlines() if not line.startswith("#"))
    return [(re.sub(r"\s*\[[\w-]+\]", "", it), re.findall(r"\[([\w-]+)\]", it))
            for it in re.split(r"(?<=[.!?])\s+", body.strip()) if it]


def _look_at_the_share(probe: Probe, pairs: list, documents: dict, name: str | None, what: str) -> None:
    cited = [(set(re.findall(r"\d+", said)), sources) for said, sources in pairs if sources]
    held = [said <= {it for id in sources for it in re.findall(r"\d+", documents.get(id, ""))}
            for said, sources in cited]
    expected = sum(held) / len(held) if held else 0.0
    came, problem = probe.attempt([*pairs], dict(documents))
    probe.calling = f"{probe.exercise.name}(pairs, documents), where " + (
        f"pairs is {what}" if what else f"the last pair is {pairs[-1]!r}")
    if isinstance(problem, KeyError | ZeroDivisionError) and name in ("unknown source", "nothing cited"):
        probe.wrong(name, came=f"{type(problem).__name__}: {problem}", expected=f"{expected:.2f}")
    if problem:
        raise problem
    if not isinstance(came, int | float):
        probe.wrong("no number" if came is not None else None, came=brief(came), expected=f"{expected:.2f}")
    if abs(came - expected) > 0.005:
        if name is None and held and came == sum(held):
            name = "a count"
        elif name is None and abs(came - 100 * expected) < 0.5:
            name = "percent"
        elif name is None and type(came) is int and came == int(expected):
            name = "rounded down"
        elif name is None and abs(came - (1 - expected)) < 0.005 and expected != 0.5:
            name = "the other share"
        probe.wrong(name, came=f"{came:.2f}" if isinstance(came, float) else brief(came),
                    expected=f"{sum(held)} of {len(held)} sentences with a citation: {expected:.2f}")


NUMBERS = Exercise(
    id="07.2", title="A rubric item in plain code", name="numbers_held", difficulty=3, importance=4, minutes=3,
    points=3, check=check_numbers,
    objective="Write an item of a rubric that plain code can check",
    why="A wrong number is the mistake that a reader forgives least, and finding it needs no model and costs nothing.",
    hints=(
        "Go through the sentences that cite something. Collect the numbers of all the documents that this sentence "
        "cites, and see whether every number of the sentence is among them. Then divide.",
        "`numbers(text)` gives a set, and `a <= b` says whether all of set `a` is in set `b`. A source may be unknown: "
        "a dict has a way to ask without an error. And a brief may cite nothing at all.",
        "Begin with the list of pairs that have sources. For each, make one set of numbers from "
        '`documents.get(id, "")` for its ids, and count it when `numbers(sentence) <= that set`. Return the count '
        "divided by the length of the list, or 0.0 when the list is empty.",
    ),
    misconceptions={
        "any document": Misconception(
            "the number stands in the library, but not in the document that the sentence cites",
            "Look only into the documents whose ids belong to this sentence."),
        "all sentences": Misconception(
            "a sentence without a citation was counted; that it has none is another item of the rubric",
            "Leave out the pairs whose list of sources is empty, above and below the line."),
        "one number is enough": Misconception(
            "a sentence with one right and one wrong number was let through",
            "Ask whether all numbers of the sentence are there: `numbers(sentence) <= there`."),
        "part of a number": Misconception(
            "the digits were found inside a longer number of the document",
            "Compare sets of whole numbers, by `numbers(…)`, and not pieces of text."),
        "every source": Misconception(
            "each cited document was asked for every number; a sentence may take one from each of its sources",
            "Put the numbers of all cited documents into one set before you compare."),
        "unknown source": Misconception(
            "the sentence cites a document that the library does not hold; an invented source carries nothing",
            'Ask by `documents.get(id, "")`, so that it counts as an empty document.'),
        "nothing cited": Misconception(
            "no sentence has a citation, and then there is nothing to divide by",
            "Return 0.0 when no sentence cites anything."),
        "a count": Misconception(
            "this is how many sentences hold; a long brief would win by its length alone",
            "Divide by the number of sentences with a citation."),
        "percent": Misconception(
            "this is a percentage; the other items of the rubric are shares, and 75 would drown them",
            "Leave out the hundred: a share goes from 0 to 1."),
        "rounded down": Misconception(
            "the share lost what stands behind its point; `//` gives whole numbers",
            "Divide by `/`."),
        "no number in it": Misconception(
            "a sentence without a number was counted as one that does not hold; nothing in it can be wrong here",
            "`numbers(sentence) <= there` is true for an empty set; ask nothing more."),
        "the other share": Misconception(
            "this is the share of the sentences that do not hold",
            "Count the sentences whose numbers are all there."),
        "no number": Misconception(
            "a list or a text was returned; the rubric needs one number from 0 to 1",
            "Return the count divided by the number of sentences with a citation."),
    },
    solution_note="Whole numbers are compared, sentence by sentence, with what this sentence cites. The item says "
                  "nothing about words, and need not: a rubric is a list of such small, sure items.",
    break_it="Write a sentence whose number is right and whose meaning is wrong. Which item could see that?",
    alternative='''# One list of verdicts, one division.
def numbers_held(pairs, documents):
    verdicts = [numbers(sentence) <= numbers(" ".join(documents.get(id, "") for id in sources))
                for sentence, sources in pairs if sources]
    return sum(verdicts) / max(1, len(verdicts))
''')


# ── 07.3: the verdict ──────────────────────────────────────────────────────────────────────────────────────

TASKS = ("OpenTelemetry", "the history of MCP", "HTTP status codes")
ALONE = """\
You are an editorial desk of one. Work in three steps.
1. Research: search the library for the topic of your task.
2. Write: a brief in at most 180 words under a title. Use only what the documents say, and cite the source of each
sentence in brackets: "Sentence [source-id]."
3. Review: every sentence must be carried by the source that it cites, and every source must be used.
Answer with the brief only."""


def check_verdict(verdict: Any, probe: Probe) -> None:
    """The three tasks, run now; then one case for each way to get it wrong."""
    worth = Decimal("0.0006")
    for task, (team, alone) in zip(TASKS, _measured(probe), strict=True):
        gain, extra = team["sources"] - alone["sources"], team["usd"] - alone["usd"]
        right = "team" if gain * worth > extra else "one agent"
        name = "cheaper wins" if right == "team" else "more sources win" if gain else "nothing gained"
        why = f"{gain} more sources for ${extra:.6f} more, where one is worth ${worth}"
        _look_at_the_verdict(probe, team, alone, worth, right, name, f"{task}: {why}")
    draw = probe.random
    sources, more = draw.randint(2, 6), draw.randint(1, 4)
    worth = Decimal(draw.randint(10, 90)) / 1000
    base = Decimal(draw.randint(100, 200)) / 100
    alone = {"usd": base, "sources": sources, "mistakes": 1}
    gained, little = more * worth, worth / 10
    for name, team, right in (
        ("whole bill", {"usd": base + gained - little, "sources": sources + more}, "team"),
        ("cheaper wins", {"usd": base + gained - worth / 2, "sources": sources + more}, "team"),
        ("more sources win", {"usd": base + gained + little, "sources": sources + more}, "one agent"),
        ("a tie to the team", {"usd": base + gained, "sources": sources + more}, "one agent"),
        ("a cheaper team refused", {"usd": base - little, "sources": sources}, "team"),
        ("mistakes overlooked", {"usd": base * 2, "sources": sources, "mistakes": 0}, "team"),
        ("mistakes of the team", {"usd": base - little, "sources": sources + more, "mistakes": 2}, "one agent"),
    ):
        team = {"mistakes": 1, **team}
        _look_at_the_verdict(probe, team, alone, worth, right, name, "")


def _measured(probe: Probe) -> list[tuple[dict, dict]]:
    """The figures of both designs on each task, from runs that are made now."""
    library = Corpus()
    single = Agent("one agent", "Writes briefs.", ALONE, PRICED, (search_tool(library),))
    team = DeterministicSupervisor(researcher(library, model=PRICED), writer(model=PRICED), reviewer(model=PRICED))
    found = []
    for task in TASKS:
        both = []
        for design in (team, single):
            run = Run(connect("offline", latency_ms=0))
            text = probe.run(run.dispatch(design, Handoff(intent=f"Write a brief on {task}"))).as_text()
            pairs = _sentences(text)
            both.append({"usd": run.trace().totals()["usd"], "sources": len({id for _, ids in pairs for id in ids}),
                         "mistakes": sum(not ids for _, ids in pairs)})
            if design is team:
                probe.pictures.append(Timeline(run))
        found.append((both[0], both[1]))
    return found


def _look_at_the_verdict(probe: Probe, team: dict, alone: dict, worth: Decimal, right: str, name: str | None,
                         why: str) -> None:
    came = probe.call(team, alone, worth)
    probe.calling = f"{probe.exercise.name}({_plain(team)}, {_plain(alone)}, {worth})"
    if came not in ("team", "one agent"):
        known = "no verdict" if came is not None else None
        probe.wrong(known, came=brief(came), expected="'team' or 'one agent'")
    if came != right:
        probe.wrong(name, came=repr(came), expected=f"{right!r}{f' ({why})' if why else ''}")


def _plain(figures: dict) -> str:
    return "{" + ", ".join(f"{name!r}: {value}" for name, value in figures.items()) + "}"


VERDICT = Exercise(
    id="07.3", title="The verdict", name="verdict", difficulty=2, importance=5, minutes=2, points=3,
    check=check_verdict,
    objective="Say from measured numbers whether a team was worth its cost",
    why="Somebody will ask whether the team was worth it, and a verdict that follows from numbers can be checked.",
    hints=(
        "Mistakes come first: the brief with fewer of them wins at any price. When both have the same number, put what "
        "the team adds beside what it costs more, both in dollars. In doubt the simpler design wins.",
        "Two differences decide: that of the sources, times what one is worth, and that of the dollars. Both are "
        "differences between the team and the single agent, never the whole figure of the team.",
        'Compare `team["mistakes"]` with `alone["mistakes"]` first and return when they differ. Then `gain` is the '
        "difference of the sources times `source_usd`, `extra` the difference of the dollars, and the team wins only "
        "when `gain` is greater.",
    ),
    misconceptions={
        "more sources win": Misconception(
            "the team brings more, but each further source costs more than it is worth",
            "Multiply the further sources by `source_usd` and compare with what the team costs more."),
        "cheaper wins": Misconception(
            "the single agent costs less, but what it leaves out is worth more than the difference",
            "Compare what the team costs more with what its further sources are worth."),
        "whole bill": Misconception(
            "the whole bill of the team was compared with the gain; the single agent would have cost something too",
            "Subtract the single agent's dollars from those of the team first."),
        "nothing gained": Misconception(
            "the team brings no further source here and costs more; only what is beyond the single agent's counts as a gain",
            "Subtract the single agent's sources from the team's before you multiply."),
        "a tie to the team": Misconception(
            "gain and cost are equal here, and then nothing pays for the team's further parts",
            "Choose the team only when the gain is greater: `>`, not `>=`."),
        "a cheaper team refused": Misconception(
            "the team adds nothing here, but it costs less than the single agent",
            "Let the same comparison decide when the gain is 0: the extra cost is negative."),
        "mistakes overlooked": Misconception(
            "the single agent made a mistake more and won all the same: dollars were compared first, or the mistakes the wrong "
            "way round",
            "Compare the mistakes before everything else."),
        "mistakes of the team": Misconception(
            "the team made a mistake more; more sources do not make up for that",
            "When the mistakes differ, return the design with fewer of them, whichever it is."),
        "no verdict": Misconception(
            "the verdict is a value that a program can read, one of two texts",
            "Return exactly `\"team\"` or `\"one agent\"`."),
    },
    solution_note="Only differences count, since one of the two has to be paid anyway. The value of a source is yours "
                  "to set; the rest is measured.",
    break_it="Find the value of a source at which the verdict on the history of MCP turns over.",
    alternative='''# The better of two sort keys; a tie goes to the first of the list.
def verdict(team, alone, source_usd):
    def merit(name_and_figures):
        _, figures = name_and_figures
        return -figures["mistakes"], figures["sources"] * source_usd - figures["usd"]

    return max([("one agent", alone), ("team", team)], key=merit)[0]
''')

EXERCISES = (COMPARE, NUMBERS, VERDICT)
