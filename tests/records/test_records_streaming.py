"""Tables read in parts and sorted on disk give the bytes of tables read whole."""

from __future__ import annotations

import csv
import gzip
import random
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from records_world import Built

from evrev.formats.canonical import digest_file
from evrev.records.build import build_records
from evrev.records.making import Sizes
from evrev.records.runs import Runs, pieces
from evrev.records.source import blocks
from evrev.records.synthetic import write_tables
from evrev.records.tables import TABLES

SMALL = Sizes(block=1 << 16, run=1 << 20, piece=1 << 18)


def digests(folder: Path) -> dict[str, str]:
    return {path.name: digest_file(path) for path in sorted(folder.iterdir())}


def test_many_small_parts_give_the_same_bytes_as_one(tmp_path: Path, synthetic_charting: Built) -> None:
    build_records(source="synthetic", out=tmp_path / "out", tables=TABLES, sizes=SMALL)
    assert digests(tmp_path / "out") == digests(synthetic_charting.folder)
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_parts_of_the_real_tables_give_the_same_bytes_as_the_whole(
    tmp_path: Path, demo_charting: Built
) -> None:
    build_records(
        source="eicu_demo",
        data=demo_charting.data,
        lab="lab.subset.csv.gz",
        out=tmp_path / "out",
        tables=TABLES,
        allow_missing=("vitalPeriodic", "nurseCharting"),
        sizes=Sizes(block=1 << 18, run=1 << 21, piece=1 << 19),
    )
    assert digests(tmp_path / "out") == digests(demo_charting.folder)


def test_rows_of_a_stay_may_lie_anywhere_in_a_table(tmp_path: Path) -> None:
    write_tables(tmp_path / "tables", persons=30)
    found = []
    for turn in range(2):
        out = tmp_path / f"out{turn}"
        build_records(source="eicu_demo", data=tmp_path / "tables", out=out, tables=TABLES, sizes=SMALL)
        found.append(digests(out))
        for name in TABLES:
            path = tmp_path / "tables" / f"{name}.csv.gz"
            with gzip.open(path, "rt", newline="") as lines:
                header, *rows = lines.readlines()
            random.Random(turn).shuffle(rows)
            path.write_bytes(gzip.compress((header + "".join(rows)).encode()))
    assert found[0] == found[1]


def test_nothing_is_left_behind_when_a_large_table_is_damaged_at_its_end(tmp_path: Path) -> None:
    from evrev.errors import DataError

    write_tables(tmp_path / "tables", persons=30)
    path = tmp_path / "tables" / "lab.csv.gz"
    path.write_bytes(path.read_bytes()[:-4])
    with pytest.raises(DataError, match="cut short"):
        build_records(source="eicu_demo", data=tmp_path / "tables", out=tmp_path / "out", sizes=SMALL)
    assert [entry.name for entry in tmp_path.iterdir()] == ["tables"]


MEMORY = """
import re, sys
from pathlib import Path
from evrev.records.build import build_records
build_records(
    source="eicu_demo", data=Path(sys.argv[1]), out=Path(sys.argv[2]), tables=["vitalAperiodic"]
)
# The peak that resource usage reports would be that of the process that started this one.
print(int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1]) // 1024)
"""


def test_memory_does_not_grow_with_a_table(tmp_path: Path) -> None:
    write_tables(tmp_path / "tables", persons=240, tables=["patient"])
    stays = pl.read_csv(tmp_path / "tables" / "patient.csv.gz")["patientunitstayid"].to_list()
    variables = TABLES["vitalAperiodic"].texts
    rows = pl.DataFrame({"vitalaperiodicid": range(1_000_000)}).with_columns(
        pl.Series("patientunitstayid", [stays[n % len(stays)] for n in range(1_000_000)]),
        (pl.col("vitalaperiodicid") % 1400).alias("observationoffset"),
        *((pl.col("vitalaperiodicid") % 7 + 100).alias(name) for name in variables),
    )
    rows.write_csv(tmp_path / "tables" / "vitalAperiodic.csv")
    # Held at once, their 10,000,000 lines alone would take more than that.
    command = [sys.executable, "-c", MEMORY, str(tmp_path / "tables"), str(tmp_path / "out")]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    assert int(done.stdout) < 700


TEXTS = st.lists(
    st.lists(st.text(st.sampled_from('ab",\n\ré '), max_size=5), min_size=2, max_size=2),
    min_size=1,
    max_size=12,
)


@given(rows=TEXTS, size=st.integers(1, 40), compressed=st.booleans())
def test_a_block_ends_where_a_record_ends(
    tmp_path_factory: pytest.TempPathFactory, rows: list[list[str]], size: int, compressed: bool
) -> None:
    folder = tmp_path_factory.getbasetemp() / "blocks"
    folder.mkdir(exist_ok=True)
    plain = folder / "plain.csv"
    with plain.open("w", encoding="utf-8", newline="") as handle:
        csv.writer(handle, lineterminator="\n", quoting=csv.QUOTE_ALL).writerows(rows)
    path = plain
    if compressed:
        path = folder / "packed.csv.gz"
        path.write_bytes(gzip.compress(plain.read_bytes()))
    found = list(blocks(path, size))
    assert b"".join(block.content for block in found) == plain.read_bytes()
    parsed = [list(csv.reader(block.content.decode().splitlines(keepends=True))) for block in found]
    whole = list(csv.reader(plain.read_bytes().decode().splitlines(keepends=True)))
    assert sum(map(len, parsed)) == len(whole)
    for block in found:
        before = plain.read_bytes()[: block.offset]
        assert block.line == before.count(b"\n") + 1


@given(
    frames=st.lists(st.lists(st.integers(1, 9), max_size=8), min_size=1, max_size=6),
    run=st.integers(1, 200),
    piece=st.integers(1, 200),
)
def test_pieces_hold_whole_stays_in_order_and_every_row_once(
    tmp_path_factory: pytest.TempPathFactory, frames: list[list[int]], run: int, piece: int
) -> None:
    runs = Runs(tmp_path_factory.mktemp("runs"), run)
    rows = []
    for number, stays in enumerate(frames):
        frame = pl.DataFrame(
            {"patientunitstayid": stays, "row": [number * 10 + place for place in range(len(stays))]},
            schema={"patientunitstayid": pl.Int64, "row": pl.Int64},
        )
        rows += frame.rows()
        runs.add(frame)
    found = [part["t"].rows() for part in pieces({"t": runs}, piece)]
    assert sorted(row for part in found for row in part) == sorted(rows)
    stays_of = [{stay for stay, _ in part} for part in found if part]
    for earlier, later in pairwise(stays_of):
        assert max(earlier) < min(later)
