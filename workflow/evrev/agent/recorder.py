"""Model calls that are made once: from the journal if they are there, else from the model and into it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from evrev.agent.journal import Entry, Journal
from evrev.agent.models import Completion, ContextOverflow, Decoding, Message, ModelClient, Usage
from evrev.agent.progress import Progress
from evrev.agent.run_record import CallTime
from evrev.agent.transcript import request_digest
from evrev.errors import FrozenError


@dataclass
class Tally:
    """The calls of one trajectory: how many were made now and before, what they cost and took."""

    asked: int = 0
    replayed: int = 0
    overflows: int = 0
    retries: int = 0
    prompt: int = 0
    completion: int = 0
    times: list[CallTime] = field(default_factory=list)

    def __add__(self, other: Tally) -> Tally:
        """Both together, without the times."""
        counts = ("asked", "replayed", "overflows", "retries", "prompt", "completion")
        return Tally(**{name: getattr(self, name) + getattr(other, name) for name in counts})

    def count(self, entry: Entry, *, resumed: bool) -> None:
        """Take in one call."""
        self.times.append(CallTime(entry.trajectory, entry.name, entry.latency, entry.attempts, resumed))
        self.retries += entry.attempts - 1
        if entry.outcome == "overflow":
            self.overflows += 1
            return
        self.asked += not resumed
        self.replayed += resumed
        self.prompt += entry.usage.prompt
        self.completion += entry.usage.completion


class Recorder:
    """Makes calls for all trajectories of a shard, at most `concurrency` at once.

    `failed` is the first error that stopped a call, of any kind; a trajectory that ends after it is not to be
    believed.
    """

    def __init__(
        self, client: ModelClient, model: str, journal: Journal, concurrency: int, progress: Progress
    ) -> None:
        self._client, self._model, self._journal, self.progress = client, model, journal, progress
        # A place is kept until the reply is on disk: a kill loses no more calls than may be in flight.
        self._places = asyncio.Semaphore(concurrency)
        self._session, self._began = journal.sessions + 1, time.monotonic()
        self.failed: Exception | None = None

    async def call(
        self, call: tuple[str, str], messages: Sequence[Message], decoding: Decoding, tally: Tally
    ) -> Completion:
        """The completion of `call` (trajectory and name), durable by then.

        ContextOverflow: the model cannot hold the prompt; recorded like a reply, and raised again on replay.
        FrozenError: the journal has another request under this name. ModelError, EvrevError: see the client
        and the journal.
        """
        try:
            request = request_digest(messages, self._model, decoding)
            entry = self._recorded(call, request)
            resumed = entry is not None
            if entry is None:
                async with self._places:
                    entry = await self._ask(call, request, messages, decoding)
                    await self._journal.append(entry)
        except Exception as error:
            self.failed = self.failed or error
            raise
        tally.count(entry, resumed=resumed)
        self.progress.call(entry.usage.prompt + entry.usage.completion, resumed=resumed)
        if entry.outcome == "overflow":
            raise ContextOverflow(entry.text)
        return entry.completion

    def _recorded(self, call: tuple[str, str], request: str) -> Entry | None:
        entry = self._journal.find(*call)
        if entry is not None and entry.request != request:
            raise FrozenError(
                f"call {call[1]} of {call[0]} is not the request that was recorded: recorded "
                f"{entry.request[:12]}, now {request[:12]}",
                where=self._journal.path,
                remedy="undo the change of code, prompts or settings, or start another run on purpose: "
                "--config thaw=BATCH",
            )
        return entry

    async def _ask(
        self, call: tuple[str, str], request: str, messages: Sequence[Message], decoding: Decoding
    ) -> Entry:
        outcome: Literal["reply", "overflow"] = "reply"
        try:
            reply = await self._client.complete(messages, decoding)
        except ContextOverflow as refusal:
            reply, outcome = Completion(str(refusal), Usage(prompt=0, completion=0), "refused"), "overflow"
        return Entry(
            trajectory=call[0],
            name=call[1],
            request=request,
            outcome=outcome,
            text=reply.text,
            usage=reply.usage,
            finish_reason=reply.finish_reason,
            latency=reply.latency,
            attempts=reply.attempts,
            session=self._session,
            elapsed=time.monotonic() - self._began,
        )
