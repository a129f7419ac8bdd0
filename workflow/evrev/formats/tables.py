"""The eICU-CRD demo tables: which are read, where their files are, and the digests the release publishes."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from evrev.formats.settings import ROOT

TABLES = ("patient", "medication", "diagnosis", "lab", "treatment")
CONTEXT_TABLES = ("vitalPeriodic", "vitalAperiodic", "nurseCharting")
"""Charting, which only length levels read."""
PUBLISHED = ROOT / "resources" / "eicu_demo_sha256.txt"
DOWNLOADS = ROOT / "data" / "eicu-demo"
"""evrev's own folder for the demo: what is absent there is downloaded. No other folder is ever written to."""


def published_digests() -> dict[str, str]:
    """Lower-case table name -> SHA-256 of its file in release 2.0.1."""
    lines = (line.split() for line in PUBLISHED.read_text("utf-8").splitlines() if not line.startswith("#"))
    return {name.removesuffix(".csv.gz").lower(): value for value, name in lines}


def files_at_hand(
    folder: Path, lab: str | None = None, tables: Iterable[str] = TABLES
) -> dict[str, Path | None]:
    """Table -> its file in `folder`, matched without case, or none. `lab` names a stand-in."""
    there = sorted(folder.iterdir()) if folder.is_dir() else []
    by_name = {path.name.lower(): path for path in there if path.is_file()}
    wanted = {table: (f"{table}.csv.gz".lower(), f"{table}.csv".lower()) for table in tables}
    if lab:
        wanted["lab"] = (lab.lower(), lab.lower())
    return {t: next((by_name[n] for n in names if n in by_name), None) for t, names in wanted.items()}
