"""`medication_key`: from a recorded or answered medication name to the identity it is compared by."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from evrev.medication.combinations import divide
from evrev.medication.insulin import BARE, insulin_key, names_insulin
from evrev.medication.names import LONGEST, clean, name_field, plain, without_notes, without_parentheses
from evrev.medication.parts import ingredients

_SYNONYM = re.compile(r"[,;](?![0-9])|(?<![0-9])[,;]")


@dataclass(frozen=True)
class MedicationKey:
    """The identity of a medication name.

    `key` is casefolded and "" when nothing of the name is left. `components` holds the key itself for one
    drug, the ingredient keys in the order written for a combination (whose `key` joins them sorted by `+`, so
    that the order does not matter), and nothing when `key` is "". `ambiguous` is true for combinations and
    for an insulin of no named type: such a key is neither expected nor held against an answer.
    """

    key: str
    ambiguous: bool
    components: tuple[str, ...]


NOTHING = MedicationKey("", False, ())


def joined(components: Iterable[str]) -> MedicationKey:
    """The key of the given ingredient keys; repeated ones count once."""
    distinct = tuple(dict.fromkeys(component for component in components if component))
    if not distinct:
        return NOTHING
    return MedicationKey("+".join(sorted(distinct)), len(distinct) > 1 or distinct[0] == BARE, distinct)


def medication_key(name: str) -> MedicationKey:
    """The lexical key of a medication name (paper section 3; rules in docs/choices.md).

    Works on the text alone: no table of drugs, no context, any string. Brands keep their own keys here; see
    `AliasTable`. A whole order line counts as its name field; only the first `LONGEST` characters are read.
    """
    return _look_up(name[:LONGEST])


@lru_cache(maxsize=1 << 16)
def _look_up(name: str) -> MedicationKey:
    text = name_field(clean(name))
    outside = without_parentheses(text)
    if names_insulin(outside):
        return joined([insulin_key(text)])
    for piece in _SYNONYM.split(plain(outside)):
        found = joined(ingredients(divide(without_notes(piece))))
        if found.key:
            return found
    return NOTHING
