"""Intervals: exact Clopper-Pearson limits of a proportion, Student's t limits of a mean.

`scipy.special` is loaded inside the functions, so that importing this room costs nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum, isfinite, nan, sqrt

from evrev.statistics._checks import inner, part_of


def clopper_pearson(k: int, n: int, level: float = 0.95) -> tuple[float, float]:
    """Exact two-sided limits of the proportion `k` of `n`: (low, high), 0 and 1 included at the ends.

    ValueError for n = 0, k > n, negative or fractional counts, and a level outside (0, 1).
    """
    from scipy.special import betainccinv, betaincinv

    k, n = part_of(k, n)
    if n == 0:
        raise ValueError("n must be at least 1: no proportion is defined for 0 of 0")
    tail = (1 - inner("level", level)) / 2
    low = float(betaincinv(k, n - k + 1, tail)) if k > 0 else 0.0
    high = float(betainccinv(k + 1, n - k, tail)) if k < n else 1.0
    return low, high


def t_interval(values: Sequence[float], level: float = 0.95) -> tuple[float, float, float]:
    """Mean and its two-sided t limits over patients: (mean, low, high), in the unit of `values`.

    One value has a mean but no spread: its limits are NaN. ValueError for no value, a value that is not
    finite, and a level outside (0, 1).
    """
    from scipy.special import stdtrit

    level, n = inner("level", level), len(values)
    if n == 0:
        raise ValueError("values must hold at least one number: no mean is defined for none")
    if not all(isfinite(value) for value in values):
        raise ValueError("values must be finite numbers")
    mean = fsum(values) / n
    if n == 1:
        return mean, nan, nan
    deviation = sqrt(fsum((value - mean) ** 2 for value in values) / (n - 1))
    half = float(stdtrit(n - 1, (1 + level) / 2)) * deviation / sqrt(n)
    return mean, mean - half, mean + half
