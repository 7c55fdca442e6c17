"""The honest learners of the class: beside hostile ones they get what they earn, no more and no less."""

from __future__ import annotations

from classroom.authoring.answers import right

from .submission import Submission, honest

ALL = ("03.1", "03.2", "03.3", "03.4")
PASSED = dict.fromkeys(ALL, "passed")


@honest("solved", states=PASSED)
def _(submission: Submission) -> None:
    """Everything right."""


@honest("solved 01", lesson="01", states=dict.fromkeys(("01.1", "01.2", "01.3"), "passed"))
def _(submission: Submission) -> None:
    """Everything right, in another lesson."""


@honest("another form", "a right answer in another form", states=PASSED)
def _(submission: Submission) -> None:
    """The other right answers that the exercises tell of."""
    for id in ALL:
        submission.answer(id, right(id)[0])


@honest("not a function", "a right answer in another form", states=PASSED)
def _(submission: Submission) -> None:
    """Right answers as a method, as a partial, and under a decorator; with names and imports of the learner's own."""
    submission.after(
        "03.1",
        "class Mine:\n    async def __call__(self, *given):\n        return await first(*given)\n\nfirst = revise\nrevise = Mine()",
    )
    submission.after(
        "03.2",
        "from functools import partial\nsecond = revise_to_best\nrevise_to_best = partial(second)",
    )
    submission.before(
        "03.3",
        "from functools import wraps\n\ndef logged(function):\n    @wraps(function)\n    async def inner(*given):\n"
        "        print('called')\n        return await function(*given)\n    return inner\n\n@logged",
    )
    submission.answer("03.3", submission.source("03.3").replace("@logged\n\n", "@logged\n"))


@honest(
    "one wrong",
    earns={"03.2": 2},
    states={"03.1": "passed", "03.2": "passed|failed", "03.3": "passed"},
)
def _(submission: Submission) -> None:
    """03.2 returns the latest draft instead of the best: one of three checks sees it."""
    submission.answer("03.2", submission.source("03.2").replace("output=best", "output=draft"))


@honest("stubs", earns=0, states=dict.fromkeys(ALL, "missing"))
def _(submission: Submission) -> None:
    """Nothing was changed."""
    for id in ALL:
        submission.without_code(id)


@honest(
    "half done",
    earns={"03.2": 0, "03.3": 0},
    states={"03.1": "passed", "03.2": "error", "03.3": "missing"},
)
def _(submission: Submission) -> None:
    """One answer is right, one does not even parse, one was never begun."""
    submission.answer("03.2", "async def revise_to_best(run, desk, task, facts, draft)\n    return")
    submission.without_code("03.3")


@honest("warnings", "a warning on stderr", states=PASSED)
def _(submission: Submission) -> None:
    """Right answers that warn, in their cells and in their functions."""
    warn = "import sys, warnings\nwarnings.warn('this is old')\nprint('careful', file=sys.stderr)"
    for id in ALL:
        submission.before(id, warn)
        submission.answer(
            id,
            submission.source(id).replace(
                "    # solution",
                "    warnings.warn('inside')\n    print('inside', file=sys.stderr)",
            ),
        )


@honest("prints left in", states=PASSED)
def _(submission: Submission) -> None:
    """Right answers that print, with and without an end of line, also what looks like a verdict."""
    for id in ALL:
        submission.after(id, "print('done', end='')")
        submission.answer(
            id,
            submission.source(id).replace(
                "    # solution", "    print('{\"trial\": 0}')\n    print('here', end='')"
            ),
        )


@honest("in two cells", states=PASSED, flag="")
def _(submission: Submission) -> None:
    """The answer begins with a helper function in its cell and goes on in the next; more cells stand about."""
    right = submission.source("03.1")
    submission.answer("03.1", "def issues_of(verdict):\n    return '\\n'.join(verdict.issues)")
    submission.insert(
        submission.cell("03.1"), right.replace('"\\n".join(verdict.issues)', "issues_of(verdict)")
    )
    submission.insert(submission.cell("03.3", "check"), "1 / 0", "%matplotlib inline", "!ls")
    submission.insert(submission.cells[0], "Notes of my own", kind="markdown")
    submission.insert(submission.cells[1], "import antigravity_of_my_own")


@honest("another editor", states=PASSED)
def _(submission: Submission) -> None:
    """An editor that gives new cell ids and drops what it does not know at the top."""
    for number, cell in enumerate(submission.cells):
        cell["id"] = f"new{number}"
    submission.notebook["metadata"] = {}
    submission.notebook["nbformat_minor"] = 5


@honest("an older editor", states=PASSED, flag="cell id, its metadata are gone")
def _(submission: Submission) -> None:
    """An editor that keeps cell ids and drops all metadata of cells."""
    for cell in submission.cells:
        cell["metadata"] = {}


@honest("all ids lost", states=PASSED, flag="answer found by its name")
def _(submission: Submission) -> None:
    """A notebook whose cells were copied into a new one: nothing is left of ids, metadata and the file's checks."""
    for cell in submission.cells:
        cell["metadata"] = {"id": "of another program"}
        cell.pop("id")
    submission.notebook["nbformat_minor"] = 0


