"""The length levels: a small scenario with whole context documents behind it (App. O)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from evrev.scenarios.caps import XL_TARGETS
from evrev.scenarios.context import ContextDay
from evrev.scenarios.events.base import Case
from evrev.scenarios.large import FIRST_ADDED
from evrev.scenarios.lengthen import Lengthened, Lengthening, fill, largest_reached, shortfall
from evrev.scenarios.prompt_body import Tokens, body_parts, document_tokens


@dataclass(frozen=True)
class ByContext:
    """A patient's case and the context of its stay, which no task may use, by ICU day and table."""

    patient: str
    case: Case
    days: Sequence[ContextDay]

    def to(self, target: int) -> Lengthened:
        """The case with whole context documents, D5 and on, behind its unchanged ones.

        `target` counts Qwen2.5 tokens of the re-reading body after the revision. The rule sees these counts
        and nothing else of the text.
        """
        head, tail = body_parts(self.patient, self.case.documents, self.case.revision)
        candidates = [partial(self._tokens, day) for day in self.days]
        kept, tokens = fill(head, tail, candidates, target)
        added = (self.days[number].document(FIRST_ADDED + place) for place, number in enumerate(kept))
        reason = shortfall(tokens, target, exhausted=len(kept) == len(self.days))
        return Lengthened((*self.case.documents, *added), target, tokens, reason)

    def _tokens(self, day: ContextDay, place: int) -> Tokens:
        document = day.document(FIRST_ADDED + place)
        return document_tokens(self.patient, document, document.versions[0], day.tokens)


def xl_target(records: Sequence[Lengthening]) -> int | None:
    """The target of level XL for the patients of a batch, or none when it is not reached.

    It falls from 12,000 in steps of 1,000 to the largest that six of the patients reach, and stays above L.
    """
    return largest_reached(XL_TARGETS, records)
