"""Insulin names: the preparation is the identity, so its type words make the key, in one order."""

from __future__ import annotations

import re

_TYPES = {
    "aspart": "aspart", "degludec": "degludec", "detemir": "detemir", "glargine": "glargine",
    "glulisine": "glulisine", "isophane": "nph", "lente": "lente", "lispro": "lispro", "nph": "nph",
    "prot": "protamine", "protamine": "protamine", "reg": "regular", "regular": "regular",
    "ultralente": "ultralente",
}  # fmt: skip
_BRANDS = frozenset(
    {
        "admelog", "apidra", "basaglar", "fiasp", "humalog", "humulin", "lantus", "levemir", "lyumjev",
        "novolin", "novolog", "semglee", "toujeo", "tresiba",
    }
)  # fmt: skip
_INSULIN = re.compile(r"\binsulins?\b")
_WORD = re.compile(r"[^\W\d_]+")
BARE = "insulin"
"""The key of an insulin whose type is not named: it may be any of them, so it is ambiguous."""


def names_insulin(text: str) -> bool:
    """Whether a cleaned name, bracketed notes left aside, is that of an insulin."""
    return bool(_INSULIN.search(text))


def insulin_key(text: str) -> str:
    """`insulin` and its sorted type words, bracketed ones included; a brand counts where no type is named."""
    words = _WORD.findall(text)
    types = {_TYPES[word] for word in words if word in _TYPES} or {word for word in words if word in _BRANDS}
    return " ".join([BARE, *sorted(types)])
