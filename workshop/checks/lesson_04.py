"""The exercises of lesson 04: a fan-out with a limit, results in order, a time limit for one slow branch."""

from __future__ import annotations

import asyncio
from random import Random
from typing import Any

from kernel import Handoff, Result, Run, connect
from workshop.desks import Crew
from workshop.views import Timeline

from .probe import Probe, brief
from .register import Exercise, Misconception

TOPICS = ("vector stores", "retries", "tracing", "evaluation", "memory", "budgets", "caching", "handoffs", "gates")
ON_TIME, LATE = 4, 200
"""Steps of the event loop: hundreds of short branches fit into the time of a late one."""
STUCK_S = 0.6
"""Long after each time limit that a check sets, and soon enough for a check."""


def _task(topic: str) -> Handoff:
    return Handoff(intent=f"Research {topic}")


def _run(probe: Probe) -> Run:
    """A run whose timeline is the case's picture."""
    run = Run(connect("offline"))
    probe.pictures.append(Timeline(run))
    return run


def _topics(topics: Any) -> str:
    return ", ".join(topics) or "none"


# ── 04.1: a fan-out with a limit ───────────────────────────────────────────────────────────────────────────


def check_fan_out(fan_out: Any, probe: Probe) -> None:
    """More branches than places, the first of them late; two places; more places than branches."""
    draw = probe.random
    limit = draw.randint(2, 4)
    for many, places in ((6, 3), (limit + draw.randint(3, 5), limit), (3, draw.randint(5, 9))):
        drawn = Random(4) if (many, places) == (6, 3) else draw
        topics = drawn.sample(TOPICS, many)
        steps = {topic: drawn.randint(1, ON_TIME) for topic in topics} | {topics[0]: LATE}
        desk = Crew(drawn, steps, stuck_s=STUCK_S)
        run, used = _run(probe), []
        theirs = run.fan_out

        async def kernels_own(*args: Any, used: list = used, theirs: Any = theirs, **options: Any) -> Any:
            used.append(args)
            return await theirs(*args, **options)

        run.fan_out = kernels_own  # type: ignore[method-assign]
        came, problem = probe.attempt(run, [(desk, _task(topic)) for topic in topics], places)
        if used:
            probe.wrong("the kernel's own", came="a call of run.fan_out", expected="calls of run.dispatch")
        if problem:
            raise problem
        _look_at_the_places(probe, run, desk, topics, places, came)
        _look_at_the_results(probe, desk, topics, came)


def _look_at_the_places(probe: Probe, run: Run, desk: Crew, topics: list[str], places: int, came: Any) -> None:
    if not desk.asked:
        waiting = isinstance(came, list) and any(asyncio.isfuture(it) or asyncio.iscoroutine(it) for it in came)
        name = "not awaited" if waiting else "never dispatches"
        for it in came if waiting else ():
            if asyncio.iscoroutine(it):
                it.close()
        probe.wrong(name, came=f"{brief(came)}, and the researcher was never asked",
                    expected=f"{len(topics)} results, by run.dispatch")
    if not any(event.kind == "dispatch" for event in run.events):
        probe.wrong("past the door", came="calls of execute, without a single event",
                    expected="run.dispatch for each job")
    expected = min(places, len(topics))
    said = f"{desk.most} of {len(topics)} branches at once"
    if desk.most > expected:
        name = "one too many" if desk.most == places + 1 and desk.most < len(topics) else "no limit"
        probe.wrong(name, came=said, expected=f"at most {places}")
    if desk.most == 1:
        probe.wrong("one at a time", came=said, expected=f"{expected} at once")
    if desk.most < expected:
        probe.wrong("places left empty", came=said, expected=f"{expected} at once")
    begun = desk.begun_by_then.get(topics[0], len(topics))
    if begun < len(topics) <= len(desk.asked):
        probe.wrong("in batches", expected="a new branch as soon as any branch has ended",
                    came=f"only {begun} of {len(topics)} branches had begun when the slowest one ended")


