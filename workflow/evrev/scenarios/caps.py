"""The declared sizes and thresholds of scenario building, all in one place (docs/choices.md)."""

from __future__ import annotations

from typing import NamedTuple

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
