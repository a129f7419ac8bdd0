"""A loopback server with the interface of an OpenAI-compatible one, behind which a scripted reader answers.

It can hold every answer from the n-th on until it is released, so that a test can kill what waits for them;
`holding` is set once as many calls wait as the job may have in flight.
"""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from evrev.agent.models import Completion
from evrev.agent.models.scripted import ScriptedReader
from evrev.formats.canonical import digest
from evrev.formats.settings import load_models
from evrev.formats.trajectory import Decoding, Message


class ReaderServer:
    """`answered` holds, for each answer given, the digest of its prompt and whether it had been held back."""

    def __init__(self, hold_from: int | None = None, in_flight: int = 4) -> None:
        self._reader = ScriptedReader(load_models()["scripted-qwen"])
        self._hold_from, self._in_flight, self._asked, self._held = hold_from, in_flight, 0, 0
        self._lock, self._free = threading.Lock(), threading.Event()
        self.holding = threading.Event()
        self.answered: list[tuple[str, bool]] = []
        if hold_from is None:
            self._free.set()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True

    @property
    def endpoint(self) -> str:
        """The base URL."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def release(self) -> None:
        """Answer what is held, and everything from now on."""
        self._free.set()

    @contextmanager
    def running(self) -> Iterator[ReaderServer]:
        """Serve for the length of a block."""
        thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        thread.start()
        try:
            yield self
        finally:
            self.release()
            self._server.shutdown()
            self._server.server_close()
            thread.join()

    def answer(self, body: dict[str, Any]) -> tuple[dict[str, Any], bool]:
        """The reply to one request, once it may be given, and whether it was held back."""
        with self._lock:
            self._asked += 1
            held = self._hold_from is not None and self._asked >= self._hold_from
            held = held and not self._free.is_set()
            self._held += held
            if self._held == self._in_flight:
                self.holding.set()
        if held:
            self._free.wait()
        messages = [Message(**message) for message in body["messages"]]
        decoding = Decoding(temperature=body["temperature"], seed=body["seed"], max_tokens=body["max_tokens"])
        made: Completion = asyncio.run(self._reader.complete(messages, decoding))
        usage = {"prompt_tokens": made.usage.prompt, "completion_tokens": made.usage.completion}
        message = {"role": "assistant", "content": made.text}
        return {"choices": [{"message": message, "finish_reason": made.finish_reason}], "usage": usage}, held

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                reply, held = server.answer(body)
                data = json.dumps(reply).encode()
                try:
                    self.send_response(200)
                    self.send_header("Content-Type", "application/json")
                    self.send_header("Content-Length", str(len(data)))
                    self.end_headers()
                    self.wfile.write(data)
                    self.wfile.flush()
                except OSError:
                    return  # whoever asked was killed; the answer reached nobody
                with server._lock:
                    server.answered.append((digest(body["messages"]), held))

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name is the base class's
                """Say nothing."""

        return Handler
