"""E1: a misfiled order of a drug that nothing else in the patient's record names."""

from __future__ import annotations

from evrev.scenarios.events.base import Case, EventRule
from evrev.scenarios.events.misfiled import misfiled
from evrev.scenarios.formulary import Drug
from evrev.scenarios.target import Pool, Target, words


def build(target: Target, pool: Pool) -> Case | None:
    """The patient's documents and a donor's order whose drug stands nowhere else."""
    return misfiled(target, pool, "E1", lambda drug: is_foreign(drug, target))


def is_foreign(drug: Drug, target: Target) -> bool:
    """Whether nothing in the whole stay names the drug, and no text of it holds a word of the drug's keys."""
    if drug.ambiguous or not drug.names.isdisjoint(target.ordered | target.treated):
        return False
    return words(drug.key, drug.resolved).isdisjoint(target.record_words | target.treatment_words)


RULE = EventRule(
    build,
    title="a misfiled order of a drug that nothing else names is revoked after use0",
    lacking="E1: no donor order of a drug that nothing in the stay names",
)