def _look_at_the_results(probe: Probe, desk: Crew, topics: list[str], came: Any) -> None:
    if not isinstance(came, list | tuple):
        probe.wrong(came=brief(came), expected=f"a list of {len(topics)} results")
    if any(asyncio.isfuture(it) for it in came):
        probe.wrong("tasks, not results", came="a list of tasks", expected="a list of their results")
    if any(not isinstance(it, Result) for it in came):
        nothing = all(it is None for it in came)
        probe.wrong("branch returns nothing" if nothing else "not the result", came=f"a list with {brief(came[0])}",
                    expected="a list of Result")
    again = next((it.reason for it in came if it.status == "refused"), "")
    if again:
        probe.wrong("dispatched again", came=f"a refusal: {again}", expected=f"{len(topics)} handoffs, one for each job")
    outputs, right = [it.output for it in came], [desk.texts[it] for it in topics]
    if len(came) < len(topics):
        probe.wrong("some are missing", came=f"{len(came)} results", expected=f"{len(topics)} results")
    if sorted(map(str, outputs)) != sorted(right):
        probe.wrong(came=brief(outputs), expected=brief(right))


FAN_OUT = Exercise(
    id="04.1", title="Fan out with a limit", name="fan_out", difficulty=3, importance=5, minutes=3, points=3,
    check=check_fan_out,
    objective="Run independent branches at once, but never more than a limit",
    why="Without a limit a fan-out of sixty branches is sixty requests in the same moment, and a service "
        "refuses them.",
    hints=(
        "Begin all branches at once, and let each of them wait at a door with as many places as the limit "
        "says. A branch takes a place before its work and gives it back after it, and all branches must use "
        "the same door.",
        "`asyncio.Semaphore` is that door: make one, outside of the branches. Write an inner async function "
        "for one branch, which enters the semaphore and dispatches inside. A `TaskGroup` runs one task for "
        "each job.",
        "`places = asyncio.Semaphore(limit)`. The inner function does `async with places:` and returns what "
        "`run.dispatch` gives. In `async with asyncio.TaskGroup() as group:` collect "
        "`group.create_task(…)` for each job; after the block, return `task.result()` of each.",
    ),
    misconceptions={
        "the kernel's own": Misconception(
            "this is the kernel's fan-out; the exercise is to write it once yourself",
            "Use `asyncio.Semaphore`, a `TaskGroup` and `run.dispatch`."),
        "never dispatches": Misconception(
            "the results are written into the function; they have to come from the branches",
            "Dispatch each job: `await run.dispatch(executable, handoff)`."),
        "not awaited": Misconception(
            "calling an async function does not run it; it only makes something that can be awaited",
            "Give each of them to `group.create_task(…)`, and wait for the group to end."),
        "past the door": Misconception(
            "`execute` was called directly, so no budget, no limit of depth and no trace sees this work",
            "Call `await run.dispatch(executable, handoff)` instead."),
        "no limit": Misconception(
            "nothing holds the branches back; a semaphore that each branch makes for itself does not either",
            "Make one `asyncio.Semaphore(limit)` before the branches, and dispatch inside `async with`."),
        "one too many": Misconception(
            "there is one place more than the limit says",
            "Give the semaphore exactly `limit` places."),
        "places left empty": Misconception(
            "there are fewer places than the limit says",
            "Give the semaphore exactly `limit` places."),
        "one at a time": Misconception(
            "each branch is awaited before the next one begins",
            "Create the tasks for all jobs first, and wait for them afterwards."),
        "in batches": Misconception(
            "a whole batch is awaited before the next begins, so places stay empty until its slowest ends",
            "Let all tasks begin, and let a semaphore decide who works."),
        "tasks, not results": Misconception(
            "a task is the work, not what came of it",
            "Return `[task.result() for task in tasks]`, after the group has ended."),
        "not the result": Misconception(
            "only a part of each result was returned; who calls this needs the status as well",
            "Return what `run.dispatch` gives, as it is."),
        "branch returns nothing": Misconception(
            "the work was done, and the branch did not return what came of it",
            "Write `return await run.dispatch(executable, handoff)` in the branch."),
        "dispatched again": Misconception(
            "the same handoffs went out a second time, and a run refuses that",
            "Make one task for each job, wait, and return those tasks' results."),
        "some are missing": Misconception(
            "not every job has become a branch, or some results were not collected",
            "Make one task for each job, and return the result of each task."),
    },
    solution_note="All branches begin, and the semaphore lets `limit` of them work. When one ends, the next "
                  "takes its place at once, so no place is empty while somebody waits.",
    break_it="Make the semaphore inside the branch. The code looks almost the same; look at the picture.",
    alternative='''# Instead of a semaphore: as many workers as there are places, who share one list of jobs.
async def fan_out(run, jobs, limit):
    results, waiting = [], iter(jobs)

    async def worker():
        for executable, handoff in waiting:
            results.append(await run.dispatch(executable, handoff))

    await asyncio.gather(*(worker() for _ in range(limit)))
    return results
''')


