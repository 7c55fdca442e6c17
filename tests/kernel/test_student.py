"""Facts about Student's t: printed tables, the distribution's own symmetries, and intervals of few values."""

from __future__ import annotations

import math
import random
from statistics import NormalDist

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernel.parts.evaluate import student
from tests.on_each import on_each

TABLE = {
    # degrees of freedom: the t for 60, 95 and 99 % in the middle, as printed tables (and scipy) have it
    1: (1.37638, 12.70620, 63.65674),
    2: (1.06066, 4.30265, 9.92484),
    3: (0.97847, 3.18245, 5.84091),
    4: (0.94096, 2.77645, 4.60409),
    5: (0.91954, 2.57058, 4.03214),
    7: (0.89603, 2.36462, 3.49948),
    11: (0.87553, 2.20099, 3.10581),
    19: (0.86095, 2.09302, 2.86093),
    30: (0.85377, 2.04227, 2.75000),
    100: (0.84523, 1.98397, 2.62589),
}
SHARES = (0.6, 0.95, 0.99)


@on_each("freedom", TABLE)
def test_it_reaches_as_far_as_the_printed_table_says(freedom):
    for share, printed in zip(SHARES, TABLE[freedom], strict=True):
        assert student.reach(share, freedom) == pytest.approx(printed, abs=6e-6)


@given(st.floats(0.01, 0.999), st.integers(1, 60))
def test_the_reach_of_a_share_holds_that_share(share, freedom):
    assert student.within(student.reach(share, freedom), freedom) == pytest.approx(share, abs=1e-9)


@given(st.floats(0.1, 40), st.integers(1, 60))
def test_more_freedom_or_a_wider_reach_holds_more(t, freedom):
    held = student.within(t, freedom)
    assert 0 < held < student.within(t * 1.1, freedom) + 1e-12
    assert held <= student.within(t, freedom + 1) + 1e-12


def test_with_much_freedom_it_is_the_normal_distribution():
    assert student.reach(0.95, 2000) == pytest.approx(NormalDist().inv_cdf(0.975), abs=2e-3)


def test_one_value_has_no_interval_and_equal_values_one_without_width():
    assert student.around([0.5]) == (-math.inf, math.inf)
    assert student.around([0.5] * 3) == (0.5, 0.5)
    assert student.around([1, 2, 3]) == pytest.approx((-0.48414, 4.48414), abs=1e-5)


def test_the_interval_of_a_normal_population_holds_its_mean_as_often_as_it_says():
    draw = random.Random(16)
    for count in (2, 3, 12):
        held = 0
        for _ in range(2000):
            low, high = student.around([draw.gauss(3, 2) for _ in range(count)])
            held += low <= 3 <= high
        assert 0.935 <= held / 2000 <= 0.965


@on_each("share", [0, 1, -0.5, math.nan])
def test_what_is_no_share_is_refused(share):
    with pytest.raises(ValueError, match="share is .*; expected more than 0 and less than 1"):
        student.reach(share, 5)


def test_no_freedom_is_refused():
    with pytest.raises(ValueError, match="0 degrees of freedom; expected at least 1"):
        student.within(1.0, 0)
