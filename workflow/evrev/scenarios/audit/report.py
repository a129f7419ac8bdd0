"""What an audit finds, and how it is told."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import NamedTuple


class Finding(NamedTuple):
    """One disagreement: where, about what, what the scenario states and what the tables give."""

    scenario: str
    about: str
    states: str
    derived: str

    def __str__(self) -> str:
        return f"{self.scenario}: {self.about}: states {self.states}, the tables give {self.derived}"


class AliasKey(NamedTuple):
    """A key of a scenario whose class, or whose drug, is another when the alias table is off."""

    scenario: str
    key: str
    with_aliases: str
    without: str


@dataclass
class Report:
    """The audit of some batches: what was compared, what disagrees, and what rests on an alias."""

    compared: Counter[str] = field(default_factory=Counter)
    findings: list[Finding] = field(default_factory=list)
    alias_keys: list[AliasKey] = field(default_factory=list)

    def check(self, scenario: str, about: str, states: object, derived: object) -> None:
        """Compare one thing."""
        self.compared[about.split(" ", 1)[0] if about[0] == "D" else about] += 1
        if states != derived:
            self.findings.append(Finding(scenario, about, _told(states), _told(derived)))

    def __str__(self) -> str:
        counts = ", ".join(f"{count} {about}" for about, count in sorted(self.compared.items()))
        lines = [f"compared: {counts}", f"disagreements: {len(self.findings)}"]
        lines += [f"  {finding}" for finding in self.findings]
        kinds = Counter((one.key, one.with_aliases, one.without) for one in self.alias_keys)
        lines.append(f"keys that depend on an alias: {len(kinds)}")
        lines += [
            f"  {key}: {with_aliases}; without the alias table {without} ({count} scenarios)"
            for (key, with_aliases, without), count in sorted(kinds.items())
        ]
        return "\n".join(lines)


def _told(value: object) -> str:
    return ", ".join(map(str, value)) or "nothing" if isinstance(value, (tuple, list)) else str(value)
