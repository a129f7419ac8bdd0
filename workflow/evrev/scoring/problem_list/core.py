"""What the problem-list rules share: how text is folded, what a rule is, and what it says of a list."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol


def fold(text: str) -> str:
    """`text` casefolded, with every run of white space one blank and none at the ends."""
    return " ".join(text.casefold().split())


def segments(path: str) -> tuple[str, ...]:
    """The folded segments of a problem path, empty ones left out; ValueError if none is left."""
    found = tuple(s for s in map(fold, path.split("|")) if s)
    if not found:
        raise ValueError(f"a problem path without a segment: {path!r}")
    return found


@dataclass(frozen=True)
class ListScore:
    """One list under one rule: an outcome per item, and whether the list passes.

    `strict` and `lenient` are the rule's two verdicts, equal where it has one; `reasons` says why, item by
    item. `relaxations` holds the verdict under each single relaxation, for the rules that have them.
    """

    rule: str
    outcomes: list[str]
    strict: bool
    lenient: bool
    reasons: list[str]
    relaxations: Mapping[str, bool] = field(default_factory=dict)

    def with_relaxation(self, name: str) -> bool:
        """Whether the list passes with one relaxation; ValueError if the rule has none of that name."""
        if name not in self.relaxations:
            known = ", ".join(self.relaxations) or "none"
            raise ValueError(f"rule {self.rule} has no relaxation {name!r}; it has: {known}")
        return self.relaxations[name]


class Rule(Protocol):
    """A problem-list rule: `items` as answered against `paths` as recorded, both non-empty or items empty."""

    def __call__(self, items: Sequence[str], paths: Sequence[str]) -> ListScore: ...
