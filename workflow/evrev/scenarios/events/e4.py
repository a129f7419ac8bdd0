"""E4: an added treatment record, of a source no task allows, that names a drug on no order."""

from __future__ import annotations

from evrev.scenarios.cohort import Row
from evrev.scenarios.documents import EVENT_DOCUMENT, treatment_document
from evrev.scenarios.events.base import Case, EventRule
from evrev.scenarios.target import Pool, Target, words


def build(target: Target, pool: Pool) -> Case | None:
    """The patient's documents and a treatment record: the stay's own first fitting one, else a donor's."""
    own = next((row for row in target.stay.treatments if _fits(row, target)), None)
    if own is not None:
        return _case(target, own, donor=None)
    random = pool.random(target, "E4")
    for donor in pool.donors(target, random):
        rows = [row for row in donor.treatments if _fits(row, target)]
        if rows:
            return _case(target, random.choice(rows), donor=donor.pseudonym)
    return None


def _fits(row: Row, target: Target) -> bool:
    drug = target.formulary.treatment(row.name)
    return drug is not None and drug not in target.ordered and words(drug).isdisjoint(target.record_words)


def _case(target: Target, row: Row, donor: str | None) -> Case:
    drug = target.formulary.treatment(row.name)
    assert drug is not None
    return Case(
        documents=(*target.documents, treatment_document(EVENT_DOCUMENT, row)),
        key=drug,
        declared={drug: "irrelevant"},
        donor=donor,
    )


RULE = EventRule(
    build,
    title="a treatment record, of a source that is not allowed, names a further drug; nothing is revised",
    lacking="E4: no treatment record of a drug that the stay does not order",
)
