"""Which file of a folder holds which table."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from evrev.errors import DataError, nearest
from evrev.records.tables import CORE, TABLES, Table


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
    present: dict[str, list[Path]] = {}
    for path in sorted(folder.iterdir()):
        if path.is_file():
            present.setdefault(path.name.casefold(), []).append(path)
    found: dict[str, Path] = {}
    for name in (name for name in TABLES if name in tables):
        standing_in = lab if name == "lab" else None
        file = (
            _stand_in(folder, standing_in, present) if standing_in else _find(folder, TABLES[name], present)
        )
        if file is not None:
            found[name] = file
        elif name not in allow_missing:
            raise _missing(folder, TABLES[name], present)
    return found


def _find(folder: Path, table: Table, present: dict[str, list[Path]]) -> Path | None:
    paths = [path for name in table.file_names for path in present.get(name.casefold(), [])]
    if len(paths) > 1:
        raise DataError(
            f"two files for the table {table.name}: {' and '.join(path.name for path in paths)}",
            where=folder,
            remedy="keep one of them",
        )
    return paths[0] if paths else None


def _missing(folder: Path, table: Table, present: dict[str, list[Path]]) -> DataError:
    remedy = f"download it into that folder: evrev records download --into {folder}"
    if table.name == "lab":
        parts = sorted(name for name in present if name.startswith("lab.") and ".csv" in name)
        example = present[parts[0]][0].name if parts else "FILE"
        remedy += (
            f", or name a file that stands in for it, stamped as partial: LAB={example} (--set lab={example})"
        )
    return DataError(
        f"the table {table.name} is missing ({' or '.join(table.file_names)}); {table.needed_for}",
        where=folder,
        remedy=remedy,
    )


def _stand_in(folder: Path, lab: str, present: dict[str, list[Path]]) -> Path:
    paths = present.get(lab.casefold(), [])
    if len(paths) == 1:
        return paths[0]
    tables = [name for name in present if name.endswith((".csv", ".csv.gz"))]
    raise DataError(
        f"no file {lab!r} to stand in for the table lab{nearest(lab.casefold(), tables)}",
        where=folder,
        remedy="LAB names a file inside the data folder, not a path",
    )


def partial_tables(files: dict[str, Path]) -> dict[str, str]:
    """Tables read from a file that does not carry the table's own name, which therefore count as partial."""
    return {
        name: path.name
        for name, path in files.items()
        if path.name.casefold() not in {known.casefold() for known in TABLES[name].file_names}
    }
