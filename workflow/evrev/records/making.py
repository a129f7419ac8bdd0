"""From the rows of source tables to the rows of one output file, piece by piece."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from evrev.records.charting import SIGNS, in_order, make_charting
from evrev.records.clinical import make_labs, make_problems, make_treatments
from evrev.records.orders import make_orders
from evrev.records.reader import read_frames, read_table
from evrev.records.report import TableReport, Tally
from evrev.records.runs import PIECE_BYTES, RUN_BYTES, Runs, pieces
from evrev.records.sift import Sifted
from evrev.records.source import BLOCK
from evrev.records.split import SplitRule
from evrev.records.stays import make_stays
from evrev.records.tables import CHARTING, TABLES, Table

OUTPUTS: dict[str, tuple[str, ...]] = {
    "orders.parquet": ("medication",),
    "problems.parquet": ("diagnosis",),
    "labs.parquet": ("lab",),
    "treatments.parquet": ("treatment",),
    "charting.parquet": CHARTING,
}
"""The file of each table but patient, whose stays are in stays.parquet."""


@dataclass(frozen=True)
class Sizes:
    """Bytes held at a time; they decide memory and speed, and no byte of what is written."""

    block: int = BLOCK
    run: int = RUN_BYTES
    piece: int = PIECE_BYTES


SIZES = Sizes()


def make_patients(path: Path, rule: SplitRule) -> tuple[pl.DataFrame, TableReport]:
    """The stays of the patient table in rank order of persons, and its counts."""
    raw = read_table(path, TABLES["patient"])
    stays = make_stays(raw, rule, path)
    tally = Tally(path.name)
    tally.add(raw, Sifted(stays, {}))
    return stays, tally.report(stays)


def make_output(
    tables: Sequence[str], files: Mapping[str, Path], stays: pl.DataFrame, work: Path, sizes: Sizes
) -> tuple[pl.LazyFrame, dict[str, TableReport]]:
    """The rows of one output file in order, and the counts of its tables that are in `files`.

    The folder `work` takes what does not fit into memory, and the rows themselves until they are written.
    """
    work.mkdir()
    runs = {name: _gather(TABLES[name], files.get(name), work, sizes) for name in tables}
    tallies = {name: Tally(files[name].name) for name in tables if name in files}
    parts: list[Path] = []
    for number, raw in enumerate(pieces(runs, sizes.piece)):
        made = {name: _make(name, frame, stays) for name, frame in raw.items()}
        for name, tally in tallies.items():
            tally.add(raw[name], made[name])
        kept = in_order({name: sifted.kept for name, sifted in made.items()})
        parts.append(work / f"part{number:05d}.parquet")
        kept.write_parquet(parts[-1], compression="lz4")
    return pl.scan_parquet(parts, glob=False), {name: tally.report(stays) for name, tally in tallies.items()}


def _gather(table: Table, path: Path | None, work: Path, sizes: Sizes) -> Runs:
    folder = work / table.name
    folder.mkdir()
    # A row of signs becomes a line for each value in it, some four in the real tables.
    runs = Runs(folder, sizes.run, weight=4 if table.name in SIGNS else 1)
    if path is None:
        integers, texts = dict.fromkeys(table.integers, pl.Int64), dict.fromkeys(table.texts, pl.String)
        runs.add(pl.DataFrame(schema={**integers, **texts}))
        return runs
    for frame in read_frames(path, table, sizes.block):
        runs.add(frame)
    return runs


def _make(name: str, raw: pl.DataFrame, stays: pl.DataFrame) -> Sifted:
    if name in CHARTING:
        return make_charting(name, raw, stays)
    if name == "medication":
        from evrev.medication import is_not_a_drug

        return make_orders(raw, stays, is_not_a_drug)
    makers = {"diagnosis": make_problems, "lab": make_labs, "treatment": make_treatments}
    return makers[name](raw, stays)
