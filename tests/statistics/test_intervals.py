"""Clopper-Pearson and t limits: what defines them, and independent implementations."""

from __future__ import annotations

from math import isnan
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, t
from statsmodels.stats.proportion import proportion_confint  # type: ignore[import-untyped]
from statsmodels.stats.weightstats import DescrStatsW  # type: ignore[import-untyped]

from evrev.statistics import clopper_pearson, t_interval

levels = st.sampled_from([0.5, 0.9, 0.95, 0.99])


@st.composite
def proportions(draw: Any) -> tuple[int, int]:
    n = draw(st.integers(1, 200))
    return draw(st.integers(0, n)), n


@given(proportions(), levels)
def test_limits_agree_with_statsmodels(kn: tuple[int, int], level: float) -> None:
    k, n = kn
    expected = proportion_confint(k, n, alpha=1 - level, method="beta")
    assert clopper_pearson(k, n, level) == pytest.approx(expected, rel=1e-9, abs=1e-12)


@given(proportions(), levels)
def test_each_limit_leaves_half_of_what_the_level_leaves(kn: tuple[int, int], level: float) -> None:
    k, n = kn
    low, high = clopper_pearson(k, n, level)
    tail = (1 - level) / 2
    assert low == 0.0 if k == 0 else binom.sf(k - 1, n, low) == pytest.approx(tail, rel=1e-9)
    assert high == 1.0 if k == n else binom.cdf(k, n, high) == pytest.approx(tail, rel=1e-9)


@given(st.integers(1, 30), st.floats(0.001, 0.999), levels)
def test_the_interval_covers_the_truth_at_least_as_often_as_its_level(
    n: int, truth: float, level: float
) -> None:
    covering = (k for k in range(n + 1) if clopper_pearson(k, n, level)[0] <= truth)
    covered = sum(binom.pmf(k, n, truth) for k in covering if truth <= clopper_pearson(k, n, level)[1])
    assert covered >= level - 1e-12


@given(proportions())
def test_successes_and_failures_mirror_each_other(kn: tuple[int, int]) -> None:
    k, n = kn
    low, high = clopper_pearson(k, n)
    assert clopper_pearson(n - k, n) == pytest.approx((1 - high, 1 - low), abs=1e-12)
    assert 0 <= low <= k / n <= high <= 1


@given(proportions())
def test_more_successes_move_both_limits_up(kn: tuple[int, int]) -> None:
    k, n = kn
    if k < n:
        below, above = clopper_pearson(k, n), clopper_pearson(k + 1, n)
        assert below[0] < above[0]
        assert below[1] < above[1]


def test_nothing_and_everything_of_twenty_as_the_paper_states_them() -> None:
    assert [round(x, 3) for x in clopper_pearson(0, 20)] == [0.0, 0.168]
    assert [round(x, 3) for x in clopper_pearson(20, 20)] == [0.832, 1.0]


values = st.lists(st.floats(-1e6, 1e6).map(lambda x: round(x, 3)), min_size=2, max_size=40)


@given(values, levels)
def test_the_t_interval_agrees_with_statsmodels(numbers: list[float], level: float) -> None:
    mean, low, high = t_interval(numbers, level)
    oracle = DescrStatsW(numbers)
    assert mean == pytest.approx(oracle.mean, rel=1e-9, abs=1e-6)
    assert (low, high) == pytest.approx(oracle.tconfint_mean(alpha=1 - level), rel=1e-9, abs=1e-6)


def test_the_t_quantile_is_that_of_n_minus_one_degrees_of_freedom() -> None:
    mean, low, high = t_interval([1.0, 2.0, 3.0, 4.0])
    half = t.ppf(0.975, 3) * (5 / 3) ** 0.5 / 2
    assert (mean, low, high) == pytest.approx((2.5, 2.5 - half, 2.5 + half), rel=1e-12)


def test_equal_values_have_an_interval_of_no_width() -> None:
    assert t_interval([0.1, 0.1, 0.1]) == pytest.approx((0.1, 0.1, 0.1), abs=1e-15)


def test_one_patient_has_a_mean_and_no_limits() -> None:
    mean, low, high = t_interval([2.5])
    assert mean == 2.5
    assert isnan(low)
    assert isnan(high)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: clopper_pearson(0, 0), "n must be at least 1"),
        (lambda: clopper_pearson(3, 2), "k must not exceed n"),
        (lambda: clopper_pearson(-1, 2), "k must not be negative"),
        (lambda: clopper_pearson(1, -2), "n must not be negative"),
        (lambda: clopper_pearson(1, 2, 1.0), "level must lie strictly between 0 and 1"),
        (lambda: clopper_pearson(1, 2, float("nan")), "level must lie strictly between 0 and 1"),
        (lambda: t_interval([]), "at least one number"),
        (lambda: t_interval([1.0, float("nan")]), "finite"),
        (lambda: t_interval([1.0, 2.0], 0.0), "level must lie strictly"),
        (lambda: t_interval([1.0], 95), "level must lie strictly"),
    ],
)
def test_what_has_no_interval_is_named(call: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        call()
