"""The exercises of lesson 03: the revision loop, the best draft at the cap, a failed stage that loses nothing."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

from kernel import Client, Handoff, Result, Run, Verdict
from kernel.offline import Script
from workshop.desks import TOPICS, Desk, Specialist
from workshop.views import Timeline

from .probe import Probe, brief
from .register import Exercise, Misconception


def _run(probe: Probe) -> Run:
    """A run whose handoffs are the case's picture; no model is asked."""
    run = Run(Client(Script(), retries=0))
    probe.pictures.append(Timeline(run))
    return run


# ── 03.1 and 03.2: the revision loop ───────────────────────────────────────────────────────────────────────


class Case:
    """A desk whose reviewer finds `issues[n]` issues in draft n; None is a PASS, 0 a PASS with a remark."""

    def __init__(self, drawn: Random, issues: list[int | None], cap: int) -> None:
        topic = drawn.choice(TOPICS)
        self.task, self.issues = f"Write a brief on {topic}", issues
        self.facts = f"- There are {drawn.randint(2, 900)} documents on {topic}. [{topic[:5].strip()}-1]"
        sizes = drawn.sample(range(20, 180), cap + 12)
        self.drafts = [f"# {topic.capitalize()}\n\nDraft {at}, of {size} words." for at, size in enumerate(sizes)]
        self.verdicts = [self._verdict(drawn, it, at) for at, it in enumerate(issues)]
        passed = [at for at, it in enumerate(issues[: cap + 1]) if not it]
        self.cap, self.passes, self.last = cap, bool(passed), passed[0] if passed else cap
        self.revisions = 0
        self.desk = Desk(Specialist("writer", self._write), Specialist("reviewer", self._review), cap)

    def _verdict(self, drawn: Random, issues: int | None, at: int) -> Verdict:
        said = [f"“The PASS rate was {drawn.randint(2, 99)} %”: no fact of draft {at} carries issue {number}; drop it"
                for number in range(1, (issues or 0) + 1)]
        if issues == 0:
            return Verdict(verdict="PASS", issues=["the title may be shorter, if there is time"])
        return Verdict(verdict="REVISE" if issues else "PASS", issues=said)

    def _write(self, handoff: Handoff) -> Result:
        self.revisions += 1
        return Result(status="ok", output=self.drafts[min(self.revisions, len(self.drafts) - 1)])

    def _review(self, handoff: Handoff) -> Result:
        draft = handoff.artifacts.get("draft", "")
        at = self.drafts.index(draft) if draft in self.drafts else len(self.verdicts)
        unknown = Verdict(verdict="REVISE", issues=["this draft comes from nobody at this desk"])
        return Result(status="ok", output=self.verdicts[at] if at < len(self.verdicts) else unknown)

    def expected(self) -> Iterator[tuple[str, int]]:
        """Who gets work, and the draft that it is about."""
        for at in range(self.last + 1):
            yield "reviewer", at
            if at < self.last:
                yield "writer", at


def _follow(probe: Probe, run: Run, case: Case, problem: Exception | None) -> None:
    """Compares the handoffs of the run, one by one, with those of the loop that was asked for."""
    given, wanted = run.trace().handoffs(), list(case.expected())
    order = " → ".join(it["to_agent"] for it in given[:8]) + (" → …" if len(given) > 8 else "") or "no handoff"
    right = " → ".join(who for who, _ in wanted)
    if not given and problem is None:
        past = case.desk.reviewer.calls or case.desk.writer.calls
        probe.wrong("past the door" if past else "never asks", came="calls of execute, without a handoff" if past else
                    "a result, without a handoff", expected=right)
    for at, (handoff, (who, draft)) in enumerate(zip(given, wanted, strict=False)):
        if handoff["to_agent"] != who:
            name = ("not reviewed first" if at == 0 else "revision not reviewed") if who == "reviewer" else "not revised"
            probe.wrong(name, came=order, expected=right)
        _look_at_a_handoff(probe, case, handoff, who, draft, at + 1)
    if len(given) > len(wanted):
        if case.passes and case.last < case.cap:
            with_remark = case.issues[case.last] == 0
            probe.wrong("remarks taken for a verdict" if with_remark else "PASS not seen",
                        came=order, expected=f"{right}: the last verdict is PASS"
                        + (", with a remark" if with_remark else ""))
        endless = len(given) > len(wanted) + 4
        probe.wrong("no cap" if endless else "one revision too many", came=order,
                    expected=f"{right}: max_revisions is {case.cap}")
    if len(given) < len(wanted) and problem is None:
        if given[-1]["to_agent"] == "writer":
            probe.wrong("last draft not reviewed", came=order, expected=right)
        found_word = case.verdicts[wanted[len(given) - 1][1]].issues
        probe.wrong("too few revisions" if found_word else None, came=order,
                    expected=f"{right}: max_revisions is {case.cap}")


