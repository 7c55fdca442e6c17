"""The failure lab: the same run for the same limits, and a new picture for each move."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

import ipywidgets
import pytest

from classroom.paper import control as control_module
from kernel import Handoff, Result, reviewer
from offline_model import Temperament
from workshop.controls import failure_lab


@dataclass
class Endless:
    """Has a draft reviewed again and again, `cap` times."""

    cap: int
    name: str = "supervisor"
    description: str = "Never stops by itself."

    async def execute(self, handoff, run):
        for round in range(self.cap):
            reviewed = await run.dispatch(
                reviewer(),
                Handoff(intent=f"Review, round {round}", artifacts={"draft": "A draft."}),
            )
            if not reviewed.ok:
                return Result(status=reviewed.status, reason=reviewed.reason)
        return Result(status="ok", output="A draft.")


def broken(cap, local):
    raise RuntimeError("<b>no team</b>")


TEAMS = {
    "endless": (lambda cap, local: Endless(cap), Temperament(never_content=True)),
    "no team": (broken, Temperament()),
}


@pytest.fixture
def somebody(monkeypatch):
    monkeypatch.setattr(control_module, "interactive", lambda: True)


def fields(lab):
    rows = lab.widget.children[-1].children
    return {
        row.children[0].description.partition(":")[0]: row.children
        for row in rows
        if isinstance(row, ipywidgets.HBox)
    }


async def settled(lab):
    await asyncio.sleep(0)  # the move reaches the loop
    await lab._task


async def test_the_first_run_is_done_and_a_reader_gets_picture_and_text():
    lab = await failure_lab(TEAMS, cap=3, local=4, calls=9)
    bundle = lab._repr_mimebundle_()
    assert set(bundle) == {"text/plain", "text/html"} and lab.run.spent.calls == 3
    assert (
        "Cap: revisions or levels: 3" in bundle["text/plain"]
        and "The team gave back 2 words (done)." in bundle["text/plain"]
    )
    assert bundle == (await failure_lab(TEAMS, cap=3, local=4, calls=9))._repr_mimebundle_()


async def test_the_global_budget_ends_what_the_cap_does_not():
    lab = await failure_lab(TEAMS, cap=8, calls=5)
    assert lab.run.spent.calls == 5 and lab.result.status == "exhausted"


@pytest.mark.parametrize(
    "given, message",
    [
        ({"failure": "unknown"}, "expected one of: endless, no team"),
        ({"cap": 13}, "expected 0 to 12"),
        ({"local": 0}, "expected 1 to 20"),
        ({"calls": 41}, "expected 1 to 40"),
    ],
)
async def test_what_the_lab_does_not_have_is_refused(given, message):
    with pytest.raises(ValueError, match=message):
        await failure_lab(TEAMS, **given)


async def test_a_lab_without_teams_is_refused():
    with pytest.raises(ValueError, match="no teams"):
        await failure_lab({})


async def test_each_move_is_a_new_run_and_the_last_value_wins(somebody):
    lab = await failure_lab(TEAMS, cap=3)
    lab._repr_mimebundle_()
    before = lab._canvas.value
    for value in (5, 7, 6):
        fields(lab)["Cap"][1].value = value  # the slider; its field follows
    await settled(lab)
    assert fields(lab)["Cap"][0].value == 6 and lab.run.spent.calls == 6
    assert lab._canvas.value != before and "Endless: 6 calls" in lab._status.value


async def test_every_limit_has_a_label_on_what_takes_the_keys(somebody):
    lab = await failure_lab(TEAMS)
    assert set(fields(lab)) == {"Cap", "Local budget", "Global budget"}
    for field, slider in fields(lab).values():
        assert (field.min, field.max, field.value) == (slider.min, slider.max, slider.value)


async def test_a_team_that_fails_is_said_to_and_the_lab_goes_on(somebody):
    lab = await failure_lab(TEAMS, cap=3)
    lab._repr_mimebundle_()
    lab._choice.value = "no team"
    await settled(lab)
    assert "The team failed: RuntimeError: &lt;b&gt;no team" in lab._status.value
    lab._choice.value = "endless"
    await settled(lab)
    assert "Endless: 3 calls" in lab._status.value
