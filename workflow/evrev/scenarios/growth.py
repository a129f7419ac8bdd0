"""Allowed-evidence growth: a small scenario with further orders of the stay, which the task may use.

Beyond the paper, whose levels add only what no task allows: here the expected answer grows with the record.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from evrev.formats.scenario import Document, Version
from evrev.scenarios.caps import GROWTH_FIRST, GROWTH_LINES, GROWTH_STEP
from evrev.scenarios.events.base import Case
from evrev.scenarios.large import FIRST_ADDED, orders_without
from evrev.scenarios.lengthen import Lengthened, Lengthening, is_filled, largest_reached, shortfall
from evrev.scenarios.prompt_body import body_parts, body_tokens, document_tokens
from evrev.scenarios.target import Target


@dataclass(frozen=True)
class ByOrders:
    """A patient's case and the further order lines of its stay, in the order of the record."""

    patient: str
    case: Case
    lines: tuple[str, ...]

    def to(self, target: int) -> Lengthened:
        """The case with pharmacy documents of up to ten further lines each, D5 and on, behind its own.

        Lines are added one by one until the re-reading body after the revision is 90 % of `target` Qwen2.5
        tokens long.
        """
        last = len(self.sizes) - 1
        taken = next((n for n, tokens in enumerate(self.sizes) if is_filled(tokens, target)), last)
        # A line that is longer than the band is left out, so that the target is never passed.
        kept = taken - 1 if taken and self.sizes[taken] > target else taken
        documents = (*self.case.documents, *further_documents(self.lines[:kept]))
        tokens = self.sizes[kept]
        return Lengthened(documents, target, tokens, shortfall(tokens, target, exhausted=kept == last))

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """Tokens of the body with the first 0, 1, 2 ... further lines."""
        head, tail = body_parts(self.patient, self.case.documents, self.case.revision)
        sizes = [body_tokens([*head, *tail])]
        for part, lines in enumerate(_parts(self.lines)):
            for taken in range(1, len(lines) + 1):
                document = _further(part, lines[:taken])
                grown = document_tokens(self.patient, document, document.versions[0])
                sizes.append(body_tokens([*head, grown, *tail]))
            head = (*head, grown)
        return tuple(sizes)


def by_orders(target: Target, case: Case, without: str | None = None) -> ByOrders:
    """A case with every order of its stay that none of its documents shows.

    Orders that name the drug `without` (a resolved key) are left out, as at the large size.
    """
    shown = {
        line.casefold() for document in case.documents for form in document.versions for line in form.lines
    }
    rows = orders_without(target, without)
    lines = tuple(row.line for row in rows if row.line.casefold() not in shown)
    return ByOrders(target.person.pseudonym, case, lines)


def further_documents(lines: Sequence[str]) -> tuple[Document, ...]:
    """Pharmacy documents of at most ten lines each, numbered from D5."""
    return tuple(_further(part, of_part) for part, of_part in enumerate(_parts(lines)))


def growth_target(asked: int, records: Sequence[Lengthening]) -> int | None:
    """The target that stands for `asked` tokens: up to 1,000 the number itself, as at every level but XL.

    A longer one falls to the largest multiple of 500 above 1,000 that six patients reach, or to none.
    """
    if asked <= GROWTH_FIRST:
        return asked
    return largest_reached(range(asked - asked % GROWTH_STEP, GROWTH_FIRST, -GROWTH_STEP), records)


def _parts(lines: Sequence[str]) -> list[Sequence[str]]:
    return [lines[start : start + GROWTH_LINES] for start in range(0, len(lines), GROWTH_LINES)]


def _further(part: int, lines: Sequence[str]) -> Document:
    return Document(
        id=f"D{FIRST_ADDED + part}",
        kind="orders",
        source="pharmacy",
        title=f"further medication orders, part {part + 1}",
        versions=(Version(version=1, lines=tuple(lines)),),
    )
