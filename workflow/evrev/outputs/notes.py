"""The notes under every table: role, readers, n, failures, and how calls ended."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from evrev.formats.plan import Role
from evrev.outputs.provenance import flag, partial_tables
from evrev.outputs.source import Source
from evrev.statistics.cells import scored_uses
from evrev.statistics.result import CellResult

ROLE_WORDS: dict[Role, str] = {
    "development": "dev.",
    "pre_specified": "p.s.",
    "confirmatory": "confirm.",
    "exploratory": "expl.",
    "post_hoc": "post hoc",
}


def notes(source: Source, events: Iterable[str]) -> list[str]:
    """The notes of a table that is made from some events."""
    cells = source.cells(events)
    lines = [_role(source), _readers(source), _size(source, cells)]
    if source.partial:
        lines.append(f"Partial data: {partial_tables(source)}. The whole source may give other results.")
    return [*lines, _failures(source, cells), _finish(source, cells)]


def _role(source: Source) -> str:
    line = f"Role: {ROLE_WORDS[source.plan.role]} ({source.plan.title})."
    if flag(source):
        line += " The role is the batch's: answers of a reader that is no real model are evidence of nothing."
    return line


def _readers(source: Source) -> str:
    named = []
    for name, entry in source.models.items():
        revision = f" at {entry.revision[:12]}" if entry.revision else ""
        named.append(f"{entry.label} = {entry.served_name or name}{revision} ({entry.kind})")
    return f"Readers: {'; '.join(named)}."


def _size(source: Source, cells: Sequence[CellResult]) -> str:
    report, sizes = source.notes, sorted({cell.n for cell in cells})
    planned = report.get("planned", source.plan.planned)
    line = f"n = {' to '.join(map(str, sizes))} patients per cell; the plan states {planned}"
    if sizes == [planned]:
        return f"{line}."
    why = []
    if report.get("limit") is not None:
        why.append(f"the settings limit the run to {report['limit']}")
    if "eligible" in report:
        why.append(f"{report['eligible']} of {report['considered']} considered were eligible")
    if report.get("exclusions"):
        reasons = (f"{reason} {count}" for reason, count in sorted(report["exclusions"].items()))
        why.append(f"excluded: {', '.join(reasons)}")
    told = f": {'; '.join(why)}" if why else ""
    return f"{line}{told}. Counts are out of this n, not of the plan's."


def _failures(source: Source, cells: Sequence[CellResult]) -> str:
    parts = []
    for name, mine in _by_model(source, cells):
        n, failed = sum(cell.n for cell in mine), sum(cell.execution_failures for cell in mine)
        unread: Counter[str] = Counter()
        for cell in mine:
            unread.update(cell.format_failures)
        said = [
            f"{task.replace('_', ' ')} (use {use}) {unread[task]}"
            for task, use in scored_uses(source.plan).items()
        ]
        said.append(f"uses that are not scored {sum(cell.unscored_format_failures for cell in mine)}")
        parts.append(f"{name}: execution {failed} of {n} trajectories; format: {', '.join(said)}")
    return (
        f"Failures. {'. '.join(parts)}. Both kinds stay in n: they complete and retain nothing, and an error "
        "that cannot be judged is not counted as shown but given beside as unread. Token means include what "
        "failed trajectories spent."
    )


def _finish(source: Source, cells: Sequence[CellResult]) -> str:
    parts = []
    for name, mine in _by_model(source, cells):
        reasons: Counter[str] = Counter()
        for cell in mine:
            reasons.update(cell.finish_reasons)
        parts.append(
            f"{name}: {', '.join(f'{reason} {reasons[reason]}' for reason in sorted(reasons)) or 'none'}"
        )
    return f"Finish reasons of all model calls. {'. '.join(parts)}."


def _by_model(source: Source, cells: Sequence[CellResult]) -> list[tuple[str, list[CellResult]]]:
    shown = {reader.name: reader.shown for reader in source.readers(())}
    return [(shown[name], [c for c in cells if c.model == name]) for name in source.models if name in shown]
