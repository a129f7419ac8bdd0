"""Scores one trajectory: its rows, with a label for every item and the endpoints of every use (section 3)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from evrev.errors import DataError
from evrev.formats.plan import Plan
from evrev.formats.scenario import Scenario
from evrev.formats.task import TaskContract
from evrev.formats.trajectory import Trajectory, Use
from evrev.medication import AliasTable
from evrev.scoring.medication import (
    AnswerKey,
    ItemLabel,
    Labeller,
    MedicationOutcome,
    Reading,
    answer_key,
    medication_outcome,
    unanswered,
)
from evrev.scoring.problem_list import RULES, score_list
from evrev.scoring.rows import Row, call_rows, trajectory_row, use_fields

_KEPT = 512


class Scorer:
    """Turns trajectories into table rows under one plan, one task contract and one alias table (or none)."""

    def __init__(self, plan: Plan, contract: TaskContract, aliases: AliasTable | None) -> None:
        self._plan, self._contract = plan, contract
        self._lexical = Reading(None)
        self._main = Reading(aliases) if aliases else self._lexical
        self._answers: dict[tuple[str, bool, bool], AnswerKey] = {}

    def rows(self, trajectory: Trajectory, scenario: Scenario) -> Iterator[Row]:
        """Every row of one trajectory: itself, each use the plan asks for, each item, call and phase."""
        yield "trajectory", trajectory_row(trajectory, scenario)
        calls = {call.name: call for call in trajectory.calls}
        uses = self._uses(trajectory)
        for index, task in enumerate(self._plan.tasks):
            use = uses.get(index)
            row: dict[str, Any] = {"trajectory": trajectory.id, "use": index, "task": task}
            finish = calls[use.call].finish_reason if use else None
            row |= use_fields(use, finish)
            readable = use is not None and not row["format_failure"]
            items = use.items if use and readable else None
            score = self._medication if task == "medication" else self._problem_list
            yield from score(row, scenario, items)
        yield from call_rows(trajectory)

    def _uses(self, trajectory: Trajectory) -> dict[int, Use]:
        uses = {use.index: use for use in trajectory.uses}
        names = {call.name for call in trajectory.calls}
        planned = dict(enumerate(self._plan.tasks))
        for use in trajectory.uses:
            if planned.get(use.index) != use.task or use.call not in names:
                raise DataError(
                    f"use {use.index} ({use.task}) is not what the plan asks", where=trajectory.id
                )
        whole = len(uses) == len(planned) or trajectory.status == "failed"
        if len(uses) != len(trajectory.uses) or not whole:
            raise DataError(
                f"has {len(trajectory.uses)} uses, the plan asks {len(planned)}", where=trajectory.id
            )
        return uses

    def _medication(
        self, row: dict[str, Any], scenario: Scenario, items: Sequence[str] | None
    ) -> Iterator[Row]:
        main, labels = self._read(row, scenario, items, self._main)
        plain, plain_labels = main, labels
        if self._main is not self._lexical:
            plain, plain_labels = self._read(row, scenario, items, self._lexical)
        no_alias = {f"{name}_no_alias": value for name, value in vars(plain).items()}
        yield "use_outcome", {**row, **vars(main), **no_alias}
        for position, (label, other) in enumerate(zip(labels, plain_labels, strict=True)):
            yield (
                "item_label",
                {
                    **_item(row, "medication", position),
                    **vars(label),
                    "label_no_alias": other.label,
                },
            )

    def _read(
        self, row: Mapping[str, Any], scenario: Scenario, items: Sequence[str] | None, reading: Reading
    ) -> tuple[MedicationOutcome, list[ItemLabel]]:
        answer = self._answer(scenario, row["use"], reading)
        if items is None:
            return unanswered(answer), []
        labels = Labeller(answer, reading, self._lexical).label_all(items)
        return medication_outcome(answer, labels, accepted=row["accepted"]), labels

    def _answer(self, scenario: Scenario, use: int, reading: Reading) -> AnswerKey:
        one = (scenario.id, use >= 1, reading is self._main)
        if one not in self._answers:
            if len(self._answers) >= _KEPT:
                self._answers.clear()
            self._answers[one] = answer_key(scenario, use, self._contract, reading)
        return self._answers[one]

    def _problem_list(
        self, row: dict[str, Any], scenario: Scenario, items: Sequence[str] | None
    ) -> Iterator[Row]:
        paths = scenario.expected.problem_paths
        if not paths:
            raise DataError("states no problem path, and the plan asks for a problem list", where=scenario.id)
        scores = {rule: score_list(items or (), paths, rule) for rule in RULES}
        verdicts = {f"problem_{rule}": score.strict and row["accepted"] for rule, score in scores.items()}
        yield "use_outcome", {**row, **verdicts}
        for rule, score in scores.items():
            for position, item in enumerate(items or ()):
                yield (
                    "item_label",
                    {
                        **_item(row, f"problem_{rule}", position),
                        "item": item,
                        "label": score.outcomes[position],
                        "reason": score.reasons[position],
                    },
                )


def _item(row: Mapping[str, Any], scorer: str, position: int) -> dict[str, Any]:
    return {"trajectory": row["trajectory"], "use": row["use"], "scorer": scorer, "position": position}
