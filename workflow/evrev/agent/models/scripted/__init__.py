"""The scripted reader: a deterministic stand-in for a model, labelled as such in every output."""

from __future__ import annotations

from evrev.agent.models.scripted.reader import ScriptedReader

__all__ = ["ScriptedReader"]
