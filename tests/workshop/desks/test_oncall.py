"""Facts about the whole on-call desk: real tests in real processes, the offline model behind the real wire."""

from __future__ import annotations

import ast
import asyncio
import re
from dataclasses import dataclass
from functools import cache
from typing import Any

import pytest

from kernel import Budget, Handoff, Registry, Result, Run, connect
from kernel.testing import says
from offline_model.reader.reader import answer
from tests.places import ROOT
from workshop.desks.__main__ import main
from workshop.desks.incidents import IncidentCase, fresh, make
from workshop.desks.oncall import OnCallDesk, patches, read_ticket

SEEDS = (1, 2, 3)
SLOW_SEEDS = [1, *(pytest.param(seed, marks=pytest.mark.exhaustive) for seed in (2, 3))]
"""Two rounds with all tests each: the other seeds run under `--all`."""


@dataclass(frozen=True)
class Done:
    """A desk's work on one incident."""

    case: IncidentCase
    desk: OnCallDesk
    result: Result
    run: Run

    @property
    def notes(self) -> str:
        return str(self.run.trace())

    def right(self) -> list[bool]:
        """For each proposed patch: does the hidden test pass with it?"""
        return [asyncio.run(self.case.holds(diff)) for diff in patches(self.result)]

    @property
    def letter(self) -> str:
        return self.result.artifacts["comms"]


@pytest.fixture(scope="module")
def solved(tmp_path_factory):
    @cache
    def work(id: str, seed: int) -> Done:
        folder = tmp_path_factory.mktemp("oncall") / "shop"
        case = fresh(seed, folder) if id == "fresh" else make(id, folder, seed)
        return asyncio.run(worked_on(case))

    return work


async def worked_on(case: IncidentCase) -> Done:
    desk = OnCallDesk(case.incident.folder)
    async with connect() as client:
        run = Run(client, budget=Budget(calls=120, depth=6))
        result = await run.dispatch(
            desk.workflow(), Handoff(intent=f"Work on ticket {case.incident.id}.")
        )
    return Done(case, desk, result, run)


@pytest.mark.parametrize("seed", SEEDS)
def test_t21_is_solved_the_hidden_test_included(solved, seed):
    done = solved("T-21", seed)
    assert done.result.ok and done.right() == [True]
    assert "plan: code → comms" in done.notes and "re-plan" not in done.notes


@pytest.mark.parametrize("seed", SEEDS)
def test_t31_has_no_bug_so_the_plan_changes_to_ops_who_finds_the_setting(solved, seed):
    done = solved("T-31", seed)
    assert done.result.ok and done.right() == [True]
    assert (
        "re-plan 1 of 2: a finding suggests ops" in done.notes
        and "plan: code, ops → comms" in done.notes
    )
    assert "free_from_cents" in done.result.output.answer and not done.result.output.contradictions


@pytest.mark.parametrize("seed", SEEDS)
def test_t40_is_reported_as_a_contradiction_in_which_both_are_right(solved, seed):
    done = solved("T-40", seed)
    [clash] = done.result.output.contradictions
    assert clash.steps == ["code", "ops"] and not patches(done.result)
    assert (
        f"host {done.case.old_host}, version 1.4.1" in clash.why
        and "version 1.4.2" in clash.why
        and "both can be right" in clash.why
    )


@pytest.mark.parametrize("seed", SEEDS)
def test_t44_reports_the_instruction_as_data_and_nobody_follows_it(solved, seed):
    done = solved("T-44", seed)
    assert done.result.ok and done.case.word in done.result.output.answer
    assert "reported as data and not followed" in done.result.output.answer
    assert (
        done.case.unharmed(done.letter)
        and "voucher" not in done.letter
        and not patches(done.result)
    )


@pytest.mark.parametrize("seed", SLOW_SEEDS)
def test_t52_is_stopped_at_the_gate_that_reads_the_docstring_and_right_after_its_feedback(
    solved, seed
):
    done = solved("T-52", seed)
    assert "round 1, tests: pass" in done.notes and "round 1, reviewer: 1 issue" in done.notes
    drafts = [
        event.result.output
        for event in done.run.events
        if event.kind == "return" and event.agent == "code"
    ]
    assert "-ticket.number" in str(drafts[0]) and "-ticket.waiting_hours))" in str(drafts[1])
    assert done.result.ok and done.right() == [True]


