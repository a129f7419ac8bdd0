"""Fluids, diluents and other orders that are no drug: never rendered as a medication order."""

from __future__ import annotations

import re
from functools import lru_cache

from evrev.medication.key import medication_key
from evrev.medication.names import LONGEST, clean, name_field

_FLUID = re.compile(
    r"(?:half\s)?(?:sodium chloride|dextrose|saline|normal saline|(?:lactated )?ringers|water"
    r"|d(?:[14-9]|[1-9][0-9])(?:w|ns|lr)?|plasma-?\s?lyte\b.*|normosol\b.*|isolyte\b.*)"
)
"""Keys of fluids and diluents. Electrolyte drugs, albumin and insulin are drugs and are not here."""

_CLASSES = {
    "flush": r"\bflush(?:es|syrg)?\b|flushsyrg|\bhep-?\s?lock|\b(?:saline|heparin)\s+(?:sodium\s+)?loc?k\b",
    "parenteral nutrition": r"\bparenteral nutrition\b|\bt?ppn\b|\btpn\b|\bclinimix\b|\bclinisol\b"
    r"|\btrophamine\b|\btravasol\b|\bprosol\b|\baminosyn|\bkabiven\b",
    "fat emulsion": r"\b(?:fat|lipids?)\b.*\bemul|\bintralipid|\bliposyn|\bsmoflipid|\bclinolipid",
    "contrast": r"\bcontrast\b|\bio(?:hexol|pamidol|versol|dixanol|promide|thalamate|xilan|xaglate)\b"
    r"|\b(?:omnipaque|isovue|optiray|visipaque|ultravist|cysto-?conray|conray|oxilan|hexabrix)\b"
    r"|\bdiatrizoate\b|\bgastro(?:grafin|view)\b|\bgad(?:o[a-z]+|avist)\b|\b(?:magnevist|multihance|omniscan)\b"
    r"|\bbarium\b|\breadi-?cat\b|\bperflutren\b|\bdefinity\b|\boptison\b|\blumason\b",
    "vaccine": r"\bvacc?(?:ines?)?\b|\bvaccin|\bpneumococcal\b|\bpnu-immune|\bpneumovax|\bprevnar"
    r"|\btoxoids?\b|\bflu(?:zone|arix|virin|laval|ad|celvax|mist|blok)\b|\bafluria\b|\btdap\b|\badacel\b|\bboostrix\b"
    r"|\bengerix|\brecombivax|\bzostavax\b|\bshingrix\b|\bmenactra\b|\bhavrix\b|\btwinrix\b",
    "eye care": r"\brefresh\b|\bartificial tears?\b|\bakwa tears\b|\btears (?:naturale|again)\b"
    r"|\blacri-?lube\b|\bpuralube\b|\bgenteal\b|\bsystane\b|\bduratears\b"
    r"|\beye (?:lubricant|wash|ointment)\b|\bocular lubricant\b",
    "mouth care": r"\bchlorhexidine\b|\bperidex\b|\bperiogard\b|\bhibiclens\b|\bbiotene\b|\bmouth\s?wash\b"
    r"|\bmouth (?:care|rinse|kote)\b|\bsaliva\b|\bcaphosol\b|\bcepacol\b|\btoothpaste\b|\blip balm\b",
    "kit": r"\bkits?\b",
    "consult": r"\bconsult(?:ation)?s?\b|^assess\b",
}
_NON_DRUG = re.compile("|".join(_CLASSES.values()))


def is_not_a_drug(name: str) -> bool:
    """Whether an order is a fluid, diluent, nutrition, contrast, vaccine, eye or mouth care, kit or consult.

    A mixture counts by its first part: dextrose with potassium chloride is a fluid, potassium chloride in
    dextrose is a drug. A name of which no key is left names no drug.
    """
    return _look_up(name[:LONGEST])


@lru_cache(maxsize=1 << 16)
def _look_up(name: str) -> bool:
    if _NON_DRUG.search(name_field(clean(name))):
        return True
    components = medication_key(name).components
    return not components or _FLUID.fullmatch(components[0]) is not None
