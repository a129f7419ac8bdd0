"""E1b: a misfiled order of a drug that the patient's own orders also hold."""

from __future__ import annotations

from evrev.scenarios.events.base import Case, EventRule
from evrev.scenarios.events.misfiled import misfiled
from evrev.scenarios.target import Pool, Target


def build(target: Target, pool: Pool) -> Case | None:
    """The patient's documents and a donor's order, at any dose, of a drug on D1.

    Its lexical key must stand on D1 as well as its class, so that the drug keeps its support with the alias
    table on or off.
    """
    shown = {(drug.key, drug.resolved) for drug in target.on_d1 if not drug.ambiguous}
    return misfiled(target, pool, "E1b", lambda drug: (drug.key, drug.resolved) in shown)


RULE = EventRule(
    build,
    title="a misfiled order of a drug that D1 also holds is revoked after use0, and the drug stays",
    lacking="E1b: no donor order of a drug on D1",
)
