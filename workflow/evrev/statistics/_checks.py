"""What every statistic asks of its inputs; a breach is a ValueError that names the input."""

from __future__ import annotations

import operator


def count(name: str, value: int) -> int:
    """`value` as a whole number of at least zero."""
    try:
        whole = operator.index(value)
    except TypeError:
        raise ValueError(f"{name} must be a whole number, not {value!r}") from None
    if whole < 0:
        raise ValueError(f"{name} must not be negative, not {whole}")
    return whole


def part_of(k: int, n: int) -> tuple[int, int]:
    """`k` of `n` as counts with k at most n."""
    k, n = count("k", k), count("n", n)
    if k > n:
        raise ValueError(f"k must not exceed n, not {k} of {n}")
    return k, n


def probability(name: str, value: float) -> float:
    """`value` as a number from 0 to 1; NaN is refused."""
    if not 0 <= value <= 1:
        raise ValueError(f"{name} must lie in [0, 1], not {value!r}")
    return float(value)


def inner(name: str, value: float) -> float:
    """`value` as a number strictly between 0 and 1, as a level must be."""
    if not 0 < value < 1:
        raise ValueError(f"{name} must lie strictly between 0 and 1, not {value!r}")
    return float(value)
