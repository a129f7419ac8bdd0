"""The yes-or-no answers read from one medication use (section 3, endpoints)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evrev.scoring.answer_key import AnswerKey
from evrev.scoring.labels import IGNORED, ItemLabel


@dataclass(frozen=True)
class MedicationOutcome:
    """The endpoints of one use; none where one is not defined in the condition or could not be read.

    All but `stale_listed` count what was committed: a list the gate turned away completes nothing, retains
    nothing and commits no error, whatever it says.
    """

    strict: bool | None = None
    stale: bool | None = None
    stale_listed: bool | None = None
    unsupported_any: bool | None = None
    unsupported_event_key: bool | None = None
    fabricated: bool | None = None
    missing: bool | None = None
    retained: bool | None = None


def unanswered(answer: AnswerKey) -> MedicationOutcome:
    """A use that did not run or could not be read: no success, and nothing known of its list."""
    return MedicationOutcome(strict=False, retained=False if answer.has_retained else None)


def medication_outcome(
    answer: AnswerKey, labels: Sequence[ItemLabel], *, accepted: bool
) -> MedicationOutcome:
    """The endpoints of a list that could be read. Repeats and the order of items change nothing."""
    listed = {item.resolved for item in labels if item.label not in IGNORED}
    given = {item.label for item in labels}
    expected = answer.expected.keys()
    of_event = listed & answer.event_keys
    return MedicationOutcome(
        strict=accepted and listed == expected,
        stale=accepted and "stale" in given if answer.has_stale else None,
        stale_listed="stale" in given if answer.has_stale else None,
        unsupported_any=accepted and "unsupported_source" in given,
        unsupported_event_key=accepted and bool(of_event) if answer.has_event_listing else None,
        fabricated=accepted and "fabricated" in given,
        missing=accepted and not expected <= listed,
        retained=accepted and bool(of_event & expected) if answer.has_retained else None,
    )
