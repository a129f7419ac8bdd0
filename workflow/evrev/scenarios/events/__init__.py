"""The events, one module each (section 3, "Revision events and controls")."""

from __future__ import annotations

from evrev.formats.scenario import Event
from evrev.scenarios.events import e0, e1, e1b, e2, e4
from evrev.scenarios.events.base import EventRule

EVENTS: dict[Event, EventRule] = {
    "E0": e0.RULE, "E1": e1.RULE, "E1b": e1b.RULE, "E2": e2.RULE, "E4": e4.RULE
}  # fmt: skip
