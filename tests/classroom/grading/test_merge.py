"""Answers are found and put into the master; nothing else of a submission gets there."""

from __future__ import annotations

import copy
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from classroom.grading.intake import answers
from classroom.grading.intake.answers import MOST_CLAIMS, MOST_PARSED, master, merge, names
from tests.places import EXERCISES, SOLUTIONS

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


@pytest.mark.parametrize("kind", ["markdown", "raw"])
def test_an_answer_whose_cell_was_turned_into_text_is_read(kind):
    """In JupyterLab a single M or R does that, and the cell keeps its words."""
    notebook = handed_in()
    cell(notebook, "03.2")["cell_type"] = kind
    found = merged(notebook)
    assert "revise_to_best" in found.answers["03.2"]
    assert "03.2: answer found by its cell, which is no code but Markdown" in found.flags


def test_an_answer_runs_without_what_it_shows_and_installs():
    notebook = handed_in()
    answer = cell(notebook, "03.2")
    ours = "".join(answer["source"])
    text = 'PROMPT = """\n!not a program\n"""\n'
    answer["source"] = (
        f"!pip install numpy\n%pip install numpy\n{ours}\n{text}display(1); two = 2\n"
        "if two:\n    display(\n        two)\n    !ls\n"
    )
    staged = next(each.source for each in merged(notebook).cells if each.exercise == "03.2")
    assert staged.rstrip() == (
        f"pass\npass\n{ours}\n{text}pass; two = 2\nif two:\n    pass\n\n    pass"
    )


def test_the_answer_to_an_exercise_that_has_moved_is_taken_for_no_other_one():
    notebook = handed_in()
    moved = cell(notebook, "03.2")
    moved["metadata"], moved["id"] = {"workshop": {"id": "17.1", "role": "answer"}}, "answer-17-1"
    assert "03.2" not in merged(notebook).answers
    assert not any("position" in flag for flag in merged(notebook).flags)


def test_of_two_answers_the_last_that_is_not_the_stub_counts():
    notebook = handed_in(EXERCISES)
    stub = cell(notebook, "03.1")
    first, second = copy.deepcopy(stub), copy.deepcopy(stub)
    first["source"], second["source"] = "def revise(): 1", "def revise(): 2"
    notebook["cells"] += [first, second]
    result = merged(notebook)
    assert result.answers == {"03.1": "def revise(): 2"}
    assert result.flags == ["03.1: there are several answers; the last that is not the stub counts"]


def code(source, cell_id="own", **facts):
    metadata = {"workshop": facts} if facts else {}
    return {"cell_type": "code", "id": cell_id, "metadata": metadata, "source": source}


CLAIMS = ("role", "cell id", "position", "name")


def claiming(way, number):
    """A notebook in which so many cells claim to be the answer of 03.1."""
    notebook = handed_in()
    ours = cell(notebook, "03.1")
    index = notebook["cells"].index(ours)
    id = ours["id"] if way == "cell id" else "new"
    facts = {"id": "03.1", "role": "answer"} if way == "role" else {}
    others = [code(f"def revise(): return {n}", id, **facts) for n in range(number)]
    if way == "name":
        notebook["cells"] = others
    else:
        notebook["cells"][index : index + 1] = others
    return notebook


@pytest.mark.parametrize("way", CLAIMS)
def test_of_very_many_answers_the_last_few_are_looked_at_and_that_is_told(way, monkeypatch):
    parsed = []
    real = answers.assigned
    monkeypatch.setattr(answers, "assigned", lambda source: parsed.append(1) or real(source))
    result = merged(claiming(way, 1_000))
    assert result.answers["03.1"] == "def revise(): return 999"
    bound = MOST_PARSED if way == "name" else MOST_CLAIMS
    assert len(parsed) <= bound + 2 * (MOST_CLAIMS + 1) + 2 * len(result.answers)
    assert [flag for flag in result.flags if f"only the last {bound}" in flag and "1,000" in flag]


@pytest.mark.parametrize("way", CLAIMS)
def test_an_answer_with_many_tries_and_empty_cells_behind_it_counts(way):
    notebook = claiming(way, 10)
    stub = "".join(cell(handed_in(EXERCISES), "03.1")["source"])
    facts = {"id": "03.1", "role": "answer"} if way == "role" else {}
    if way in ("role", "cell id"):
        id = cell(handed_in(), "03.1")["id"]
        place = max(n for n, one in enumerate(notebook["cells"]) if "return 9" in one["source"])
        notebook["cells"][place + 1 : place + 1] = [code(stub, id, **facts)] * 50
    assert merged(notebook).answers["03.1"] == "def revise(): return 9"