@pytest.mark.parametrize("seed", range(5))
def test_a_fresh_incident_of_each_kind_is_worked_on_as_well(solved, seed):
    done = solved("fresh", seed)
    found = done.result.output
    assert done.result.ok and all(done.right())
    assert len(patches(done.result)) == (done.case.kind in ("code", "settings", "plausible"))
    assert len(found.contradictions) == (done.case.kind == "versions")
    assert done.case.unharmed(done.letter) and (
        done.case.kind != "instruction" or done.case.word in found.answer
    )


def test_a_patch_is_proposed_and_the_shop_stays_as_it_is(solved):
    done = solved("T-21", 1)
    assert not asyncio.run(done.case.holds())
    row = read_ticket(done.desk.database, "T-21")
    assert (
        row["status"] == "proposed"
        and "1 patch(es) proposed, 0 approved by a person" in row["note"]
    )


def test_a_ticket_is_closed_only_when_a_person_approves(tmp_path):
    case = make("T-21", tmp_path / "shop")
    seen = []

    @dataclass(frozen=True)
    class Ready(OnCallDesk):
        def supervisor(self) -> Any:
            found = Result(status="ok", output="found", artifacts={"code": case.patch})
            return says(found, name="supervisor")

    for approve, status in (
        (lambda diff: bool(seen.append(diff)), "proposed"),
        (lambda diff: True, "closed"),
    ):
        desk = Ready(case.incident.folder)
        result = asyncio.run(
            Run(connect()).dispatch(desk.workflow(approve), Handoff(intent="T-21"))
        )
        assert result.ok and read_ticket(desk.database, "T-21")["status"] == status
    assert seen == [case.patch] and not asyncio.run(case.holds())


def test_a_ticket_that_is_not_there_ends_with_a_sentence(tmp_path):
    case = make("T-44", tmp_path / "shop")
    workflow = OnCallDesk(case.incident.folder).workflow()
    for intent, reason in (
        ("Work on T-99", "there is no ticket 'T-99'"),
        ("Do something", "no ticket's id in 'Do something'"),
    ):
        result = asyncio.run(Run(connect()).dispatch(workflow, Handoff(intent=intent)))
        assert result.status == "failed" and reason in result.reason


def test_every_prompt_of_the_desk_is_understood_by_the_offline_model(solved):
    runs = [solved(id, 1).run for id in ("T-31", "T-44", "T-52")]
    bodies = [
        event.body
        for run in runs
        for event in run.events
        if event.kind == "request" and not event.since
    ]
    accounts = [answer(body).account for body in bodies]
    assert {account.read_as for account in accounts} >= {
        "worker for code",
        "worker for logs and rows",
        "worker for settings",
        "writer of a note",
        "reviewer of patches",
        "planner",
    }
    assert not {clause for account in accounts for clause in account.not_understood}


def test_the_code_of_the_readme_runs(tmp_path):
    case = make("T-44", tmp_path / "shop")
    page = (ROOT / "workshop" / "desks" / "README.md").read_text(encoding="utf-8")
    [code] = re.findall(r"```python\n(.+?)```", page, re.S)
    code = code.replace("path/to/project", case.incident.folder.as_posix())
    code = code.replace("T-21", "T-44")
    names: dict[str, Any] = {}
    body = compile(code, "README.md", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    asyncio.run(eval(body, names))
    assert names["result"].ok and case.word in names["result"].output.answer


def test_agents_are_registered_with_what_they_do(tmp_path):
    desk = OnCallDesk(make("T-44", tmp_path / "shop").incident.folder)
    assert isinstance(desk.registry, Registry)
    assert desk.registry.find("review a patch")[0].name == "reviewer"
    assert desk.registry.find("count lines of the log")[0].name in ("log_table", "ops")


def test_the_terminal_shows_ticket_trace_answer_and_bill(capsys, tmp_path):
    assert main(["T-44", "--folder", str(tmp_path), "--save", str(tmp_path / "run.jsonl")]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("Ticket T-44: Odd user agents.") and "plan: data → comms" in shown
    assert (
        "reported as data" in shown
        and " calls · " in shown
        and (tmp_path / "run.jsonl").stat().st_size
    )
    assert main(["T-44", "--folder", str(tmp_path)]) == 2
    assert "is not empty" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main([])
    assert main(["T-1", "--folder", str(tmp_path / "b")]) == 2
    assert "the incidents are T-21" in capsys.readouterr().err
    assert main(["T-21", "--save", "/nowhere/run.jsonl"]) == 2
    error = capsys.readouterr().err
    assert "a folder that exists" in error and error.count("\n") == 1
