"""Facts about lateness: what a rule means, that it never raises a mark or makes it negative, and what is refused."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from classroom.grading import options
from classroom.grading.late import EXAMPLE, moment, rule

DUE = "2026-11-20T18:00Z"
AT = datetime(2026, 11, 20, 18, tzinfo=UTC)
UNITS = ["minute", "hours", "day", "Weeks"]


@pytest.mark.parametrize(
    ("text", "late", "percent"),
    [
        (EXAMPLE, timedelta(0), 0),
        (EXAMPLE, timedelta(days=-3), 0),
        (EXAMPLE, timedelta(seconds=1), 10),
        (EXAMPLE, timedelta(days=1), 10),
        (EXAMPLE, timedelta(days=1, seconds=1), 20),
        (EXAMPLE, timedelta(days=300), 50),
        ("10% per day", timedelta(days=300), 100),
        ("  12.5 %  PER 2 Hours ", timedelta(hours=3), 25),
        ("20% once", timedelta(minutes=1), 20),
        ("20% once", timedelta(days=99), 20),
        ("20% once, nothing after 7 days", timedelta(days=7), 20),
        ("20% once, nothing after 7 days", timedelta(days=7, seconds=1), 100),
        ("5% per hour, at most 50%, nothing after 2 days", timedelta(days=3), 100),
        ("5% per hour, grace 15 minutes", timedelta(minutes=15), 0),
        ("5% per hour, grace 90 minutes", timedelta(minutes=91), 10),
        ("0% once", timedelta(days=9), 0),
    ],
)
def test_what_a_rule_means(text, late, percent):
    assert rule(DUE, text).lost(AT + late) == Fraction(percent) / 100


def test_zones_count():
    late_rule = rule("2026-11-20T18:00+01:00", EXAMPLE)
    assert late_rule.lost(AT - timedelta(hours=1)) == 0 and late_rule.lost(
        AT - timedelta(minutes=59)
    ) == Fraction(1, 10)


def test_who_is_in_time_or_whose_time_nobody_knows_loses_nothing():
    late_rule = rule(DUE, EXAMPLE)
    assert (
        late_rule.after(7, None) == 7
        and late_rule.in_words(None) == ""
        and late_rule.after(7, AT) == 7
    )


def test_it_is_said_in_words():
    late_rule = rule(DUE, EXAMPLE)
    assert (
        late_rule.in_words(AT + timedelta(days=1, hours=2, minutes=3))
        == "1 day, 2:03:00 late: 20% of its points are lost"
    )
    assert late_rule.in_words(AT + timedelta(seconds=9)).startswith("0:00:09 late: 10%")


@st.composite
def rules(draw):
    percent = st.integers(0, 100)
    span = st.builds(lambda n, unit: f"{n} {unit}", st.integers(1, 500), st.sampled_from(UNITS))
    parts = [f"{draw(percent)}% {draw(st.one_of(st.just('once'), span.map('per {}'.format)))}"]
    for form, value in (("at most {}%", percent), ("grace {}", span), ("nothing after {}", span)):
        if draw(st.booleans()):
            parts.append(form.format(draw(value)))
    return ", ".join(parts)


TIMES = st.datetimes(datetime(2020, 1, 1), datetime(2033, 1, 1), timezones=st.just(UTC))
POINTS = st.one_of(st.integers(0, 1000), st.floats(0, 1000))


@given(rules(), TIMES, TIMES, POINTS)
def test_late_never_raises_a_mark_nor_makes_it_negative_and_later_is_never_better(
    text, one, other, points
):
    late_rule = rule(DUE, text)
    sooner, later = sorted([one, other])
    assert 0 <= late_rule.after(points, later) <= late_rule.after(points, sooner) <= points
    if sooner <= AT:
        assert late_rule.after(points, sooner) == points


@pytest.mark.parametrize(
    "text",
    [
        "",
        "10%",
        "10% per year",
        "-10% per day",
        "110% once",
        "10% per day, at most 150%",
        "at most 50%",
        "10% per 0 days",
        "10% per day 5",
        "10% per day, 5% once",
        "10% per day, 10% per day",
        "10% per day, at most 50%, at most 60%",
        "ten percent per day",
        "10% per day;",
    ],
)
def test_what_is_not_understood_is_refused_with_an_example(text):
    with pytest.raises(ValueError, match="expected such as") as caught:
        rule(DUE, text)
    assert repr(text) in str(caught.value)


def test_the_help_of_the_command_names_an_example(capsys):
    with pytest.raises(SystemExit):
        options.read(["--help"])
    assert EXAMPLE in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize(
    "due", ["tomorrow", "", "2026-11-20T18:00", "2026-11-20", "20.11.2026 18:00Z"]
)
def test_a_time_without_its_zone_is_refused(due):
    with pytest.raises(ValueError, match="with its zone") as caught:
        moment(due)
    assert repr(due) in str(caught.value)