def test_a_long_chain_of_own_cells_is_looked_at_once_each(monkeypatch):
    notebook = handed_in()
    cell(notebook, "03.1")["source"] = "def revise(): return step_0()"
    chain = [code(f"def step_{n}(): return step_{n + 1}()", f"own{n}") for n in range(500)]
    notebook["cells"] += chain
    looked = []
    real = answers._is_known
    monkeypatch.setattr(answers, "_is_known", lambda *all: looked.append(1) or real(*all))
    result = merged(notebook)
    assert [staged.source for staged in result.cells if staged.kind == "own"] == [
        one["source"] for one in chain
    ]
    cells, known = len(notebook["cells"]), len(handed_in()["cells"])
    assert len(looked) < 20 * cells * known, "each cell, some times; never each with each"


# ── modules and files ─────────────────────────────────────────────────────────────────────────────

IMPORTS = "from my_rules import judge\ndef revise(): return judge"


@pytest.mark.parametrize(
    "writes",
    [
        "%%writefile my_rules.py\ndef judge(): ...",
        "%%file -a my_rules.py\ndef judge(): ...",
        "from pathlib import Path\nPath('my_rules.py').write_text('def judge(): ...')",
        "with open('./my_rules.py', 'w') as file:\n    file.write('def judge(): ...')",
        "save('my_rules.py', 'def judge(): ...')",
        "!printf 'def judge(): ...' > my_rules.py",
        "Path('my_rules/__init__.py').write_text('def judge(): ...')",
        "import sys, types\nsys.modules['my_rules'] = types.ModuleType('my_rules')",
    ],
)
def test_a_module_that_a_cell_writes_comes_along_with_that_cell(writes):
    notebook = handed_in()
    cell(notebook, "03.1")["source"] = IMPORTS
    notebook["cells"][1:1] = [code("print('unused')"), code(writes)]
    result = merged(notebook)
    assert [staged.source for staged in result.cells if staged.kind == "own"] == [writes]
    assert not [flag for flag in result.flags if "imports" in flag]
    assert any("my_rules.py" in flag for flag in result.flags)


def test_so_does_what_that_module_needs_and_the_folder_it_lies_in():
    notebook = handed_in()
    cell(notebook, "03.1")["source"] = IMPORTS
    own = [
        "import os, sys\nos.makedirs('helpers')\nsys.path.append('helpers')",
        "%%writefile helpers/words.py\nLIMIT = 3",
        "%%writefile helpers/my_rules.py\nfrom words import LIMIT\ndef judge(): ...",
    ]
    notebook["cells"][1:1] = [code(source) for source in own]
    staged = [one.source for one in merged(notebook).cells if one.kind == "own"]
    assert staged == own


def test_a_file_that_an_answer_reads_comes_along_with_the_cell_that_writes_it():
    notebook = handed_in()
    cell(notebook, "03.1")["source"] = "def revise(): return open('notes/rules.json').read()"
    writes = "import json\nwith open('notes/rules.json', 'w') as file: json.dump({}, file)"
    notebook["cells"][1:1] = [code("print(open('notes/rules.txt').read())"), code(writes)]
    assert [one.source for one in merged(notebook).cells if one.kind == "own"] == [writes]


@pytest.mark.parametrize(
    "source, flagged",
    [
        (IMPORTS, True),
        ("def revise():\n    import my_rules.words\n    return my_rules", True),
        (
            "try:\n    import my_rules\nexcept ImportError:\n    my_rules = None\ndef revise(): ...",
            False,
        ),
        (
            "import json, httpx, kernel, workshop.views\nfrom __future__ import annotations\ndef revise(): ...",
            False,
        ),
        ("from . import my_rules\ndef revise(): ...", False),
    ],
)
def test_a_module_that_nobody_handed_in_is_told(source, flagged):
    notebook = handed_in()
    cell(notebook, "03.1")["source"] = source
    found = [flag for flag in merged(notebook).flags if flag.startswith("03.1 imports my_rules, ")]
    assert bool(found) == flagged


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
        "03.4",
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
    assert {*result.answers, *result.missing} == {"03.1", "03.2", "03.3", "03.4"}


def test_an_unknown_notebook_is_refused_with_those_there_are():
    with pytest.raises(ValueError, match="'99_x'; expected one of .*03_deterministic_supervisor"):
        master("99_x")