def _look_at_a_handoff(probe: Probe, case: Case, handoff: dict, who: str, draft: int, number: int) -> None:
    where, parts = f"handoff {number}, to the {who}", handoff["artifacts"]
    carried = f"{where}, with {', '.join(parts) or 'no artifacts'}"
    needs = ["facts", "draft"] if who == "reviewer" else ["facts", "draft", "feedback"]
    if "feedback" in needs and "feedback" not in parts:
        probe.wrong("no feedback", came=carried, expected=f"artifacts named {', '.join(needs)}")
    if missing := [it for it in needs if it not in parts]:
        probe.wrong("no facts" if missing == ["facts"] else None, came=carried,
                    expected=f"artifacts named {', '.join(needs)}")
    if parts["facts"] != case.facts:
        probe.wrong("no facts", came=f"{where}, with facts {brief(parts['facts'])}", expected=brief(case.facts))
    if parts["draft"] != case.drafts[draft]:
        probe.wrong("old draft" if parts["draft"] in case.drafts[:draft] else None,
                    came=f"{where}, with {brief(parts['draft'])}", expected=brief(case.drafts[draft]))
    if who == "writer":
        lost = [it for it in case.verdicts[draft].issues if it not in parts["feedback"]]
        if lost:
            probe.wrong("part of the feedback", came=f"{where}, with the feedback {brief(parts['feedback'])}",
                        expected=f"a text that holds all {len(case.verdicts[draft].issues)} issues, such as {lost[0]!r}")
    if handoff["intent"] != case.task:
        probe.wrong(came=f"{where}, with the intent {brief(handoff['intent'])}", expected=repr(case.task))


def _result(probe: Probe, came: Any, output: str, status: str) -> None:
    """What both exercises ask of the result, the output apart."""
    if not isinstance(came, Result):
        probe.wrong("no result" if came is not None else None, came=brief(came),
                    expected=f"a Result with status {status!r}")
    if came.status != status and came.output == output:
        name = "pretends to be done" if status == "exhausted" else None
        probe.wrong(name, came=f"status {came.status!r}", expected=f"status {status!r}")


def _attempt(probe: Probe, case: Case) -> Any:
    run = _run(probe)
    came, problem = probe.attempt(run, case.desk, case.task, case.facts, case.drafts[0])
    _follow(probe, run, case, problem)
    if problem:
        raise problem
    return came


def check_loop(revise: Any, probe: Probe) -> None:
    """A pass after one revision, at once, never, at the last moment, and with a remark."""
    draw = probe.random
    cap = draw.randint(3, 4)  # not the number that the first case shows
    some = [draw.randint(1, 3) for _ in range(cap)]
    for drawn, issues, allowed in (
            (Random(1), [2, None], 2), (draw, [None], 1), (draw, [2, *some, 1], cap), (draw, [*some, None], cap),
            (draw, [3, 0], 3)):
        case = Case(drawn, issues, allowed)
        came = _attempt(probe, case)
        final, status = case.drafts[case.last], "ok" if case.passes else "exhausted"
        _result(probe, came, final, status)
        if came.output != final:
            probe.wrong("first draft returned" if came.output == case.drafts[0] else None, came=brief(came.output),
                        expected=f"{final!r}, the latest draft")
        if came.status != status:
            probe.wrong(came=f"status {came.status!r}", expected=f"status {status!r}")


