"""A loopback chat server for one test: it gives the listed answers one by one, the last one for ever."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from types import TracebackType
from typing import Any

from aiohttp import web
from aiohttp.test_utils import TestServer

Answer = Callable[[web.Request], Awaitable[web.StreamResponse]]


def reply(text: Any = "{}", *, finish: Any = "stop", usage: Any = None) -> dict[str, Any]:
    """The body of a chat completion."""
    usage = {"prompt_tokens": 7, "completion_tokens": 3} if usage is None else usage
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": finish}
    return {"id": "c", "object": "chat.completion", "choices": [choice], "usage": usage}


def says(body: Any, status: int = 200, headers: dict[str, str] | None = None) -> Answer:
    """Answer with JSON, or with bytes as they are."""

    async def answer(_: web.Request) -> web.StreamResponse:
        if isinstance(body, bytes):
            return web.Response(body=body, status=status, headers=headers)
        return web.json_response(body, status=status, headers=headers)

    return answer


async def hangs(_: web.Request) -> web.StreamResponse:
    """Never answer."""
    await asyncio.get_running_loop().create_future()
    raise AssertionError


async def drops(request: web.Request) -> web.StreamResponse:
    """Close the connection in the middle of the body."""
    response = web.StreamResponse(headers={"Content-Length": "1000"})
    await response.prepare(request)
    await response.write(b'{"choices": [')
    assert request.transport is not None
    request.transport.close()
    return response


class ChatServer:
    """`asked` holds path, headers and body of every request."""

    def __init__(self, *answers: Answer, models: Answer | None = None) -> None:
        self._answers, self._models = list(answers), models or says(b"", 404)
        self.asked: list[tuple[str, dict[str, str], Any]] = []
        app = web.Application()
        app.router.add_route("*", "/{path:.*}", self._answer)
        self._server = TestServer(app, host="127.0.0.1")

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.port}/v1"

    async def __aenter__(self) -> ChatServer:
        await self._server.start_server(shutdown_timeout=0)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._server.close()

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        body = await request.json() if request.can_read_body else None
        self.asked.append((request.path, dict(request.headers), body))
        if request.path == "/v1/models":
            return await self._models(request)
        return await (self._answers.pop(0) if len(self._answers) > 1 else self._answers[0])(request)
