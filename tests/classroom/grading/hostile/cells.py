"""Recipes that change the notebook around the answers: checks, ids, order, markers, metadata, outputs. Only answers count."""

from __future__ import annotations

from .submission import Submission, hostile

ALL = ("03.1", "03.2", "03.3", "03.4")
PASSED = dict.fromkeys(ALL, "passed")
MARKERS = (
    "# NBVAL_SKIP\n# NBVAL_IGNORE_OUTPUT\n# NBVAL_RAISES_EXCEPTION\n#raises-exception\n#nbval-skip"
)


@hostile(
    "checks gone",
    "checks deleted",
    "checks edited",
    "checks turned to Markdown",
    states=PASSED,
    flag="its check was removed",
)
def _(submission: Submission) -> None:
    """Right answers without the checks that stood below them."""
    submission.cells.remove(submission.cell("03.1", "check"))
    submission.cell("03.2", "check")["source"] = "'all is well'"
    cell = submission.cell("03.3", "check")
    cell["cell_type"] = "markdown"
    del cell["outputs"], cell["execution_count"]


@hostile(
    "checks gone, answers wrong",
    "checks deleted",
    "checks edited",
    "faked outputs",
    earns=0,
    flag="its check was changed",
)
def _(submission: Submission) -> None:
    """No answer works; the checks say that all do, and the outputs that were written into the file say so too."""
    for id in ALL:
        submission.wrong(id)
        submission.cell(id, "check").update(
            source=f"print('{id}: passed')",
            execution_count=1,
            outputs=[
                {"output_type": "stream", "name": "stdout", "text": [f"{id} passed: all points\n"]}
            ],
        )
        submission.cell(id).update(
            execution_count=1,
            outputs=[
                {
                    "output_type": "stream",
                    "name": "stdout",
                    "text": [f'{{"trial": "{id}/0", "seen": "passed"}}\n'],
                }
            ],
        )


@hostile(
    "twice",
    "checks duplicated",
    "ids doubled",
    earns={"03.2": 0},
    states={"03.1": "passed", "03.2": "failed|error", "03.3": "passed"},
    flag="there are several answers",
)
def _(submission: Submission) -> None:
    """Of two answers the last that is not the stub counts: the stub stands behind the right 03.1, a wrong one behind the right 03.2."""
    for id in ("03.1", "03.2"):
        right, place = dict(submission.cell(id)), submission.cells.index(submission.cell(id))
        if id == "03.1":
            submission.without_code(id)
        else:
            submission.wrong(id)
        submission.cells.insert(place, right)
    check = submission.cell("03.3", "check")
    submission.cells.insert(submission.cells.index(check), dict(check))


@hostile("upside down", "checks reordered", states=PASSED)
def _(submission: Submission) -> None:
    """All cells in reverse order; each is still known by its id."""
    submission.cells.reverse()


@hostile("torn and joined", "checks split", "checks merged", states=PASSED)
def _(submission: Submission) -> None:
    """One check in two cells, two in one; an answer in two cells, and two answers in one."""
    submission.insert(submission.cell("03.1", "check"), "# the other half\nprint('checked')")
    submission.cell("03.2", "check")["source"] = (
        'check("03.2", revise_to_best)\ncheck("03.3", in_stages)'
    )
    head, tail = submission.source("03.1").split("    # solution\n")
    submission.answer("03.1", "HOW_MANY = 'several lines'")
    submission.insert(submission.cell("03.1"), f"{head}{tail}")
    submission.answer("03.2", f"{submission.source('03.2')}\n\n{submission.source('03.3')}")
    submission.without_code("03.3")


@hostile(
    "ids changed",
    "ids missing",
    "ids renamed",
    states=PASSED,
    flag="cell id, its metadata are gone",
)
def _(submission: Submission) -> None:
    """One answer has lost its metadata, one its cell id, one carries the id of an exercise that does not exist."""
    submission.cell("03.1")["metadata"] = {}
    submission.cell("03.2")["id"] = "another"
    submission.cell("03.3")["metadata"] = {"workshop": {"id": "03.9", "role": "answer"}}


