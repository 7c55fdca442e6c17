"""Answers are found and put into the master; nothing else of a submission gets there."""

from __future__ import annotations

import copy
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workshop.authoring.stubs import EXERCISES, SOLUTIONS
from workshop.grading.intake.answers import master, merge, names

NAME = "03_deterministic_supervisor"


def handed_in(folder=SOLUTIONS, name=NAME):
    return json.loads((folder / f"{name}.ipynb").read_text(encoding="utf-8"))


def cell(notebook, id, role="answer"):
    return next(
        cell
        for cell in notebook["cells"]
        if cell["metadata"].get("workshop", {}).get("id") == id
        and cell["metadata"]["workshop"]["role"] == role
    )


def merged(notebook):
    return merge(notebook, master(NAME))


@pytest.mark.parametrize("name", names())
def test_a_solution_has_every_answer_and_a_stub_has_none(name):
    everything = [exercise.id for exercise in master(name).exercises]
    assert list(merge(handed_in(name=name), master(name)).answers) == everything
    stubs = merge(handed_in(EXERCISES, name), master(name))
    assert list(stubs.missing) == everything and not stubs.answers and not stubs.flags


def test_only_answers_come_from_the_submission():
    notebook = handed_in()
    for cell in notebook["cells"]:
        if (
            cell["cell_type"] == "code"
            and cell["metadata"].get("workshop", {}).get("role") != "answer"
        ):
            cell["source"] = "raise SystemExit"
    notebook["cells"].append({"cell_type": "code", "source": "raise SystemExit", "metadata": {}})
    assert "SystemExit" not in str(merged(notebook).cells)


def test_an_answer_without_metadata_is_found_by_its_cell():
    notebook = handed_in()
    cell(notebook, "03.2")["metadata"] = {}
    assert "revise_to_best" in merged(notebook).answers["03.2"]
    assert merged(notebook).flags == ["03.2: answer found by its cell id, its metadata are gone"]


def test_an_answer_without_metadata_and_id_is_found_by_its_position():
    notebook = handed_in()
    lost = cell(notebook, "03.2")
    lost["metadata"], lost["id"] = {}, "new"
    assert "revise_to_best" in merged(notebook).answers["03.2"]
    assert merged(notebook).flags == ["03.2: answer found by its position"]


def test_of_two_answers_the_last_that_is_not_the_stub_counts():
    notebook = handed_in(EXERCISES)
    stub = cell(notebook, "03.1")
    first, second = copy.deepcopy(stub), copy.deepcopy(stub)
    first["source"], second["source"] = "def revise(): 1", "def revise(): 2"
    notebook["cells"] += [first, second]
    result = merged(notebook)
    assert result.answers == {"03.1": "def revise(): 2"}
    assert result.flags == ["03.1: there are several answers; the last that is not the stub counts"]


def test_an_answer_that_was_split_is_put_together():
    notebook = handed_in()
    whole = cell(notebook, "03.1")
    lines = "".join(whole["source"]).splitlines(keepends=True)
    whole["source"] = "HELPER = 1\n"
    index = notebook["cells"].index(whole)
    notebook["cells"].insert(
        index + 1, {"cell_type": "code", "id": "second", "metadata": {}, "source": lines}
    )
    assert merged(notebook).answers["03.1"].startswith("HELPER = 1")
    assert "async def revise" in merged(notebook).answers["03.1"]


def test_two_answers_in_one_cell_both_count():
    notebook = handed_in()
    first, second = cell(notebook, "03.1"), cell(notebook, "03.2")
    first["source"] = "".join(first["source"]) + "\n\n" + "".join(second["source"])
    notebook["cells"].remove(second)
    result = merged(notebook)
    assert not result.missing and [staged.exercise for staged in result.cells] == [
        "",
        "03.1",
        "03.3",
    ]


def test_a_removed_or_changed_check_is_flagged_and_costs_nothing():
    notebook = handed_in()
    notebook["cells"].remove(cell(notebook, "03.1", "check"))
    cell(notebook, "03.2", "check")["source"] = "pass"
    assert merged(notebook).flags == ["03.1: its check was removed", "03.2: its check was changed"]
    assert not merged(notebook).missing


def test_a_whole_file_in_one_answer_is_not_read():
    notebook = handed_in()
    cell(notebook, "03.1")["source"] = "x = 1\n" * 100_000
    assert "600,000 characters" in merged(notebook).missing["03.1"]


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["cells", "source", "metadata", "workshop", "id", "role", "cell_type"])
            | st.text(max_size=3),
            inner,
            max_size=5,
        )
    ),
    max_leaves=30,
)


@given(st.dictionaries(st.just("cells"), anything | st.lists(anything)))
def test_any_json_at_all_is_a_submission(raw):
    result = merged(raw)
    assert {*result.answers, *result.missing} == {"03.1", "03.2", "03.3"}


def test_an_unknown_notebook_is_refused_with_those_there_are():
    with pytest.raises(ValueError, match="'99_x'; expected one of .*03_deterministic_supervisor"):
        master("99_x")
