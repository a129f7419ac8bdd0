"""The source tables in DuckDB, and from them every line that may be rendered, in the order of the record."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import duckdb

from evrev.errors import DataError
from evrev.medication import AliasTable, is_not_a_drug, medication_class, medication_key, treatment_drug
from evrev.scenarios.audit import sql

MODES = ("on", "off")
"""The alias table as the study has it, and switched off."""


class Source:
    """The tables of one data source, with the drug that each name stands for under both alias modes."""

    def __init__(self, tables: Mapping[str, Path], aliases: AliasTable | None) -> None:
        """`tables`: eICU table name -> its CSV file. DataError names a file that cannot be read."""
        self._aliases = {"on": aliases, "off": None}
        self._named: set[str] = set()
        self.db = duckdb.connect()
        self.db.execute("SET threads = 2; SET preserve_insertion_order = false")
        for name, path in tables.items():
            self._load(name, path)
        try:
            self._derive(tables)
        except duckdb.ConversionException as error:
            raise DataError(
                f"a column does not hold whole numbers: {str(error).splitlines()[0][:200]}",
                where=", ".join(path.name for path in tables.values()),
            ) from error

    def _derive(self, tables: Mapping[str, Path]) -> None:
        for statement in (sql.MACROS, sql.DRUGS, sql.STAYS):
            self.db.execute(statement)
        self.name_drugs(self._column("SELECT DISTINCT field(drugname) FROM medication"))
        for statement in (sql.ORDERS, sql.PROBLEMS, sql.RESULTS, sql.TREATMENTS):
            self.db.execute(statement)
        self._name_treatments()
        for name in ("vitalPeriodic", "vitalAperiodic", "nurseCharting"):
            self.db.execute(sql.charting(name) if name in tables else sql.no_charting(name))

    def name_drugs(self, names: Iterable[str]) -> None:
        """Enter what these names, and the components they have, stand for."""
        waiting = sorted(set(names) - self._named - {""})
        rows: list[list[Any]] = []
        while waiting:
            name = waiting.pop()
            self._named.add(name)
            for mode, aliases in self._aliases.items():
                found = medication_class(name, aliases)
                unclear = found.ambiguous or not found.key
                drug = [medication_key(name).key, found.key, unclear, list(found.components)]
                rows.append([mode, name, *drug, is_not_a_drug(name)])
                waiting += sorted(set(found.components) - self._named - set(waiting))
        self.enter("drug", rows)

    def _name_treatments(self) -> None:
        paths = self._column("SELECT DISTINCT path FROM treatments")
        for mode, aliases in self._aliases.items():
            known = frozenset(self._column(sql.KNOWN, [mode]))
            found = [[mode, path, treatment_drug(path, known, aliases)] for path in paths]
            self.enter("treated", found)

    def enter(self, table: str, rows: Sequence[Sequence[Any]]) -> None:
        """Enter rows into a table, their values in the order of its columns."""
        described = self.db.execute(f"SELECT column_name, column_type FROM (DESCRIBE {table})").fetchall()
        # One JSON text for all rows: DuckDB binds values one by one, which is slow for thousands.
        shape = json.dumps([{name: [kind[:-2]] if kind.endswith("[]") else kind for name, kind in described}])
        names = [name for name, _ in described]
        text = json.dumps([dict(zip(names, row, strict=True)) for row in rows])
        self.db.execute(f"INSERT INTO {table} SELECT unnest(from_json(?, '{shape}'), max_depth := 2)", [text])

    def _load(self, name: str, path: Path) -> None:
        try:
            self.db.execute(
                f"CREATE TABLE {name} AS SELECT * FROM read_csv(?, all_varchar = true, header = true, "
                "delim = ',', quote = '\"', escape = '\"', max_line_size = 33554432)",
                [str(path)],
            )
        except duckdb.Error as error:
            raise DataError(f"cannot be read: {str(error).splitlines()[0][:200]}", where=path) from error

    def _column(self, query: str, values: list[Any] | None = None) -> list[str]:
        return [row[0] for row in self.db.execute(query, values or []).fetchall()]
