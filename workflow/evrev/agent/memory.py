"""What a pipeline can do to memory: extract, summarise, rebuild all or part; each step from one snapshot."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

from evrev.agent.answers import read_summary
from evrev.agent.extraction import read_claims
from evrev.agent.gateway import Origin, admit_claims, admit_summary
from evrev.agent.prompting import Prompts
from evrev.agent.rows import GLOBAL, Evidence, Node, claims_id, summary_id
from evrev.agent.snapshot import Snapshot, take_snapshot
from evrev.agent.store import Store
from evrev.agent.transcript import Reply, Request, Transcript
from evrev.formats.trajectory import Parse, Phase


class Memory:
    """The memory of one trajectory, as its pipeline works on it.

    Every step makes its calls at once and returns the ids of the nodes it wrote, in dependency order. `notes`
    go into the trajectory's `extra`.
    """

    def __init__(
        self, store: Store, transcript: Transcript, prompts: Prompts, *, run: str, patient: str
    ) -> None:
        self.store, self.transcript, self.prompts = store, transcript, prompts
        self.notes: dict[str, Any] = {}
        self._run, self._patient, self._prefix = run, patient, ""

    def enter(self, phase: Phase, prefix: str = "") -> None:
        """Count what follows under `phase`; `prefix` stands before the names of its calls."""
        self.transcript.phase, self._prefix = phase, prefix

    def snapshot(self) -> Snapshot:
        """The store as it is now."""
        return take_snapshot(self.store)

    async def build(self) -> tuple[str, ...]:
        """Every node of the active documents: all claims, then all summaries, then the global summary."""
        return *await self.extract(), *await self.summarise(), *await self.combine()

    async def recompute(self, nodes: Collection[str]) -> tuple[str, ...]:
        """Those of `nodes` that still have an input, each after what it is made from (H5)."""
        documents = [row.id for row in self.snapshot().documents]
        claims = await self.extract([d for d in documents if claims_id(d) in nodes])
        summaries = await self.summarise([d for d in documents if summary_id(d) in nodes])
        return *claims, *summaries, *(await self.combine() if GLOBAL in nodes else ())

    async def extract(self, documents: Collection[str] | None = None) -> tuple[str, ...]:
        """The claims of each active document, of all or of those named: one call for each."""
        snapshot = self.snapshot()
        shown = [row for row in snapshot.documents if documents is None or row.id in documents]
        written: list[str] = []
        await self.transcript.ask(self._extraction(row, snapshot, written) for row in shown)
        return tuple(written)

    async def summarise(self, documents: Collection[str] | None = None) -> tuple[str, ...]:
        """The summary of each document with active claims, even if it has no fact: one call for each."""
        snapshot = self.snapshot()
        claims = [n for n in snapshot.of_kind("claims") if documents is None or n.document in documents]
        written: list[str] = []
        await self.transcript.ask(self._summary(node, snapshot, written) for node in claims)
        return tuple(written)

    async def combine(self) -> tuple[str, ...]:
        """The global summary of the document summaries: one call, or none without a summary."""
        snapshot = self.snapshot()
        summaries = snapshot.of_kind("summary")
        if not summaries:
            return ()
        written: list[str] = []
        messages = self.prompts.global_summary(summaries, snapshot.evidence)
        name = f"{self._prefix}G" if self._prefix else "G@1"
        read = self._reader(summaries, GLOBAL, snapshot, written)
        await self.transcript.ask([Request(name, "global_summary", None, messages, read)])
        return tuple(written)

    def _extraction(self, shown: Evidence, snapshot: Snapshot, written: list[str]) -> Request:
        def read(reply: Reply) -> Parse:
            claims = read_claims(*reply)
            admission = admit_claims(self.store, shown, claims.claims, self._origin(snapshot))
            if admission.written:
                written.append(claims_id(shown.id))
            return Parse(
                status=claims.parse.status,
                repairs=(*claims.parse.repairs, *admission.faults),
                capped=claims.parse.capped,
                admitted=admission.admitted,
                rejected=admission.rejected + claims.malformed,
            )

        name = f"{self._prefix}e:{shown.id}@{shown.version}"
        return Request(name, "extraction", shown.id, self.prompts.extraction(shown), read)

    def _summary(self, claims: Node, snapshot: Snapshot, written: list[str]) -> Request:
        document = snapshot.evidence[claims.document or ""]
        ((_, version),) = claims.parents
        return Request(
            f"{self._prefix}s:{document.id}@{version}",
            "summary",
            document.id,
            self.prompts.summary(document, claims.facts),
            self._reader((claims,), summary_id(document.id), snapshot, written),
        )

    def _reader(
        self, inputs: tuple[Node, ...], id_: str, snapshot: Snapshot, written: list[str]
    ) -> Callable[[Reply], Parse]:
        def read(reply: Reply) -> Parse:
            text, parse = read_summary(*reply)
            if admit_summary(self.store, text, inputs, self._origin(snapshot)):
                written.append(id_)
                return parse
            return parse.model_copy(update={"repairs": (*parse.repairs, "stale_input")})

        return read

    def _origin(self, snapshot: Snapshot) -> Origin:
        return Origin(self._run, self._patient, snapshot.id)
