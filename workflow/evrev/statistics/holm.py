"""Holm's step-down procedure within one declared family; every result is in input order.

Equal p values are ranked in input order, which for a table is the order of its rows.
"""

from __future__ import annotations

from collections.abc import Sequence

from evrev.statistics._checks import inner, probability


def holm_adjust(p: Sequence[float]) -> list[float]:
    """Adjusted p values: the running maximum, by rank, of (m - rank + 1) p, at most 1.

    An empty family gives an empty list. ValueError for a p outside [0, 1], NaN included.
    """
    adjusted = [0.0] * len(p)
    floor = 0.0
    for step, index in enumerate(_ranked(p)):
        floor = max(floor, min(1.0, (len(p) - step) * float(p[index])))
        adjusted[index] = floor
    return adjusted


def holm_thresholds(p: Sequence[float], alpha: float = 0.05) -> list[float]:
    """The step-down threshold alpha / (m - rank + 1) of each p, as Table 2 prints them.

    ValueError for a p outside [0, 1], NaN included, and an alpha outside (0, 1).
    """
    alpha = inner("alpha", alpha)
    thresholds = [0.0] * len(p)
    for step, index in enumerate(_ranked(p)):
        thresholds[index] = alpha / (len(p) - step)
    return thresholds


def holm_rejections(p: Sequence[float], alpha: float = 0.05) -> list[bool]:
    """Which hypotheses fall: from the smallest p upwards, up to the first above its threshold.

    Errors as `holm_thresholds`.
    """
    thresholds = holm_thresholds(p, alpha)
    rejected = [False] * len(p)
    for index in _ranked(p):
        if p[index] > thresholds[index]:
            break
        rejected[index] = True
    return rejected


def _ranked(p: Sequence[float]) -> list[int]:
    values = [probability("p", value) for value in p]
    return sorted(range(len(values)), key=values.__getitem__)
