"""The lexical steps that come before a name is divided into its parts (docs/choices.md, medication keys)."""

from __future__ import annotations

import re
import unicodedata

from evrev.medication.vocabulary import UNITS

_UNIT_WORDS = "|".join(sorted(UNITS, key=lambda unit: (-len(unit), unit)))
UNIT = rf"(?:%|(?:{_UNIT_WORDS})(?![^\W\d_]))"
_NUMBER = r"\.?[0-9][0-9.,]*"
AMOUNT = (
    rf"(?<![\w.]){_NUMBER}(?:(?:[/:]|\s?-\s?){_NUMBER})*"
    rf"(?:\s?-?\s?{UNIT}(?:\s?[-/]\s?(?:{_NUMBER}\s?)?{UNIT})*)?"
)
"""A number or a strength: `5`, `5-325`, `1:1000`, `0.1 mg/ml`, `20-5-0.45 meq/l-%-%`, `10 meq/100 ml`."""

LONGEST = 500
"""Characters read of a text: no recorded name comes near it, but what a model writes may be of any length."""

_DASHES = str.maketrans(dict.fromkeys("‐‑‒–—−", "-") | {"_": " ", "`": "'", "’": "'", "‘": "'"})
_BLANK = re.compile(r"[\s\x00-\x1f\x7f-\x9f]+")
_POSSESSIVE = re.compile(r"'(?=s?\b)")
_INITIALS = re.compile(r"\b([^\W\d_])\.(?=[^\W\d_]\b)")
_STOP = re.compile(r"(?<![0-9])\.(?![0-9])|(?<=[0-9])\.(?![0-9])|(?<=[^\W\d_])\.(?=[0-9])")
_NUMBERED = re.compile(r"\s?(?:#|\bno\.)\s?([0-9])(?![\w.])")
_CONTAINER = re.compile(
    rf"^{_NUMBER}\s?(?:ml|l|g|gm|mg|each|ea|cc)\b"
    r"(?:(?:\s(?:bag|vial|syringe|cup|tube|flex|plas|glass|cont|ampule|package))*\s-\s"
    r"|(?:(?!\s-\s)[^:0-9]){0,40}:(?=\s?[^\W\d_]))"
)
_WITHOUT = re.compile(r"\b(?:w/o|without)\b.*")
_MARKERS = re.compile(
    r"\bconsult\s+to\s+pharmacy\b|\bpharmacy\s+(?:to\s+dose|consult)\b|-?\s?\bphysician\s+monitored\b"
    r"|\blocked\s+dose\b|\bmini-?\s?bag\s+plus\b|\b(?:low|high|extra|regular|maximum|max|double)[\s-](?:dose|strength)\b"
    r"|\bas\s+needed\b"
)
_PHRASES = (
    (re.compile(r"\b(?:1/2|1/4|half|quarter)[\s-]?(?:ns|normal\s+saline)\b"), "nacl"),
    (re.compile(r"\bk[\s-]phos\b"), "potassium phosphate"),
    (re.compile(rf"\bvitamin[\s-](?:b[\s-]?(1|2|3|6|9|12)|d[\s-]?([23]))(?![0-9.,]|\s?{UNIT})"), ""),
    (re.compile(r"\b(fat|lipid)\s+(?:injectable\s+)?emulsion\b"), ""),
)
_INVERTED = re.compile(r"(\bringers?(?:\s(?:solution|soln|injection|inj))?)\s?,\s?(?=lactated\b)")
_OPENING, _CLOSING = frozenset("([{"), frozenset(")]}")


def clean(text: str) -> str:
    """`text` folded (NFKC, case, dashes, possessives) with every run of blanks and controls as one blank."""
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    return _BLANK.sub(" ", folded.translate(_DASHES)).strip(" ")


def name_field(text: str) -> str:
    """The name of a cleaned order line (`medication | name | dose ...`), or the text itself without bars."""
    fields = [field.strip(" ") for field in text.split("|")]
    return fields[1] if len(fields) > 1 and fields[0] in ("medication", "") else fields[0]


def without_parentheses(text: str) -> str:
    """`text` without bracketed notes; one that is never closed runs to the end."""
    if not _OPENING.intersection(text) and not _CLOSING.intersection(text):
        return text
    kept, depth = [], 0
    for character in text:
        if character in _OPENING:
            depth += 1
            kept.append(" ")
        elif character in _CLOSING:
            depth = max(0, depth - 1)
            kept.append(" ")
        elif not depth:
            kept.append(character)
    return "".join(kept)


def plain(text: str) -> str:
    """A cleaned name without punctuation marks, stops and numbered-product signs that carry no name."""
    text = _NUMBERED.sub(r"-\1", text)
    text = _INVERTED.sub(r"\1 ", _POSSESSIVE.sub("", text))
    for _ in range(3):
        text = _INITIALS.sub(r"\1", text)
    text = _STOP.sub(" ", text)
    return _BLANK.sub(" ", re.sub(r"[<>*\"'?!=~^@$\\]+", " ", text)).strip(" ")


def without_notes(text: str) -> str:
    """A plain name without its leading container, hospital markers and `without ...` remarks."""
    text = _CONTAINER.sub("", text, count=1).strip(" ")
    text = _MARKERS.sub(" ", _WITHOUT.sub("", text))
    for pattern, replacement in _PHRASES:
        text = pattern.sub(replacement or _joined, text)
    return _BLANK.sub(" ", text).strip(" -:")


def _joined(match: re.Match[str]) -> str:
    if match[0].startswith("vitamin"):
        return f"vitamin {'b' + match[1] if match[1] else 'd' + match[2]}"
    return f"{match[1]}_emulsion"
