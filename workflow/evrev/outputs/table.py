"""A table as made: every cell's raw value, how the paper would print it, and how the columns are laid out."""

from __future__ import annotations

from string import Formatter
from typing import Literal

from evrev.formats.base import Record

UNDEFINED = "—"
NOT_RUN = "not run"


class Cell(Record):
    """A raw value (none: not defined, or not run), its printed text, and what is printed right after it."""

    value: bool | int | float | str | None
    text: str
    beside: str = ""

    @property
    def printed(self) -> str:
        """The text with what stands beside it."""
        return self.text + self.beside

    @property
    def plain(self) -> str:
        """The text in the form of the paper's CSV files: names and booleans as such, else as printed."""
        if self.value is None:
            return ""
        return str(self.value).lower() if isinstance(self.value, bool) else self._word or self.text

    @property
    def _word(self) -> str:
        return self.value if isinstance(self.value, str) else ""


class Column(Record):
    """A CSV column. `of` names the column that holds a count's denominator."""

    name: str
    kind: Literal["key", "count", "number", "word"] = "number"
    of: str | None = None
    ours: bool = False


class Shown(Record):
    """A printed column: its heading and a form over the cells, as `{retained}/{retained_n}`."""

    heading: str
    form: str
    align: Literal["l", "r"] = "r"

    @property
    def main(self) -> str:
        """The first cell of the form; where it has no value, its text is all that is printed."""
        return next(name for _, name, _, _ in Formatter().parse(self.form) if name)


class Row(Record):
    """Cells by column. `beyond`: a row the paper's table does not have, as the worst case."""

    cells: dict[str, Cell]
    beyond: bool = False


class Table(Record):
    """One table, ready to be written in any form."""

    number: int
    flag: str
    title: str
    caption: str
    role: str
    run: str
    planned: int | str
    columns: tuple[Column, ...]
    layout: tuple[Shown, ...]
    rows: tuple[Row, ...]
    notes: tuple[str, ...]
    provenance: str

    @property
    def heading(self) -> str:
        """What stands above it; a reader that is no real model is named before anything else."""
        return f"{self.flag} Table {self.number}: {self.title}".lstrip()

    @property
    def flagged_title(self) -> str:
        """The same for a place that numbers its tables itself."""
        return f"{self.flag} {self.title}".lstrip()

    def printed(self, row: Row) -> list[str]:
        """The texts of a row in the printed layout."""
        return [_shown(shown, row.cells) for shown in self.layout]


def _shown(shown: Shown, cells: dict[str, Cell]) -> str:
    main = cells[shown.main]
    if main.value is None:
        return main.text
    return shown.form.format(**{name: cell.printed for name, cell in cells.items()})