@hostile(
    "known by its place",
    "ids missing",
    "ids renamed",
    states=PASSED,
    flag="answer found by its position",
)
def _(submission: Submission) -> None:
    """An answer without metadata, under a new cell id, between two cells that are still known."""
    submission.cell("03.2").update(id="another", metadata={})


@hostile(
    "one answer for all",
    "ids doubled",
    earns={"03.2": 0, "03.3": 0},
    states={"03.2": "missing", "03.3": "missing"},
)
def _(submission: Submission) -> None:
    """Every answer's cell claims to be 03.1: it is one answer, to one exercise."""
    first = submission.source("03.1")
    for id in ("03.3", "03.2"):
        submission.cell(id).update(
            source=f"{first}\n\n\nagain_{id[-1]} = revise",
            id=f"more-{id[-1]}",
            metadata={"workshop": {"id": "03.1", "role": "answer"}},
        )


@hostile("markers", "nbval markers", earns=0, states=dict.fromkeys(ALL, "failed|error"))
def _(submission: Submission) -> None:
    """Markers that make nbval skip or excuse a cell, as comments and as tags, around wrong answers."""
    for id in ALL:
        submission.answer(id, f"{MARKERS}\nraise RuntimeError('excused')")
        for role in ("answer", "check"):
            submission.cell(id, role)["metadata"]["tags"] = [
                "nbval-skip",
                "nbval-ignore-output",
                "raises-exception",
                "nbval-raises-exception",
            ]


@hostile("markers in strings", "nbval markers, also in strings", states=PASSED)
def _(submission: Submission) -> None:
    """Right answers that hold the markers as text; they mean nothing, in either direction."""
    for id in ALL:
        submission.before(id, f'HELP = """\n{MARKERS}\n"""')


@hostile(
    "another kernel",
    "a kernelspec that names another kernel or a shell",
    "metadata timeouts",
    "nbformat 9",
    states=PASSED,
)
def _(submission: Submission) -> None:
    """The notebook's own wishes, about its kernel, its limits and its format, are not asked for."""
    submission.notebook["metadata"] = {
        "kernelspec": {
            "name": "bash",
            "display_name": "sh",
            "language": "sh",
            "argv": ["/bin/sh", "-c", "touch /tmp/ran-a-shell; sleep 600"],
        },
        "language_info": {"name": "sh"},
        "celltimeout": 0,
        "timeout": 1,
        "nbval": {"timeout": 1},
        "execution": {"timeout": 0},
    }
    for cell in submission.cells:
        cell["metadata"] = {**cell["metadata"], "timeout": 0, "execution": {"timeout": 0}}
    submission.notebook["nbformat"], submission.notebook["nbformat_minor"] = 9, 99


@hostile("shapes", "huge metadata and unexpected shapes", states=PASSED)
def _(submission: Submission) -> None:
    """Cells and values that no notebook has, among right answers."""
    submission.notebook["metadata"] = {"x" * 9: ["y" * 1000] * 1000}
    submission.cell("03.1")["source"] = [
        f"{line}\n" for line in submission.source("03.1").split("\n")
    ]
    submission.cell("03.2")["metadata"]["\ud800"] = "\udfff"
    submission.cells[0:0] = [
        None,
        7,
        "cell",
        [],
        {},
        {"cell_type": ["code"], "source": {"a": 1}, "metadata": [], "id": {}},  # type: ignore[list-item]
        {"cell_type": "code", "metadata": {"workshop": "03.1"}, "source": None, "id": 3},
        {
            "cell_type": "code",
            "metadata": {"workshop": {"id": ["03.1"], "role": {}}},
            "source": [1, None, []],
        },
    ]
