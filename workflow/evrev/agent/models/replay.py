"""A client that answers from recorded calls alone, and never from a server."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from evrev.agent.models import Completion, Decoding, Message
from evrev.agent.transcript import request_digest
from evrev.errors import ModelError
from evrev.formats.trajectory import Call


class Replay:
    """Answers a request with the recorded reply to the same request, of `model` under the same decoding.

    Where one request was recorded more than once, as when two pipelines read the same document, the first
    reply counts.
    """

    def __init__(self, model: str, calls: Iterable[Call]) -> None:
        self._model = model
        self._recorded: dict[str, Completion] = {}
        for call in calls:
            reply = Completion(call.response, call.usage, call.finish_reason)
            self._recorded.setdefault(call.request, reply)

    async def complete(self, messages: Sequence[Message], decoding: Decoding) -> Completion:
        """The recorded reply; ModelError naming the request if there is none."""
        request = request_digest(messages, self._model, decoding)
        if request not in self._recorded:
            raise ModelError(
                f"request {request[:12]} to {self._model} is not among {len(self._recorded)} recorded ones",
                remedy="replay with the prompts, model name and decoding of the recording",
            )
        return self._recorded[request]

    async def close(self) -> None:
        """Nothing to release."""
