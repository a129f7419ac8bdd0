"""The medication vocabulary: what a name is compared by, in records, scenarios and scoring alike."""

from __future__ import annotations

from evrev.medication.aliases import AliasRow, AliasTable, load_aliases, medication_class
from evrev.medication.key import MedicationKey, medication_key
from evrev.medication.non_drugs import is_not_a_drug
from evrev.medication.treatment import treatment_drug

__all__ = [
    "AliasRow",
    "AliasTable",
    "MedicationKey",
    "is_not_a_drug",
    "load_aliases",
    "medication_class",
    "medication_key",
    "treatment_drug",
]
