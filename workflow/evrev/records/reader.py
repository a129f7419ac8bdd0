"""Reading a source table: whole and sound, or an error that names the file, the place and the remedy."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from pathlib import Path

import polars as pl

from evrev.errors import DataError
from evrev.records.source import BLOCK, Block, blocks
from evrev.records.tables import Table
from evrev.records.text import clean, mapped

_QUOTED = re.compile(rb'"[^"]*"')
LONGEST_FIELD = 1 << 16
"""Bytes of one field: the release pads fields to 255 characters, so what is longer is not a record."""


def read_table(path: Path, table: Table) -> pl.DataFrame:
    """All of a table at once, as `read_frames` gives it in parts."""
    return pl.concat(read_frames(path, table), rechunk=True)


def read_frames(path: Path, table: Table, block: int = BLOCK) -> Iterator[pl.DataFrame]:
    """The columns of `table` in `path`: Int64 for its integers, cleaned text (never null) for the rest.

    The file is read as a stream; the frames hold its rows in order and do not depend on how it is divided but
    for their number. DataError for an empty or damaged file, text that is not UTF-8, a missing column, a bad
    number or a field of more than `LONGEST_FIELD` bytes.
    """
    header, places, row = b"", dict[int, str](), 1
    for part in blocks(path, block):
        if not places:
            if b"\n" not in part.content and b"\r" in part.content:
                what = "its lines end in a bare CR"
                raise DataError(what, where=path, remedy="save it with line ends LF or CR LF")
            places = _column_places(part, path, table)
            header = _header(part.content)
            content = part.content
        else:
            content = header + part.content
        frame = _parsed(content, places, path)
        _check_fields(content, frame.height, row, path)
        yield _typed(frame.with_row_index("row", offset=row), path, table)
        row += frame.height


def _header(content: bytes) -> bytes:
    """The first record: blank lines before it stay, quotes in it are closed."""
    end = 0
    while True:
        following = content.find(b"\n", end) + 1
        if not following:
            return content + b"\n"
        end = following
        if content[:end].strip() and content.count(b'"', 0, end) % 2 == 0:
            return content[:end]


def _column_places(block: Block, path: Path, table: Table) -> dict[int, str]:
    rows = csv.reader(io.TextIOWrapper(io.BytesIO(block.content), encoding="utf-8", newline=""))
    try:
        header = [name.strip().casefold() for name in next((row for row in rows if row), [])]
    except csv.Error as error:
        raise DataError(f"not a CSV table: {error}", where=path) from error
    missing = [name for name in table.columns if name not in header]
    if missing:
        raise DataError(
            f"the table {table.name} lacks the column{'s' * (len(missing) > 1)} {', '.join(missing)}",
            where=path,
            remedy=f"expected: {', '.join(table.columns)}",
        )
    twice = [name for name in table.columns if header.count(name) > 1]
    if twice:
        raise DataError(f"the column {twice[0]} stands twice in the header", where=path)
    return {header.index(name): name for name in table.columns}


def _parsed(content: bytes, places: dict[int, str], path: Path) -> pl.DataFrame:
    try:
        frame = pl.read_csv(content, columns=sorted(places), infer_schema=False, empty_string_is_null=False)
    except pl.exceptions.PolarsError as error:
        reason = str(error).splitlines()[0][:120]
        raise DataError(f"not a CSV table: {reason}", where=path, remedy="download it again") from error
    frame.columns = [places[place] for place in sorted(places)]
    return frame


def _check_fields(content: bytes, rows: int, first: int, path: Path) -> None:
    """A short row would pass for one with blanks at its end; looked for where the commas do not add up."""
    width = content[: content.find(b"\n")].count(b",")
    unquoted = _QUOTED.sub(b"", content) if b'"' in content else content
    if unquoted.count(b",") == (rows + 1) * width:
        return
    lines = csv.reader(io.StringIO(content.decode(), newline=""))
    widest = len(next((fields for fields in lines if fields), []))
    for place, fields in enumerate(lines):
        if len(fields) not in {0, widest}:
            raise DataError(
                f"row {first + place} has {len(fields)} fields, the header {widest}",
                where=path,
                remedy="download it again",
            )


def _typed(numbered: pl.DataFrame, path: Path, table: Table) -> pl.DataFrame:
    numbered = numbered.filter(pl.any_horizontal(pl.col(name) != "" for name in table.columns))
    _check_lengths(numbered, path, table)
    typed = numbered.with_columns(
        pl.col(name).str.strip_chars().cast(pl.Int64, strict=False) for name in table.integers
    )
    for name in table.integers:
        bad = typed[name].is_null()
        if bad.any():
            place = int(bad.arg_true()[0])
            value = numbered[name][place]
            what = (
                f"{name} is empty" if not value.strip() else f"{name} is {value[:40]!r}, not a whole number"
            )
            raise DataError(f"row {typed['row'][place]}: {what}", where=path)
    return typed.select(*table.integers, *(mapped(typed[name], clean) for name in table.texts))


def _check_lengths(numbered: pl.DataFrame, path: Path, table: Table) -> None:
    for name in table.columns:
        long = (numbered[name].str.len_bytes() > LONGEST_FIELD).arg_true()
        if len(long):
            place = int(long[0])
            size = len(numbered[name][place].encode())
            raise DataError(
                f"row {numbered['row'][place]}: {name} has {size:,} bytes, which no record has "
                f"(limit {LONGEST_FIELD:,})",
                where=path,
                remedy="correct that row, or download the table again",
            )
