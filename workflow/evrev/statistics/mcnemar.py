"""Exact tests on discordant pairs: binomial tails at one half, summed in whole numbers."""

from __future__ import annotations

from math import comb
from typing import Literal

from evrev.errors import nearest
from evrev.statistics._checks import count, part_of

Alternative = Literal["two-sided", "greater"]


def mcnemar_exact(b: int, c: int, alternative: Alternative = "two-sided") -> float:
    """p of the exact McNemar test on `b` and `c` discordant pairs.

    "greater" is P(X >= b), X ~ Bin(b + c, 1/2), with b the hypothesised direction; "two-sided" doubles the
    smaller tail, at most 1. Without a discordant pair p is 1. The sum is made in whole numbers and divided
    once, so p is the nearest double and a tie such as 0.65625 prints as a tie. ValueError for a negative
    or fractional count and an unknown alternative. Paper: section 5 and Apps. C, F, I, J and P.
    """
    b, c = count("b", b), count("c", c)
    if alternative == "greater":
        return _upper_tail(b, b + c)
    if alternative == "two-sided":
        return min(1.0, 2 * _upper_tail(max(b, c), b + c))
    known = ("two-sided", "greater")
    raise ValueError(
        f"alternative must be one of {', '.join(known)}, not {alternative!r}{nearest(alternative, known)}"
    )


def sign_test(k: int, n: int) -> float:
    """One-sided p of the sign test, P(X >= k), X ~ Bin(n, 1/2); 1 for n = 0.

    ValueError for a negative or fractional count and for k > n. Paper: App. J.
    """
    return _upper_tail(*part_of(k, n))


def _upper_tail(k: int, n: int) -> float:
    ways = term = comb(n, k)
    for i in range(k, n):
        term = term * (n - i) // (i + 1)
        ways += term
    return ways / (1 << n)
