"""E0: no event document and no revision."""

from __future__ import annotations

from evrev.scenarios.events.base import Case, EventRule
from evrev.scenarios.target import Pool, Target


def build(target: Target, _pool: Pool) -> Case:
    """The patient's own documents."""
    return Case(target.documents)


RULE = EventRule(build, "no event document and no revision")
