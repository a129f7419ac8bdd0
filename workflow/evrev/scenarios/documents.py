"""The connector documents of a patient: D1-D3, and the form of the event document D4 (Figure 1)."""

from __future__ import annotations

from collections.abc import Iterable

from evrev.formats.scenario import Document, Version
from evrev.scenarios.caps import Caps
from evrev.scenarios.cohort import Row, Stay

EVENT_DOCUMENT = "D4"


def base_documents(stay: Stay, caps: Caps) -> tuple[Document, ...]:
    """D1 orders, D2 problem list and D3 laboratory results: the first lines of the record, up to `caps`.

    D3 takes the first value of each laboratory name. The stay must hold an order, a problem and a result.
    """
    return (
        orders_document("D1", stay.orders[: caps.orders]),
        Document(
            id="D2",
            kind="problems",
            source="ehr",
            title="problem list",
            versions=_first(stay.problems[: caps.problems]),
        ),
        Document(
            id="D3",
            kind="laboratory",
            source="lab",
            title="laboratory results",
            versions=_first(first_values(stay.results)[: caps.results]),
        ),
    )


def orders_document(name: str, rows: Iterable[Row]) -> Document:
    """A pharmacy document. D4 carries the same title as D1, so that nothing but its content sets it apart."""
    return Document(
        id=name, kind="orders", source="pharmacy", title="medication orders", versions=_first(rows)
    )


def treatment_document(name: str, row: Row) -> Document:
    """A treatment record of the ehr, which no task allows as support."""
    return Document(
        id=name, kind="treatments", source="ehr", title="treatment record", versions=_first([row])
    )


def first_values(results: Iterable[Row]) -> tuple[Row, ...]:
    """The first result of each laboratory name."""
    first: dict[str, Row] = {}
    for row in results:
        first.setdefault(row.name, row)
    return tuple(first.values())


def _first(rows: Iterable[Row]) -> tuple[Version, ...]:
    return (Version(version=1, lines=tuple(row.line for row in rows)),)