# ── 04.2: results in order, gaps included ──────────────────────────────────────────────────────────────────


def check_findings(findings: Any, probe: Probe) -> None:
    """The first topic ends last; one branch raises, one is stopped half-way; then a fan-out where all is well."""
    draw = probe.random
    for first, trouble in ((True, True), (False, True), (False, False)):
        drawn = Random(5) if first else draw
        topics = sorted(drawn.sample(TOPICS, drawn.randint(5, 7)), reverse=True)
        topics.insert(1, topics.pop())  # neither sorted nor reversed
        steps = {topic: 12 * (len(topics) - at) for at, topic in enumerate(topics)}  # the last one ends first
        desk = Crew(drawn, steps, stuck_s=STUCK_S)
        raised, stopped = drawn.sample(topics[:-1], 2) if trouble else (None, None)
        if trouble:
            desk.raises[raised] = f"shelf {drawn.randint(10, 99)} cannot be reached"
            reason = f"its budget of {drawn.randint(2, 9)} calls is used up"
            desk.ends[stopped] = Result(status="exhausted", output=f"Half a fact on {stopped}", reason=reason)
        came, problem = probe.attempt(_run(probe), desk, list(topics))
        if problem and probe.raised_by_hand(problem):
            probe.wrong("raises", came=f"{type(problem).__name__}: {problem}", expected="a text for each topic, gaps included")
        if problem and not isinstance(problem, ConnectionError | ExceptionGroup):
            raise problem
        _look_at_the_texts(probe, desk, topics, came, problem)


def _look_at_the_texts(probe: Probe, desk: Crew, topics: list[str], came: Any, problem: Exception | None) -> None:
    if problem:
        probe.wrong("one ends all", came=f"{type(problem).__name__}: {problem}",
                    expected=f"texts for all {len(topics)} topics, one of them with the reason why it is missing")
    if not desk.asked:
        probe.wrong("never asks", came=f"{brief(came)}, and the researcher was never asked",
                    expected=f"{len(topics)} branches")
    if "" in desk.asked:
        probe.wrong("another intent", came="a handoff with another intent",
                    expected=f"handoffs such as {_task(topics[0]).intent!r}")
    if desk.most == 1:
        probe.wrong("one by one", came="one branch after the other", expected="all branches at once")
    if not isinstance(came, dict):
        name = "no topics" if isinstance(came, list | tuple) else None
        probe.wrong(name, came=brief(came), expected="a dict: topic → text")
    gaps = [it for it in topics if it in desk.raises or it in desk.ends]
    keys = [*came]
    if gaps and keys == [it for it in topics if it not in gaps] and _texts(came) == [desk.texts[it] for it in keys]:
        probe.wrong("gaps dropped", came=f"texts on {_topics(keys)}", expected=f"also one for {_topics(gaps)}")
    if any(isinstance(it, Result) for it in came.values()):
        probe.wrong("results, not texts", came="a dict of Result", expected="a dict of texts")
    for topic, text in came.items():
        owner = next((it for it, its in desk.texts.items() if its == text), topic)
        if topic in topics and owner != topic:
            probe.wrong("moved up", came=f"the text on {owner} as the one on {topic}",
                        expected="each text beside its own topic")
    if set(keys) != set(topics):
        probe.wrong("other keys", came=f"the keys {_topics(map(str, keys))}", expected=_topics(topics))
    for topic in topics:
        _look_at_the_text(probe, desk, topic, came[topic])
    if keys != topics:
        name = "order of ending" if keys == desk.finished else "sorted" if keys == sorted(topics) else None
        if keys == sorted(topics, key=lambda it: it in gaps):
            name = "gaps at the end"
        probe.wrong(name, came=f"the order {_topics(keys)}", expected=f"the order asked: {_topics(topics)}")


def _look_at_the_text(probe: Probe, desk: Crew, topic: str, text: Any) -> None:
    said = f"{brief(text)} for {topic}"
    if topic in desk.ends:
        half, reason = desk.ends[topic].output, desk.ends[topic].reason
        if text == half:
            probe.wrong("half is whole", came=said, expected=f"a text that says why: {reason}")
    elif topic in desk.raises:
        reason = desk.raises[topic]
    else:
        if text != desk.texts[topic]:
            probe.wrong(came=said, expected=repr(desk.texts[topic]))
        return
    if reason not in str(text):
        probe.wrong("no reason", came=said, expected=f"a text that says why: {reason}")


