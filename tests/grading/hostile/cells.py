"""Recipes that change the notebook around the answers: checks, ids, order, markers, metadata, outputs. Only answers count."""

from __future__ import annotations

from .submission import Submission, hostile

ALL = ("03.1", "03.2", "03.3")
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
def _(it: Submission) -> None:
    """Right answers without the checks that stood below them."""
    it.cells.remove(it.cell("03.1", "check"))
    it.cell("03.2", "check")["source"] = "'all is well'"
    cell = it.cell("03.3", "check")
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
def _(it: Submission) -> None:
    """No answer works; the checks say that all do, and so do the outputs that were written into the file."""
    for id in ALL:
        it.wrong(id)
        it.cell(id, "check").update(
            source=f"print('{id}: passed')",
            execution_count=1,
            outputs=[
                {"output_type": "stream", "name": "stdout", "text": [f"{id} passed: all points\n"]}
            ],
        )
        it.cell(id).update(
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
def _(it: Submission) -> None:
    """Of two answers the last that is not the stub counts: the stub stands behind the right 03.1, a wrong one behind the right 03.2."""
    for id in ("03.1", "03.2"):
        right, place = dict(it.cell(id)), it.cells.index(it.cell(id))
        if id == "03.1":
            it.without_code(id)
        else:
            it.wrong(id)
        it.cells.insert(place, right)
    check = it.cell("03.3", "check")
    it.cells.insert(it.cells.index(check), dict(check))


@hostile("upside down", "checks reordered", states=PASSED)
def _(it: Submission) -> None:
    """All cells in reverse order; each is still known by its id."""
    it.cells.reverse()


@hostile("torn and joined", "checks split", "checks merged", states=PASSED)
def _(it: Submission) -> None:
    """One check in two cells, two in one; an answer in two cells, and two answers in one."""
    it.insert(it.cell("03.1", "check"), "# the other half\nprint('checked')")
    it.cell("03.2", "check")["source"] = 'check("03.2", revise_to_best)\ncheck("03.3", in_stages)'
    head, tail = it.source("03.1").split("    # solution\n")
    it.answer("03.1", "HOW_MANY = 'several lines'")
    it.insert(it.cell("03.1"), f"{head}{tail}")
    it.answer("03.2", f"{it.source('03.2')}\n\n{it.source('03.3')}")
    it.without_code("03.3")


@hostile(
    "ids changed",
    "ids missing",
    "ids renamed",
    states=PASSED,
    flag="cell id, its metadata are gone",
)
def _(it: Submission) -> None:
    """One answer has lost its metadata, one its cell id, one carries the id of an exercise that does not exist."""
    it.cell("03.1")["metadata"] = {}
    it.cell("03.2")["id"] = "another"
    it.cell("03.3")["metadata"] = {"workshop": {"id": "03.9", "role": "answer"}}


@hostile(
    "known by its place",
    "ids missing",
    "ids renamed",
    states=PASSED,
    flag="answer found by its position",
)
def _(it: Submission) -> None:
    """An answer without metadata, under a new cell id, between two cells that are still known."""
    it.cell("03.2").update(id="another", metadata={})


@hostile(
    "one answer for all", "ids doubled", earns={"03.2": 0, "03.3": 0}, states={"03.1": "passed"}
)
def _(it: Submission) -> None:
    """Every answer's cell claims to be 03.1: it is one answer, to one exercise."""
    first = it.source("03.1")
    for id in ("03.3", "03.2"):
        it.cell(id).update(
            source=f"{first}\n\n\nagain_{id[-1]} = revise",
            id=f"more-{id[-1]}",
            metadata={"workshop": {"id": "03.1", "role": "answer"}},
        )


@hostile("markers", "nbval markers", earns=0, states=dict.fromkeys(ALL, "failed|error"))
def _(it: Submission) -> None:
    """Markers that make nbval skip or excuse a cell, as comments and as tags, around wrong answers."""
    for id in ALL:
        it.answer(id, f"{MARKERS}\nraise RuntimeError('excused')")
        for role in ("answer", "check"):
            it.cell(id, role)["metadata"]["tags"] = [
                "nbval-skip",
                "nbval-ignore-output",
                "raises-exception",
                "nbval-raises-exception",
            ]


@hostile("markers in strings", "nbval markers, also in strings", states=PASSED)
def _(it: Submission) -> None:
    """Right answers that hold the markers as text; they mean nothing, in either direction."""
    for id in ALL:
        it.before(id, f'HELP = """\n{MARKERS}\n"""')


@hostile(
    "another kernel",
    "a kernelspec that names another kernel or a shell",
    "metadata timeouts",
    "nbformat 9",
    states=PASSED,
)
def _(it: Submission) -> None:
    """The notebook's own wishes, about its kernel, its limits and its format, are not asked for."""
    it.notebook["metadata"] = {
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
    for cell in it.cells:
        cell["metadata"] = {**cell["metadata"], "timeout": 0, "execution": {"timeout": 0}}
    it.notebook["nbformat"], it.notebook["nbformat_minor"] = 9, 99


@hostile("shapes", "huge metadata and unexpected shapes", states=PASSED)
def _(it: Submission) -> None:
    """Cells and values that no notebook has, among right answers."""
    it.notebook["metadata"] = {"x" * 9: ["y" * 1000] * 1000}
    it.cell("03.1")["source"] = [f"{line}\n" for line in it.source("03.1").split("\n")]
    it.cell("03.2")["metadata"]["\ud800"] = "\udfff"
    it.cells[0:0] = [
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
