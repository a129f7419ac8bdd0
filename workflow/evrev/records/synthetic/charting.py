"""Synthetic vital signs and nursing entries: half-hourly and hourly rows, with the gaps of a real ward."""

from __future__ import annotations

import random
from typing import NamedTuple

from evrev.records.synthetic.people import Stay

Values = tuple[object, ...]
LONGEST = 5 * 1440
"""Minutes of a stay that are charted at most: more would make no level longer."""
_SPARSE = 0.06
"""Share of persons whose charting is thin: of those no long record can be made."""


class Sign(NamedTuple):
    """A column of a vital sign table: its range, its digits and how often a row has a value in it."""

    low: float
    high: float
    digits: int
    share: float

    def draw(self, chance: float, level: float) -> str:
        """A value, or nothing; both arguments are uniform in [0, 1)."""
        if chance >= self.share:
            return ""
        value = self.low + (self.high - self.low) * level
        return f"{value:.{self.digits}f}" if self.digits else str(round(value))


# In the order of the columns.
PERIODIC = (
    Sign(36.1, 38.9, 1, 0.10), Sign(88, 100, 0, 0.90), Sign(52, 124, 0, 0.98), Sign(9, 31, 0, 0.86),
    Sign(2, 18, 0, 0.13), Sign(26, 46, 0, 0.03), Sign(84, 168, 0, 0.18), Sign(41, 92, 0, 0.18),
    Sign(56, 116, 0, 0.18), Sign(22, 58, 0, 0.02), Sign(9, 28, 0, 0.02), Sign(14, 38, 0, 0.02),
    Sign(-1.2, 1.8, 2, 0.35), Sign(-1.1, 1.9, 2, 0.35), Sign(-1.3, 1.6, 2, 0.31), Sign(3, 22, 0, 0.01),
)  # fmt: skip
APERIODIC = (
    Sign(86, 172, 0, 0.88), Sign(40, 98, 0, 0.88), Sign(55, 121, 0, 0.887), Sign(6, 24, 0, 0.001),
    Sign(3.1, 8.4, 2, 0.052), Sign(1.7, 4.2, 2, 0.043), Sign(420, 1900, 0, 0.065),
    Sign(900, 3600, 0, 0.013), Sign(60, 410, 0, 0.001), Sign(110, 700, 0, 0.001),
)  # fmt: skip
_NUMBERS = "Vital Signs"
_OTHER = "Other Vital Signs and Infusions"
_WORDS = ("WDL", "alert", "calm", "deferred", "see note", "Goal  met")
# Category, label, name, lowest and highest whole number (0 to 0: a word), chance per hour.
ENTRIES: tuple[tuple[str, str, str, int, int, float], ...] = (
    (_NUMBERS, "Heart Rate", "Heart Rate", 52, 124, 0.95),
    (_NUMBERS, "Respiratory Rate", "Respiratory Rate", 9, 31, 0.95),
    (_NUMBERS, "O2 Saturation", "O2 Saturation", 88, 100, 0.95),
    (_NUMBERS, "Non-Invasive BP", "Non-Invasive BP Systolic", 86, 172, 0.85),
    (_NUMBERS, "Non-Invasive BP", "Non-Invasive BP Diastolic", 40, 98, 0.85),
    (_NUMBERS, "Non-Invasive BP", "Non-Invasive BP Mean", 55, 121, 0.85),
    (_NUMBERS, "Temperature", "Temperature (C)", 36, 39, 0.4),
    (_NUMBERS, "Temperature", "Temperature (F)", 97, 102, 0.4),
    (_NUMBERS, "Temperature", "Temperature Location", 0, 0, 0.4),
    (_OTHER, "O2 L/%", "O2 L/%", 2, 60, 0.5),
    (_OTHER, "O2 Admin Device", "O2 Admin Device", 0, 0, 0.4),
    ("Scores", "Glasgow coma score", "Eyes", 1, 4, 0.5),
    ("Scores", "Glasgow coma score", "Verbal", 1, 5, 0.5),
    ("Scores", "Glasgow coma score", "Motor", 1, 6, 0.5),
    ("Scores", "Glasgow coma score", "GCS Total", 3, 15, 0.5),
    (_OTHER, "Pain Score/Goal", "Pain Score", 0, 10, 0.6),
    (_OTHER, "Pain Score/Goal", "Pain Goal", 0, 4, 0.4),
    (_OTHER, "Sedation Scale/Score/Goal", "Sedation Score", 0, 0, 0.3),
    (_OTHER, "Bedside assessment", "Value", 0, 0, 0.4),
    (_OTHER, "Cardiac rhythm at the bedside", "Value", 0, 0, 0.7),
    (_OTHER, "Delirium Scale/Score", "Delirium Score", 0, 7, 0.5),
    (_OTHER, "Urine output of the hour", "Urine output (mL)", 10, 240, 0.8),
)
_QUIET = 0.25
"""Share of days on which a table has next to nothing, as when a patient is watched by other means."""


