"""Bad tables: an error that names the file, the place and what was expected, and nothing written."""

from __future__ import annotations

import gzip
import resource
from collections.abc import Callable
from pathlib import Path

import pytest
from records_world import csv_text, write_folder

from evrev.errors import DataError, EvrevError, SettingsError
from evrev.records.build import build_records

Damage = Callable[[Path], object]


def refused(tmp_path: Path, data: Path | None, **arguments: object) -> EvrevError:
    """The error of a build that must leave nothing behind."""
    out = tmp_path / "out"
    call = {"source": "eicu_demo", "data": data, "out": out, **arguments}
    with pytest.raises(EvrevError) as caught:
        build_records(**call)  # type: ignore[arg-type]
    assert not out.exists()
    return caught.value


def _replace(name: str, content: bytes, old: str = "medication.csv") -> Damage:
    def damage(data: Path) -> None:
        (data / old).unlink()
        (data / name).write_bytes(content)

    return damage


def _edit(before: str, after: str, name: str = "medication.csv") -> Damage:
    def damage(data: Path) -> None:
        path = data / name
        path.write_text(path.read_text("utf-8").replace(before, after), "utf-8")

    return damage


WHOLE = gzip.compress(csv_text("medication", [{}] * 500).encode(), mtime=0)
DAMAGED = WHOLE[:60] + b"\xff\xff\xff\xff" + WHOLE[64:]
CASES: dict[str, tuple[Damage, tuple[str, ...]]] = {
    "table missing": (
        lambda data: (data / "medication.csv").unlink(),
        ("table medication is missing", "medication.csv.gz", "D1"),
    ),
    "two files": (
        lambda data: (data / "Medication.CSV.gz").write_bytes(WHOLE),
        ("two files", "medication.csv", "Medication.CSV.gz"),
    ),
    "column missing": (
        _edit("dosage", "dose"),
        ("medication.csv", "column dosage", "expected:", "routeadmin"),
    ),
    "columns missing": (_edit("drug", "drog"), ("columns drugorderoffset, drugstartoffset, ",)),
    "column twice": (_edit("drugname,", "drugname,DrugName,"), ("column drugname stands twice",)),
    "empty": (_replace("medication.csv", b""), ("medication.csv", "empty")),
    "white space": (_replace("medication.csv", b" \n\n"), ("medication.csv", "empty")),
    "nothing but a byte order mark": (_replace("medication.csv", b"\xef\xbb\xbf"), ("lacks the columns",)),
    "empty gzip": (_replace("medication.csv.gz", gzip.compress(b"")), ("medication.csv.gz", "empty")),
    "empty file named .gz": (_replace("medication.csv.gz", b""), ("medication.csv.gz", "empty")),
    "not gzip": (_replace("medication.csv.gz", b"medicationid,"), ("medication.csv.gz", "not gzip")),
    "gzip without its name": (_replace("medication.csv", WHOLE), ("medication.csv", "is gzip")),
    "gzip cut short": (_replace("medication.csv.gz", WHOLE[:-9]), ("medication.csv.gz", "cut short")),
    "gzip damaged": (_replace("medication.csv.gz", DAMAGED), ("medication.csv.gz", "damaged")),
    "gzip with a tail": (_replace("medication.csv.gz", WHOLE + b"tail"), ("medication.csv.gz", "damaged")),
    "not UTF-8": (
        _replace("medication.csv", csv_text("medication", [{}, {}]).encode() + b"3,\xe9"),
        ("medication.csv", "not UTF-8", "0xe9", "line 4"),
    ),
    "not a number": (_edit("1,1,0,0", "1,1,0,soon"), ("row 1", "drugstartoffset", "'soon'")),
    "not a whole number": (_edit("1,1,0,0", "1,1,0,1.5"), ("row 1", "drugstartoffset", "'1.5'")),
    "no number": (_edit("1,1,0,0", "1,,0,0"), ("row 1", "patientunitstayid is empty")),
    "row cut off": (
        _replace("medication.csv", csv_text("medication", [{}, {}]).encode()[:-14]),
        ("medication.csv", "fields, the header 10", "download it again"),
    ),
    "lines that end in a bare CR": (
        _replace("medication.csv", csv_text("medication", [{}, {}]).replace("\n", "\r").encode()),
        ("medication.csv", "bare CR"),
    ),
    "too many fields": (_edit("81 mg", "81,mg"), ("medication.csv", "not a CSV table")),
    "quote never closed": (_edit("aspirin", '"aspirin'), ("medication.csv", "not a CSV table")),
    "too few fields": (_edit(",PO,Daily", ""), ("medication.csv", "row 1 has", "fields, the header")),
    "ten megabytes in one cell": (
        _edit("aspirin", "a" * 10_000_000),
        ("medication.csv", "row 1", "drugname has 10,000,000 bytes", "limit"),
    ),
    "patient without rows": (
        _replace("patient.csv", csv_text("patient", []).encode(), "patient.csv"),
        ("patient.csv", "header and no rows"),
    ),
    "stay of nobody": (
        _edit(",a,70", ", ,70", "patient.csv"),
        ("patient.csv", "stay 1", "uniquepid is empty"),
    ),
    "stay twice": (
        _replace("patient.csv", csv_text("patient", [{}, {"patientunitstayid": 1}]).encode(), "patient.csv"),
        ("patient.csv", "stay 1 stands twice"),
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_a_bad_table_is_named_and_nothing_is_written(tmp_path: Path, case: str) -> None:
    data = write_folder(tmp_path / "tables")
    damage, words = CASES[case]
    damage(data)
    error = refused(tmp_path, data)
    assert isinstance(error, DataError)
    assert all(word in str(error) for word in words), str(error)


def test_the_number_of_a_bad_row_counts_rows_of_the_table(tmp_path: Path) -> None:
    rows: list[dict[str, object]] = [{"drugname": "two\nlines"}, {}, {"drugorderoffset": "?"}]
    error = refused(tmp_path, write_folder(tmp_path / "tables", medication=rows))
    assert "row 3: drugorderoffset is '?'" in str(error)


def test_bad_bytes_are_found_where_they_are_in_a_long_file(tmp_path: Path) -> None:
    text = csv_text("medication", [{"drugname": "é" * 100}] * 20_000).encode()
    place = len(text) - 3
    data = write_folder(tmp_path / "tables")
    (data / "medication.csv").write_bytes(text[:place] + b"\xff" + text[place + 1 :])
    error = refused(tmp_path, data)
    assert f"line 20001 (offset {place})" in str(error)


def test_a_missing_laboratory_table_says_what_needs_it_and_what_can_stand_in(tmp_path: Path) -> None:
    data = write_folder(tmp_path / "tables")
    (data / "lab.csv").rename(data / "lab.subset.csv")
    text = str(refused(tmp_path, data))
    assert "the table lab is missing (lab.csv or lab.csv.gz)" in text
    assert "D3" in text
    assert "LAB=lab.subset.csv" in text
    assert "--set lab=lab.subset.csv" in text
    report = build_records(source="eicu_demo", data=data, lab="LAB.subset.csv", out=tmp_path / "out")
    assert report.partial == {"lab": "lab.subset.csv"}


def test_a_stand_in_that_is_not_there_is_named_with_the_nearest_file(tmp_path: Path) -> None:
    data = write_folder(tmp_path / "tables")
    (data / "lab.csv").rename(data / "lab.subset.csv")
    assert "did you mean 'lab.subset.csv'" in str(refused(tmp_path, data, lab="lab.subst.csv"))


def test_a_record_that_does_not_end_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("evrev.records.source.LONGEST_RECORD", 1 << 20)
    data = write_folder(tmp_path / "tables")
    rows = csv_text("medication", [{"drugname": "aspirin tablet"}] * 300_000)
    (data / "medication.csv").write_text(rows.replace("aspirin", '"aspirin', 1), "utf-8")
    error = refused(tmp_path, data)
    assert "the record that starts in line 2 does not end within 1 MB" in str(error)


@pytest.mark.parametrize("is_file", [False, True])
def test_a_folder_that_is_none_is_named(tmp_path: Path, is_file: bool) -> None:
    if is_file:
        (tmp_path / "nowhere").write_text("")
    error = refused(tmp_path, tmp_path / "nowhere")
    assert "nowhere" in str(error)
    assert "DATA=" in str(error)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"source": "mimic"}, "sources: synthetic, eicu_demo"),
        ({"data": None}, "DATA="),
        ({"source": "synthetic"}, "source=eicu_demo"),
        ({"source": "synthetic", "data": None, "lab": "x.csv"}, "source=eicu_demo"),
        ({"tables": ["medications"]}, "did you mean 'medication'"),
        ({"allow_missing": ["nursecharting"]}, "did you mean 'nurseCharting'"),
        ({"allow_missing": ["patient"]}, "the table patient cannot be missing"),
    ],
)
def test_arguments_that_do_not_go_together(tmp_path: Path, arguments: dict[str, object], words: str) -> None:
    call: dict[str, object] = {"data": write_folder(tmp_path / "tables"), **arguments}
    error = refused(tmp_path, **call)  # type: ignore[arg-type]
    assert isinstance(error, SettingsError)
    assert words in str(error)


