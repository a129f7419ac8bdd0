"""The calls of one trajectory: asked together where nothing depends, recorded in logical order."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Sequence
from typing import NamedTuple, TypeVar

from evrev.agent.models import Completion, ContextOverflow
from evrev.formats.canonical import clean_text, digest
from evrev.formats.trajectory import Call, CallKind, Decoding, Message, Parse, Phase

Caller = Callable[[str, tuple[Message, ...], Decoding], Awaitable[Completion]]
T = TypeVar("T")


class Reply(NamedTuple):
    """What came back, as valid Unicode."""

    text: str
    finish_reason: str


class Request(NamedTuple):
    """A call to make and what to do with its reply; `document` is the one it is about, if one."""

    name: str
    kind: CallKind
    document: str | None
    messages: tuple[Message, ...]
    read: Callable[[Reply], Parse]


def request_digest(messages: Sequence[Message], model: str, decoding: Decoding) -> str:
    """SHA-256 of everything that shapes a completion: a replayed reply must answer the same request."""
    return digest({"messages": list(messages), "model": model, "decoding": decoding})


class Transcript:
    """Asks and records. `phase` says which phase the calls belong to."""

    def __init__(self, model: str, decoding: Decoding, call: Caller) -> None:
        self._model, self._decoding, self._call = model, decoding, call
        self._names: set[str] = set()
        self.phase: Phase = "ingest"
        self.calls: list[Call] = []

    async def ask(self, requests: Iterable[Request]) -> None:
        """Make all calls at once; then, in their order, read each reply and record the call.

        A prompt that does not fit raises ContextOverflow only after every other reply has been read and
        recorded, so that what is kept does not depend on which call ended first.
        """
        named = [request._replace(name=self._unique(request.name)) for request in requests]
        overflow: ContextOverflow | None = None
        for request, outcome in zip(named, await together([self._one(r) for r in named]), strict=True):
            if isinstance(outcome, ContextOverflow):
                overflow = overflow or outcome
                continue
            text = clean_text(outcome.text)
            parse = request.read(Reply(text, outcome.finish_reason))
            self.calls.append(self._record(request, text, outcome, parse))
        if overflow is not None:
            raise overflow

    def _unique(self, name: str) -> str:
        while name in self._names:
            name += "+"
        self._names.add(name)
        return name

    async def _one(self, request: Request) -> Completion | ContextOverflow:
        try:
            return await self._call(request.name, request.messages, self._decoding)
        except ContextOverflow as overflow:
            return overflow

    def _record(self, request: Request, text: str, completion: Completion, parse: Parse) -> Call:
        return Call(
            name=request.name,
            phase=self.phase,
            kind=request.kind,
            document=request.document,
            messages=request.messages,
            request=request_digest(request.messages, self._model, self._decoding),
            response=text,
            finish_reason=completion.finish_reason,
            usage=completion.usage,
            parse=parse,
        )


async def together(work: Sequence[Coroutine[None, None, T]]) -> list[T]:
    """Run all at once, results in order; when one fails or the caller is cancelled, none is left running."""
    tasks = [asyncio.ensure_future(part) for part in work]
    try:
        return await asyncio.gather(*tasks)
    except BaseException:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        raise
