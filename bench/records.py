"""Reading records: the demo beside polars alone, and a folder as large as the whole eICU database.

    .venv/bin/python bench/records.py [--demo FOLDER] [--full]

The first figure is the ratio of building the records to reading the same columns with polars and nothing
else; the median of interleaved pairs, with peak memory. With --full, synthetic tables of 200,859 stays are
made on the fly (about 30 GB of disk, a quarter of an hour) and built within 2 GiB.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import polars as pl

from evrev.records.synthetic import write_tables
from evrev.records.tables import CHARTING, CORE, TABLES

STAYS = 200_859
TWO_GIB = 2048
_SHIFT = 10_000_000
MEASURED = """
import json, re, sys, time
from pathlib import Path
arguments = json.loads(sys.argv[1])
began = time.perf_counter()
{body}
seconds = time.perf_counter() - began
# The peak that resource usage reports would be that of the process that started this one.
peak = int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1]) / 1024
print(json.dumps([seconds, peak]))
"""
BUILD = """
from evrev.records.build import build_records
build_records(source="eicu_demo", data=Path(arguments["data"]), lab=arguments["lab"],
              out=Path(arguments["out"]), tables=arguments["tables"])
"""
READ = """
import polars as pl
from evrev.records.tables import TABLES
for name, path in arguments["files"].items():
    pl.read_csv(path, columns=list(TABLES[name].columns), infer_schema=False)
"""


def measured(body: str, **arguments: object) -> tuple[float, float]:
    """Seconds without the start of Python, and peak memory in MiB, of a process that must succeed."""
    command = [sys.executable, "-c", MEASURED.format(body=body), json.dumps(arguments)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    seconds, peak = json.loads(done.stdout)
    return seconds, peak


def compare(data: Path, tables: tuple[str, ...], lab: str | None, times: int) -> None:
    """Print the ratio of building `tables` to reading them with polars alone."""
    names = {name: lab if name == "lab" and lab else f"{name}.csv.gz" for name in tables}
    files = {name: str(data / file) for name, file in names.items()}
    ours, theirs = [], []
    for _ in range(times):
        with tempfile.TemporaryDirectory() as folder:
            ours.append(measured(BUILD, data=str(data), lab=lab, out=f"{folder}/out", tables=tables))
        theirs.append(measured(READ, files=files))
    seconds, plain = (statistics.median(value for value, _ in found) for found in (ours, theirs))
    ratios = sorted(mine / other for (mine, _), (other, _) in zip(ours, theirs, strict=True))
    print(
        f"{len(tables)} tables: build {seconds:.2f} s, polars alone {plain:.2f} s, ratio "
        f"{statistics.median(ratios):.2f} ({ratios[0]:.2f}-{ratios[-1]:.2f}); peak "
        f"{max(peak for _, peak in ours):.0f} MiB against {max(peak for _, peak in theirs):.0f} MiB"
    )


def multiply(small: Path, large: Path, tables: tuple[str, ...]) -> int:
    """Write `tables` of `small` over and over, for other persons and stays each time, until `STAYS`."""
    patients = pl.read_csv(small / "patient.csv.gz", infer_schema=False)
    copies = STAYS // patients.height
    rest = STAYS - copies * patients.height
    kept = patients.head(rest)["patientunitstayid"].implode()
    for name in tables:
        rows = pl.read_csv(small / f"{name}.csv.gz", infer_schema=False)
        with (large / f"{name}.csv").open("wb") as out:
            for copy in range(copies + 1):
                part = rows if copy < copies else rows.filter(pl.col("patientunitstayid").is_in(kept))
                _copied(part, copy).write_csv(out, include_header=copy == 0)
    return STAYS


def _copied(rows: pl.DataFrame, copy: int) -> pl.DataFrame:
    moved = [
        (pl.col(name).cast(pl.Int64) + copy * _SHIFT).alias(name)
        for name in rows.columns
        if name == "patientunitstayid" or (name == rows.columns[0] and name != "patientunitstayid")
    ]
    person = [(pl.col("uniquepid") + f"-{copy}")] if "uniquepid" in rows.columns else []
    return rows.with_columns(*moved, *person)


def full() -> bool:
    """Build tables of the size of the whole database, and say whether memory stayed within the bar."""
    with tempfile.TemporaryDirectory(dir=Path.cwd() / "results") as name:
        folder = Path(name)
        write_tables(folder / "small", tables=TABLES)
        (folder / "large").mkdir()
        began = time.perf_counter()
        stays = multiply(folder / "small", folder / "large", tuple(TABLES))
        size = sum(path.stat().st_size for path in (folder / "large").iterdir()) / 1e9
        print(f"{stays:,} stays, {size:.1f} GB of CSV, made in {time.perf_counter() - began:.0f} s")
        within = True
        for tables in (CORE, (*CORE, *CHARTING)):
            arguments = {"data": str(folder / "large"), "lab": None, "tables": tables}
            seconds, peak = measured(BUILD, out=str(folder / f"out{len(tables)}"), **arguments)
            within &= peak <= TWO_GIB
            print(f"{len(tables)} tables: {seconds:.0f} s, peak {peak:.0f} MiB (bar {TWO_GIB} MiB)")
        return within


def main() -> int:
    """Print the figures; exit status 1 if memory passes its bar."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--demo", type=Path, help="folder of the eICU demo, instead of synthetic tables")
    parser.add_argument("--full", action="store_true", help="also tables of 200,859 stays")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if arguments.demo is None:
            write_tables(Path(folder))
        data = arguments.demo or Path(folder)
        lab = "lab.subset.csv.gz" if (data / "lab.subset.csv.gz").exists() else None
        there = tuple(name for name in TABLES if name == "lab" or (data / f"{name}.csv.gz").exists())
        compare(data, CORE, lab, 5)
        compare(data, there, lab, 5)
    return int(arguments.full and not full())


if __name__ == "__main__":
    sys.exit(main())
