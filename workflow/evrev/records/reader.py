"""Reading a source table: whole and sound, or an error that names the file, the place and the remedy."""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import zlib
from pathlib import Path

import polars as pl

from evrev.errors import DataError
from evrev.records.tables import Table
from evrev.records.text import clean, mapped

_CHUNK = 1 << 20


def read_table(path: Path, table: Table) -> pl.DataFrame:
    """The columns of `table` in `path`: Int64 for its integers, cleaned text (never null) for the rest.

    DataError for an empty or damaged file, text that is not UTF-8, a missing column, a row of another length
    and a bad number.
    """
    content = _content(path)
    _check_utf8(content, path)
    places = _check_rows(content, path, table)
    try:
        frame = pl.read_csv(content, columns=sorted(places), infer_schema=False, empty_string_is_null=False)
    except pl.exceptions.PolarsError as error:
        reason = str(error).splitlines()[0][:120]
        raise DataError(f"not a CSV table: {reason}", where=path, remedy="download it again") from error
    frame.columns = [places[place] for place in sorted(places)]
    return _typed(frame, path, table)


def _content(path: Path) -> bytes:
    try:
        content = path.read_bytes()
        compressed = content.startswith(b"\x1f\x8b")
        if content and compressed != path.name.casefold().endswith(".gz"):
            what = "is gzip, but not named .gz" if compressed else "is named .gz, but is not gzip"
            raise DataError(what, where=path, remedy="download it again, or give it the right name")
        content = gzip.decompress(content) if compressed else content
    except EOFError as error:
        raise DataError("the gzip stream is cut short", where=path, remedy="download it again") from error
    except (zlib.error, gzip.BadGzipFile) as error:
        raise DataError(
            f"the gzip stream is damaged ({error})", where=path, remedy="download it again"
        ) from error
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror}", where=path) from error
    if not content.strip():
        raise DataError("the file is empty", where=path, remedy="download it again")
    return content


def _check_utf8(content: bytes, path: Path) -> None:
    decoder = codecs.getincrementaldecoder("utf-8")()
    for start in range(0, len(content), _CHUNK):
        chunk = content[start : start + _CHUNK]
        pending = len(decoder.getstate()[0])
        try:
            decoder.decode(chunk, final=start + _CHUNK >= len(content))
        except UnicodeDecodeError as error:
            place = start - pending + error.start
            line = content.count(b"\n", 0, place) + 1
            raise DataError(
                f"not UTF-8: byte {content[place]:#04x} in line {line} (offset {place})",
                where=path,
                remedy="save the table as UTF-8 CSV",
            ) from error


def _check_rows(content: bytes, path: Path, table: Table) -> dict[int, str]:
    """Where the columns of `table` stand, once every row has as many fields as the header.

    polars fills up a row that was cut off, and reads a file whose lines end in a bare CR as one line. A bare
    CR within a line is text to it, but not to the csv module.
    """
    if b"\n" not in content and b"\r" in content:
        raise DataError("its lines end in a bare CR", where=path, remedy="save it with line ends LF or CR LF")
    lines = io.BytesIO(content.replace(b"\r\n", b"\n").replace(b"\r", b" "))
    rows = csv.reader(io.TextIOWrapper(lines, encoding="utf-8-sig", newline=""))
    try:
        header = next((row for row in rows if row), [])
        places = _column_places([name.strip().casefold() for name in header], path, table)
        whole = {0, len(header)}
        cut = next((number for number, row in enumerate(rows, start=1) if len(row) not in whole), None)
    except csv.Error as error:
        raise DataError(f"not a CSV table: {error}", where=path, remedy="download it again") from error
    if cut is not None:
        raise DataError(
            f"not a CSV table: row {cut} has other fields than the header's {len(header)}",
            where=path,
            remedy="download it again",
        )
    return places


def _column_places(header: list[str], path: Path, table: Table) -> dict[int, str]:
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


def _typed(frame: pl.DataFrame, path: Path, table: Table) -> pl.DataFrame:
    numbered = frame.with_row_index("row", offset=1)
    numbered = numbered.filter(pl.any_horizontal(pl.col(name) != "" for name in table.columns))
    typed = numbered.with_columns(
        pl.col(name).str.strip_chars().cast(pl.Int64, strict=False) for name in table.integers
    )
    for name in table.integers:
        bad = typed[name].is_null()
        if bad.any():
            place = int(bad.to_list().index(True))
            value = numbered[name][place]
            what = (
                f"{name} is empty" if not value.strip() else f"{name} is {value[:40]!r}, not a whole number"
            )
            raise DataError(f"row {typed['row'][place]}: {what}", where=path)
    return typed.select(*table.integers, *(mapped(typed[name], clean) for name in table.texts))