@honest(
    "helpers of their own",
    states=PASSED,
    flag="what cells of the learner's own define: copy_of, issues_of",
)
def _(submission: Submission) -> None:
    """A function and an import in cells of the learner's own, above the answers that use them, among tries that never end."""
    submission.answer(
        "03.1",
        submission.source("03.1").replace('"\\n".join(verdict.issues)', "issues_of(verdict)"),
    )
    submission.answer(
        "03.2",
        "%%time\n"
        + submission.source("03.2").replace(
            "best, fewest = draft, None", "best, fewest = copy_of(draft), None"
        ),
    )
    submission.insert(
        submission.cells[1],
        "from copy import copy as copy_of\n!ls",
        "draft = 1\ndef issues_of(verdict):\n    return '\\n'.join(verdict.issues)\n"
        "while True:\n    pass",
    )


@honest("ran it all", states=PASSED)
def _(submission: Submission) -> None:
    """Everything right, with the outputs of a session, a picture among them."""
    for number, cell in enumerate(submission.cells):
        if cell["cell_type"] == "code":
            cell.update(
                execution_count=number,
                outputs=[
                    {
                        "output_type": "display_data",
                        "metadata": {},
                        "data": {"image/png": "iVBORw0KGgo=" * 20_000, "text/plain": "<Figure>"},
                    },
                    {
                        "output_type": "error",
                        "ename": "ValueError",
                        "evalue": "an earlier try",
                        "traceback": ["..."],
                    },
                ],
            )


# ── what is green in the notebook earns its points ─────────────────────────────────────────────────────────

JOINED = '"\\n".join(verdict.issues)'
"""What answers 03.1 and 03.2 do themselves, and these learners do by a helper."""


def by_helper(submission: Submission, call: str, *ids: str) -> None:
    """Lets answers call a helper in place of doing it themselves."""
    for id in ids or ("03.1", "03.2"):
        submission.answer(id, submission.source(id).replace(JOINED, call))


@honest("an import added to the first cell", "a helper anywhere", states=PASSED, flag="shorten")
def _(submission: Submission) -> None:
    """The natural place for an import is the cell with the imports, which is given."""
    given = submission.cells[1]
    given["source"] = "".join(given["source"]) + "\nfrom textwrap import dedent as shorten"
    by_helper(submission, f"shorten({JOINED})")


@honest("helpers of one name in two cells", "a helper anywhere", states=PASSED)
def _(submission: Submission) -> None:
    """Each answer has a helper of its own, and both are called the same."""
    by_helper(submission, "told(verdict)", "03.1")
    by_helper(submission, "told(verdict, 0)", "03.2")
    submission.before("03.1", "def told(verdict):\n    return '\\n'.join(verdict.issues)")
    submission.before(
        "03.2", "def told(verdict, first):\n    return '\\n'.join(verdict.issues[first:])"
    )


@honest("a table that is filled below", "a helper anywhere", states=PASSED, flag="JOINS")
def _(submission: Submission) -> None:
    """A helper cell makes a dict and then fills it."""
    by_helper(submission, "JOINS['lines'](verdict.issues)")
    submission.insert(
        submission.cells[1], "JOINS = {}\nJOINS['lines'] = '\\n'.join\nJOINS.update(words=' '.join)"
    )


@honest("a helper within a try", "a helper anywhere", states=PASSED, flag="told")
def _(submission: Submission) -> None:
    """A helper that is defined only where a package is not installed."""
    by_helper(submission, "told(verdict)")
    submission.insert(
        submission.cells[1],
        "try:\n    from a_package_of_nobody import told\nexcept ImportError:\n"
        "    def told(verdict):\n        return '\\n'.join(verdict.issues)",
    )


@honest("everything imported", "a helper anywhere", states=PASSED)
def _(submission: Submission) -> None:
    """A star import in a cell of the learner's own."""
    by_helper(submission, f"dedent({JOINED})")
    submission.insert(submission.cells[1], "from textwrap import *")


@honest("a helper named like a builtin", "a helper anywhere", states=PASSED, flag="sum")
def _(submission: Submission) -> None:
    """The helper hides a builtin, as many a beginner's does."""
    by_helper(submission, "sum(verdict.issues)")
    submission.insert(submission.cells[1], "def sum(lines):\n    return '\\n'.join(lines)")


@honest("two tries", "a helper anywhere", states=PASSED, flag="the last that is not the stub")
def _(submission: Submission) -> None:
    """The first try was kept; its cell was copied, metadata and all, and the second try is right."""
    right = dict(submission.cell("03.2"))
    submission.wrong("03.2")
    submission.cells.insert(submission.cells.index(submission.cell("03.2")) + 1, right)


@honest(
    "numpy's numbers",
    "a right answer in another form",
    lesson="07",
    states=dict.fromkeys(("07.1", "07.2", "07.3"), "passed"),
)
def _(submission: Submission) -> None:
    """An answer whose number is numpy's."""
    submission.after(
        "07.2",
        "import numpy\nplain_numbers_held = numbers_held\n"
        "def numbers_held(*given):\n    return numpy.float64(plain_numbers_held(*given))",
    )


@honest("a number nobody writes", states=PASSED, flag="LIMIT")
def _(submission: Submission) -> None:
    """A constant in a cell of the learner's own that Python's parser refuses to write out again."""
    by_helper(submission, f"({JOINED}, LIMIT)[0]", "03.1")
    submission.insert(submission.cells[1], "LIMIT = 0x" + "f" * 50_000)
