"""Putting a table together: its own rows and columns, and what must stand by every table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from evrev.outputs.notes import ROLE_WORDS, notes
from evrev.outputs.provenance import flag, provenance
from evrev.outputs.source import Source
from evrev.outputs.table import Column, Row, Shown, Table


def assemble(
    source: Source,
    *,
    number: int,
    title: str,
    caption: str,
    columns: Sequence[Column],
    layout: Sequence[Shown],
    rows: Iterable[Row],
    events: Iterable[str],
    more: Iterable[str] = (),
) -> Table:
    """A table with everything that must stand above and below it; `more` adds notes of its own."""
    return Table(
        number=number,
        flag=flag(source),
        title=title,
        caption=caption,
        role=ROLE_WORDS[source.plan.role],
        run=source.run,
        planned=source.notes.get("planned", source.plan.planned),
        columns=tuple(columns),
        layout=tuple(layout),
        rows=tuple(rows),
        notes=(*notes(source, events), *more),
        provenance=provenance(source),
    )