class Ward:
    """How busily each day of a stay is charted in one table: the chance that a due row is written."""

    def __init__(self, end: int, thin: bool, rng: random.Random) -> None:
        self._days = [_busy(thin, rng) for _ in range(end // 1440 + 2)]

    def at(self, offset: int) -> float:
        """The chance at an offset; before admission that of day 0."""
        return self._days[max(0, offset // 1440)]


def _busy(thin: bool, rng: random.Random) -> float:
    quiet = rng.random() < _QUIET
    return 0.02 + 0.1 * rng.random() if thin or quiet else 0.7 + 0.3 * rng.random()


def make_charting(stays: list[Stay], rng: random.Random) -> dict[str, list[Values]]:
    """The charting rows of one person's stays, by table: the columns of the release from the stay on."""
    thin = rng.random() < _SPARSE
    rows: dict[str, list[Values]] = {"vitalPeriodic": [], "vitalAperiodic": [], "nurseCharting": []}
    for stay in stays:
        end = min(stay.end, LONGEST)
        rows["vitalPeriodic"] += _signs(stay, PERIODIC, 30, Ward(end, thin, rng), end, rng)
        rows["vitalAperiodic"] += _signs(stay, APERIODIC, 55, Ward(end, thin, rng), end, rng)
        rows["nurseCharting"] += _entries(stay, Ward(end, thin, rng), end, rng)
    return rows


def _signs(
    stay: Stay, signs: tuple[Sign, ...], step: int, ward: Ward, end: int, rng: random.Random
) -> list[Values]:
    draw = rng.random
    rows: list[Values] = []
    # A few rows lie before the day before admission or after discharge.
    first = -1600 if draw() < 0.02 else 4
    for start in (first, *range(step, end + step, step)):
        if draw() < ward.at(start):
            values = [sign.draw(draw(), draw()) for sign in signs]
            rows.append((stay.stay, start + int(draw() * 9), *values))
    return rows


def _entries(stay: Stay, ward: Ward, end: int, rng: random.Random) -> list[Values]:
    draw = rng.random
    rows: list[Values] = []
    for hour in range(-60, end + 30, 60):
        busy = ward.at(hour)
        at = hour + int(draw() * 40)
        for category, label, name, low, high, share in ENTRIES:
            if draw() >= share * busy:
                continue
            value = str(low + int(draw() * (high - low + 1))) if high else _WORDS[int(draw() * len(_WORDS))]
            if draw() < 0.02:
                value = ("", " ", f"{value}  ")[int(draw() * 3)]
            rows.append((stay.stay, at, at + int(draw() * 30), category, label, name, value))
            if draw() < 0.12:
                later = at + 1 + int(draw() * 15)
                rows.append((stay.stay, later, later + 2, category, label, name, value))
    return rows
