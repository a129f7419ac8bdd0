"""The base of every record that passes between rooms: immutable, and no unknown key is let through."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, ValidationError


class Record(BaseModel):
    """A frozen pydantic model that rejects unknown keys."""

    model_config = ConfigDict(frozen=True, extra="forbid")


def explain(error: ValidationError) -> str:
    """A validation error in one line per fault: the key, what is wrong, and the value given."""
    lines = []
    for fault in error.errors():
        key = ".".join(str(part) for part in fault["loc"]) or "(whole file)"
        given = "" if fault["type"] in {"missing", "extra_forbidden"} else f", not {fault['input']!r}"[:120]
        lines.append(f"{key}: {fault['msg']}{given}")
    return "; ".join(lines)