HANDOFF = "Write `Handoff(intent=task, artifacts={…})` with the names `facts`, `draft` and, for the writer, `feedback`."

LOOP = Exercise(
    id="03.1", title="Write the revision loop", name="revise", difficulty=2, importance=5, minutes=4, points=3,
    check=check_loop,
    objective="Write the loop of review and revision, with a cap, in plain Python",
    why="A loop between two models ends only if code ends it; this is the smallest one that does.",
    hints=(
        "Every draft is reviewed, the last one too: with two revisions there may be three reviews. So the review "
        "stands at the beginning of each round, and the revision at its end, unless it was the last round.",
        "The reviewer's result has an `output` with `verdict` and `issues`. The door hands over with "
        "`await run.dispatch(who, Handoff(intent=task, artifacts={…}))`; the writer's new draft is that "
        "result's `as_text()`.",
        'In `for turn in range(desk.max_revisions + 1)`: dispatch to `desk.reviewer`; return a `Result` when '
        '`verdict.verdict` is `"PASS"`; unless it is the last round, join the issues into a text and dispatch '
        "to `desk.writer` with facts, draft and feedback. After the loop: status `exhausted`.",
    ),
    misconceptions={
        "never asks": Misconception(
            "the result is written into the function; it has to come from the desk",
            "Hand the draft to `desk.reviewer` by `await run.dispatch(…)`."),
        "not reviewed first": Misconception(
            "the draft goes to the writer before anybody has looked at it",
            "Begin each round with the reviewer; the first draft may be good enough."),
        "revision not reviewed": Misconception(
            "one revision follows the other without a look at it, so the same feedback is used twice",
            "Put the review inside the loop."),
        "not revised": Misconception(
            "the reviewer is asked again, and nobody has revised the draft in between",
            "After a REVISE, dispatch to `desk.writer`, and give what comes back the name `draft`."),
        "past the door": Misconception(
            "`execute` was called directly, so no budget, no limit and no trace sees this work",
            "Call `await run.dispatch(who, handoff)` instead."),
        "last draft not reviewed": Misconception(
            "the loop ends with a revision that nobody has read; it may have been the good one",
            "Review once more than you revise: `range(desk.max_revisions + 1)`."),
        "PASS not seen": Misconception(
            "the loop goes on after a PASS; a verdict is no text that begins with a word",
            'Compare the field: `result.output.verdict == "PASS"`.'),
        "remarks taken for a verdict": Misconception(
            "a PASS may come with remarks, and an issue does not make it a REVISE",
            "Decide by `verdict.verdict`, not by the number of issues."),
        "no cap": Misconception(
            "nothing ends the loop when the reviewer is never content",
            "Use a `for` loop over the rounds instead of `while True`."),
        "one revision too many": Misconception(
            "the writer is asked again after the last round that counts",
            "Revise only while the number of revisions is below `desk.max_revisions`."),
        "too few revisions": Misconception(
            "the loop ends at a REVISE before the cap; the word PASS may also stand inside an issue",
            "Return only at the verdict PASS, and count `desk.max_revisions` revisions."),
        "old draft": Misconception(
            "an earlier draft was handed over again; what the writer sent back is not used",
            "Give the new text the name `draft` before the next round."),
        "no feedback": Misconception(
            "the writer is asked to revise without being told what is wrong",
            "Add the artifact `feedback`, made of the verdict's issues."),
        "part of the feedback": Misconception(
            "only some of the issues reached the writer; what it is not told, it cannot mend",
            'Join all of them: `"\\n".join(verdict.issues)`.'),
        "no facts": Misconception(
            "a specialist sees nothing but its handoff, and there are no facts in this one", HANDOFF),
        "first draft returned": Misconception(
            "the first draft comes back, though there are later ones",
            "Return the draft of the round in which the loop ends."),
        "pretends to be done": Misconception(
            "no draft was passed, and the caller cannot see it",
            'After the loop return the status `"exhausted"`.'),
        "no result": Misconception(
            "the bare text was returned; who calls this needs the status as well",
            "Return `Result(status=…, output=draft)`."),
    },
    solution_note="The rounds are counted by a `for` loop, so it ends whatever the models say. The review stands "
                  "first in each round: no draft leaves the desk unread.",
    break_it="Let the reviewer get the feedback as well as the draft. Does the check mind, and would you?",
    alternative='''# A while loop that counts the revisions itself.
async def revise(run, desk, task, facts, draft):
    work, revisions = {"facts": facts, "draft": draft}, 0
    while True:
        reviewed = await run.dispatch(desk.reviewer, Handoff(intent=task, artifacts=work))
        if reviewed.output.verdict == "PASS":
            return Result(status="ok", output=work["draft"])
        if revisions == desk.max_revisions:
            return Result(status="exhausted", output=work["draft"])
        revisions += 1
        feedback = "\\n".join(reviewed.output.issues)
        handoff = Handoff(intent=task, artifacts={**work, "feedback": feedback})
        work["draft"] = (await run.dispatch(desk.writer, handoff)).as_text()
''')


