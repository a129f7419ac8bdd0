"""A client of any OpenAI-compatible chat server; what may pass is tried again, what cannot stops the job."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from tenacity import (
    AsyncRetrying,
    RetryCallState,
    retry_if_exception_type,
    stop_after_attempt,
    wait_exponential,
)

from evrev.agent.models import Completion, ContextOverflow, Decoding, Message, Usage, check_context
from evrev.agent.models.chat_replies import (
    ServerFault,
    brief,
    error_message,
    is_overflow,
    read_reply,
    retry_after,
    served_names,
)
from evrev.agent.models.key import api_key
from evrev.agent.models.transport import Answer, Transport
from evrev.errors import ModelError, SettingsError
from evrev.formats.endpoint import EXAMPLE, KEY, WHERE, check_endpoint
from evrev.formats.settings import ModelEntry, Settings

LONGEST_PAUSE = 60.0  # seconds between two tries, whatever the server asks for
_BACKOFF = wait_exponential(multiplier=1, max=30)
_TRANSIENT = {408, 425, 429}


def pause(state: RetryCallState) -> float:
    """Seconds before the next try: what the server asks for, else 1, 2, 4 ... up to 30."""
    fault = state.outcome.exception() if state.outcome else None
    asked = fault.retry_after if isinstance(fault, ServerFault) else None
    return min(asked, LONGEST_PAUSE) if asked is not None else float(_BACKOFF(state))


class OpenAIChat:
    """POSTs to `endpoint`/chat/completions, with the key of EVREV_API_KEY if there is one.

    `sleep` waits the seconds between two tries. SettingsError: the endpoint or the entry cannot be used.
    """

    def __init__(
        self,
        entry: ModelEntry,
        settings: Settings,
        *,
        sleep: Callable[[float], Awaitable[Any]] = asyncio.sleep,
    ) -> None:
        if entry.served_name is None:
            raise SettingsError("has no served_name", where=f"config/models.yaml: {entry.label}")
        if settings.endpoint is None:
            raise SettingsError(f"{entry.served_name} needs a server", where=WHERE, remedy=EXAMPLE)
        self._name, self._context = entry.served_name, entry.context_length
        base = check_endpoint(settings.endpoint)
        self._server = Transport(base, api_key(), settings.timeout, settings.concurrency)
        self._attempts, self._sleep = settings.attempts, sleep

    async def complete(self, messages: Sequence[Message], decoding: Decoding) -> Completion:
        """One reply. Transport errors, timeouts, 429 and 5xx are tried again, up to `settings.attempts`.

        ModelError: the server refuses, or every try failed. ContextOverflow: the prompt is too long for the
        server, or by its count for the context of the entry, which a server may be set up to exceed.
        """
        request = {
            "model": self._name,
            "messages": [{"role": message.role, "content": message.content} for message in messages],
            "temperature": decoding.temperature,
            "seed": decoding.seed,
            "max_tokens": decoding.max_tokens,
        }
        tries = AsyncRetrying(
            stop=stop_after_attempt(self._attempts),
            wait=pause,
            retry=retry_if_exception_type(ServerFault),
            sleep=self._sleep,
            reraise=True,
        )
        began = time.perf_counter()
        reply: tuple[str, Usage, str]
        try:
            reply = await tries(self._ask, request)
        except ServerFault as fault:
            raise self._server.error(
                f"given up after {self._attempts} {'tries' if self._attempts > 1 else 'try'}: {fault}",
                "see that the server is well and run again: completed calls are kept",
            ) from None
        made, prompt = tries.statistics["attempt_number"], reply[1].prompt
        check_context(prompt, decoding.max_tokens, self._context)
        return Completion(*reply, latency=time.perf_counter() - began, attempts=made)

    async def close(self) -> None:
        """Close the connections."""
        await self._server.close()

    async def _ask(self, request: dict[str, Any]) -> tuple[str, Usage, str]:
        answer = await self._server.send("POST", "chat/completions", request)
        if answer.status == 200:
            return read_reply(answer.body)
        raise await self._fault(answer)

    async def _fault(self, answer: Answer) -> Exception:
        status, said = answer.status, error_message(answer.body) or "nothing more"
        if status in _TRANSIENT or status >= 500:
            asked = retry_after(answer.headers.get("Retry-After"), time.time())
            return ServerFault(f"the server answered {status}: {said}", asked)
        if status in {401, 403}:
            return self._server.error(
                f"the server refused the key ({status})", f"set {KEY} to one it accepts"
            )
        if 300 <= status < 400:
            where = brief(answer.headers.get("Location", "nowhere"))
            return self._server.error(
                f"the server redirects ({status}) to {where}",
                "redirects are not followed: set endpoint to the final address",
            )
        if status in {400, 413, 422} and is_overflow(said):
            return ContextOverflow(said)
        return await self._refusal(status, said)

    async def _refusal(self, status: int, said: str) -> ModelError:
        """The error for a request that no further try can better; a wrong model name is the usual reason."""
        names = await self._served() if status in {400, 404} else None
        if names is not None and self._name not in names:
            served = brief(", ".join(names)) or "nothing"
            return self._server.error(
                f"does not serve {self._name!r}",
                f"it serves {served}: serve the model, or change served_name in config/models.yaml",
            )
        remedy = "see the server's log"
        if status in {404, 405}:
            remedy = "see that endpoint ends where /chat/completions follows, usually in /v1"
        return self._server.error(f"the server answered {status}: {said}", remedy)

    async def _served(self) -> list[str] | None:
        try:
            answer = await self._server.send("GET", "models")
        except ServerFault:
            return None
        return served_names(answer.body) if answer.status == 200 else None
