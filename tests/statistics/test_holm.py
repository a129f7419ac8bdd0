"""Holm families: adjusted p values, step-down thresholds and rejections are one procedure."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests  # type: ignore[import-untyped]

from evrev.statistics import holm_adjust, holm_rejections, holm_thresholds

families = st.lists(st.floats(0, 1), min_size=1, max_size=12)
alphas = st.sampled_from([0.01, 0.05, 0.1, 0.5])


# The oracle collects garbage at every call, about 60 ms each: hence few examples.
@settings(max_examples=25)
@given(families, alphas)
def test_adjusted_p_values_and_rejections_agree_with_statsmodels(p: list[float], alpha: float) -> None:
    rejected, adjusted, *_ = multipletests(p, alpha=alpha, method="holm")
    assert holm_adjust(p) == pytest.approx(list(adjusted), rel=1e-12)
    assert holm_rejections(p, alpha) == list(rejected)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=10, unique=True), st.randoms(use_true_random=False))
def test_the_order_of_a_table_does_not_matter_while_p_values_differ(p: list[float], random: Any) -> None:
    order = random.sample(range(len(p)), len(p))
    shuffled = [p[i] for i in order]
    for result in (holm_adjust, holm_thresholds, holm_rejections):
        assert result(shuffled) == [result(p)[i] for i in order]


@given(families)
def test_adjusting_never_lowers_a_p_value_and_keeps_the_order(p: list[float]) -> None:
    adjusted = holm_adjust(p)
    assert all(old <= new <= 1 for old, new in zip(p, adjusted, strict=True))
    by_p = [adjusted[i] for i in sorted(range(len(p)), key=p.__getitem__)]
    assert by_p == sorted(by_p)


@given(families, alphas)
def test_thresholds_are_alpha_over_what_is_left_of_the_family(p: list[float], alpha: float) -> None:
    assert sorted(holm_thresholds(p, alpha)) == [alpha / left for left in range(len(p), 0, -1)]


def test_equal_p_values_are_ranked_in_table_order() -> None:
    assert holm_thresholds([0.96875, 0.65625, 0.65625]) == [0.05, 0.05 / 3, 0.05 / 2]


def test_nothing_is_rejected_after_the_first_that_stands() -> None:
    assert holm_rejections([0.02, 0.04, 0.03]) == [False, False, False]
    assert holm_rejections([0.01, 0.04, 0.03]) == [True, False, False]
    assert holm_rejections([0.01, 0.05, 0.02]) == [True, True, True]


def test_an_empty_family_is_no_error() -> None:
    assert holm_adjust([]) == holm_thresholds([]) == holm_rejections([]) == []


@pytest.mark.parametrize("bad", [-0.1, 1.1, float("nan"), float("inf")])
@pytest.mark.parametrize("result", [holm_adjust, holm_thresholds, holm_rejections])
def test_what_is_no_probability_is_refused(result: Any, bad: float) -> None:
    with pytest.raises(ValueError, match=r"p must lie in \[0, 1\]"):
        result([0.5, bad])


@pytest.mark.parametrize("alpha", [0.0, 1.0, -1.0, float("nan")])
def test_alpha_has_to_be_a_level(alpha: float) -> None:
    with pytest.raises(ValueError, match="alpha must lie strictly between 0 and 1"):
        holm_thresholds([0.5], alpha)
