"""Which file of a folder holds which table."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from evrev.errors import DataError, nearest
from evrev.formats.tables import FILES, files_at_hand
from evrev.records.tables import CORE, TABLES


def table_files(
    folder: Path,
    *,
    lab: str | None = None,
    tables: Collection[str] = CORE,
    allow_missing: Collection[str] = (),
) -> dict[str, Path]:
    """The file of each table in `tables`, found in `folder` without regard to case.

    `lab` names another file of the folder that stands in for the laboratory table. A table of `allow_missing`
    that is not there is left out. DataError when the folder or another table is missing, or when two files
    claim to be one table.
    """
    if not folder.is_dir():
        what = "is not a folder" if folder.exists() else "no such folder"
        raise DataError(what, where=folder, remedy="give the folder of the eICU tables: DATA=FOLDER")
    at_hand = files_at_hand(folder, lab, TABLES)
    found: dict[str, Path] = {}
    for name in (name for name in TABLES if name in tables):
        path = _only(folder, name, at_hand[name])
        if path is not None:
            found[name] = path
        elif name not in allow_missing:
            raise _no_stand_in(folder, lab) if name == "lab" and lab else _missing(folder, name)
    return found


def _only(folder: Path, table: str, paths: list[Path]) -> Path | None:
    if len(paths) > 1:
        raise DataError(
            f"two files for the table {table}: {' and '.join(path.name for path in paths)}",
            where=folder,
            remedy="keep one of them",
        )
    return paths[0] if paths else None


def _missing(folder: Path, table: str) -> DataError:
    remedy = f"download it into that folder: evrev records download --into {folder}"
    if table == "lab":
        parts = [name for name in _names(folder) if name.casefold().startswith("lab.") and ".csv" in name]
        example = parts[0] if parts else "FILE"
        remedy += (
            f", or name a file that stands in for it, stamped as partial: LAB={example} (--set lab={example})"
        )
    return DataError(
        f"the table {table} is missing ({' or '.join(FILES[table])}); {TABLES[table].needed_for}",
        where=folder,
        remedy=remedy,
    )


def _no_stand_in(folder: Path, lab: str) -> DataError:
    tables = [name for name in _names(folder) if name.casefold().endswith((".csv", ".csv.gz"))]
    return DataError(
        f"no file {lab!r} to stand in for the table lab{nearest(lab, tables)}",
        where=folder,
        remedy="LAB names a file inside the data folder",
    )


def _names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.is_file())


def partial_tables(files: dict[str, Path]) -> dict[str, str]:
    """Tables read from a file that does not carry the table's own name, which therefore count as partial."""
    own = {name: {file.casefold() for file in FILES[name]} for name in files}
    return {name: path.name for name, path in files.items() if path.name.casefold() not in own[name]}
