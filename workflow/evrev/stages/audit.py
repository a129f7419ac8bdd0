"""The gold audit of built scenarios, from the source tables themselves."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from evrev.errors import SettingsError
from evrev.formats.canonical import write_bytes
from evrev.formats.tables import CONTEXT_TABLES, TABLES, files_at_hand
from evrev.freeze.freeze import REBUILD
from evrev.freeze.runs import resolve_run
from evrev.freeze.stage import verify_stage
from evrev.stages.prepare import aliases_of

if TYPE_CHECKING:
    from evrev.freeze.study import Study


class Audited(NamedTuple):
    """The report as text, and how many things disagree."""

    text: str
    disagreements: int


def audit(study: Study, batches: Sequence[str], sheets: Path | None) -> Audited:
    """Derive the scenarios of `batches` again (all that are built, if none is named) and compare.

    `sheets`: a folder for one readable file per scenario. SettingsError when nothing is built.
    """
    from evrev.scenarios.audit import Batch, Report, Source, audit_batch
    from evrev.scenarios.audit.sheet import sheet

    folders = {batch: _folder(study, batch) for batch in batches or study.batches}
    built = [batch for batch, folder in folders.items() if (folder / "manifest.json").is_file()]
    absent = [batch for batch in folders if batch not in built]
    if not built or (batches and absent):
        raise SettingsError(
            f"the scenarios of {', '.join(absent)} are not built",
            where=study.folder,
            remedy="build them first: evrev scenarios build --all",
        )
    levels = any(study.plan(batch).levels for batch in built)
    report, lines = Report(), []
    with _tables(study, charting=levels) as tables:
        source = Source(tables, aliases_of(study))
        for batch in built:
            verify_stage(folders[batch], remedy=REBUILD)
            before = len(report.findings)
            scenarios = audit_batch(source, Batch(batch, folders[batch]), study.contract, report)
            lines.append(
                f"{batch}: {len(scenarios)} scenarios, {len(report.findings) - before} disagreements"
            )
            for scenario in scenarios if sheets else ():
                assert sheets is not None
                text = sheet(scenario, report)
                write_bytes(sheets / batch / f"{scenario.id}.md", text.encode())
    lines += [f"{batch}: not built, not audited" for batch in absent]
    return Audited("\n".join([*lines, str(report)]), len(report.findings))


def _folder(study: Study, batch: str) -> Path:
    return study.scenarios(batch, resolve_run(study, batch).scenarios_key)


@contextmanager
def _tables(study: Study, *, charting: bool) -> Iterator[dict[str, Path]]:
    """The CSV files of the study; synthetic ones are written anew."""
    names = (*TABLES, *CONTEXT_TABLES) if charting else TABLES
    if study.settings.source == "synthetic":
        from evrev.records.synthetic import write_tables

        with tempfile.TemporaryDirectory(prefix="evrev-audit-") as folder:
            write_tables(Path(folder), tables=names)
            yield _found(files_at_hand(Path(folder), None, names))
    else:
        settings = study.settings
        yield _found(files_at_hand(Path(settings.data or ""), settings.lab, names))


def _found(files: dict[str, list[Path]]) -> dict[str, Path]:
    missing = [name for name, paths in files.items() if not paths and name not in CONTEXT_TABLES]
    if missing:
        raise SettingsError(
            f"the tables {', '.join(missing)} are not there", remedy="give DATA=FOLDER (--set data=FOLDER)"
        )
    return {name: paths[0] for name, paths in files.items() if paths}