def check_best(revise_to_best: Any, probe: Probe) -> None:
    """The best draft in the middle, at the end, at the beginning; and a pass, which ends it."""
    draw = probe.random
    for drawn, issues, cap in (
            (Random(2), [2, 1, 3, 5, 4], 4), (draw, [1, 2, 0], 3), (draw, [4, 3, draw.randint(1, 2)], 2), (draw, [1, 3, 2], 2),
            (draw, [2, 3, None], 3), (draw, draw.sample(range(1, 6), 4), 3)):
        case = Case(drawn, issues, cap)
        came = _attempt(probe, case)
        if case.passes:
            _result(probe, came, case.drafts[case.last], "ok")
            if (came.status, came.output) != ("ok", case.drafts[case.last]):
                probe.wrong("PASS not returned", came=f"status {came.status!r}, {brief(came.output)}",
                            expected=f"status 'ok', {case.drafts[case.last]!r}")
            continue
        fewest, counts = min(issues), ", ".join(map(str, issues))
        best = case.drafts[issues.index(fewest)]
        _result(probe, came, best, "exhausted")
        if came.output != best:
            at = case.drafts.index(came.output) if came.output in case.drafts else None
            names = {issues.index(fewest) + 1: "one too late", cap: "last draft", issues.index(max(issues)): "most issues",
                     0: "first draft"}
            earlier = issues.index(min(issues[:-1]))
            name = "last draft left out" if best == case.drafts[cap] and at == earlier else names.get(at)
            probe.wrong(name, came=f"draft {at}, with {issues[at]} issues" if at is not None and at <= cap
                        else brief(came.output), expected=f"draft {issues.index(fewest)}: the drafts had {counts} issues")
        if came.status != "exhausted":
            probe.wrong(came=f"status {came.status!r}", expected="status 'exhausted'")
        if not came.reason.strip():
            probe.wrong("no reason", came="an empty reason", expected=f"a reason with the number {fewest}, the issues left")
        if str(fewest) not in came.reason:
            probe.wrong("reason without the number", came=f"the reason {came.reason!r}",
                        expected=f"a reason with the number {fewest}, the issues left")


