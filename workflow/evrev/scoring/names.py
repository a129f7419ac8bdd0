"""Which drug name an answered item gives, and whether a name stands in a document as a whole phrase."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

_BULLET = re.compile(r"^\s*(?:[-*•]|\d+[.)])\s+")
_BAR = re.compile(r"\s*\|\s*")
# More than a line or a path has; what a model writes may have any number.
_FIELDS = 32
_WORD = re.compile(r"[^\W_]+")
# Line labels and fact types, which a model may copy in front of the name.
_LABELS = frozenset({"medication", "treatment", "problem", "lab", "med", "other"})
_PLACEHOLDER = re.compile(r"<[^<>]*>|\[[^\[\]]*\]")
_NO_NAMES = frozenset(
    {
        "medication",
        "medications",
        "medication name",
        "drug",
        "drug name",
        "name",
        "item",
        "none",
        "none recorded",
        "no medication",
        "no medications",
        "no medications recorded",
        "not recorded",
        "not available",
        "unknown",
        "null",
        "nil",
        "n a",
        "na",
    }
)


def item_fields(item: str) -> tuple[str, ...]:
    """The ` | ` separated fields of an item, without a bullet or a leading line label; none if blank."""
    fields = [field for field in _BAR.split(_BULLET.sub("", item).strip()) if field]
    if len(fields) > 1 and fields[0].casefold() in _LABELS:
        del fields[0]
    return tuple(fields)


def name_of(item: str, is_known: Callable[[str], bool], in_path: Callable[[str], str | None]) -> str:
    """The part of an item that gives the drug name; "" for a blank item.

    It is the first field, as in a recorded order line, unless only a later one names a drug the scenario
    knows: then that one, read from the end, as in a copied treatment path. `in_path` is the last resort: the
    drug of such a path whose segment says more than its name.
    """
    fields = item_fields(item)[:_FIELDS]
    first = fields[0] if fields else ""
    if len(fields) < 2 or is_known(first):
        return first
    later = next((field for field in reversed(fields[1:]) if is_known(field)), None)
    return later or in_path("|".join(fields)) or first


def is_placeholder(name: str) -> bool:
    """Whether a name stands for a drug without naming one: `<name>`, `none`, `medication name`."""
    return bool(_PLACEHOLDER.fullmatch(name.strip())) or phrase(name) in _NO_NAMES


def phrase(text: str) -> str:
    """The words of `text`, folded, one blank between them; fields and lines stay apart by ` | `."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    parts = (" ".join(_WORD.findall(part)) for part in re.split(r"[|\n]", folded))
    return " | ".join(part for part in parts if part)


def holds(text: str, wanted: str) -> bool:
    """Whether `wanted` is a whole phrase of `text`; both as `phrase` gives them."""
    return bool(wanted) and f" {wanted} " in f" {text} "