def _texts(came: dict) -> list[Any]:
    return [it.output if isinstance(it, Result) else it for it in came.values()]


FINDINGS = Exercise(
    id="04.2", title="Keep the order, name the gaps", name="findings", difficulty=2, importance=4, minutes=2,
    points=2, check=check_findings,
    objective="Put the result of each branch beside its topic, in the order asked, gaps included",
    why="A text under the wrong heading is worse than none, because nobody notices it.",
    hints=(
        "Branches end in any order, but a fan-out gives their results in the order in which you asked. So "
        "keep every result, the failed ones too, until each stands beside its topic.",
        "`run.fan_out` takes pairs of executable and handoff, and `zip` puts its results beside the topics. "
        "Only then look at `result.ok`: the text of a result is `result.as_text()`, its excuse is "
        "`result.reason`.",
        "Build one pair for each topic with `Handoff(intent=f\"Research {topic}\")`; await `run.fan_out(…)`; "
        "go over `zip(topics, results, strict=True)`; store `result.as_text()` if `result.ok`, else "
        "a text with `result.reason`.",
    ),
    misconceptions={
        "never asks": Misconception(
            "the texts are written into the function; they have to come from the researcher",
            "Dispatch one handoff for each topic, with `run.fan_out`."),
        "another intent": Misconception(
            "the researcher is told something else than the word Research and the topic",
            'Write `Handoff(intent=f"Research {topic}")`.'),
        "raises": Misconception(
            "one gap is treated as an error, and an exception carries none of the texts",
            "Put the reason into the text of that topic, and go on."),
        "one ends all": Misconception(
            "an error of one branch went through, and the others' work is lost with it",
            "Use `run.fan_out`: it makes a failed `Result` of it."),
        "one by one": Misconception(
            "each branch is awaited before the next one begins",
            "Collect the pairs in a list first, then await `run.fan_out` once."),
        "no topics": Misconception(
            "a list of texts does not say which topic each belongs to",
            "Return a dict with the topics as keys."),
        "gaps dropped": Misconception(
            "what failed was left out, so the reader cannot tell a gap from a topic that nobody asked for",
            "Store a text for these as well, with `result.reason`."),
        "results, not texts": Misconception(
            "the results themselves were stored",
            "Store `result.as_text()`, or a text with `result.reason`."),
        "moved up": Misconception(
            "failed results were taken out before the rest met the topics, so all after the gap moved up",
            "First `zip`, then look at `result.ok`."),
        "half is whole": Misconception(
            "a branch that was stopped may have a text too, but only half of one",
            "Decide by `result.ok`, not by whether there is a text."),
        "no reason": Misconception(
            "there is a gap, and nothing says why",
            "Put `result.reason` into the text."),
        "order of ending": Misconception(
            "the branches stand in the order in which they ended, which is another one in each run",
            "Go over `topics`, not over what ends first."),
        "other keys": Misconception(
            "the keys of the dict are something else than the topics",
            "Use each topic, as it was given, as the key of its text."),
        "gaps at the end": Misconception(
            "what is missing was put behind all the rest, and no longer stands in its place",
            "Go once over topics and results, and choose the text of each in turn."),
        "sorted": Misconception(
            "the topics were sorted; who asked had an order in mind",
            "Go over `topics` as they are."),
    },
    solution_note="Order and place come from the list of jobs, never from time. What failed keeps its place "
                  "and says why, so the merge after it can decide what to do.",
    break_it="Return only the results that are ok, zipped with the topics, and read which text stands where.",
    alternative='''# Instead of the kernel's fan-out: a branch that handles its own failure, and gather, which keeps the order.
async def findings(run, researcher, topics):
    async def text_on(topic):
        try:
            result = await run.dispatch(researcher, Handoff(intent=f"Research {topic}"))
        except Exception as bug:
            return f"nothing, because of {bug!r}"
        return result.as_text() if result.ok else f"nothing, because {result.reason}"

    return dict(zip(topics, await asyncio.gather(*map(text_on, topics)), strict=True))
''')


# ── 04.3: a time limit for one slow branch ─────────────────────────────────────────────────────────────────


