"""The author's side of lesson 03: what answers are tried on, known slips, right answers in other
words.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

TOPICS = (
    "rate limits",
    "vector stores",
    "tracing",
    "evaluation",
    "caching",
    "handoffs",
    "circuit breakers",
)


def desk(
    draw: Random, issues: Sequence[int | None], cap: int, *, wordy: bool = False
) -> dict[str, Any]:
    """A desk whose reviewer finds `issues[n]` issues in draft n; None is a PASS, 0 a PASS with a
    remark, BARE a REVISE that names no issue; wordy: as in `_verdict`.
    """
    topic = draw.choice(TOPICS)
    sizes = draw.sample(range(20, 900), cap + 13)
    special = {None: "PASS", 0: "PASS with a remark", BARE: "REVISE without an issue"}
    found = ", ".join(special.get(count, str(count)) for count in issues[: cap + 1])
    return {
        "about": f"max_revisions is {cap}; the issues that the reviewer finds, draft by draft: {found}",
        "task": f"Write a brief on {topic}",
        "facts": f"- There are {draw.randint(1_000, 9_999)} documents on {topic}. [{topic[:5].strip()}-1]",
        "drafts": [
            f"# {topic.capitalize()}\n\nDraft {number}, of {size} words."
            for number, size in enumerate(sizes)
        ],
        "verdicts": [
            _verdict(draw, found, number, wordy=wordy) for number, found in enumerate(issues)
        ],
        "cap": cap,
    }


def _verdict(draw: Random, found: int | None, draft: int, *, wordy: bool) -> dict[str, Any]:
    """wordy: a single issue has more words than several have."""
    if found == 0:
        return {
            "verdict": "PASS",
            "issues": [f"sentence {draw.randint(100, 999)} of draft {draft} may be shorter"],
        }
    issues = [
        f"“A PASS after {draw.randint(100, 999)} s”: no fact of draft {draft} carries issue {number}; drop it"
        for number in range(1, (found or 0) + 1)
    ]
    if wordy and found == 1:
        issues = [f"{issues[0]}{', or find a document that carries it, and cite that one' * 6}"]
    return {"verdict": "REVISE" if found else "PASS", "issues": issues}


BARE = -1
"""For `desk`: a verdict REVISE without an issue."""


def loops(draw: Random) -> dict[str, list[Any]]:
    """Desks that pass a draft, that never do, and that pass one with remarks."""
    late = [draw.randint(1, 3) for _ in range(draw.randint(2, 3))]
    cap = draw.randint(3, 5)
    last = [*(draw.randint(1, 3) for _ in range(cap)), None]
    never = [draw.randint(1, 3) for _ in range(cap + 8)]
    return {
        "passes": [desk(draw, [2, None], 2), desk(draw, [*late, None], 3), desk(draw, [None], 2)],
        "the cap": [desk(draw, never, cap), desk(draw, last, cap)],
        "remarks": [
            desk(draw, [draw.randint(2, 3), 0], 3),
            desk(draw, [0], 3),
            desk(draw, [1, 2, None], 3),
            desk(draw, [1, BARE, None], 3),
        ],
    }


def best_drafts(draw: Random) -> dict[str, list[Any]]:
    """Desks whose best draft is the first one, one in the middle, the last; and one that passes."""
    few, some = draw.randint(2, 9), draw.randint(1, 9)
    more = [few + extra for extra in draw.sample(range(1, 6), 3)]
    mixed = draw.sample([some, *(some + extra for extra in draw.sample(range(1, 6), 3))], 4)
    last = [*draw.sample(range(3, 8), 3), draw.randint(1, 2)]

    def made(issues: Sequence[int | None]) -> dict[str, Any]:
        return desk(draw, issues, len(issues) - 1, wordy=True)

    return {
        "the fewest": [
            made(issues)
            for issues in ([2, 1, 3, 5, 4], [few, *more], [more[0], few, *more[1:]], mixed)
        ],
        "the last": [made(last)],
        "passes": [made([1, draw.randint(2, 3), 0]), made([2, 3, None])],
    }


STAGES = (
    ("facts", "researcher"),
    ("outline", "planner"),
    ("draft", "writer"),
    ("review", "reviewer"),
)
TROUBLE = (
    ("failed", "no network"),
    ("exhausted", "the budget is used up"),
    ("refused", "a handoff too deep"),
)


def stages(draw: Random) -> dict[str, list[Any]]:
    """Stages of which none, one in the middle, the first or the last does not deliver."""
    return {
        "all": [_staged(draw, None), _staged(draw, None, odd=True)],
        "middle": [_staged(draw, breaks) for breaks in (1, 2)],
        "ends": [_staged(draw, breaks) for breaks in (0, 3)],
    }


def _staged(draw: Random, breaks: int | None, *, odd: bool = False) -> dict[str, Any]:
    """odd: one stage delivers an empty text, and one a record in place of a text."""
    chosen = [STAGES[index] for index in sorted(draw.sample(range(len(STAGES)), 4))]
    about = "every stage delivers"
    results: list[Any] = [
        [
            name,
            description,
            {"status": "ok", "output": f"The {name}, of {draw.randint(100, 999)} words."},
        ]
        for name, description in chosen
    ]
    if odd:
        about = "every stage delivers; one an empty text, one a record"
        results[1][2]["output"] = ""
        results[2][2]["output"] = {"verdict": "PASS", "issues": [f"{draw.randint(100, 999)} words"]}
    if breaks is not None:
        status, why = draw.choice(TROUBLE)
        half = f"Half of it: {draw.randint(100, 999)} words."
        about = f"the stage {chosen[breaks][0]!r} does not deliver"
        results[breaks][2] = {
            "status": status,
            "reason": f"{why} ({draw.randint(100, 999)})",
            "output": half,
            "artifacts": {"scraps": f"{draw.randint(100, 999)} loose notes"},
        }
    task = f"Write a brief on {draw.choice(TOPICS)} in {draw.randint(100, 999)} words"
    return {"about": about, "task": task, "stages": results}


INPUTS = {"03.1": loops, "03.2": best_drafts, "03.3": stages}

ROUNDS = "for revision in range(desk.max_revisions + 1):"
PASSED = 'if verdict.verdict == "PASS":'
WHILE_LEFT = "if revision < desk.max_revisions:"
FEEDBACK = 'work["feedback"] = "\\n".join(verdict.issues)'
NEW_DRAFT = "draft = revised.as_text()"
AT_THE_CAP = 'return Result(status="exhausted", output=draft)'
TO_WRITER = "revised = await run.dispatch(desk.writer, Handoff(intent=task, artifacts=work))"
TO_REVIEWER = "reviewed = await run.dispatch(desk.reviewer, Handoff(intent=task, artifacts=work))"
BETTER = "if fewest is None or len(verdict.issues) < fewest:"
BEST = 'return Result(status="exhausted", output=best, reason=f"{fewest} issues are left")'

BROKEN = "if not result.ok:"
SO_FAR = "return Result(status=result.status, output=text, reason=reason, artifacts=work)"
HAND_OVER = "Handoff(intent=task, artifacts=work)"
KEEP = "work[name] = text"

SLIPS = {
    "03.1": {
        "never asks": [("", "    return Result(status='ok', output='# Rate limits')\n")],
        "not reviewed first": [
            (
                ROUNDS,
                f"draft = (await run.dispatch(desk.writer, Handoff(intent=task, artifacts={{'facts': facts}}))).as_text()\n"
                f"    {ROUNDS}",
            )
        ],
        "revision not reviewed": [
            (
                NEW_DRAFT,
                f"{NEW_DRAFT}\n            work['draft'] = draft\n            {TO_WRITER}\n            {NEW_DRAFT}",
            )
        ],
        "not revised": [
            (TO_WRITER, TO_REVIEWER.replace("reviewed", "revised").replace("work))", "work))"))
        ],
        "past the door": [
            (
                TO_REVIEWER,
                "reviewed = await desk.reviewer.execute(Handoff(intent=task, artifacts=work), run)",
            ),
            (
                TO_WRITER,
                "revised = await desk.writer.execute(Handoff(intent=task, artifacts=work), run)",
            ),
        ],
        "last draft not reviewed": [(ROUNDS, "for revision in range(desk.max_revisions):")],
        "PASS not seen": [(PASSED, 'if reviewed.as_text().startswith("PASS"):')],
        "remarks taken for a verdict": [(PASSED, "if not verdict.issues:")],
        "no cap": [(ROUNDS, "while True:"), (WHILE_LEFT, "if True:"), (AT_THE_CAP, "")],
        "one revision too many": [(WHILE_LEFT, "if True:")],
        "too few revisions": [(PASSED, 'if "PASS" in reviewed.as_text():')],
        "old draft": [(NEW_DRAFT, "revised.as_text()")],
        "no feedback": [(FEEDBACK, "pass")],
        "part of the feedback": [(FEEDBACK, 'work["feedback"] = verdict.issues[0]')],
        "no facts": [('work = {"facts": facts, "draft": draft}', 'work = {"draft": draft}')],
        "first draft returned": [
            (ROUNDS, f"first = draft\n    {ROUNDS}"),
            (
                'return Result(status="ok", output=draft)',
                'return Result(status="ok", output=first)',
            ),
        ],
        "pretends to be done": [(AT_THE_CAP, AT_THE_CAP.replace("exhausted", "ok"))],
        "no result": [('return Result(status="ok", output=draft)', "return draft")],
    },
    "03.2": {
        "last draft": [(BEST, BEST.replace("output=best", "output=draft"))],
        "one too late": [
            (f"        {BETTER}\n            best, fewest = draft, len(verdict.issues)\n", ""),
            (
                NEW_DRAFT,
                f"{NEW_DRAFT}\n            {BETTER}\n                best, fewest = draft, len(verdict.issues)",
            ),
        ],
        "old draft": [
            ('work["feedback"] =', 'work["draft"] = best\n            work["feedback"] =')
        ],
        "first draft": [(BETTER, "if fewest is None:")],
        "fewest words": [
            (
                BETTER,
                "words = len(' '.join(verdict.issues))\n        if fewest is None or words < length:",
            ),
            (
                "best, fewest = draft, len(verdict.issues)",
                "best, fewest, length = draft, len(verdict.issues), words",
            ),
        ],
        "most issues": [(BETTER, BETTER.replace("<", ">"))],
        "last draft left out": [
            (BETTER, f"if revision < desk.max_revisions and ({BETTER[3:-1]}):")
        ],
        "PASS not returned": [
            ('return Result(status="ok", output=draft)', 'return Result(status="ok", output=best)')
        ],
        "pretends to be done": [(BEST, BEST.replace("exhausted", "ok"))],
        "no reason": [(BEST, BEST.replace(', reason=f"{fewest} issues are left"', ""))],
        "reason without the number": [
            (BEST, BEST.replace('f"{fewest} issues are left"', '"the cap was hit"'))
        ],
        "never asks": [
            (
                "",
                "    return Result(status='exhausted', output='# Rate limits', reason='1 issues are left')\n",
            )
        ],
    },
    "03.3": {
        "raises": [(SO_FAR, "raise RuntimeError(reason)")],
        "work lost": [(SO_FAR, SO_FAR.replace(", artifacts=work", ""))],
        "pretends to be done": [(SO_FAR, SO_FAR.replace("result.status", '"ok"'))],
        "own status": [(SO_FAR, SO_FAR.replace("result.status", '"cancelled"'))],
        "goes on": [(BROKEN, "if result.output is None:")],
        "ends early": [
            (KEEP, f"{KEEP}\n        return Result(status='ok', output=text, artifacts=work)")
        ],
        "half work kept": [(BROKEN, f"work[name] = result.as_text()\n        {BROKEN}")],
        "nothing handed over": [(HAND_OVER, "Handoff(intent=task)")],
        "other names": [(KEEP, "work[executable.name] = text")],
        "no output": [('Result(status="ok", output=text, ', 'Result(status="ok", ')],
        "past the door": [
            (
                "await run.dispatch(executable, Handoff(intent=task, artifacts=work))",
                "await executable.execute(Handoff(intent=task, artifacts=work), run)",
            )
        ],
        "only the last work": [
            (HAND_OVER, "Handoff(intent=task, artifacts=dict(list(work.items())[-1:]))")
        ],
        "reason lost": [('f"{name}: {result.reason}"', 'f"{name} did not deliver"')],
        "stage not named": [('f"{name}: {result.reason}"', "result.reason")],
        "no result": [(SO_FAR, "return work")],
        "never asks": [
            ("", "    return Result(status='exhausted', reason='draft: the budget is used up')\n")
        ],
    },
}
"""By exercise and name, our solution changed: (old text, new text); where the old text is empty,
the new one is the body.
"""

RIGHT = {
    "03.1": [
        """\
