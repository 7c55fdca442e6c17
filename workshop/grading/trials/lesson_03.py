"""Trials of lesson 03: the revision loop, the best draft at the cap, a failed stage that loses nothing."""

from __future__ import annotations

import re
from collections.abc import Sequence
from random import Random
from typing import Any

from kernel import Handoff, Result, Verdict
from workshop.desks import TOPICS, Desk, Specialist

from .desk import ending, held, quiet_run
from .trial import Trial, call

MOST_NUMBERS, MOST_WORDS = 5, 5_000
"""In a reason, beside the issues themselves: who counts from one to a hundred has not said how many are left."""


class Revising:
    """A desk whose reviewer finds `issues[n]` issues in draft n; None is a PASS, 0 a PASS with a remark."""

    def __init__(self, draw: Random, issues: Sequence[int | None], cap: int, *, says: str = "sentence {}") -> None:
        topic = draw.choice(TOPICS)
        self.task = f"Write a brief on {topic}"
        self.facts = f"- There are {draw.randint(1_000, 9_999)} documents on {topic}. [{topic[:5].strip()}-1]"
        sizes = draw.sample(range(20, 900), cap + 14)
        self.drafts = [f"# {topic.capitalize()}\n\nDraft {at}, of {size} words." for at, size in enumerate(sizes)]
        self.verdicts = {draft: self._verdict(draw, found, at, says)
                         for at, (draft, found) in enumerate(zip(self.drafts, issues, strict=False))}
        self.next = iter(self.drafts[1:])
        self.desk = Desk(Specialist("writer", lambda _: next(self.next)), Specialist("reviewer", self._review), cap)

    def _verdict(self, draw: Random, found: int | None, at: int, says: str) -> Verdict:
        if found == 0:
            return Verdict(verdict="PASS", issues=[f"{says.format(draw.randint(100, 999))} of draft {at} may be shorter"])
        issues = [f"{says.format(draw.randint(100, 999))} of draft {at}: no fact carries issue {number}"
                  for number in range(1, (found or 0) + 1)]
        return Verdict(verdict="REVISE" if found else "PASS", issues=issues)

    def _review(self, handoff: Handoff) -> Verdict:
        nobodys = Verdict(verdict="REVISE", issues=["this draft comes from nobody at this desk"])
        return self.verdicts.get(handoff.artifacts.get("draft", ""), nobodys)

    def see(self, revise: Any) -> dict[str, Any]:
        """Every handoff, with what the exercise says must be in it, and how it ended."""
        run = quiet_run()
        came = call(revise, run, self.desk, self.task, self.facts, self.drafts[0])
        return {"handoffs": [self._seen(it) for it in run.trace().handoffs()], **ending(came),
                "issues named": self._named(came)}

    def _seen(self, handoff: dict[str, Any]) -> dict[str, Any]:
        parts = handoff["artifacts"]
        seen = {"to": handoff["to_agent"], "intent": handoff["intent"], "facts": parts.get("facts"), "draft": parts.get("draft")}
        if handoff["to_agent"] == "writer":
            about = self.verdicts.get(parts.get("draft", ""))
            seen["feedback"] = held(parts.get("feedback"), *(about.issues if about else ()))
        return seen

    def _named(self, came: Any) -> list[int]:
        """The number of issues of the draft that came back, if the reason names it; some other numbers may stand there too."""
        about = self.verdicts.get(came.output) if isinstance(came, Result) and type(came.output) is str else None
        if not about or type(came.reason) is not str:
            return []
        words = came.reason
        for issue in sorted((issue for it in self.verdicts.values() for issue in it.issues), key=len, reverse=True):
            words = words.replace(issue, "")
        named = re.findall(r"\d+", words if len(words) < MOST_WORDS else "")
        return [len(about.issues)] if str(len(about.issues)) in named and len({*named}) <= MOST_NUMBERS else []


def loop(came: dict[str, Any]) -> dict[str, Any]:
    """Without the reason, which 03.1 does not ask for."""
    return {name: it for name, it in came.items() if name != "issues named"}


def until_passed(revise: Any, draw: Random) -> Any:
    late = [draw.randint(1, 3) for _ in range(draw.randint(2, 3))]
    return [loop(Revising(draw, issues, cap).see(revise)) for issues, cap in (([None], 2), ([*late, None], 3))]


