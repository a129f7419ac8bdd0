"""Pools are declared, never implied: each is a type of its own whose label is printed with the figure.

Tests take one cell (`pairs`). A `DescriptivePool` adds counts and offers no test at all; a `PostHocPool`
adds discordant pairs of disjoint units and offers the sign test, labelled as not confirmatory.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from evrev.errors import DataError
from evrev.statistics._checks import part_of
from evrev.statistics.mcnemar import sign_test
from evrev.statistics.pairs import Pairs


@dataclass(frozen=True)
class _Pool:
    k: int
    n: int
    parts: tuple[str, ...]
    over: str
    unit: str


class DescriptivePool(_Pool):
    """`k` of `n` units, summed over the named `parts`: counts to read, not to test."""

    @property
    def label(self) -> str:
        """The words that must stand beside the figure."""
        return f"descriptive count over {_named(self.over, self.parts)}; n = {self.n} {self.unit}; no test"


class PostHocPool(_Pool):
    """`k` of `n` discordant pairs in the first side's favour, summed over the named `parts`."""

    @property
    def p(self) -> float:
        """One-sided sign test on the pooled discordant pairs."""
        return sign_test(self.k, self.n)

    @property
    def label(self) -> str:
        """The words that must stand beside the figure."""
        return (
            f"post hoc, pooled over {_named(self.over, self.parts)} against the no-pooling rule; "
            f"{self.k} of {self.n} discordant {self.unit} pairs; not confirmatory"
        )


def descriptive_pool(parts: Mapping[str, tuple[int, int]], *, over: str, unit: str) -> DescriptivePool:
    """Sum counts (k, n) by part, such as Table 18's condition-patient units or batch B's flips.

    `over` says what is pooled ("conditions"), `unit` what one count is ("condition-patient units").
    DataError for fewer than two parts; ValueError for counts that are none.
    """
    names = _at_least_two(parts, over)
    counts = [part_of(*parts[name]) for name in names]
    return DescriptivePool(sum(k for k, _ in counts), sum(n for _, n in counts), names, over, unit)


def post_hoc_pool(parts: Mapping[str, Pairs], *, over: str) -> PostHocPool:
    """Sum discordant pairs by part, as App. J does over its two strata.

    DataError for fewer than two parts, parts that pair different kinds of unit, and a unit that stands in
    two parts (models share their patients, so models cannot be pooled).
    """
    names = _at_least_two(parts, over)
    kinds = sorted({parts[name].unit for name in names})
    if len(kinds) > 1:
        raise DataError(f"a pool over {over} mixes units: {', '.join(kinds)}")
    seen: set[str] = set()
    for name in names:
        again = sorted(seen & parts[name].units)
        if again:
            raise DataError(f"{kinds[0]} {again[0]!r} stands in two parts of a pool over {over}")
        seen |= parts[name].units
    b, c = (sum(getattr(parts[name], side) for name in names) for side in "bc")
    return PostHocPool(b, b + c, names, over, kinds[0])


def _at_least_two(parts: Mapping[str, object], over: str) -> tuple[str, ...]:
    if len(parts) < 2:
        raise DataError(f"a pool over {over} needs at least two parts, not {len(parts)}")
    return tuple(parts)


def _named(over: str, parts: tuple[str, ...]) -> str:
    return f"{over} ({', '.join(parts)})"
