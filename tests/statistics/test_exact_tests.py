"""Exact McNemar and sign tests against counting every outcome, and what they refuse."""

from __future__ import annotations

import subprocess
import sys
from fractions import Fraction
from itertools import product
from math import comb
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from evrev.statistics import mcnemar_exact, print_p, round_half_even, sign_test

counts = st.integers(0, 300)


def enumerated(at_least: int, n: int) -> Fraction:
    """The share of all 2^n ways to split n discordant pairs that give one side `at_least` or more."""
    ways = sum(sum(signs) >= at_least for signs in product((0, 1), repeat=n))
    return Fraction(ways, 2**n)


@pytest.mark.parametrize("n", range(11))
def test_small_tests_equal_the_enumeration_of_all_splits(n: int) -> None:
    for b in range(n + 1):
        tail = enumerated(b, n)
        assert mcnemar_exact(b, n - b, "greater") == float(tail)
        assert sign_test(b, n) == float(tail)
        larger = enumerated(max(b, n - b), n)
        assert mcnemar_exact(b, n - b) == float(min(Fraction(1), 2 * larger))


@given(counts, counts)
def test_large_tests_are_the_nearest_double_and_agree_with_scipy(b: int, c: int) -> None:
    n = b + c
    exact = Fraction(sum(comb(n, i) for i in range(b, n + 1)), 2**n)
    assert mcnemar_exact(b, c, "greater") == float(exact)
    if n:
        assert mcnemar_exact(b, c) == pytest.approx(binomtest(b, n).pvalue, rel=1e-10)
        assert sign_test(b, n) == pytest.approx(binomtest(b, n, alternative="greater").pvalue, rel=1e-10)


@given(counts, counts)
def test_the_two_sided_test_does_not_care_which_side_is_which(b: int, c: int) -> None:
    assert mcnemar_exact(b, c) == mcnemar_exact(c, b)
    assert mcnemar_exact(b, b) == 1.0


def test_without_a_discordant_pair_p_is_one() -> None:
    assert mcnemar_exact(0, 0) == mcnemar_exact(0, 0, "greater") == sign_test(0, 0) == 1.0


def test_ten_thousand_pairs_do_not_overflow() -> None:
    assert 0 < mcnemar_exact(5100, 4900, "greater") < 0.05
    assert mcnemar_exact(10_000, 0) == 0.0


@pytest.mark.parametrize(
    ("test", "inputs", "words"),
    [
        (mcnemar_exact, (-1, 2), "b must not be negative, not -1"),
        (mcnemar_exact, (1, -2), "c must not be negative"),
        (mcnemar_exact, (1.5, 2), "b must be a whole number, not 1.5"),
        (mcnemar_exact, (1, float("nan")), "c must be a whole number"),
        (mcnemar_exact, (1, 2, "grater"), "did you mean 'greater'"),
        (sign_test, (3, 2), "k must not exceed n, not 3 of 2"),
        (sign_test, (-1, 2), "k must not be negative"),
    ],
)
def test_what_is_no_count_is_named(test: Any, inputs: tuple[Any, ...], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        test(*inputs)


@pytest.mark.parametrize(
    ("value", "digits", "printed"),
    [
        (0.65625, 4, "0.6562"),
        (0.5625, 3, "0.562"),
        (0.3125, 3, "0.312"),
        (0.125, 2, "0.12"),
        (-0.004, 2, "0.00"),
    ],
)
def test_binary_ties_go_to_the_even_digit_and_zero_has_no_sign(
    value: float, digits: int, printed: str
) -> None:
    assert round_half_even(value, digits) == printed


def test_p_values_keep_one_to_four_decimals() -> None:
    assert [print_p(p) for p in (1.0, 0.25, 0.0625, 0.96875, 2**-20, 0.0)] == [
        "1.0",
        "0.25",
        "0.0625",
        "0.9688",
        "<0.0001",
        "0.0",
    ]


def test_loading_the_room_does_not_load_scipy() -> None:
    code = "import sys, evrev.statistics; sys.exit('scipy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
