"""Hand-made scenarios, trajectories and shards: one small patient under every event."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from evrev.formats.canonical import digest, digest_file, write_json
from evrev.formats.manifest import Manifest
from evrev.formats.plan import PatientRule, Plan
from evrev.formats.scenario import Document, Event, Expected, Revision, Scenario, Support, Version
from evrev.formats.settings import ROOT
from evrev.formats.task import load_task_contract
from evrev.formats.trajectory import (
    Call,
    Decoding,
    Failure,
    Parse,
    RevisionRecord,
    Trajectory,
    Usage,
    Use,
)
from evrev.formats.trajectory_io import NAME, write_trajectories

CONTRACT = load_task_contract(ROOT / "resources" / "task_contract.yaml")
ORDERS = (
    "MEDICATION | ASPIRIN 81 MG TABS | 81 MG | PO | DAILY",
    "MEDICATION | metoprolol tartrate 25 MG TABS | 25 MG | PO | BID",
    "MEDICATION | ZOFRAN 4 MG/2 ML VIAL | 4 MG | IV | Q6H PRN",
    "MEDICATION | HYDROCODONE-ACETAMINOPHEN 5-325 MG TABS | 1 TAB | PO | Q4H PRN",
)
PATHS = ("cardiovascular|chest pain / ASHD|acute coronary syndrome|chest pain", "pulmonary|pneumonia")
PROBLEMS = tuple(f"PROBLEM | {path}" for path in PATHS)
LABS = ("LAB | potassium | 4.1 mmol/L", "LAB | Hgb | <7.0 g/dL")
ASPIRIN, METOPROLOL, ZOFRAN, COMBINATION = (line.removeprefix("MEDICATION | ") for line in ORDERS)
PERFECT = (ASPIRIN, METOPROLOL, ZOFRAN)
VANCOMYCIN = "VANCOMYCIN 1 GM VIAL | 1 G | IV | Q12H"
FUROSEMIDE = "cardiovascular|non-operative|diuretic|furosemide"
LISINOPRIL = "LISINOPRIL {} MG TABS | {} MG | PO | DAILY"


def _document(name: str, kind: Any, source: Any, *versions: Sequence[str]) -> Document:
    numbered = tuple(Version(version=n, lines=tuple(lines)) for n, lines in enumerate(versions, start=1))
    return Document(id=name, kind=kind, source=source, title=kind, versions=numbered)


def _row(key: str, kind: Any, before: Sequence[str], after: Sequence[str], resolved: str = "") -> Support:
    return Support(
        key=key, resolved=resolved or key, support_class=kind, before=tuple(before), after=tuple(after)
    )


def make_scenario(event: Event = "E1", *, patient: str = "p00000001", aliases: bool = True) -> Scenario:
    """The patient of `ORDERS`, `PATHS` and `LABS` under one event, built with the alias table on or off."""
    ondansetron = "ondansetron" if aliases else "zofran"
    documents = [
        _document("D1", "orders", "pharmacy", ORDERS),
        _document("D2", "problems", "ehr", PROBLEMS),
        _document("D3", "laboratory", "lab", LABS),
    ]
    aspirin = ["D1", "D4"] if event == "E1b" else ["D1"]
    support = [
        _row("aspirin", "still_supported", aspirin, ["D1"]),
        _row("metoprolol", "still_supported", ["D1"], ["D1"]),
        _row("zofran", "still_supported", ["D1"], ["D1"], resolved=ondansetron),
        _row("acetaminophen", "ambiguous", ["D1"], ["D1"]),
        _row("hydrocodone", "ambiguous", ["D1"], ["D1"]),
    ]
    kept = ("aspirin", "metoprolol", ondansetron)
    before: tuple[str, ...] = kept
    after: tuple[str, ...] = kept
    event_key, revision = None, None
    if event in ("E1", "E1b"):
        line = VANCOMYCIN if event == "E1" else ASPIRIN
        documents.append(_document("D4", "orders", "pharmacy", [f"MEDICATION | {line}"]))
        revision = Revision(document="D4", action="revoke")
        event_key = "vancomycin" if event == "E1" else "aspirin"
        if event == "E1":
            support.append(_row("vancomycin", "unique_support_revoked", ["D4"], []))
            before = (*kept, "vancomycin")
    elif event == "E2":
        lines = ([f"MEDICATION | {LISINOPRIL.format(n, n)}"] for n in (10, 20))
        documents.append(_document("D4", "orders", "pharmacy", *lines))
        revision = Revision(document="D4", action="replace")
        event_key = "lisinopril"
        support.append(_row("lisinopril", "conflict", ["D4"], ["D4"]))
        before = after = (*kept, "lisinopril")
    elif event == "E4":
        documents.append(_document("D4", "treatments", "ehr", [f"TREATMENT | {FUROSEMIDE}"]))
        event_key = "furosemide"
        support.append(_row("furosemide", "irrelevant", [], []))
    return Scenario(
        id=f"{patient}-{event}-small",
        patient=patient,
        partition="sealed",
        event=event,
        size="small",
        documents=tuple(documents),
        event_document="D4" if len(documents) > 3 else None,
        event_key=event_key,
        revision=revision,
        support=tuple(support),
        expected=Expected(medication_before=before, medication_after=after, problem_paths=PATHS),
        task_contract=CONTRACT.contract_digest,
        builder="hand",
        seed=1,
    )


def make_plan(**changes: Any) -> Plan:
    """A held-out-like plan with two pipelines."""
    plan = {
        "batch": "hand",
        "role": "development",
        "title": "hand-made",
        "patients": PatientRule(partition="sealed", n=2),
        "events": ("E0", "E1", "E1b", "E2", "E4"),
        "sizes": ("small",),
        "pipelines": ("reread", "cache"),
        "shards": "model",
        "endpoints": ("strict", "stale", "problem_list", "tokens"),
    }
    return Plan.model_validate(plan | changes)


def make_call(name: str, phase: Any = "use", kind: Any = "use", **changes: Any) -> Call:
    """A call with 100 prompt and 10 completion tokens."""
    call = {
        "name": name,
        "phase": phase,
        "kind": kind,
        "messages": (),
        "request": digest(name),
        "response": "",
        "finish_reason": "stop",
        "usage": Usage(prompt=100, completion=10),
        "parse": Parse(status="strict"),
    }
    return Call.model_validate(call | changes)


def make_trajectory(
    scenario: Scenario,
    *,
    answers: Sequence[Sequence[str] | None] | None = None,
    pipeline: str = "reread",
    model: str = "m1",
    calls: Iterable[Call] = (),
    finish: dict[int, str] | None = None,
    blocked: Iterable[int] = (),
    failure: Failure | None = None,
    plan: Plan | None = None,
    **changes: Any,
) -> Trajectory:
    """A trajectory that gives `answers`, one per use (none: unreadable), perfect ones unless told."""
    plan = plan or make_plan()
    if answers is None:
        answers = (perfect(scenario, 0), perfect(scenario, 1), PATHS)
    blocked = set(blocked)
    made, uses = list(calls), []
    for index, items in enumerate(answers):
        reason = (finish or {}).get(index, "stop")
        parse = Parse(status="failed" if items is None else "strict", capped=reason == "length")
        made.append(make_call(f"u{index}", finish_reason=reason, parse=parse))
        uses.append(
            Use(
                index=index,
                task=plan.tasks[index],
                call=f"u{index}",
                snapshot="0" * 64,
                read_set=(),
                parse=parse,
                items=None if items is None else tuple(items),
                commit="blocked" if index in blocked else "accepted",
            )
        )
    revision = scenario.revision
    record = {
        "id": f"{scenario.id}.{pipeline}.{model}",
        "batch": plan.batch,
        "scenario": scenario.id,
        "scenario_digest": scenario.scenario_digest,
        "patient": scenario.patient,
        "partition": scenario.partition,
        "event": scenario.event,
        "size": scenario.size,
        "pipeline": pipeline,
        "model": model,
        "decoding": Decoding(),
        "status": "failed" if failure else "complete",
        "failure": failure,
        "calls": tuple(made),
        "uses": tuple(uses),
        "revision": revision
        and RevisionRecord(document="D4", action=revision.action, invalidated=(), rebuilt=()),
    }
    return Trajectory.model_validate(record | changes)


def perfect(scenario: Scenario, use: int) -> tuple[str, ...]:
    """The medication list a careful reader of the allowed documents writes at a use."""
    extra = {"E1": (VANCOMYCIN,) if use == 0 else (), "E2": (LISINOPRIL.format(20, 20),)}
    return (*PERFECT, *extra.get(scenario.event, ()))


def write_scenarios(folder: Path, scenarios: Iterable[Scenario]) -> Path:
    """A scenario folder as the builder leaves it."""
    folder.mkdir(parents=True)
    ids = []
    for scenario in scenarios:
        write_json(folder / f"{scenario.id}.json", scenario)
        ids.append(scenario.id)
    (folder / "patients.json").write_text(json.dumps({"patients": [{"scenarios": ids}]}))
    return folder


def write_shard(folder: Path, trajectories: Iterable[Trajectory]) -> Path:
    """A finished shard folder: the trajectories, and the manifest that states their digest."""
    folder.mkdir(parents=True)
    write_trajectories(folder / NAME, trajectories)
    seal(folder)
    return folder


def seal(folder: Path) -> None:
    """Write the manifest of a shard for the trajectory file as it now is."""
    outputs = {NAME: digest_file(folder / NAME)}
    write_json(folder / "manifest.json", Manifest(stage="agent", key="0" * 12, code="0", outputs=outputs))
