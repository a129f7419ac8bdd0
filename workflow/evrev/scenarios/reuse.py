"""Reuse between batches: who is used where, and how often (App. L and P)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple


class Cell(NamedTuple):
    """The patients of a batch, or of one of its strata, by pseudonym."""

    batch: str
    stratum: str | None
    patients: Sequence[str]

    @property
    def name(self) -> str:
        """How it is called in print."""
        return self.batch if self.stratum is None else f"{self.batch} {self.stratum}"


def reuse_of(reports: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Who is used where, from the reports (patients.json) of batches in the order in which they ran.

    `batches`: for each batch or stratum its number of patients, how many of them had been used in 0, 1, 2 ...
    earlier batches, and how many each earlier batch shares with it. `patients`: the batches of each patient.
    """
    used: dict[str, list[str]] = {}
    told = []
    for batch, report in reports.items():
        cells = _cells(batch, report)
        for cell in cells:
            earlier = Counter(len(used.get(patient, ())) for patient in cell.patients)
            shared = Counter(name for patient in cell.patients for name in used.get(patient, ()))
            told.append(
                {
                    "batch": cell.batch,
                    "stratum": cell.stratum,
                    "patients": len(cell.patients),
                    "used_before": {str(times): earlier[times] for times in sorted(earlier)},
                    "shared": {name: shared[name] for name in reports if shared[name]},
                }
            )
        for patient in dict.fromkeys(patient for cell in cells for patient in cell.patients):
            used.setdefault(patient, []).append(batch)
    return {"batches": told, "patients": used}


def render_reuse(reuse: Mapping[str, Any]) -> str:
    """The same as text: a line per batch or stratum, and how many patients are used how often."""
    lines = ["reuse of patients, batch by batch"]
    for told in reuse["batches"]:
        name = Cell(told["batch"], told["stratum"], ()).name
        new = told["used_before"].get("0", 0)
        again = [
            f"{count} for the {_ordinal(int(times) + 1)} time"
            for times, count in told["used_before"].items()
            if times != "0"
        ]
        shared = ", ".join(f"{batch} {count}" for batch, count in told["shared"].items())
        whose = f" (shared with {shared})" if shared else ""
        used = ", ".join([f"{new} first used here", *again])
        lines.append(f"  {name}: {told['patients']} patients: {used}{whose}")
    times = Counter(len(batches) for batches in reuse["patients"].values())
    often = ", ".join(f"{times[count]} in {count}" for count in sorted(times))
    lines.append(f"  {len(reuse['patients'])} distinct patients; by number of batches: {often or 'none'}")
    return "\n".join(lines)


def _cells(batch: str, report: Mapping[str, Any]) -> list[Cell]:
    cells: dict[str | None, list[str]] = {}
    for patient in report["patients"]:
        if patient["scenarios"]:
            cells.setdefault(patient.get("stratum"), []).append(patient["patient"])
    return [Cell(batch, stratum, patients) for stratum, patients in cells.items()]


def _ordinal(number: int) -> str:
    ending = {1: "st", 2: "nd", 3: "rd"}.get(number if number < 20 else number % 10, "th")
    return f"{number}{ending}"
