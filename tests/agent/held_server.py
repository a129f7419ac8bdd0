"""A loopback chat server that answers as the scripted reader does, and holds what comes after the k-th."""

from __future__ import annotations

import asyncio
import json
import threading
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

from evrev.agent.models.scripted import ScriptedReader
from evrev.formats.canonical import digest
from evrev.formats.settings import ModelEntry
from evrev.formats.trajectory import Decoding, Message

PATIENCE = 60  # seconds after which a test gives up


class HeldServer:
    """`answered` counts the requests answered, by digest of their messages. Nothing is held until told."""

    def __init__(self, entry: ModelEntry) -> None:
        self._reader = ScriptedReader(entry)
        self._change = threading.Condition()
        self._limit: int | None = None
        self._held = self._given = 0
        self._epoch = self._dropped = 0
        self.answered: Counter[str] = Counter()
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                server._serve(self)

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
                pass

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_port}/v1"

    def __enter__(self) -> HeldServer:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.drop_held()
        self._http.shutdown()
        self._http.server_close()

    def hold_after(self, answers: int) -> None:
        """Give this many more answers, then hold every request."""
        with self._change:
            self._limit = self._given + answers

    def wait_for_held(self, requests: int) -> None:
        """Return once so many requests are held."""
        with self._change:
            assert self._change.wait_for(lambda: self._held >= requests, PATIENCE)

    def release(self) -> None:
        """Answer what is held and all that follows."""
        with self._change:
            self._limit = None
            self._change.notify_all()

    def mark(self) -> None:
        """Tell what is held now from what will come."""
        with self._change:
            self._epoch += 1

    def drop_marked(self) -> None:
        """Forget, unanswered, what was held at the last mark, and answer everything else."""
        with self._change:
            self._dropped = self._epoch
            self.release()

    def drop_held(self) -> None:
        """Forget what is held now, and answer everything that comes."""
        self.mark()
        self.drop_marked()

    def _may_answer(self) -> bool:
        with self._change:
            came = self._epoch
            self._held += 1
            self._change.notify_all()
            self._change.wait_for(
                lambda: came < self._dropped or self._limit is None or self._given < self._limit
            )
            self._held -= 1
            if came < self._dropped:
                return False
            self._given += 1
            return True

    def _serve(self, handler: BaseHTTPRequestHandler) -> None:
        request = json.loads(handler.rfile.read(int(handler.headers["Content-Length"])))
        if not self._may_answer():
            handler.close_connection = True
            return
        messages = [Message.model_validate(message) for message in request["messages"]]
        decoding = Decoding(**{name: request[name] for name in ("temperature", "seed", "max_tokens")})
        reply = asyncio.run(self._reader.complete(messages, decoding))
        body = {
            "choices": [{"message": {"content": reply.text}, "finish_reason": reply.finish_reason}],
            "usage": {"prompt_tokens": reply.usage.prompt, "completion_tokens": reply.usage.completion},
        }
        with self._change:
            self.answered[digest(messages)] += 1
        data = json.dumps(body).encode()
        handler.send_response(200)
        handler.send_header("Content-Length", str(len(data)))
        handler.end_headers()
        handler.wfile.write(data)