BEST = Exercise(
    id="03.2", title="Return the best draft at the cap", name="revise_to_best", difficulty=3, importance=4,
    minutes=3, points=3, check=check_best,
    objective="Return the best draft, and say what is left to mend, when the cap is hit",
    why="A revision can make a draft worse; the last one is only the latest.",
    hints=(
        "Remember two things on the way: the best draft so far, and how many issues it had. After each review ask "
        "whether the draft in hand is better than what you remember.",
        "Compare in each round, right after the verdict and before the writer is asked again, so that the last "
        "draft is compared too. The number of issues is `len(verdict.issues)`.",
        "Before the loop: `best, fewest = draft, None`. After the PASS test: when `fewest` is None or there are "
        "fewer issues, remember both. After the loop return the remembered draft, with a reason that holds "
        "the number.",
    ),
    misconceptions={
        "last draft": Misconception(
            "the latest draft is returned, though an earlier one had fewer issues",
            "Remember the draft with the fewest issues and return that."),
        "one too late": Misconception(
            "the draft behind the best one is returned: it had taken the best one's place before the comparison",
            "Compare right after the verdict, before the writer's new draft gets the name `draft`."),
        "old draft": Misconception(
            "an earlier draft was handed over again, beside the issues of the latest",
            "Revise the latest draft, and remember the best one under another name."),
        "first draft": Misconception(
            "the first draft is kept, whatever comes after it",
            "Compare each draft's number of issues with the fewest so far, and replace it when there are fewer."),
        "most issues": Misconception(
            "the comparison is the wrong way round: the draft with the most issues won",
            "Keep a draft when its number of issues is smaller."),
        "last draft left out": Misconception(
            "the last draft is reviewed but not compared any more",
            "Compare right after the verdict, before you look whether there is a revision left."),
        "PASS not returned": Misconception(
            "a draft that passed is the answer, even when it comes with more remarks than another had issues",
            "Return inside the loop when the verdict is PASS, with the status `ok`."),
        "pretends to be done": Misconception(
            "no draft was passed, and the caller cannot see it",
            'After the loop return the status `"exhausted"`.'),
        "no reason": Misconception(
            "the status says that it was stopped, nothing says why",
            "Give `reason=` a sentence with the number of issues that are left."),
        "reason without the number": Misconception(
            "the reason does not say how far from done the best draft is",
            "Put the number of issues of the draft that you return into the reason."),
        "never asks": Misconception(
            "the result is written into the function; it has to come from the desk",
            "Begin with your loop of 03.1."),
    },
    solution_note="The comparison costs no request: the verdicts are there already. A schema makes it possible, "
                  "since a list of issues can be counted and a sentence cannot.",
    break_it="Let two drafts have the same number of issues. Which one do you return, and which would you want?",
    alternative='''# Keep every draft with its verdict; choose at the end.
async def revise_to_best(run, desk, task, facts, draft):
    seen = []
    for revision in range(desk.max_revisions + 1):
        work = {"facts": facts, "draft": draft}
        verdict = (await run.dispatch(desk.reviewer, Handoff(intent=task, artifacts=work))).output
        if verdict.verdict == "PASS":
            return Result(status="ok", output=draft)
        seen.append((len(verdict.issues), draft))
        if revision < desk.max_revisions:
            work["feedback"] = "\\n".join(verdict.issues)
            draft = (await run.dispatch(desk.writer, Handoff(intent=task, artifacts=work))).as_text()
    fewest, best = min(seen, key=lambda pair: pair[0])
    return Result(status="exhausted", output=best, reason=f"{fewest} issues are left")
''')


# ── 03.3: a stage that fails ───────────────────────────────────────────────────────────────────────────────

STAGES = (("facts", "researcher"), ("outline", "planner"), ("draft", "writer"), ("review", "reviewer"))
TROUBLE = (("failed", "no network"), ("exhausted", "the budget is used up"), ("refused", "a handoff too deep"))


def check_stages(in_stages: Any, probe: Probe) -> None:
    """All goes well; a stage in the middle, the last one and the first one do not deliver."""
    draw = probe.random
    size = len(STAGES)
    first, others = TROUBLE[1], draw.sample(TROUBLE, 2)
    for drawn, breaks, (status, why) in (
            (Random(3), 2, first), (draw, None, first), (draw, size - 1, others[0]), (draw, 0, others[1]),
            (draw, draw.randint(1, size - 1), draw.choice(TROUBLE))):
        task = f"Write a brief on {drawn.choice(TOPICS)}"
        texts = {name: f"The {name}, of {drawn.randint(2, 900)} words." for name, _ in STAGES}
        results = {name: Result(status="ok", output=text) for name, text in texts.items()}
        broken = None if breaks is None else STAGES[breaks][0]
        if broken:
            why = f"{why} ({drawn.randint(2, 900)})"
            results[broken] = Result(status=status, reason=why, output="Half of it")
        stages = {name: Specialist(who, lambda handoff, it=results[name]: it) for name, who in STAGES}
        run = _run(probe)
        came, problem = probe.attempt(run, task, stages)
        _look_at_the_stages(probe, run, task, texts, breaks, problem, [*stages.values()])
        if problem:
            if broken and probe.raised_by_hand(problem):
                probe.wrong("raises", came=f"{type(problem).__name__}: {problem}",
                            expected=f"a Result with status {status!r} and the work so far")
            raise problem
        if not isinstance(came, Result):
            probe.wrong("no result" if came is not None else None, came=brief(came), expected="a Result")
        if broken is None:
            _look_at_the_whole(probe, came, texts)
        else:
            _look_at_what_is_left(probe, came, texts, breaks, status, why)


