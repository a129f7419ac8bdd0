"""Where a trajectory's calls and tokens go: ingest, use 0, the revision, the later uses (section 3)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from evrev.errors import DataError
from evrev.formats.trajectory import Call

CostPhase = Literal["ingest", "use0", "revise", "later_uses"]
PHASES: tuple[CostPhase, ...] = ("ingest", "use0", "revise", "later_uses")


@dataclass(frozen=True)
class PhaseCost:
    """Model calls and the tokens they read and wrote."""

    calls: int = 0
    prompt: int = 0
    completion: int = 0

    @property
    def total(self) -> int:
        """Prompt and completion tokens together."""
        return self.prompt + self.completion

    def plus(self, call: Call) -> PhaseCost:
        """This cost with one more call."""
        usage = call.usage
        return PhaseCost(self.calls + 1, self.prompt + usage.prompt, self.completion + usage.completion)


def use_of(call: Call) -> int | None:
    """The use a call answers, from its name (`u0`, `u1` ...), or none for any other call."""
    if call.kind != "use":
        return None
    number = call.name.removeprefix("u")
    if not number.isdecimal():
        raise DataError(f"a use call is named u0, u1 ..., not {call.name!r}")
    return int(number)


def phase_of(call: Call) -> CostPhase:
    """The cost phase of a call: the use before the revision is told apart from those after it."""
    if call.phase == "use":
        return "later_uses" if use_of(call) else "use0"
    return call.phase


def phase_costs(calls: Iterable[Call]) -> dict[CostPhase, PhaseCost]:
    """The cost of every phase, zero where a pipeline makes no call; recorded calls count once each."""
    costs = dict.fromkeys(PHASES, PhaseCost())
    for call in calls:
        phase = phase_of(call)
        costs[phase] = costs[phase].plus(call)
    return costs
