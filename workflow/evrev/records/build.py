"""Records: eICU tables in, Parquet out, with the split and a data audit."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import polars as pl

from evrev.errors import DataError, EvrevError, SettingsError, nearest
from evrev.formats.canonical import replacing, write_json
from evrev.records.download import Fetch
from evrev.records.files import partial_tables, table_files
from evrev.records.making import OUTPUTS, SIZES, Sizes, make_output, make_patients
from evrev.records.report import RecordsReport
from evrev.records.split import PARTITIONS, SPLIT_RULE, SplitRule
from evrev.records.synthetic import PERSONS, SEED, write_tables
from evrev.records.tables import CORE, TABLES

ROW_GROUP = 1 << 18


def build_records(
    *,
    source: str,
    out: Path,
    data: Path | None = None,
    lab: str | None = None,
    tables: Collection[str] = CORE,
    allow_missing: Collection[str] = (),
    split: SplitRule = SPLIT_RULE,
    persons: int = PERSONS,
    fetch: Fetch | None = None,
    sizes: Sizes = SIZES,
) -> RecordsReport:
    """Build the records of `tables` (the patient table always among them) into the empty folder `out`.

    Writes the Parquet files of those tables (`OUTPUTS`), sorted as their makers say, `split.json` (salt,
    counts and the partition of every person) and `report.json`; equal input gives equal bytes on any machine,
    however the tables are divided on the way (`sizes`). Memory does not grow with the tables: what is
    large is sorted by stay on disk, beside `out`.

    `data` is the folder of the eICU tables; `lab` names another file of it that stands in for the laboratory
    table, which is then reported as partial. Tables of `allow_missing` that are not there are reported as
    absent and have no rows. `fetch`, if given, is called with `data` and
    the tables to be read, before they are. `persons` is the number of synthetic persons. Nothing is written
    when an error is raised: DataError for a missing, damaged or ill-typed table, SettingsError for arguments
    that do not go together.
    """
    wanted = _checked(source, data, lab, tables, allow_missing, out)
    with _source_folder(data, persons, wanted) as folder, _workshop(out) as work:
        if fetch is not None:
            fetch(folder, tuple(name for name in wanted if name != "lab" or lab is None))
        files = table_files(folder, lab=lab, tables=wanted, allow_missing=allow_missing)
        stays, patients = make_patients(files["patient"], split)
        frames, reports = {"stays.parquet": stays.lazy()}, {"patient": patients}
        for output, members in OUTPUTS.items():
            chosen = [name for name in members if name in wanted]
            if chosen:
                frames[output], counted = make_output(chosen, files, stays, work / output, sizes)
                reports |= counted
        report = RecordsReport(
            source=source,
            persons=stays["person"].n_unique(),
            stays=stays.height,
            salt=split.salt,
            partitions=_partition_sizes(stays),
            partial=partial_tables(files),
            unused=tuple(name for name in TABLES if name not in wanted),
            absent=tuple(name for name in wanted if name not in files),
            tables=reports,
            synthetic={"persons": persons, "seed": SEED} if source == "synthetic" else None,
        )
        _write(out, frames, stays, report)
    return report


def _checked(
    source: str,
    data: Path | None,
    lab: str | None,
    tables: Iterable[str],
    allow_missing: Iterable[str],
    out: Path,
) -> tuple[str, ...]:
    if source not in ("synthetic", "eicu_demo"):
        raise SettingsError(f"unknown source {source!r}", remedy="sources: synthetic, eicu_demo")
    if source == "eicu_demo" and data is None:
        raise SettingsError("source eicu_demo needs a folder", where="data", remedy="give DATA=FOLDER")
    if source == "synthetic" and (data is not None or lab is not None):
        raise SettingsError(
            "source synthetic takes no data folder and no lab file",
            where="source",
            remedy="to read that folder, set source=eicu_demo",
        )
    for name in (*tables, *allow_missing):
        if name not in TABLES:
            raise SettingsError(
                f"unknown table {name!r}{nearest(name, TABLES)}", remedy=f"tables: {', '.join(TABLES)}"
            )
    if "patient" in allow_missing:
        raise SettingsError("the table patient cannot be missing", remedy=TABLES["patient"].needed_for)
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise DataError("is not an empty folder", where=out, remedy="give a fresh folder")
    return tuple(name for name in TABLES if name == "patient" or name in tables)


@contextmanager
def _source_folder(data: Path | None, persons: int, wanted: Collection[str]) -> Iterator[Path]:
    if data is not None:
        yield data
        return
    with tempfile.TemporaryDirectory(prefix="evrev-synthetic-") as folder:
        write_tables(Path(folder), persons=persons, tables=wanted)
        yield Path(folder)


@contextmanager
def _workshop(out: Path) -> Iterator[Path]:
    """A folder beside `out`, on the same disk, for what does not fit into memory."""
    out.parent.mkdir(parents=True, exist_ok=True)
    work = Path(tempfile.mkdtemp(dir=out.parent, prefix=f".{out.name}.", suffix=".work"))
    try:
        yield work
    except pl.exceptions.PolarsError as error:
        # What polars calls a malformed file is a fault of the disk if the system reported one.
        if "os error" not in str(error):
            raise
        raise EvrevError(f"cannot be written: {str(error).splitlines()[0]}", where=out.parent) from error
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _partition_sizes(stays: pl.DataFrame) -> dict[str, int]:
    persons = stays.unique("person")["partition"].to_list()
    return {name: persons.count(name) for name in PARTITIONS}


def _write(out: Path, frames: dict[str, pl.LazyFrame], stays: pl.DataFrame, report: RecordsReport) -> None:
    for name, frame in frames.items():
        with replacing(out / name) as part:
            # All of it is fixed so that the bytes depend on the rows alone, not on threads or parts.
            frame.sink_parquet(
                part,
                compression="zstd",
                compression_level=3,
                statistics=True,
                row_group_size=ROW_GROUP,
                maintain_order=True,
            )
    persons = stays.unique("person").sort("rank")
    partition_of = dict(zip(persons["person"], persons["partition"], strict=True))
    split = {"salt": report.salt, "counts": report.partitions, "persons": partition_of}
    write_json(out / "split.json", split)
    write_json(out / "report.json", report)