def _look_at_the_stages(probe: Probe, run: Run, task: str, texts: dict, breaks: int | None, problem: Any,
                        stages: list[Specialist]) -> None:
    given = run.trace().handoffs()
    order = " → ".join(it["to_agent"] for it in given) or "no handoff"
    wanted = STAGES[: len(STAGES) if breaks is None else breaks + 1]
    right = " → ".join(who for _, who in wanted)
    if not given and problem is None:
        past = any(it.calls for it in stages)
        probe.wrong("past the door" if past else "never asks", came="calls of execute, without a handoff" if past else
                    "a result, without a handoff", expected=right)
    before: dict[str, str] = {}
    for handoff, (name, who) in zip(given, wanted, strict=False):
        parts = handoff["artifacts"]
        if handoff["to_agent"] != who:
            probe.wrong(came=order, expected=right)
        if handoff["intent"] != task:
            probe.wrong(came=f"the {who} got the intent {brief(handoff['intent'])}", expected=repr(task))
        if parts != before:
            lost = before.keys() - parts.keys()
            label = "nothing handed over" if not parts else "only the last work" if lost else None
            if parts and [*parts.values()] == [*before.values()]:
                label = "other names"
            probe.wrong(label, came=f"the {who} got {', '.join(parts) or 'no artifacts'}",
                        expected=f"{', '.join(before) or 'no artifacts'}: the work of all stages before")
        before[name] = texts[name]
    if len(given) > len(wanted):
        probe.wrong("goes on", came=order, expected=f"{right}: that stage did not deliver")
    if len(given) < len(wanted) and problem is None:
        probe.wrong("ends early", came=order, expected=right)


def _look_at_the_whole(probe: Probe, came: Result, texts: dict) -> None:
    last = list(texts.values())[-1]
    if came.status != "ok":
        probe.wrong(came=f"status {came.status!r}, though every stage is ok", expected="status 'ok'")
    if came.output != last:
        probe.wrong("no output" if came.output is None else None, came=f"output {brief(came.output)}",
                    expected=f"{last!r}, the text of the last stage")
    if came.artifacts != texts:
        probe.wrong("work lost", came=f"artifacts {', '.join(came.artifacts) or 'none'}", expected=", ".join(texts))


def _look_at_what_is_left(probe: Probe, came: Result, texts: dict, breaks: int, status: str, why: str) -> None:
    name = STAGES[breaks][0]
    done = {it: texts[it] for it, _ in STAGES[:breaks]}
    if came.status == "ok":
        probe.wrong("pretends to be done", came="status 'ok'", expected=f"status {status!r}, that of the stage {name}")
    if came.status != status:
        probe.wrong("own status", came=f"status {came.status!r}", expected=f"{status!r}, that of the stage {name}")
    if name in came.artifacts:
        probe.wrong("half work kept", came=f"artifacts {', '.join(came.artifacts)}",
                    expected=f"{', '.join(done) or 'no artifacts'}: {name} was not finished")
    if came.artifacts != done:
        probe.wrong("work lost", came=f"artifacts {', '.join(came.artifacts) or 'none'}", expected=", ".join(done))
    if why not in came.reason:
        probe.wrong("reason lost", came=f"the reason {came.reason!r}", expected=f"a reason that holds {why!r}")
    if name not in came.reason.replace(why, ""):
        probe.wrong("stage not named", came=f"the reason {came.reason!r}", expected=f"a reason that names {name!r}")


