"""The eICU-CRD demo tables: which are read, where their files are, and the digests the release publishes."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from evrev.formats.settings import ROOT

TABLES = ("patient", "medication", "diagnosis", "lab", "treatment")
CONTEXT_TABLES = ("vitalPeriodic", "vitalAperiodic", "nurseCharting")
"""Charting, which only length levels read."""
FILES: dict[str, tuple[str, str]] = {
    name: (f"{name}.csv", f"{name}.csv.gz") for name in (*TABLES, *CONTEXT_TABLES)
}
"""Table, in the order of reading -> the two file names it may have."""
PUBLISHED = ROOT / "resources" / "eicu_demo_sha256.txt"
DOWNLOADS = ROOT / "data" / "eicu-demo"
"""evrev's own folder for the demo: what is absent there is downloaded. No other folder is ever written to."""


def published_digests() -> dict[str, str]:
    """Lower-case table name -> SHA-256 of its file in release 2.0.1."""
    lines = (line.split() for line in PUBLISHED.read_text("utf-8").splitlines() if not line.startswith("#"))
    return {name.removesuffix(".csv.gz").lower(): value for value, name in lines}


def files_at_hand(
    folder: Path, lab: str | None = None, tables: Iterable[str] = TABLES
) -> dict[str, list[Path]]:
    """Table -> the files of `folder` that carry its name, matched without case; `lab` names a stand-in."""
    there = [path for path in sorted(folder.iterdir()) if path.is_file()] if folder.is_dir() else []
    wanted = {table: FILES[table] for table in tables} | ({"lab": (lab, lab)} if lab else {})
    return {
        table: [path for path in there if path.name.casefold() in {name.casefold() for name in names}]
        for table, names in wanted.items()
    }