# A while loop that counts the revisions itself.
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
""",
        """\
def revise(run, desk, task, facts, draft, left=None):
    async def go():
        rounds = desk.max_revisions if left is None else left
        given = {"facts": facts, "draft": draft, "notes": task}
        verdict = (await run.dispatch(desk.reviewer, Handoff(intent=task, context="Be strict.", artifacts=given))).output
        if verdict.verdict != "PASS" and rounds > 0:
            given["feedback"] = "".join(f"- {it}\\n" for it in reversed(verdict.issues)) + "Fix all of them."
            new = await run.dispatch(desk.writer, Handoff(intent=task, artifacts=given))
            return await revise(run, desk, task, facts, new.output, rounds - 1)
        return Result(status="ok" if verdict.verdict == "PASS" else "exhausted", output=draft, by="me", reason="the end",
                      artifacts={"facts": facts})
    return go()
""",
    ],
    "03.2": [
        """\
# Keep every draft with its verdict; choose at the end.
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
""",
        """\
async def revise_to_best(run, desk, task, facts, draft):
    rated, told = [], ""
    for at in range(desk.max_revisions + 1):
        if at:
            parts = {"draft": draft, "facts": facts, "feedback": told}
            draft = (await run.dispatch(desk.writer, Handoff(intent=task, artifacts=parts))).as_text()
        said = await run.dispatch(desk.reviewer, Handoff(intent=task, artifacts={"draft": draft, "facts": facts, "old": told}))
        if said.output.verdict == "PASS":
            return said.model_copy(update={"output": draft})
        rated.append((len(said.output.issues), at, draft))
        told += "\\n".join(said.output.issues) + "\\n"
    issues, at, best = sorted(rated)[0]
    return Result(status="exhausted", output=best, reason=f"draft number {at}: {issues} issue(s), after {desk.max_revisions} revisions")
""",
    ],
    "03.3": [
        """\
# The run keeps the work: `run.keep` and `run.artifacts` are there for this.
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
""",
        """\
async def in_stages(run, task, stages):
    done = {}
    for stage in stages:
        came = await run.dispatch(stages[stage], Handoff(intent=task, artifacts={**done}, context=""))
        if came.status == "ok":
            done = {**done, stage: came.as_text()}
            continue
        return Result(status=came.status, artifacts=done, reason=f"We stopped at {stage.upper()} ({stage}), since: {came.reason}!",
                      output={"so far": list(done)})
    return Result(status="ok", output=came.as_text(), artifacts=done)
""",
        """\
async def in_stages(run, task, stages, work=None, text=""):
    work = work or {}
    todo = [n for n in stages if n not in work]
    if not todo:
        return Result(status="ok", output=text, artifacts=work)
    name = todo[0]
    came = await run.dispatch(stages[name], Handoff(intent=task, artifacts=work))
    match came.status:
        case "ok":
            return await in_stages(run, task, stages, {**work, name: came.as_text()}, came.as_text())
        case bad:
            return Result(status=bad, reason=f"{name} / {came.reason}", artifacts=work)
""",
    ],
}
"""By exercise; `solution` shows the first beside ours."""
