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
        plain = isinstance(fault["input"], (str, int, float))
        said = plain and fault["type"] not in {"extra_forbidden", "value_error"}
        given = f", not {fault['input']!r}"[:120] if said else ""
        lines.append(f"{key}: {fault['msg'].removeprefix('Value error, ')}{given}")
    return "; ".join(lines)
