"""E2: an order of D1 stands in a document of its own, and a version with another strength replaces that."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Literal, NamedTuple

from evrev.formats.scenario import Revision, Version
from evrev.medication.strength import REASONS, Reason, Strength, strengths
from evrev.scenarios.cohort import Row
from evrev.scenarios.documents import EVENT_DOCUMENT, orders_document
from evrev.scenarios.events.base import Case, EventRule
from evrev.scenarios.order_line import restated, stated_strength
from evrev.scenarios.target import Pool, Target

_FACTORS = (Decimal(2), Decimal("0.5"))
_WHOLE = 100

Finding = Reason | Literal["not_single", "not_unique", "collision"]
FINDINGS: dict[Finding, str] = {
    "not_single": "no single drug: a combination, or an insulin of no named type",
    "not_unique": "another line of D1 names the drug too, if only as a component",
    **{reason: words for reason, words in REASONS.items() if reason != "eligible"},
    "collision": "the strength doubled, and halved, already stands on a line of D1-D3",
    "eligible": "can be replaced",
}
"""What an order line of D1 can be found to be, in words and in the order in which it is asked."""


class Replacement(NamedTuple):
    """An order line of D1 and what replaces it, or why nothing can."""

    finding: Finding
    row: Row
    after: str = ""


def replacements(target: Target) -> tuple[Replacement, ...]:
    """Each line of D1, in order, with its finding (see `FINDINGS`)."""
    shown = target.stay.orders[: len(target.on_d1)]
    taken = frozenset(
        strength.amount
        for document in target.documents
        for line in document.versions[0].lines
        for strength in strengths(line)
    )
    return tuple(_judge(target, place, row, taken) for place, row in enumerate(shown))


def e2_finding(target: Target) -> Finding:
    """`eligible`, or why the patient has no E2: the furthest finding that any line of D1 came to."""
    return max((found.finding for found in replacements(target)), key=list(FINDINGS).index)


def build(target: Target, pool: Pool) -> Case | None:
    """The patient's documents with the first eligible line of D1 moved to D4, which a version 2 replaces.

    A drug that an earlier draw took is passed over. D1 keeps at least two of its three or more drugs, since
    the one that leaves stood there once.
    """
    eligible = (found for found in replacements(target) if found.finding == "eligible")
    drug = target.formulary.drug
    found = next((found for found in eligible if drug(found.row.name).resolved not in pool.drawn), None)
    if found is None:
        return None
    rows = target.stay.orders[: len(target.on_d1)]
    rest = orders_document("D1", (row for row in rows if row is not found.row))
    carved = orders_document(EVENT_DOCUMENT, [found.row])
    versions = (*carved.versions, Version(version=2, lines=(found.after,)))
    key = drug(found.row.name).resolved
    return Case(
        documents=(rest, *target.documents[1:], carved.model_copy(update={"versions": versions})),
        key=key,
        revision=Revision(document=EVENT_DOCUMENT, action="replace"),
        declared={key: "conflict"},
    )


def _judge(target: Target, place: int, row: Row, taken: frozenset[tuple[Fraction, str]]) -> Replacement:
    drug = target.on_d1[place]
    if drug.ambiguous:
        return Replacement("not_single", row)
    others = (*target.on_d1[:place], *target.on_d1[place + 1 :])
    if any(not other.names.isdisjoint({drug.key, drug.resolved}) for other in others):
        return Replacement("not_unique", row)
    reason, strength = stated_strength(row.line)
    if strength is None:
        return Replacement(reason, row)
    value = _other_value(strength, taken)
    if value is None:
        return Replacement("collision", row)
    return Replacement("eligible", row, restated(row.line, strength, value))


def _other_value(strength: Strength, taken: frozenset[tuple[Fraction, str]]) -> Decimal | None:
    """Twice the value, or half of it where twice already stands in the record or is more than the whole."""
    for value in (strength.value * factor for factor in _FACTORS):
        amount = strength._replace(value=value).amount
        if amount not in taken and not (strength.unit == "%" and value > _WHOLE):
            return value
    return None


RULE = EventRule(
    build,
    title="an order that stands in D4 alone is replaced after use0 by a version with another strength",
    lacking="E2: no order on D1 of a drug named once, with exactly one strength and no other number",
)