@pytest.mark.parametrize("fill", [lambda out: out.mkdir() or (out / "x").touch(), lambda out: out.touch()])
def test_a_folder_in_use_is_left_alone(tmp_path: Path, fill: Damage) -> None:
    out = tmp_path / "out"
    fill(out)
    with pytest.raises(DataError, match="not an empty folder"):
        build_records(source="eicu_demo", data=write_folder(tmp_path / "tables"), out=out)
    assert not out.is_dir() or [path.name for path in out.iterdir()] == ["x"]


def test_file_names_and_headers_are_matched_without_case_and_a_byte_order_mark_is_no_name(
    tmp_path: Path,
) -> None:
    data = write_folder(tmp_path / "tables")
    header, _, rows = csv_text("medication", [{}, {}]).partition("\n")
    (data / "medication.csv").unlink()
    text = "\ufeff" + header.upper().replace(",", " , ") + "\r\n" + rows.replace("\n", "\r\n") + "\r\n"
    (data / "MEDICATION.CSV.GZ").write_bytes(gzip.compress(text.encode()))
    report = build_records(source="eicu_demo", data=data, out=tmp_path / "out")
    assert report.tables["medication"].rows == 2
    assert report.partial == {}


def test_a_disk_that_takes_no_more_is_named_and_nothing_is_left(tmp_path: Path) -> None:
    data = write_folder(tmp_path / "tables")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (64, hard))
    try:
        error = refused(tmp_path, data)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert "cannot be written" in str(error)
    assert [path.name for path in tmp_path.iterdir()] == ["tables"]