def check_in_time(in_time: Any, probe: Probe) -> None:
    """One branch is stuck, one fails at once; then a stuck one alone among good ones; then none."""
    draw = probe.random
    for first, stuck_ones, fails in ((True, 1, True), (False, 1, True), (False, 0, False)):
        drawn = Random(6) if first else draw
        topics = drawn.sample(TOPICS, drawn.randint(4, 5))
        seconds = 0.1 if first else drawn.randint(100, 150) / 1000
        steps = {topic: drawn.randint(1, ON_TIME) for topic in topics}
        desk, backup = (Crew(drawn, steps, name, stuck_s=STUCK_S) for name in ("researcher", "backup"))
        stuck = drawn.sample(topics[1:-1], stuck_ones)
        desk.stuck.update(stuck)
        failed = next((it for it in topics if it not in stuck), "") if fails else ""
        if failed:
            desk.ends[failed] = Result(status="failed", reason=f"no shelf {drawn.randint(10, 99)}")
        jobs = [(desk, _task(topic)) for topic in topics]
        came, problem = probe.attempt(_run(probe), jobs, seconds, backup)
        if problem and not isinstance(problem, TimeoutError):
            raise problem
        if problem:
            probe.wrong("one ends all", came="TimeoutError: the work of all branches is lost",
                        expected=f"{len(topics)} results")
        _look_at_the_limit(probe, desk, topics, stuck, seconds, came)
        _look_at_the_backup(probe, desk, backup, topics, stuck, failed, came)


def _look_at_the_limit(probe: Probe, desk: Crew, topics: list[str], stuck: list[str], seconds: float,
                       came: Any) -> None:
    if not desk.asked:
        failed = [it.reason for it in came if isinstance(it, Result) and it.status == "failed"] if isinstance(came, list) else []
        if failed:
            probe.wrong("no budget", came=f"branches that failed before they began: {failed[0]}", expected="jobs with a Budget")
        probe.wrong("never asks", came=f"{brief(came)}, and the researcher was never asked",
                    expected=f"{len(topics)} branches")
    late = [it for it in stuck if it in desk.finished]
    if late:
        probe.wrong("no limit", came=f"the branch on {_topics(late)} worked for {STUCK_S:g} seconds",
                    expected=f"stopped after {seconds:g} seconds")
    again = [it for it in stuck if desk.asked.count(it) > 1]
    refused = [it for it in came if isinstance(it, Result) and it.status == "refused"] if isinstance(came, list) else []
    if again or refused:
        said = f"the refusal: {refused[0].reason}" if refused else f"the researcher again, on {_topics(again)}"
        probe.wrong("the same again", came=said, expected="the same handoff for the backup")
    if desk.most == 1:
        probe.wrong("one by one", came="one branch after the other", expected="all branches at once")


def _look_at_the_backup(probe: Probe, desk: Crew, backup: Crew, topics: list[str], stuck: list[str], failed: str,
                        came: Any) -> None:
    wanted = f"the backup asked for: {_topics(stuck)}"
    if not isinstance(came, list | tuple):
        probe.wrong(came=brief(came), expected="a list of Result")
    if any(waiting := [it for it in came if asyncio.iscoroutine(it)]):
        for it in waiting:
            it.close()
        probe.wrong("not awaited", came="a list with a coroutine", expected="a list of Result")
    if any(not isinstance(it, Result) for it in came):
        probe.wrong("not the result", came=brief(came), expected="a list of Result")
    if "" in backup.asked:
        probe.wrong("another task", came="a handoff with another intent for the backup",
                    expected=f"the handoff of the stopped branch: {_task(stuck[0] if stuck else topics[0]).intent!r}")
    extra = [it for it in backup.asked if it not in stuck]
    if extra:
        name = "backup for failures" if extra == [failed] else "backup for all"
        if not {*stuck} <= {*backup.asked}:
            name = "another task"
        probe.wrong(name, came=f"the backup asked for: {_topics(backup.asked)}", expected=wanted)
    if len(came) < len(topics):
        probe.wrong("left out", came=f"{len(came)} results", expected=f"{len(topics)} results")
    if stuck and not backup.asked:
        said = f"status {came[topics.index(stuck[0])].status!r} for {stuck[0]}"
        probe.wrong("no backup", came=said, expected=wanted)
    right = [None if it == failed else (backup if it in stuck else desk).texts[it] for it in topics]
    outputs = [it.output for it in came]
    if outputs != right:
        same = all(outputs.count(it) >= right.count(it) for it in right)
        lost = stuck and outputs[topics.index(stuck[0])] != right[topics.index(stuck[0])]
        name = "place lost" if same else "backup not used" if lost and len(outputs) == len(right) else None
        probe.wrong(name, came=brief(outputs), expected=brief(right))