def to_the_cap(revise: Any, draw: Random) -> Any:
    cap = draw.randint(3, 5)  # not the number of an example
    issues = [draw.randint(1, 3) for _ in range(cap + 8)]
    at_the_last_moment = [*(draw.randint(1, 3) for _ in range(cap)), None]
    return [loop(Revising(draw, it, cap).see(revise)) for it in (issues, at_the_last_moment)]


def by_the_verdict(revise: Any, draw: Random) -> Any:
    says = "“A PASS after {} s” in a sentence"
    return [loop(Revising(draw, issues, 3, says=says).see(revise)) for issues in ([draw.randint(2, 3), 0], [0], [1, 2, None])]


def the_fewest(revise: Any, draw: Random) -> Any:
    """The best draft first, in the middle, and somewhere."""
    few, some = draw.randint(2, 15), draw.randint(1, 15)
    more = [few + it for it in draw.sample(range(1, 6), 3)]
    return [Revising(draw, issues, len(issues) - 1).see(revise) for issues in (
        [1, *more], [more[0], few, *more[1:]], draw.sample([some, *(some + it for it in draw.sample(range(1, 6), 3))], 4))]


def the_last_is_best(revise: Any, draw: Random) -> Any:
    sizes = draw.sample(range(3, 8), 3)
    return [Revising(draw, [*sizes, draw.randint(1, 2)], 3).see(revise)]


def a_pass_is_best(revise: Any, draw: Random) -> Any:
    cases = ([*draw.sample(range(2, 6), 2), None], [1, draw.randint(2, 4), 0])
    return [loop(Revising(draw, issues, 3).see(revise)) for issues in cases]


STAGES = (("facts", "researcher"), ("outline", "planner"), ("draft", "writer"), ("review", "reviewer"), ("title", "editor"))
TROUBLE = (("failed", "no network"), ("exhausted", "the budget is used up"), ("refused", "a handoff too deep"))


def staged(in_stages: Any, draw: Random, breaks: int | None) -> dict[str, Any]:
    """Stages in a drawn choice, of which one may not deliver."""
    chosen = [STAGES[at] for at in sorted(draw.sample(range(len(STAGES)), 4))]
    task = f"Write a brief on {draw.choice(TOPICS)} in {draw.randint(100, 999)} words"
    results = {name: Result(status="ok", output=f"The {name}, of {draw.randint(100, 999)} words.") for name, _ in chosen}
    broken, why = None, ""
    if breaks is not None:
        status, why = draw.choice(TROUBLE)
        broken, why = chosen[breaks][0], f"{why} ({draw.randint(100, 999)})"
        results[broken] = Result(status=status, reason=why, output=f"Half of it: {draw.randint(100, 999)} words.")
    run = quiet_run()
    came = call(in_stages, run, task, {name: Specialist(who, lambda _, it=results[name]: it) for name, who in chosen})
    handoffs = [[it["to_agent"], it["intent"], it["artifacts"]] for it in run.trace().handoffs()]
    seen: dict[str, Any] = {"handoffs": handoffs}
    if not isinstance(came, Result):
        return {**seen, "no result": came}
    seen |= {"status": came.status, "artifacts": came.artifacts}
    if broken is None:
        return {**seen, "output": came.output}
    return {**seen, "reason holds": held(came.reason, why) + held(came.reason.replace(why, ""), broken)}


TRIALS = {
    "03.1": (
        Trial(title="revises until the reviewer says PASS", points=1, observe=until_passed),
        Trial(title="stops at the cap, with the latest draft reviewed", points=1, observe=to_the_cap),
        Trial(title="decides by the verdict, whatever the issues say", points=1, observe=by_the_verdict, hidden=True),
    ),
    "03.2": (
        Trial(title="returns the draft with the fewest issues at the cap, and names their number", points=1, observe=the_fewest),
        Trial(title="compares the last draft too", points=1, observe=the_last_is_best),
        Trial(title="a draft that passed ends it", points=1, observe=a_pass_is_best, hidden=True),
    ),
    "03.3": (
        Trial(title="every stage gets the work of all stages before it", points=1,
              observe=lambda answer, draw: [staged(answer, draw, None) for _ in range(2)]),
        Trial(title="a stage in the middle fails, and the work before it stays", points=1,
              observe=lambda answer, draw: [staged(answer, draw, at) for at in (1, 2)]),
        Trial(title="the first or the last stage fails", points=1, hidden=True,
              observe=lambda answer, draw: [staged(answer, draw, at) for at in (0, 3)]),
    ),
}
