"""Scoring a medication list: its keys, the label of each item, and the endpoints of the use (section 3)."""

from __future__ import annotations

from evrev.medication import MedicationKey, medication_key
from evrev.scoring.answer_key import AnswerKey, Reading, active_documents, answer_key
from evrev.scoring.endpoints import MedicationOutcome, medication_outcome, unanswered
from evrev.scoring.labels import IGNORED, ItemLabel, Label, Labeller

__all__ = [
    "IGNORED",
    "AnswerKey",
    "ItemLabel",
    "Label",
    "Labeller",
    "MedicationKey",
    "MedicationOutcome",
    "Reading",
    "active_documents",
    "answer_key",
    "medication_key",
    "medication_outcome",
    "unanswered",
]
