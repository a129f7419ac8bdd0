"""Run one trajectory: ingest, the uses, and the revision between the first use and the second (section 3)."""

from __future__ import annotations

import json
from typing import Any, Literal

from evrev.agent.answers import read_items
from evrev.agent.gate import Action, commit, read_set
from evrev.agent.graph import revise
from evrev.agent.memory import Memory
from evrev.agent.models import ContextOverflow
from evrev.agent.pipelines import Pipeline, PipelineError
from evrev.agent.pipelines.fault import one_message, step_of
from evrev.agent.prompting import Prompts
from evrev.agent.rows import Evidence
from evrev.agent.store import Store, insert_evidence
from evrev.agent.transcript import Caller, Reply, Request, Transcript
from evrev.errors import DataError
from evrev.formats.canonical import canonical_json, digest
from evrev.formats.plan import Plan
from evrev.formats.scenario import Document, Scenario, Task
from evrev.formats.task import TaskContract
from evrev.formats.trajectory import Failure, Parse, RevisionRecord, Trajectory, Use

__all__ = ["Caller", "run_trajectory"]


async def run_trajectory(
    scenario: Scenario,
    *,
    pipeline: Pipeline,
    plan: Plan,
    contract: TaskContract,
    model: str,
    system_role: Literal["keep", "merge"],
    call: Caller,
) -> Trajectory:
    """Run `pipeline` over `scenario` and return everything that happened, calls in logical order.

    `call` makes one model call. ContextOverflow, and whatever goes wrong in a pipeline of another package,
    end the trajectory as failed, with the calls and uses so far; ModelError and anything else passes through,
    for then nothing is known of it. Equal replies give an equal trajectory, in whatever order they arrive.
    """
    run = f"{scenario.id}.{pipeline.name}.{model}"
    transcript = Transcript(model, plan.decoding, call)
    prompts = Prompts(scenario.patient, contract, system_role)
    failure: Failure | None = None
    with Store.in_memory() as store:
        memory = Memory(store, transcript, prompts, run=run, patient=scenario.patient)
        episode = _Episode(scenario, pipeline, memory, run)
        try:
            await episode.play(plan.tasks)
        except (ContextOverflow, PipelineError) as error:
            failure = _failure(error)
        try:
            notes = _plain(pipeline, memory.notes)
        except PipelineError as error:
            notes, failure = {}, failure or _failure(error)
        rows = store.content_digest()
    return Trajectory(
        id=run,
        batch=plan.batch,
        scenario=scenario.id,
        scenario_digest=scenario.scenario_digest,
        patient=scenario.patient,
        partition=scenario.partition,
        event=scenario.event,
        size=scenario.size,
        level=scenario.level,
        pipeline=pipeline.name,
        model=model,
        decoding=plan.decoding,
        status="failed" if failure else "complete",
        failure=failure,
        calls=tuple(transcript.calls),
        uses=tuple(episode.uses),
        revision=episode.revision,
        store=rows,
        extra=notes,
    )


def _failure(error: ContextOverflow | PipelineError) -> Failure:
    overflow = isinstance(error, ContextOverflow)
    return Failure(kind="context_overflow" if overflow else "pipeline_error", message=one_message(str(error)))


def _plain(pipeline: Pipeline, notes: dict[str, Any]) -> dict[str, Any]:
    """A pipeline's notes as JSON will give them back."""
    with step_of(pipeline):
        plain: dict[str, Any] = json.loads(canonical_json(notes))
        return plain


def prompt_order(scenario: Scenario) -> tuple[Document, ...]:
    """The documents as every prompt shows them: scenario order, but the event document stands last.

    So a later use repeats the longest possible beginning of the one before, whatever happened to D4.
    """
    return tuple(sorted(scenario.documents, key=lambda document: document.id == scenario.event_document))


class _Episode:
    """One scenario played once."""

    def __init__(self, scenario: Scenario, pipeline: Pipeline, memory: Memory, run: str) -> None:
        self._scenario, self._pipeline, self._memory, self._run = scenario, pipeline, memory, run
        self.uses: list[Use] = []
        self.revision: RevisionRecord | None = None

    async def play(self, tasks: tuple[Task, ...]) -> None:
        self._connect()
        with step_of(self._pipeline):
            await self._pipeline.ingest(self._memory)
        for index, task in enumerate(tasks):
            if index == 1:
                await self._revise()
            await self._use(index, task)

    def _connect(self) -> None:
        """The connector delivers every document at its first version, the event document included."""
        with self._memory.store.writing() as db:
            for position, document in enumerate(prompt_order(self._scenario)):
                first = document.versions[0]
                row = Evidence(
                    id=document.id,
                    version=first.version,
                    source=document.source,
                    patient=self._scenario.patient,
                    title=document.title,
                    payload=first.payload,
                    digest=first.payload_digest,
                    status="active",
                    position=position,
                )
                insert_evidence(db, row)

    async def _revise(self) -> None:
        event = self._scenario.revision
        if event is None:
            return
        document = next(d for d in self._scenario.documents if d.id == event.document)
        replacement = None
        if event.action == "replace":
            if len(document.versions) < 2:
                raise DataError(f"{document.id} has no second version to replace it", where=self._scenario.id)
            replacement = document.versions[1]
        revised = revise(self._memory.store, document.id, replacement, propagate=self._pipeline.propagates)
        self._memory.enter("revise", "r:")
        with step_of(self._pipeline):
            self.revision = RevisionRecord(
                document=revised.document,
                action=revised.action,
                invalidated=revised.invalidated,
                rebuilt=tuple(await self._pipeline.revise(self._memory, revised)),
            )

    async def _use(self, index: int, task: Task) -> None:
        name = f"u{index}"
        self._memory.enter("use", f"{name}:")
        snapshot = self._memory.snapshot()
        with step_of(self._pipeline):
            view = self._pipeline.show(snapshot, task)
            reads = read_set(snapshot, view)
            messages = self._memory.prompts.use(view, snapshot.evidence, task)

        def read(reply: Reply) -> Parse:
            items, parse = read_items(*reply)
            # An answer that cannot be read is an action all the same: it meets the gate like any other.
            action = Action(self._run, name, snapshot.id, digest(reply.text))
            blocked_by = commit(self._memory.store, reads, action)
            self.uses.append(
                Use(
                    index=index,
                    task=task,
                    call=name,
                    snapshot=snapshot.id,
                    read_set=reads,
                    parse=parse,
                    items=items,
                    commit="blocked" if blocked_by else "accepted",
                    blocked_by=blocked_by,
                )
            )
            return parse

        await self._memory.transcript.ask([Request(name, "use", None, messages, read)])
