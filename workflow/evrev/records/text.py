"""How a source text becomes a field of a rendered line (docs/choices.md).

Fields are cleaned and otherwise shown as recorded: case, spelling and numbers are never touched, and nothing
is interpreted. A rendered line holds no control character, no line break and no run of blanks.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import polars as pl

_BLANK = re.compile(r"[\s\x00-\x1f\x7f-\x9f]+")
_DIGIT = re.compile(r"[0-9]")
PLACEHOLDERS = frozenset({"pyxis", ".stk-med", "misc", ".route", "device", "see admin notes"})
"""Entries of the dose, route and frequency columns that name a cabinet or a form field, not a fact."""


def clean(text: str) -> str:
    """`text` with control characters and every run of white space as one blank, stripped at both ends."""
    return _BLANK.sub(" ", text).strip(" ")


def field(text: str) -> str:
    """One field between bars: cleaned, and a bar inside it shown as `/` so that it cannot split the line."""
    return clean(text.replace("|", "/"))


def path_field(text: str) -> str:
    """A diagnosis or treatment path: its bars stay, its segments are cleaned, empty ones dropped."""
    return "|".join(part for part in map(clean, text.split("|")) if part)


def shown(text: str) -> str:
    """A route or frequency: the field as recorded, or nothing for one of the placeholders."""
    value = field(text)
    return "" if value.casefold() in PLACEHOLDERS else value


def dose(text: str) -> str:
    """A dose: the field when it has a digit and a unit (a letter or `%`), else nothing.

    `40 3` and `1 5002` carry a site's own unit code, a bare number carries none, `ML` and `PYXIS` carry no
    amount: none of them can be read as a dose.
    """
    value = shown(text)
    has_unit = "%" in value or any(character.isalpha() for character in value)
    return value if has_unit and _DIGIT.search(value) else ""


def line(kind: str, *fields: str) -> str:
    """`KIND | field | field ...`: an empty field keeps its bar, and no run of blanks is left beside it."""
    return clean(" | ".join((kind, *fields)))


def lab_line(name: str, value: str, unit: str) -> str:
    """`LAB | name | value unit`, or `LAB | name | value` when no unit is recorded."""
    return line("LAB", name, f"{value} {unit}")


def mapped(values: pl.Series, rule: Callable[[str], str]) -> pl.Series:
    """`rule` applied to a text column, once per distinct value."""
    distinct = values.unique().to_list()
    return values.replace_strict(distinct, [rule(value) for value in distinct], return_dtype=pl.String)


def lined(rows: pl.DataFrame, columns: Sequence[str], rule: Callable[..., str]) -> pl.Series:
    """`rule` applied to some text columns of each row, once per distinct combination of values."""
    texts = rows.select(columns)
    distinct = texts.unique()
    lines = pl.Series("line", [rule(*values) for values in distinct.iter_rows()], pl.String)
    found = texts.join(distinct.with_columns(lines), on=list(columns), how="left", maintain_order="left")
    return found["line"]
