"""The reviewed table of brand names and abbreviations, applied after the lexical key."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from evrev.errors import DataError, nearest
from evrev.medication.key import MedicationKey, joined, medication_key

COLUMNS = ("alias", "ingredients", "kind", "note")
KINDS = ("brand", "abbreviation", "synonym")
TABLE = Path(__file__).resolve().parents[3] / "resources" / "drug_aliases.csv"
_REMEDY = "correct the row, or run with the alias table switched off"


@dataclass(frozen=True)
class AliasRow:
    """One row: a lexical key, the lexical keys of what it holds, and what kind of name it is."""

    alias: str
    ingredients: tuple[str, ...]
    kind: str
    note: str


@dataclass(frozen=True)
class AliasTable:
    """The rows of a table, and what each alias finally stands for."""

    rows: tuple[AliasRow, ...]
    final: Mapping[str, tuple[str, ...]]

    def resolve(self, key: MedicationKey) -> MedicationKey:
        """`key` with every component that is an alias replaced by what it stands for.

        A brand of several ingredients becomes an ambiguous key with those components.
        """
        if not any(component in self.final for component in key.components):
            return key
        return joined(
            part for component in key.components for part in self.final.get(component, (component,))
        )


def medication_class(name: str, aliases: AliasTable | None) -> MedicationKey:
    """The key of `name` after the alias table, or the lexical key where the table is switched off (None)."""
    key = medication_key(name)
    return key if aliases is None else aliases.resolve(key)


def load_aliases(path: Path | None = None) -> AliasTable:
    """Read an alias table (default: resources/drug_aliases.csv).

    Columns: `alias`, `ingredients` (joined by `+`), `kind`, `note`. DataError names the row that is
    malformed, given twice, its own ingredient, part of a cycle, of an unknown kind, or spelled as no lexical
    key can be.
    """
    path = path or TABLE
    rows = [_row(raw, f"{path}:{line}") for line, raw in _read(path)]
    final = _final(rows)
    return AliasTable(tuple(row for row, _ in rows), MappingProxyType(final))


def _read(path: Path) -> Iterable[tuple[int, list[str]]]:
    try:
        with path.open(encoding="utf-8", newline="") as handle:
            reader = csv.reader(handle, strict=True)
            header = next(reader, [])
            for column in COLUMNS:
                if column not in header:
                    raise DataError(
                        f"no column {column!r}", where=path, remedy=f"columns: {', '.join(COLUMNS)}"
                    )
            order = [header.index(column) for column in COLUMNS]
            for fields in reader:
                if len(fields) != len(header):
                    raise DataError(
                        f"{len(fields)} fields where the header has {len(header)}",
                        where=f"{path}:{reader.line_num}",
                        remedy=_REMEDY,
                    )
                yield reader.line_num, [fields[index].strip() for index in order]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise DataError(f"cannot be read: {error}", where=path) from error


def _row(raw: list[str], where: str) -> tuple[AliasRow, str]:
    alias, joined_ingredients, kind, note = raw
    ingredients = tuple(part.strip() for part in joined_ingredients.split("+"))
    if kind not in KINDS:
        what = f"unknown kind {kind!r}{nearest(kind, KINDS)}"
        raise DataError(what, where=where, remedy=f"kinds: {', '.join(KINDS)}")
    for name in (alias, *ingredients):
        key = medication_key(name)
        if key.key != name or len(key.components) != 1:
            raise DataError(
                f"{name!r} is not a lexical key, so it can never match",
                where=where,
                remedy=f"its key is {key.key!r}" if key.key else _REMEDY,
            )
    if alias in ingredients:
        raise DataError(f"alias {alias!r} is its own ingredient", where=where, remedy=_REMEDY)
    return AliasRow(alias, ingredients, kind, note), where


def _final(rows: list[tuple[AliasRow, str]]) -> dict[str, tuple[str, ...]]:
    table: dict[str, tuple[str, ...]] = {}
    for row, where in rows:
        if row.alias in table:
            raise DataError(f"alias {row.alias!r} is given twice", where=where, remedy=_REMEDY)
        table[row.alias] = row.ingredients
    return {row.alias: tuple(dict.fromkeys(_follow(row.alias, table, (), where))) for row, where in rows}


def _follow(name: str, table: dict[str, tuple[str, ...]], above: tuple[str, ...], where: str) -> list[str]:
    if name in above:
        raise DataError(f"cycle: {' -> '.join((*above, name))}", where=where, remedy=_REMEDY)
    if name not in table:
        return [name]
    return [leaf for part in table[name] for leaf in _follow(part, table, (*above, name), where)]