STAGED = Exercise(
    id="03.3", title="A stage fails, the work stays", name="in_stages", difficulty=3, importance=5, minutes=3,
    points=3, check=check_stages,
    objective="Keep a stage's failure from losing the work that was finished before it",
    why="The stages before a failure are done and paid for; the caller may finish by hand, or try again from there.",
    hints=(
        "Finished work needs a place outside the stage that makes the next one. Put each text there as soon as it "
        "is done; when a stage does not deliver, this place is what you still have to give.",
        "A stage that fails raises nothing: `run.dispatch` returns a `Result`, whose `ok` says whether it "
        "delivered, `status` how it ended and `reason` why. A `Result` of yours has the same fields, and "
        "`artifacts`.",
        'Begin with `work = {}`. For each name and executable: dispatch with `artifacts=work`. If the result is '
        'not `ok`, return a `Result` with its status, your `work`, and a reason such as '
        '`f"{name}: {…}"`; else put its text into `work` under the name.',
    ),
    misconceptions={
        "raises": Misconception(
            "the failure is raised, and an exception carries no work",
            "Return a `Result` with the stage's status and `artifacts=work`."),
        "work lost": Misconception(
            "the stages before were finished and paid for, and their texts are not in the result",
            "Give the result `artifacts=work`."),
        "pretends to be done": Misconception(
            "the caller cannot tell this from a brief that went through every stage",
            "Return the status of the stage that did not deliver."),
        "own status": Misconception(
            "every trouble gets the same status; whether it was a failure, a limit or a refusal decides what to do next",
            "Return `result.status`, as the stage gave it."),
        "goes on": Misconception(
            "later stages work on, though what they need is not there",
            "Look at `result.ok` after each stage, and return at once."),
        "ends early": Misconception(
            "the loop is left before the last stage, though all went well",
            "Let the return for the good case stand after the loop."),
        "half work kept": Misconception(
            "the text of a stage that was stopped is half a work; among the artifacts it looks finished",
            "Put the text into `work` only when the result is `ok`."),
        "nothing handed over": Misconception(
            "a stage sees nothing but its handoff, and this one is empty",
            "Dispatch `Handoff(intent=task, artifacts=work)`."),
        "other names": Misconception(
            "the texts are there, but not under the names of their stages",
            "Use the key of `stages` as the name: `work[name] = text`."),
        "no output": Misconception(
            "all texts are among the artifacts, and none is the output",
            "Return `Result(status=\"ok\", output=text, artifacts=work)`, with the text of the last stage."),
        "past the door": Misconception(
            "`execute` was called directly, so no budget, no limit and no trace sees this work",
            "Call `await run.dispatch(executable, handoff)` instead."),
        "only the last work": Misconception(
            "each stage gets the text of the one before it only; the reviewer needs the facts too",
            "Collect the texts in one dict, and hand over all of it."),
        "reason lost": Misconception(
            "the stage said why it failed, and the result does not say it",
            "Put `result.reason` into your reason."),
        "stage not named": Misconception(
            "the reason does not say which stage it was",
            'Begin it with the name of the stage: `f"{name}: {result.reason}"`.'),
        "no result": Misconception(
            "the bare work was returned; who calls this needs the status as well",
            "Return `Result(status=…, output=…, artifacts=work)`."),
        "never asks": Misconception(
            "the result is written into the function; it has to come from the stages",
            "Go over `stages.items()`, and dispatch each."),
    },
    solution_note="Work lives in a dict outside the stages, and every way out of the function carries it. The kernel "
                  "does the same with `run.keep`, so that even a deadline in the middle of a stage loses nothing.",
    break_it="Let a stage come back `ok` with an empty text. Does your function notice, and should it?",
    alternative='''# The run keeps the work: `run.keep` and `run.artifacts` are there for this.
async def in_stages(run, task, stages):
    text = ""
    for name, executable in stages.items():
        result = await run.dispatch(executable, Handoff(intent=task, artifacts=dict(run.artifacts)))
        if not result.ok:
            reason = f"{name} did not deliver: {result.reason}"
            return Result(status=result.status, output=text, reason=reason, artifacts=run.artifacts)
        text = result.as_text()
        run.keep(**{name: text})
    return Result(status="ok", output=text, artifacts=run.artifacts)
''')

EXERCISES = (LOOP, BEST, STAGED)
