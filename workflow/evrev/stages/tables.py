"""The source tables themselves: bringing them, and what they say about the alias table."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from evrev.freeze.freeze import REBUILD
from evrev.freeze.stage import verify_stage
from evrev.stages.prepare import build_records

if TYPE_CHECKING:
    from evrev.freeze.study import Study


def download_tables(folder: Path, tables: tuple[str, ...], say: Callable[[str], None]) -> str:
    """Bring the published tables that a folder lacks (all eight unless some are named)."""
    from evrev.records.download import download
    from evrev.records.tables import TABLES

    brought = download(tables or tuple(TABLES), folder, say=say)
    files = "1 file" if len(brought) == 1 else f"{len(brought)} files"
    return f"{files} downloaded and verified; the tables are in {folder}"


def records_aliases(study: Study) -> str:
    """The alias table beside the codes of the study's own orders; the records are built first if need be."""
    from evrev.medication import load_aliases
    from evrev.records.aliases import audit_aliases, render_audit

    build_records(study)
    verify_stage(study.records, remedy=REBUILD)
    return render_audit(audit_aliases(study.records / "orders.parquet", load_aliases()))
