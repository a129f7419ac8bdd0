"""The large size: orders, results and treatments of the first ICU days beside D1-D3 (section 5)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import count

from evrev.formats.scenario import Document, Version
from evrev.scenarios.caps import LARGE, LARGE_DAYS, LARGE_DOCUMENTS
from evrev.scenarios.cohort import Row
from evrev.scenarios.documents import first_values
from evrev.scenarios.target import Target, words

FIRST_ADDED = 5
"""The number of the first document after D1-D3; D4 is the event document's, also where there is none."""

LACKING_LARGE = "large: no order, result or treatment on the first ICU days"
"""Why a patient without added documents is not eligible."""

_ORDERS = partial(Document, kind="orders", source="pharmacy")
_RESULTS = partial(Document, kind="laboratory", source="lab")
_TREATMENTS = partial(Document, kind="treatments", source="ehr")


def large_documents(target: Target, without: str | None = None) -> tuple[Document, ...]:
    """The documents that the large size adds to D1-D3, which stay as they are: D5, D6 ..., perhaps none.

    By ICU day, then the orders, laboratory results (first value of each name) and treatments of that day as
    the record has them, lines of D1 and D3 among them. A kind without a row on a day gets no document, and
    what would make more than `LARGE_DOCUMENTS` without D4 is cut. No order or treatment naming the drug
    `without` (a resolved key) is shown: for events in which D4 alone may name it.
    """
    numbers = count(FIRST_ADDED)
    made = [
        form(id=f"D{next(numbers)}", title=f"{title}, ICU day {day}", versions=(_version(rows),))
        for day in LARGE_DAYS
        for form, title, rows in _kinds(target, day, without)
        if rows
    ]
    return tuple(made[: LARGE_DOCUMENTS - len(target.documents)])


def orders_without(target: Target, drug: str | None) -> tuple[Row, ...]:
    """The target's orders but those that name `drug`, be it as a component or in passing."""
    drugs = target.formulary.drug
    return tuple(
        row
        for row in target.stay.orders
        if drug is None or not (drug in drugs(row.name).names or words(drug) <= words(row.line))
    )


def _treatments_without(target: Target, drug: str | None) -> tuple[Row, ...]:
    drugs = target.formulary.treatment
    return tuple(
        row
        for row in target.stay.treatments
        if drug is None or not (drug == drugs(row.name) or words(drug) <= words(row.line))
    )


def _kinds(
    target: Target, day: int, without: str | None
) -> Iterator[tuple[partial[Document], str, Sequence[Row]]]:
    def of_day(rows: Sequence[Row]) -> tuple[Row, ...]:
        return tuple(row for row in rows if row.day == day)

    treatments = {row.line: row for row in of_day(_treatments_without(target, without))}
    yield _ORDERS, "medication orders", of_day(orders_without(target, without))[: LARGE.orders]
    yield _RESULTS, "laboratory results", first_values(of_day(target.stay.results))[: LARGE.results]
    yield _TREATMENTS, "treatment records", tuple(treatments.values())[: LARGE.treatments]


def _version(rows: Sequence[Row]) -> Version:
    return Version(version=1, lines=tuple(row.line for row in rows))
