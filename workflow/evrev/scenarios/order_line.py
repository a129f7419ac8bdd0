"""The strength that a rendered order line states, and the line with another one."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import NamedTuple

from evrev.medication.strength import Reason, Strength, explicit_strength, same_style, strengths

_FIELD = re.compile(r"\|\s?([^|]*?)\s*(?=\||$)")


class Stated(NamedTuple):
    """Whether an order line states exactly one strength; its `span` counts from the start of the line."""

    reason: Reason
    strength: Strength | None = None


def stated_strength(line: str) -> Stated:
    """What an order line (`MEDICATION | name | dose | route | frequency`) states as its strength.

    A frequency may hold numbers (`Q8H`), but no strength of its own (`5 mcg/min`).
    """
    fields = list(_FIELD.finditer(line))
    name, dose, route, frequency = ([field[1] for field in fields] + [""] * 4)[:4]
    reason, place, strength = explicit_strength(name, dose, route)
    if strength is None:
        return Stated(reason)
    if strengths(frequency):
        return Stated("several_strengths")
    begin = fields[0 if place == "name" else 1].start(1)
    start, end = strength.span
    return Stated(reason, strength._replace(span=(begin + start, begin + end)))


def restated(line: str, strength: Strength, value: Decimal) -> str:
    """The line with `value` for the number of its `strength`, written alike; every other byte stays."""
    start, end = strength.span
    return line[:start] + same_style(value, line[start:end]) + line[end:]
