"""A donor's order misfiled under the patient and revoked after the first use: what E1 and E1b share."""

from __future__ import annotations

from collections.abc import Callable

from evrev.formats.scenario import Revision
from evrev.scenarios.documents import EVENT_DOCUMENT, orders_document
from evrev.scenarios.events.base import Case
from evrev.scenarios.formulary import Drug
from evrev.scenarios.target import Pool, Target


def misfiled(target: Target, pool: Pool, event: str, fits: Callable[[Drug], bool]) -> Case | None:
    """A case whose D4 is one order line of the first donor, in seeded order, with a drug that `fits`.

    A drug that an earlier draw took is passed over. Among several such lines of that donor the seed decides.
    None when nobody in the partition has one.
    """
    random = pool.random(target, event)
    for donor in pool.donors(target, random):
        drugs = ((row, target.formulary.drug(row.name)) for row in donor.orders)
        lines = [row for row, drug in drugs if drug.resolved not in pool.drawn and fits(drug)]
        if lines:
            row = random.choice(lines)
            return Case(
                documents=(*target.documents, orders_document(EVENT_DOCUMENT, [row])),
                key=target.formulary.drug(row.name).resolved,
                revision=Revision(document=EVENT_DOCUMENT, action="revoke"),
                donor=donor.pseudonym,
            )
    return None
