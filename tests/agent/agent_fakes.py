"""Invented scenarios and a scripted caller for the tests of the agent room."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from evrev.agent.models import Completion
from evrev.agent.pipelines import Pipeline, pipelines
from evrev.agent.rows import Evidence
from evrev.agent.store import Store, insert_evidence
from evrev.agent.trajectory import run_trajectory
from evrev.formats.plan import PatientRule, Plan
from evrev.formats.scenario import Document, Event, Expected, Revision, Scenario, Version
from evrev.formats.task import TaskContract, load_task_contract
from evrev.formats.trajectory import Decoding, Message, Trajectory, Usage

ROOT = Path(__file__).resolve().parents[2]
CONTRACT: TaskContract = load_task_contract(ROOT / "resources" / "task_contract.yaml")
PATIENT = "p00000001"
THREE_USES = ("medication", "medication", "problem_list")
_BODIES: dict[str, tuple[Any, str, str, tuple[str, ...]]] = {
    "D1": ("orders", "pharmacy", "medication orders", ("MEDICATION | alphadrol 5 mg | 5 mg | PO | DAILY",)),
    "D2": ("problems", "ehr", "problem list", ("PROBLEM | cardiovascular|arrhythmias|invented flutter",)),
    "D3": ("laboratory", "lab", "laboratory results", ("LAB | sodium | 140 mmol/L", "LAB | lactate | <0.02")),
}


def make_document(
    id_: str, *payloads: tuple[str, ...], source: str = "pharmacy", kind: Any = "orders"
) -> Document:
    """A document with one version for each payload."""
    versions = tuple(Version(version=n, lines=lines) for n, lines in enumerate(payloads, start=1))
    return Document(id=id_, kind=kind, source=source, title=f"record {id_}", versions=versions)


def make_scenario(event: Event = "E1", n: int = 3) -> Scenario:
    """A scenario of `n` documents besides the event document D4, in scenario order: D1-D4, then D5 ..."""
    names = [f"D{i}" for i in range(1, n + 2) if i != 4]
    documents = []
    for name in names[:n]:
        kind, source, title, lines = _BODIES.get(
            name,
            (
                "orders",
                "pharmacy",
                "later orders",
                (f"MEDICATION | later{name.lower()} 1 mg | 1 mg | PO | BID",),
            ),
        )
        documents.append(
            Document(
                id=name, kind=kind, source=source, title=title, versions=(Version(version=1, lines=lines),)
            )
        )
    revision = None
    if event != "E0":
        first = ("MEDICATION | omegazol 10 mg | 10 mg | IV | Q6H",)
        second = ("MEDICATION | omegazol 20 mg | 20 mg | IV | Q6H",)
        if event == "E4":
            documents.insert(
                3, make_document("D4", ("TREATMENT | drug|omegazol",), source="ehr", kind="treatments")
            )
        else:
            documents.insert(3, make_document("D4", first, *([second] if event == "E2" else [])))
            revision = Revision(document="D4", action="replace" if event == "E2" else "revoke")
    return Scenario(
        id=f"{PATIENT}-{event}-small",
        patient=PATIENT,
        partition="development",
        event=event,
        size="small",
        documents=tuple(documents),
        event_document=None if event == "E0" else "D4",
        revision=revision,
        support=(),
        expected=Expected(medication_before=(), medication_after=(), problem_paths=()),
        task_contract=CONTRACT.contract_digest,
        builder="1",
        seed=0,
    )


def make_plan(tasks: tuple[Any, ...] = THREE_USES) -> Plan:
    """A plan over every event with the given uses."""
    return Plan(
        batch="invented",
        role="development",
        title="Invented",
        patients=PatientRule(partition="development", n=1),
        events=("E0", "E1", "E1b", "E2", "E4"),
        sizes=("small",),
        pipelines=("reread", "cache", "rebuild", "local_repair"),
        tasks=tasks,
        shards="model",
    )


def answer(name: str, messages: tuple[Message, ...]) -> str:
    """A well-formed reply read off the prompt: every line a claim, every shown line an item."""
    text = messages[-1].content
    kind = name.removeprefix("r:")[0]
    if kind == "e":
        header, *lines = text[text.index("Document D") :].split("\n\nState every fact")[0].split("\n")
        document = header.split()[1]
        claims = [_claim(line, document) for line in lines]
        return json.dumps({"claims": claims})
    if kind in "sG":
        return json.dumps({"summary": f"summary over {text.count(chr(10) + '- ')} lines"})
    marks = ("MEDICATION | ", "PROBLEM | ", "- med | ", "- problem | ")
    shown = [line for line in text.splitlines() if line.startswith(marks)]
    return json.dumps({"items": [line.split(" | ")[1] for line in shown]})


def _claim(line: str, document: str) -> dict[str, str]:
    label, _, content = line.partition(" | ")
    types = {"MEDICATION": "med", "TREATMENT": "med", "PROBLEM": "problem", "LAB": "lab"}
    return {"type": types.get(label, "other"), "content": content, "evidence": document}


class Scripted:
    """A caller that answers at once; `replies` overrides single calls, `hook` sees each before its reply."""

    def __init__(
        self,
        replies: dict[str, str | Exception] | None = None,
        *,
        finish: dict[str, str] | None = None,
        hook: Callable[[str], None] | None = None,
        last_first: bool = False,
    ) -> None:
        self.replies, self.finish, self.hook, self.last_first = replies or {}, finish or {}, hook, last_first
        self.names: list[str] = []
        self.ended: list[str] = []
        self.prompts: dict[str, str] = {}

    async def __call__(self, name: str, messages: tuple[Message, ...], decoding: Decoding) -> Completion:  # noqa: ARG002
        self.names.append(name)
        self.prompts[name] = messages[-1].content
        if self.last_first:
            # Calls of one step pass control to each other so often that the last one ends first.
            for _ in range(200 - len(self.names)):
                await asyncio.sleep(0)
        if self.hook:
            self.hook(name)
        self.ended.append(name)
        reply = self.replies[name] if name in self.replies else answer(name, messages)
        if isinstance(reply, Exception):
            raise reply
        return Completion(reply, Usage(prompt=10, completion=5), self.finish.get(name, "stop"), latency=0.5)


def play(
    scenario: Scenario,
    pipeline: str | Pipeline,
    caller: Scripted | None = None,
    *,
    plan: Plan | None = None,
    system_role: Any = "keep",
) -> Trajectory:
    """Run one trajectory to its end."""
    chosen = pipelines()[pipeline]() if isinstance(pipeline, str) else pipeline
    return asyncio.run(
        run_trajectory(
            scenario,
            pipeline=chosen,
            plan=plan or make_plan(),
            contract=CONTRACT,
            model="scripted",
            system_role=system_role,
            call=caller or Scripted(),
        )
    )


def make_evidence(id_: str, version: int = 1, **changes: Any) -> Evidence:
    """An active pharmacy document of the invented patient."""
    row = Evidence(
        id_, version, "pharmacy", PATIENT, "orders", f"MEDICATION | {id_}", f"digest-{id_}", "active", 0
    )
    return row._replace(position=int(id_[1:]), **changes)


def store_with(*rows: Evidence, store: Store | None = None) -> Store:
    """A store holding these documents."""
    store = store or Store.in_memory()
    with store.writing() as db:
        for row in rows:
            insert_evidence(db, row)
    return store
