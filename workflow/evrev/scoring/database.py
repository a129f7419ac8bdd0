"""The score database: rows collected as JSON lines, then typed DuckDB tables and endpoint views over them."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any

import duckdb

from evrev.errors import EvrevError
from evrev.formats.canonical import replacing
from evrev.scoring.schema import ENDPOINTS, TABLES, view_sql

# Nothing may be fetched while scoring: every extension used here is part of the library.
_CONFIG: dict[str, str | bool | int | float | list[str]] = {
    "threads": str(min(4, os.cpu_count() or 1)),
    "memory_limit": "512MB",
    "preserve_insertion_order": "true",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
}


def connect(path: Path, *, read_only: bool = False) -> duckdb.DuckDBPyConnection:
    """Open a score database without network access."""
    return duckdb.connect(str(path), read_only=read_only, config=_CONFIG)


class Rows:
    """Collects table rows as JSON lines in a folder, so that memory does not grow with their number."""

    def __init__(self, files: Mapping[str, IO[str]]) -> None:
        self._files = files
        self.counts = dict.fromkeys(files, 0)

    def add(self, table: str, row: Mapping[str, Any]) -> None:
        """One row of `table`, given as column -> value; a column left out is NULL."""
        self._files[table].write(json.dumps(row, separators=(",", ":")) + "\n")
        self.counts[table] += 1


@contextmanager
def building(path: Path) -> Iterator[Rows]:
    """Collect rows in the block; if it succeeds, `path` becomes a database of them, else nothing is.

    EvrevError when the database cannot be written.
    """
    with TemporaryDirectory(dir=path.parent, prefix=".rows-") as name:
        folder = Path(name)
        with ExitStack() as stack:
            files = {
                table: stack.enter_context((folder / f"{table}.jsonl").open("w", encoding="utf-8"))
                for table in TABLES
            }
            yield Rows(files)
        with replacing(path) as part:
            part.unlink()
            try:
                _build(part, folder)
            except duckdb.IOException as error:
                raise EvrevError(f"cannot be written: {error}", where=path) from error


def _build(path: Path, folder: Path) -> None:
    with connect(path) as db:
        db.execute(f"SET temp_directory = {_text(folder)}")
        for table, columns in TABLES.items():
            body = ", ".join(f'"{name}" {kind}' for name, kind in columns.items())
            plain = {name: kind.removesuffix(" NOT NULL") for name, kind in columns.items()}
            db.execute(f'CREATE TABLE "{table}" ({body})')
            # Sorted by every column in table order, so that the order of the shards given does not show.
            db.execute(
                f'INSERT INTO "{table}" SELECT {_names(plain)} FROM read_json('
                f"{_text(folder / f'{table}.jsonl')}, format = 'newline_delimited', columns = {{"
                + ", ".join(f"{_text(name)}: {_text(kind)}" for name, kind in plain.items())
                + "}) ORDER BY ALL"
            )
        for name, endpoint in ENDPOINTS.items():
            db.execute(f"CREATE VIEW endpoint_{name} AS {view_sql(endpoint)}")


def _names(columns: Mapping[str, str]) -> str:
    return ", ".join(f'"{name}"' for name in columns)


def _text(value: object) -> str:
    quoted = str(value).replace("'", "''")
    return f"'{quoted}'"


def content_digest(path: Path) -> str:
    """SHA-256 of the sorted rows of every table of a score database, whatever the bytes of the file."""
    into = hashlib.sha256()
    with connect(path, read_only=True) as db:
        for table in sorted(TABLES):
            rows = db.execute(f'SELECT * FROM "{table}" ORDER BY ALL')
            into.update(f"{table} {[column[0] for column in rows.description or ()]}\n".encode())
            while batch := rows.fetchmany(10_000):
                for row in batch:
                    into.update(json.dumps(row, separators=(",", ":")).encode() + b"\n")
    return into.hexdigest()
