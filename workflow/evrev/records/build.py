"""Records: eICU tables in, Parquet out, with the split and a data audit."""

from __future__ import annotations

import io
import tempfile
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import polars as pl

from evrev.errors import DataError, SettingsError, nearest
from evrev.formats.canonical import write_bytes, write_json
from evrev.records.clinical import make_labs, make_problems, make_treatments
from evrev.records.files import partial_tables, table_files
from evrev.records.orders import make_orders
from evrev.records.reader import read_table
from evrev.records.report import RecordsReport, TableReport, table_report
from evrev.records.sift import Sifted
from evrev.records.split import PARTITIONS, SPLIT_RULE, SplitRule
from evrev.records.stays import make_stays
from evrev.records.synthetic import PERSONS, SEED, write_tables
from evrev.records.tables import TABLES

OUTPUTS = {
    "patient": "stays.parquet",
    "medication": "orders.parquet",
    "diagnosis": "problems.parquet",
    "lab": "labs.parquet",
    "treatment": "treatments.parquet",
}
_MAKERS: dict[str, Callable[[pl.DataFrame, pl.DataFrame], Sifted]] = {
    "diagnosis": make_problems,
    "lab": make_labs,
    "treatment": make_treatments,
}


def build_records(
    *,
    source: str,
    out: Path,
    data: Path | None = None,
    lab: str | None = None,
    tables: Collection[str] = tuple(TABLES),
    split: SplitRule = SPLIT_RULE,
    persons: int = PERSONS,
) -> RecordsReport:
    """Build the records of `tables` (the patient table always among them) into the empty folder `out`.

    Writes one Parquet file per table (`OUTPUTS`), sorted as its maker says, `split.json` (salt, counts and
    the partition of every person) and `report.json`; equal input gives equal bytes on any machine. `data` is
    the folder of the eICU tables (synthetic records have none); `lab` names another file of it that stands in
    for the laboratory table, which is then reported as partial. `persons` is the number of synthetic persons.
    Nothing is written when an error is raised: DataError for a missing, damaged or ill-typed table,
    SettingsError for a table that evrev does not read.
    """
    wanted = _checked(tables, out)
    with _source_folder(data, persons) as folder:
        files = table_files(folder, lab=lab, tables=wanted)
        frames, reports = _make(files, split)
    report = RecordsReport(
        source=source,
        persons=frames["patient"]["person"].n_unique(),
        stays=frames["patient"].height,
        salt=split.salt,
        partitions=_partition_sizes(frames["patient"]),
        partial=partial_tables(files),
        unused=tuple(name for name in TABLES if name not in wanted),
        tables=reports,
        synthetic={"persons": persons, "seed": SEED} if source == "synthetic" else None,
    )
    _write(out, frames, report)
    return report


def _checked(tables: Iterable[str], out: Path) -> tuple[str, ...]:
    for name in tables:
        if name not in TABLES:
            raise SettingsError(
                f"unknown table {name!r}{nearest(name, TABLES)}", remedy=f"tables: {', '.join(TABLES)}"
            )
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise DataError("is not an empty folder", where=out, remedy="give a fresh folder")
    return tuple(name for name in TABLES if name == "patient" or name in tables)


@contextmanager
def _source_folder(data: Path | None, persons: int) -> Iterator[Path]:
    if data is not None:
        yield data
        return
    with tempfile.TemporaryDirectory(prefix="evrev-synthetic-") as folder:
        write_tables(Path(folder), persons=persons)
        yield Path(folder)


def _make(files: dict[str, Path], rule: SplitRule) -> tuple[dict[str, pl.DataFrame], dict[str, TableReport]]:
    raw = read_table(files["patient"], TABLES["patient"])
    stays = make_stays(raw, rule, files["patient"])
    frames = {"patient": stays}
    reports = {"patient": table_report(files["patient"].name, raw, Sifted(stays, {}), stays)}
    for name in (name for name in files if name != "patient"):
        raw = read_table(files[name], TABLES[name])
        notes: dict[str, int] = {}
        if name == "medication":
            from evrev.medication import is_not_a_drug

            sifted, notes = make_orders(raw, stays, is_not_a_drug)
        else:
            sifted = _MAKERS[name](raw, stays)
        frames[name] = sifted.kept
        reports[name] = table_report(files[name].name, raw, sifted, stays, notes)
    return frames, reports


def _partition_sizes(stays: pl.DataFrame) -> dict[str, int]:
    persons = stays.unique("person")["partition"].to_list()
    return {name: persons.count(name) for name in PARTITIONS}


def _write(out: Path, frames: dict[str, pl.DataFrame], report: RecordsReport) -> None:
    for name, frame in frames.items():
        content = io.BytesIO()
        # All of it is fixed so that the bytes depend on the rows alone, not on threads or defaults.
        frame.rechunk().write_parquet(
            content, compression="zstd", compression_level=3, statistics=True, row_group_size=1 << 18
        )
        write_bytes(out / OUTPUTS[name], content.getvalue())
    persons = frames["patient"].unique("person").sort("rank")
    partition_of = dict(zip(persons["person"], persons["partition"], strict=True))
    split = {"salt": report.salt, "counts": report.partitions, "persons": partition_of}
    write_json(out / "split.json", split)
    write_json(out / "report.json", report)
