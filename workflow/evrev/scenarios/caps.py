"""The declared sizes and thresholds of scenario building, all in one place (docs/choices.md)."""

from __future__ import annotations

from typing import NamedTuple

from evrev.formats.scenario import Level

BUILDER = "1"
"""Version of the building rules; part of every scenario."""

MIN_KEYS = 3
"""Distinct, unambiguous medication keys that D1 must hold."""


class Caps(NamedTuple):
    """Most lines of each document."""

    orders: int
    problems: int
    results: int


SMALL = Caps(orders=4, problems=4, results=5)


class DayCaps(NamedTuple):
    """Most lines of each per-day document."""

    orders: int
    results: int
    treatments: int


LARGE = DayCaps(orders=10, results=12, treatments=10)
"""The documents that the large size adds to D1-D3, one of each kind per ICU day of `LARGE_DAYS`."""

LARGE_DAYS = (0, 1)

LARGE_DOCUMENTS = 8
"""Most documents of the large size without the event document (section 5: four to eight)."""

LEVEL_TARGETS: dict[Level, int] = {"M": 1_000, "L": 4_000}
"""Qwen2.5 tokens of the post-revision re-reading body at the fixed levels; S is the small scenario."""

XL_TARGETS = tuple(range(12_000, LEVEL_TARGETS["L"], -1_000))
"""What XL falls back through: the first that `ENOUGH` patients reach, always longer than L (App. O)."""

BAND = (9, 10)
"""A record is in a level's band from this fraction of the target up to the target itself."""

ENOUGH = 6
"""Patients, of the eight of a length batch, that must reach a target for it to be used."""

GROWTH_STEP = 500
GROWTH_FIRST = 1_000
"""Allowed-evidence levels: this target, and the largest multiple of the step that `ENOUGH` patients reach."""

GROWTH_LINES = 10
"""Most lines of one further pharmacy document."""