IN_TIME = Exercise(
    id="04.3", title="A time limit for one slow branch", name="in_time", difficulty=3, importance=4, minutes=2,
    points=3, check=check_in_time,
    objective="Stop the branch that takes too long, and give its work to a backup",
    why="A fan-out is as slow as its slowest branch; one stuck branch makes all others wait.",
    hints=(
        "Time is a budget like calls and dollars. When each branch has one of its own, the slow branch ends "
        "by itself, the others are not touched, and its result says that a limit was reached.",
        "A job for `run.fan_out` may have a third part, a `Budget`; it has `seconds`. A branch that was "
        "stopped comes back with the status `exhausted`. Put the backup's result in the same place of "
        "the list.",
        "Add `Budget(seconds=seconds)` to each job and await `run.fan_out`. Then go over "
        "`enumerate(results)`: where `result.status == \"exhausted\"`, take the handoff of `jobs[at]`, and set "
        "`results[at]` to what `run.dispatch` with the backup gives.",
    ),
    misconceptions={
        "never asks": Misconception(
            "the results are written into the function; they have to come from the branches",
            "Fan the jobs out with `run.fan_out`."),
        "one ends all": Misconception(
            "the time limit stands around the whole fan-out, so one slow branch ends all of them",
            "Give each job a budget of its own: `Budget(seconds=seconds)`."),
        "no limit": Misconception(
            "nothing stopped the slow branch in time",
            "Give each job `Budget(seconds=seconds)` as its third part; the unit is seconds."),
        "no budget": Misconception(
            "the third part of a job is something else than a `Budget`",
            "Write `(executable, handoff, Budget(seconds=seconds))`."),
        "not awaited": Misconception(
            "calling an async function does not run it; it only makes something that can be awaited",
            "Write `await run.dispatch(backup, …)`."),
        "not the result": Misconception(
            "only a part of each result was returned; who calls this needs the status as well",
            "Return the results as they are."),
        "the same again": Misconception(
            "the slow one got the same handoff a second time; it would be slow again, and the kernel refuses it",
            "Dispatch the handoff to `backup`."),
        "one by one": Misconception(
            "each branch is awaited before the next one begins, so their time limits add up",
            "Await `run.fan_out` once, with all jobs."),
        "another task": Misconception(
            "the backup was given another handoff than the branch that was stopped",
            "Pass on the handoff of the same job."),
        "backup for failures": Misconception(
            "a branch that failed was asked again too; only what a limit has stopped needs more time elsewhere",
            'Ask for `result.status == "exhausted"`, not for `result.ok`.'),
        "backup for all": Misconception(
            "the backup did work that had been done, and each of its branches costs money",
            'Ask the backup only where `result.status == "exhausted"`.'),
        "left out": Misconception(
            "the slow branch is missing, so all results after it stand in the wrong place",
            "Return one result for each job."),
        "no backup": Misconception(
            "the slow branch was stopped, and nobody did its work",
            'Dispatch its handoff to `backup` where the status is `"exhausted"`.'),
        "place lost": Misconception(
            "the backup's result stands somewhere else than the one that it replaces",
            "Set `results[at]` instead of appending."),
        "backup not used": Misconception(
            "the backup was asked and paid for, but what it found was not put into the list",
            "Set `results[at]` to the backup's result."),
    },
    solution_note="Each branch has its own clock, so the wait is bounded by `seconds`, whoever is stuck. The "
                  "result keeps its place, and the status says who needs the backup.",
    break_it="Put `asyncio.timeout(seconds)` around the whole fan-out. What is left of the branches that had "
             "long been ready?",
    alternative='''# Instead of a second round: each branch turns to the backup by itself, as soon as it is stopped.
async def in_time(run, jobs, seconds, backup):
    async def branch(executable, handoff):
        result = await run.dispatch(executable, handoff, budget=Budget(seconds=seconds))
        if result.status == "exhausted":
            result = await run.dispatch(backup, handoff)
        return result

    return await asyncio.gather(*(branch(*job) for job in jobs))
''')

EXERCISES = (FAN_OUT, FINDINGS, IN_TIME)
