"""The paper's figures beside ours: every printed cell, the difference, and where nothing ran here."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from evrev.outputs.compared import Compared, compare
from evrev.outputs.paper import paper_table
from evrev.outputs.parts import keys_shown
from evrev.outputs.render import csv_text
from evrev.outputs.table import NOT_RUN, UNDEFINED, Cell, Column, Row, Shown, Table

END = ("reader", "reader_kind", "role", "run", "provenance", "title")


class ComparedRow(NamedTuple):
    """A row on both sides: what names it (in the CSV, in print), who read it here, and its cells."""

    keys: list[str]
    shown: list[str]
    reader: list[str]
    cells: list[Compared]


def compared_rows(table: Table) -> list[ComparedRow]:
    """Every row of `table` that the paper could have, joined by its key columns, then the paper's others."""
    keys = _names(table, key=True)
    theirs = {tuple(row[name] for name in keys): row for row in paper_table(table.number)}
    found = []
    for row in table.rows:
        if not row.beyond:
            place = tuple(row.cells[name].plain for name in keys)
            found.append(_row(table, place, theirs.get(place), row.cells))
    here = {tuple(row.keys) for row in found}
    return found + [_row(table, place, row, None) for place, row in theirs.items() if place not in here]


def _row(
    table: Table, place: tuple[str, ...], theirs: dict[str, str] | None, ours: dict[str, Cell] | None
) -> ComparedRow:
    names = _names(table, key=True)
    shown = [ours[name].text for name in names] if ours else keys_shown(dict(zip(names, place, strict=True)))
    reader = [ours[name].plain for name in ("reader", "reader_kind")] if ours else ["", NOT_RUN]
    cells = [compare(column, theirs, ours) for column in _columns(table) if column.kind != "key"]
    return ComparedRow(list(place), shown, reader, cells)


def comparison_csv(table: Table) -> str:
    """One line per cell."""
    end = [table.role, table.run, table.provenance, f"{table.heading}, against the paper"]
    return csv_text([*_names(table, key=True), *Compared._fields, *END], _lines(table, end))


def _lines(table: Table, end: list[str]) -> Iterator[list[str]]:
    for row in compared_rows(table):
        for cell in row.cells:
            yield [*row.keys, *cell, *row.reader, *end]


def comparison_table(table: Table) -> Table:
    """The comparison in the paper's own rows and columns, to be rendered as Markdown."""
    names = [*_names(table, key=True), *_names(table, key=False)]
    rows = []
    for row in compared_rows(table):
        texts = [*row.shown, *(cell.printed for cell in row.cells)]
        rows.append(Row(cells={n: Cell(value=t, text=t) for n, t in zip(names, texts, strict=True)}))
    caption = (
        "Each cell is the paper's figure → ours (ours minus the paper's). Where a count has another n, both "
        f"fractions are given with the difference of the proportions. {NOT_RUN} = no such row was run here; "
        f"{UNDEFINED} = not defined."
    )
    keys = len(_names(table, key=True))
    layout = tuple(
        Shown(heading=name.replace("_", " "), form=f"{{{name}}}", align="l" if i < keys else "r")
        for i, name in enumerate(names)
    )
    changes = {"title": f"{table.title}, against the paper", "caption": caption}
    return table.model_copy(update={**changes, "layout": layout, "rows": tuple(rows)})


def _columns(table: Table) -> list[Column]:
    return [column for column in table.columns if not column.ours]


def _names(table: Table, *, key: bool) -> list[str]:
    return [column.name for column in _columns(table) if (column.kind == "key") == key]
