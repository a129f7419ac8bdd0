"""From the parts of a name to its ingredients: shared anions, salts and carriers."""

from __future__ import annotations

from itertools import pairwise

from evrev.medication.vocabulary import ANIONS, CARRIERS, FLUID_HEADS, HYDRATES, METALS, SALTS

Words = list[str]


def ingredients(parts: list[Words]) -> list[str]:
    """The distinct ingredient keys of a divided name, in the order written; empty when none is left."""
    kept = _undiluted(_merged(_shared_anions(parts)))
    return list(dict.fromkeys(" ".join(_without_salts(part)).replace("_", " ") for part in kept))


def _shared_anions(parts: list[Words]) -> list[Words]:
    """`potassium & sodium phosphate`: a bare metal takes the last word of the salt that follows it."""
    for part, following in pairwise(parts):
        if len(part) == 1 and part[0] in METALS and len(following) > 1 and following[0] in METALS:
            part.append(following[-1])
    return parts


def _merged(parts: list[Words]) -> list[Words]:
    """A part that holds salt or hydrate words only belongs to the part before it (`diltiazem-hcl`)."""
    merged: list[Words] = []
    for part in parts:
        if merged and part[0] not in METALS and all(word in ANIONS or word in HYDRATES for word in part):
            merged[-1].extend(part)
        else:
            merged.append(part)
    return merged


def _undiluted(parts: list[Words]) -> list[Words]:
    """Without carriers after a drug; a mixture that starts with a fluid keeps all but its water."""
    fluid = bool(parts) and parts[0][0] in FLUID_HEADS and " ".join(parts[0]) in CARRIERS
    dropped = frozenset({"water"}) if fluid else CARRIERS
    return parts[:1] + [part for part in parts[1:] if not _is_one_of(" ".join(part), dropped)]


def _is_one_of(text: str, carriers: frozenset[str]) -> bool:
    """Whether `text` begins with a carrier, or is one that was cut off."""
    if len(text) < 3:
        return text in carriers
    return any(text == name or text.startswith(name + " ") or name.startswith(text) for name in carriers)


def _without_salts(words: Words) -> Words:
    if {"lactated", "ringers"} <= set(words):
        return ["lactated", "ringers"]
    if words[0] in METALS:
        return [words[0], *(word for word in words[1:] if word not in HYDRATES)]
    return [word for word in words if word not in SALTS and word not in HYDRATES] or words
