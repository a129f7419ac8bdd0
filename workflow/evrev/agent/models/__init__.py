"""Model clients: messages and decoding in, a completion out. No client ever sees a scenario."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from evrev.formats.trajectory import Decoding, Message, Usage

__all__ = ["Completion", "Decoding", "Message", "ModelClient", "Usage"]


@dataclass(frozen=True)
class Completion:
    """One reply. `latency` is in seconds, over all `attempts`; neither enters a content digest."""

    text: str
    usage: Usage
    finish_reason: str
    latency: float = 0.0
    attempts: int = 1


class ModelClient(Protocol):
    """What a client implements.

    `complete` raises `ContextOverflow` for a prompt the model cannot hold (an execution failure of that
    trajectory) and `evrev.errors.ModelError` once the server cannot be used (the job stops and can resume).
    """

    async def complete(self, messages: Sequence[Message], decoding: Decoding) -> Completion:
        """One reply to `messages`."""
        ...

    async def close(self) -> None:
        """Release connections."""
        ...


class ContextOverflow(Exception):
    """The prompt, with room for the reply, is longer than the model's context."""


def check_context(prompt: int, reply: int, context: int) -> None:
    """ContextOverflow if a prompt and the longest reply to it, in tokens, are longer than the context."""
    if prompt + reply > context:
        raise ContextOverflow(
            f"the prompt of {prompt} tokens and a reply of up to {reply} are longer than the context of "
            f"{context}"
        )
