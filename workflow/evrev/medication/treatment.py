"""Which drug, if any, a recorded treatment path names."""

from __future__ import annotations

import re
from collections.abc import Collection

from evrev.medication.aliases import AliasTable
from evrev.medication.key import medication_key
from evrev.medication.names import LONGEST, clean, without_parentheses

_RATE = re.compile(
    r"\s*[<>=≤≥]*\s*(?<![\w.])[0-9][0-9.]*(?:\s?-\s?[0-9][0-9.]*)?\s?[^\W\d_]+(?:/[^\W\d_]+)+\s*$"
)
_ROUTE = re.compile(
    r"^(?:iv|intravenous|im|intramuscular|sc|subcutaneous|po|oral|enteral|parenteral|inhaled|nebulized|topical"
    r"|transdermal|rectal|sublingual)\s"
)


def treatment_drug(path: str, known: Collection[str], aliases: AliasTable | None) -> str | None:
    """The key of `known` that a segment of a treatment path (`a|b|c`) names, the last such segment first.

    A segment counts only as a whole, without its bracketed brands, rate and route: a drug inside a longer
    phrase (`low molecular weight heparin`, `insulin / glucose`) is not what the segment names. Ambiguous keys
    never count. None when no segment names a known drug.
    """
    for segment in reversed(clean(path[-LONGEST:]).split("|")):
        text = _ROUTE.sub("", _RATE.sub("", without_parentheses(segment).strip(" "))).strip(" ")
        key = medication_key(text)
        if key.key != text:
            continue
        found = key if aliases is None else aliases.resolve(key)
        if not found.ambiguous and found.key in known:
            return found.key
    return None
