"""Writing the paper's tables from a run's statistics, with the paper's own figures beside them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from evrev.errors import SettingsError
from evrev.formats.canonical import write_bytes
from evrev.formats.manifest import read_manifest
from evrev.formats.plan import Plan
from evrev.formats.settings import ModelEntry
from evrev.outputs import table01, table02, table03, table04
from evrev.outputs.comparison import comparison_csv, comparison_table
from evrev.outputs.render import to_csv, to_latex, to_markdown
from evrev.outputs.source import Source
from evrev.outputs.table import Table
from evrev.statistics.result import read_statistics

BUILDERS: dict[int, Callable[[Source], Table]] = {
    1: table01.build,
    2: table02.build,
    3: table03.build,
    4: table04.build,
}


def make_table(
    number: int,
    *,
    statistics: Path,
    plan: Plan,
    models: Mapping[str, ModelEntry],
    study: str,
    run: str,
    digest: str,
    partial: Mapping[str, str],
    notes: Mapping[str, Any],
    out: Path,
) -> list[Path]:
    """Write `out`/tables/tableN.{csv,md,tex} and `out`/comparison/tableN.{csv,md}; return the five paths.

    `statistics` is the folder of statistics.json, `digest` its key; `models` the study's, in its order;
    `partial` names tables that are not whole; `notes` is the scenario report (planned, limit, considered,
    eligible, taken, exclusions). SettingsError for a number that is not made here, DataError for statistics
    that cannot be read or lack a cell.
    """
    if number not in BUILDERS:
        known = ", ".join(map(str, BUILDERS))
        raise SettingsError(f"table {number} is not made here", remedy=f"tables: {known}")
    manifest = read_manifest(statistics)
    source = Source(
        statistics=read_statistics(statistics),
        plan=plan,
        models=models,
        study=study,
        run=run,
        digest=digest,
        scores=manifest.inputs.get("scores") if manifest else None,
        partial=partial,
        notes=notes,
    )
    table = BUILDERS[number](source)
    texts = {
        out / "tables" / f"table{number}.csv": to_csv(table),
        out / "tables" / f"table{number}.md": to_markdown(table),
        out / "tables" / f"table{number}.tex": to_latex(table),
        out / "comparison" / f"table{number}.csv": comparison_csv(table),
        out / "comparison" / f"table{number}.md": to_markdown(comparison_table(table)),
    }
    for path, text in texts.items():
        write_bytes(path, text.encode())
    return list(texts)
