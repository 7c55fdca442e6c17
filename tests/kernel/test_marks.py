"""Facts about a report of marks: what it holds, what it says of itself, and that it is data."""

from __future__ import annotations

import json
from decimal import Decimal

import pytest

from kernel.parts.evaluate import Report

from .test_evaluate import a_trial


def trials(*marks, design="team", **changes):
    """Two repeats of each case; the case is the mark's place."""
    return [
        a_trial(str(case), seed, mark, mark == 1, design=design, output=f"{mark} {seed}", **changes)
        for case, mark in enumerate(marks)
        for seed in (0, 1)
    ]


REPORT = Report(
    {
        "one agent": trials(0.2, 0.4, 1.0, 1.0),
        "team": trials(0.6, 0.8, 1.0, 1.0, design="team", usd=Decimal("0.004"), calls=6),
    },
    "documents",
)


def test_a_row_has_marks_chances_price_and_pace():
    alone, team = REPORT.rows
    assert alone.mark.mean == pytest.approx(0.65) and alone.pass_at_1 == alone.all_of_k == 0.5
    assert (team.usd, team.calls, team.seconds) == (Decimal("0.032"), 6, 0.5)
    assert alone.against is None and team.against.mean == pytest.approx(0.2)
    assert (REPORT.cases, REPORT.repeats, REPORT.k) == (4, 2, 2)


def test_the_table_shows_no_seconds_and_says_what_the_marks_cannot_say():
    table = REPORT.table()
    assert "one agent" in table and "4.00" in table and "second" not in table
    assert "4 cases with 2 repeats each; what varies: documents." in table
    assert "say nothing of a real model" in table
    assert "So few cases allow no verdict: it needs 5." in table and table.count("unclear") == 1


def test_how_large_a_difference_would_be_seen_is_said():
    more = Report({"a": trials(0.2, 0.4, 1.0, 1.0, 0.5), "b": trials(0.6, 0.1, 1.0, 0.8, 0.5)})
    seen = more.rows[1].against.seen
    assert f"Four of five such evaluations see a difference of about {seen:.2f};" in more.table()
    low, high = more.rows[1].against[1:3]
    assert seen > (high - low) / 2, "half the width is seen by half of them"


def test_an_interval_without_ends_is_null_in_json():
    plain = json.loads(Report({"team": trials(0.5)}).json())
    assert plain["designs"][0]["mark"] == {"mean": 0.5, "low": None, "high": None}


def test_what_it_says_of_itself_follows_the_trials():
    live = Report({"team": trials(1.0, 0.5, mode="live")})
    assert "offline" not in live.table() and "the models and prompts of this run" in live.table()
    same = [trial.model_copy(update={"output": "same"}) for trial in trials(1.0, 0.5)]
    assert "a repeat added nothing" in Report({"team": same}).table()
    assert "a repeat added nothing" not in REPORT.table()


def test_a_price_that_is_not_known_stays_unknown():
    some = [*trials(1.0, 1.0)[:-1], trials(1.0, 1.0)[-1].model_copy(update={"usd": None})]
    report = Report({"team": some})
    assert report.rows[0].usd is None and "unknown" in report.table()
    assert json.loads(report.json())["designs"][0]["usd"] is None


def test_the_json_holds_rows_limits_and_every_trial():
    plain = json.loads(REPORT.json())
    assert [row["design"] for row in plain["designs"]] == ["one agent", "team"]
    assert plain["designs"][1]["against"]["verdict"] == REPORT.rows[1].against.verdict
    assert len(plain["trials"]) == 16 and plain["limits"] == REPORT.limits()
    assert plain["designs"][0]["seconds"] == 0.5


def test_without_chances_no_column_speaks_of_them():
    short = Report(dict(REPORT.trials), "documents", k=0)
    assert not [heading for heading in short.headings() if "pass" in heading or "all of" in heading]
    assert len(short.cells(short.rows[0])) == len(short.headings())


def test_a_report_needs_a_design_and_pairs():
    with pytest.raises(ValueError, match="no design"):
        Report({})
    with pytest.raises(ValueError, match="not pairs"):
        Report({"a": trials(1.0, 0.5), "b": trials(1.0)})
