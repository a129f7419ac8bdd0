"""Problem-list rules by name (section 3 and appendix F). A rule reads recorded text only, never a model."""

from __future__ import annotations

from collections.abc import Sequence
from types import MappingProxyType

from evrev.scoring.problem_list import frozen_proxy as _frozen_proxy
from evrev.scoring.problem_list.core import ListScore, Rule

__all__ = ["RULES", "ListScore", "score_list"]

RULES: MappingProxyType[str, Rule] = MappingProxyType({_frozen_proxy.NAME: _frozen_proxy.frozen_proxy})


def score_list(items: Sequence[str], paths: Sequence[str], rule: str) -> ListScore:
    """Score a problem list against the recorded paths (`a|b|c`, most general segment first) under one rule.

    No items is a list that does not pass. ValueError: an unknown rule, no paths, or a path without a segment.
    """
    if rule not in RULES:
        raise ValueError(f"no problem-list rule {rule!r}; rules: {', '.join(RULES)}")
    if not paths:
        raise ValueError("no problem paths to score against")
    return RULES[rule](items, paths)
