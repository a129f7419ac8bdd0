"""Equal input gives equal bytes."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest
from records_world import Built, write_folder

from evrev.formats.canonical import digest_file
from evrev.records.build import build_records
from evrev.records.synthetic import write_tables

BUILD = """
import sys
from pathlib import Path
from evrev.records.build import build_records
build_records(source="synthetic", out=Path(sys.argv[1]))
"""


def digests(folder: Path) -> dict[str, str]:
    return {path.name: digest_file(path) for path in sorted(folder.iterdir())}


@pytest.mark.parametrize("threads", ["1", "7"])
def test_the_number_of_threads_changes_no_byte(
    tmp_path: Path, synthetic_records: Built, threads: str
) -> None:
    environment = {**os.environ, "POLARS_MAX_THREADS": threads, "PYTHONHASHSEED": threads}
    subprocess.run([sys.executable, "-c", BUILD, str(tmp_path / "out")], env=environment, check=True)
    assert digests(tmp_path / "out") == digests(synthetic_records.folder)


def test_the_real_tables_give_the_same_bytes_twice(tmp_path: Path, demo_records: Built) -> None:
    build_records(source="eicu_demo", data=demo_records.data, lab="lab.subset.csv.gz", out=tmp_path / "out")
    assert digests(tmp_path / "out") == digests(demo_records.folder)


def test_the_order_of_rows_in_a_table_changes_no_byte(tmp_path: Path) -> None:
    rng = random.Random(3)
    patients = [
        {"patientunitstayid": n, "uniquepid": f"p{n % 7}", "unitvisitnumber": n % 3} for n in range(1, 20)
    ]
    orders = [
        {
            "medicationid": n,
            "patientunitstayid": 1 + n % 19,
            "drugname": f"d{n % 5}",
            "drugstartoffset": n % 4,
        }
        for n in range(1, 90)
    ]
    found = []
    for turn in range(2):
        data = write_folder(tmp_path / f"tables{turn}", patient=patients, medication=orders)
        build_records(source="eicu_demo", data=data, out=tmp_path / f"out{turn}")
        found.append(digests(tmp_path / f"out{turn}"))
        rng.shuffle(patients)
        rng.shuffle(orders)
    assert found[0] == found[1]


def test_the_synthetic_tables_are_the_same_bytes_twice_and_others_from_another_seed(
    tmp_path: Path, synthetic_records: Built
) -> None:
    write_tables(tmp_path / "again")
    assert digests(tmp_path / "again") == digests(synthetic_records.data)
    write_tables(tmp_path / "other", seed=2)
    assert not set(digests(tmp_path / "other").values()) & set(digests(synthetic_records.data).values())
