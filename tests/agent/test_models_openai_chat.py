"""A model server may fail in any way: what may pass is tried again, what cannot pass ends in one line."""

from __future__ import annotations

import asyncio
import gzip
import json
import resource
import socket
import time
from email.utils import formatdate
from typing import Any

import pytest
from aiohttp import web
from chat_server import Answer, ChatServer, drops, hangs, reply, says

from evrev.agent.models import Completion, ContextOverflow
from evrev.agent.models.openai_chat import OpenAIChat
from evrev.agent.models.transport import MAX_ANSWER
from evrev.errors import EvrevError, ModelError
from evrev.formats.settings import ModelEntry, Settings
from evrev.formats.trajectory import Decoding, Message, Usage

ENTRY = ModelEntry(
    label="Tiny",
    kind="tiny",
    client="openai_chat",
    served_name="tiny-1",
    tokenizer="qwen2.5",
    context_length=4096,
)
MESSAGES = (Message(role="system", content="Be brief."), Message(role="user", content="List ‘α’."))
SERVED = says({"data": [{"id": "other-7b"}, {"id": "other-32b"}]})


@pytest.fixture(autouse=True)
def _no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("EVREV_API_KEY", raising=False)


class Asked:
    """One call: its outcome, the waits between its tries, and what the server saw."""

    def __init__(self, *answers: Answer, models: Answer | None = None, **settings: Any) -> None:
        self.waits: list[float] = []
        self.outcome: Completion | Exception
        asyncio.run(self._run(ChatServer(*answers, models=models), settings))

    async def _run(self, server: ChatServer, settings: dict[str, Any]) -> None:
        async def wait(seconds: float) -> None:
            self.waits.append(seconds)

        async with server:
            client = OpenAIChat(
                ENTRY, Settings.model_validate({"endpoint": server.url, **settings}), sleep=wait
            )
            try:
                self.outcome = await client.complete(
                    MESSAGES, Decoding(temperature=0.2, seed=5, max_tokens=64)
                )
            except (EvrevError, ContextOverflow) as error:
                self.outcome = error
            finally:
                await client.close()
        self.requests = [one for one in server.asked if one[0] == "/v1/chat/completions"]

    @property
    def reply(self) -> Completion:
        assert isinstance(self.outcome, Completion), self.outcome
        return self.outcome

    @property
    def error(self) -> ModelError:
        assert isinstance(self.outcome, ModelError), self.outcome
        assert "\n" not in self.outcome.what
        assert self.outcome.remedy
        return self.outcome


def test_a_reply_is_read_with_its_usage_cached_tokens_and_finish_reason() -> None:
    usage = {
        "prompt_tokens": 40,
        "completion_tokens": 9,
        "total_tokens": 49,
        "prompt_tokens_details": {"cached_tokens": 32},
    }
    got = Asked(says(reply('{"items": []}', finish="length", usage=usage)))
    assert got.reply.text == '{"items": []}'
    assert got.reply.usage == Usage(prompt=40, completion=9, cached=32)
    assert (got.reply.finish_reason, got.reply.attempts, got.waits) == ("length", 1, [])
    assert got.reply.latency > 0


def test_a_request_holds_messages_model_and_decoding_and_nothing_else() -> None:
    ((path, headers, body),) = Asked(says(reply())).requests
    assert path == "/v1/chat/completions"
    assert body == {
        "model": "tiny-1",
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "List ‘α’."},
        ],
        "temperature": 0.2,
        "seed": 5,
        "max_tokens": 64,
    }
    assert "Authorization" not in headers


@pytest.mark.parametrize("status", [429, 500, 502, 503])
def test_a_server_fault_is_tried_again_and_the_tries_are_counted(status: int) -> None:
    got = Asked(says({"error": {"message": "busy"}}, status), says(b"down", status), says(reply("ok")))
    assert (got.reply.text, got.reply.attempts, got.waits) == ("ok", 3, [1.0, 2.0])


def test_tries_are_bounded_and_their_pauses_grow_up_to_half_a_minute() -> None:
    got = Asked(says({"error": {"message": "out of\nmemory"}}, 503), attempts=8)
    assert got.waits == [1, 2, 4, 8, 16, 30, 30]
    assert len(got.requests) == 8
    assert got.error.what == "given up after 8 tries: the server answered 503: out of memory"
    assert "completed calls are kept" in str(got.error)


def ask_at(endpoint: str, **settings: Any) -> tuple[ModelError, list[float]]:
    """The error of a call to `endpoint`, and the waits between its tries."""
    waits: list[float] = []

    async def wait(seconds: float) -> None:
        waits.append(seconds)

    async def ask() -> None:
        client = OpenAIChat(ENTRY, Settings.model_validate({"endpoint": endpoint, **settings}), sleep=wait)
        try:
            await client.complete(MESSAGES, Decoding())
        finally:
            await client.close()

    with pytest.raises(ModelError) as caught:
        asyncio.run(ask())
    return caught.value, waits


@pytest.mark.parametrize("host", ["models..example", "a" * 300])
def test_a_host_that_has_no_name_is_an_error_and_not_a_crash(host: str) -> None:
    error, waits = ask_at(f"https://{host}/v1")
    assert (error.what[:14], waits) == ("no connection:", [])


def test_as_many_files_may_be_open_as_calls_in_flight_need(monkeypatch: pytest.MonkeyPatch) -> None:
    wanted: list[tuple[int, int]] = []
    monkeypatch.setattr(resource, "setrlimit", lambda _, limits: wanted.append(limits))
    for limits in [(256, 4096), (256, 500), (256, resource.RLIM_INFINITY), (4096, 4096)]:
        monkeypatch.setattr(resource, "getrlimit", lambda _, limits=limits: limits)
        OpenAIChat(ENTRY, Settings.model_validate({"endpoint": "http://127.0.0.1:1/v1", "concurrency": 1024}))
    assert wanted == [(1280, 4096), (500, 500), (1280, resource.RLIM_INFINITY)]


def test_as_many_calls_are_in_flight_as_are_made() -> None:
    calls = 150  # more than an HTTP client opens unless told

    async def ask() -> list[Completion]:
        here, all_here = 0, asyncio.Event()

        async def together(request: web.Request) -> web.StreamResponse:
            nonlocal here
            here += 1
            if here == calls:
                all_here.set()
            await asyncio.wait_for(all_here.wait(), 30)
            return await says(reply("ok"))(request)

        async with ChatServer(together) as server:
            settings = {"endpoint": server.url, "concurrency": calls, "attempts": 1}
            client = OpenAIChat(ENTRY, Settings.model_validate(settings))
            try:
                return await asyncio.gather(*(client.complete(MESSAGES, Decoding()) for _ in range(calls)))
            finally:
                await client.close()

    assert [got.text for got in asyncio.run(ask())] == ["ok"] * calls


def test_one_try_means_one_request() -> None:
    got = Asked(says(b"", 500), attempts=1)
    assert (len(got.requests), got.waits) == (1, [])
    assert got.error.what.startswith("given up after 1 try:")


@pytest.mark.parametrize(
    ("header", "pause"),
    [("7", 7.0), ("0", 0.0), ("99999", 60.0), ("soon", 1.0), ("-3", 1.0), ("Thu, 99 Foo", 1.0)],
)
def test_the_pause_a_server_asks_for_is_kept_within_a_minute(header: str, pause: float) -> None:
    assert Asked(says(b"", 429, {"Retry-After": header}), says(reply())).waits == [pause]


def test_the_pause_may_be_asked_for_as_a_date(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time, "time", lambda: 1_700_000_000.0)
    dates = [formatdate(1_700_000_000 + seconds, usegmt=True) for seconds in (20, -20)]
    assert [Asked(says(b"", 429, {"Retry-After": d}), says(reply())).waits for d in dates] == [[20.0], [0.0]]


def test_a_slow_answer_times_out_and_is_tried_again() -> None:
    got = Asked(hangs, says(reply("late")), timeout=0.1)
    assert (got.reply.text, got.reply.attempts) == ("late", 2)
    assert "no answer within 0.1 s" in Asked(hangs, timeout=0.1, attempts=2).error.what


def test_a_dropped_connection_is_tried_again() -> None:
    assert Asked(drops, says(reply("whole"))).reply.text == "whole"
    assert "no whole answer" in Asked(drops, attempts=2).error.what


def test_a_refused_connection_ends_in_one_line_after_its_tries() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        endpoint = f"http://127.0.0.1:{unused.getsockname()[1]}/v1"
    error, waits = ask_at(endpoint, attempts=3)
    assert error.what.startswith("given up after 3 tries: no connection")
    assert (error.where, waits) == (endpoint, [1, 2])
    assert len(str(error).splitlines()) == 2


BAD_REPLIES = [
    b"<html>bad gateway</html>",
    b"",
    b"\xff\xfe\x00",
    b"[" * 100_000,
    b'{"choices": []}',
    b"[1]",
    b"null",
    {"choices": [{"message": {"content": "x"}, "finish_reason": "stop"}]},
    {"error": {"message": "engine died"}},
    reply(["not", "text"]),
    reply(finish=3),
    reply(finish="abort"),
    reply(usage={"prompt_tokens": -1, "completion_tokens": 1}),
    reply(usage={"prompt_tokens": True, "completion_tokens": 1}),
    reply(usage={"prompt_tokens": 1 << 60, "completion_tokens": 1}),
    reply(usage={"prompt_tokens": (1 << 53) - 1, "completion_tokens": 1}),
    reply(usage={"prompt_tokens": 1.5, "completion_tokens": 1}),
    reply(
        usage={"prompt_tokens": 1, "completion_tokens": 1, "prompt_tokens_details": {"cached_tokens": "1"}}
    ),
    reply(usage=[]),
]


@pytest.mark.parametrize("body", BAD_REPLIES, ids=range(len(BAD_REPLIES)))
def test_what_is_no_chat_completion_counts_as_a_server_fault(body: Any) -> None:
    assert Asked(says(body), says(reply("good"))).reply.attempts == 2
    assert Asked(says(body), attempts=2).error.what.startswith("given up after 2 tries: the server")


def test_a_reply_without_token_counts_says_so() -> None:
    uncounted = {"choices": [{"message": {"content": "x"}, "finish_reason": "stop"}]}
    assert "states no token counts (usage)" in Asked(says(uncounted), attempts=1).error.what


def breaks(data: bytes) -> Answer:
    """Write these bytes instead of an HTTP answer, and close."""

    async def answer(request: web.Request) -> web.StreamResponse:
        assert request.transport is not None
        request.transport.write(data)
        request.transport.close()
        return web.Response()

    return answer


@pytest.mark.parametrize(
    "data",
    [
        b"SSH-2.0-OpenSSH\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: abc\r\n\r\n{}",
        b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\n{}",
        b"HTTP/1.1 200 OK\r\nX: " + b"a" * 100_000 + b"\r\n\r\n",
    ],
)
def test_what_is_no_http_is_a_server_fault_told_in_one_line(data: bytes) -> None:
    assert Asked(breaks(data), says(reply("good"))).reply.attempts == 2
    told = Asked(breaks(data), attempts=1).error.what
    assert told.startswith("given up after 1 try: no whole answer: ")
    assert len(told) < 300


def test_a_compressed_reply_is_read() -> None:
    packed = gzip.compress(json.dumps(reply("packed")).encode())
    assert Asked(says(packed, headers={"Content-Encoding": "gzip"})).reply.text == "packed"


def test_a_small_answer_that_unpacks_without_end_is_cut_off() -> None:
    bomb = gzip.compress(b" " * (4 * MAX_ANSWER))
    got = Asked(says(bomb, headers={"Content-Encoding": "gzip"}), says(reply("short")))
    assert (got.reply.text, got.reply.attempts) == ("short", 2)


def test_an_error_in_an_answer_of_status_200_is_shown() -> None:
    assert "engine died" in Asked(says({"error": {"message": "engine died"}}), attempts=1).error.what


def test_an_endless_answer_is_cut_off() -> None:
    got = Asked(says(b" " * (MAX_ANSWER + 1)), says(reply("short")))
    assert (got.reply.text, got.reply.attempts) == ("short", 2)


@pytest.mark.parametrize(("text", "kept"), [(None, ""), ("a\ud800b", "a\ufffdb"), ("a\x00b", "a\x00b")])
def test_odd_text_is_kept_as_valid_unicode(text: str | None, kept: str) -> None:
    assert Asked(says(reply(text))).reply.text == kept


def test_an_absent_finish_reason_is_not_taken_for_a_stop() -> None:
    assert Asked(says(reply("x", finish=None))).reply.finish_reason == "unknown"


@pytest.mark.parametrize("status", [401, 403])
def test_a_refused_key_ends_at_once_and_is_never_shown(status: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVREV_API_KEY", "sk-verysecret")
    got = Asked(says({"error": {"message": "bad key sk-verysecret"}}, status))
    ((_, headers, _),) = got.requests
    assert headers["Authorization"] == "Bearer sk-verysecret"
    assert got.waits == []
    assert "EVREV_API_KEY" in str(got.error)
    assert "verysecret" not in str(got.error) + repr(got.error)


def test_a_key_that_a_server_repeats_is_blotted_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVREV_API_KEY", "sk-verysecret")
    for status in (400, 500):
        for padding in ("", "x" * 185):
            got = Asked(says({"error": {"message": f"seen {padding}sk-verysecret"}}, status), attempts=1)
            assert f"seen {padding}***" in str(got.error)


def test_a_reply_that_holds_the_key_is_not_recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVREV_API_KEY", "sk-verysecret")
    got = Asked(says(reply("Authorization: Bearer sk-verysecret")))
    assert got.error.what == "the server repeats EVREV_API_KEY in its reply"
    assert "verysecret" not in str(got.error)
    monkeypatch.setenv("EVREV_API_KEY", "EMPTY")
    assert Asked(says(reply("EMPTY"))).reply.text == "EMPTY"


@pytest.mark.parametrize("status", [400, 404])
def test_a_wrong_model_name_is_answered_with_the_names_that_are_served(status: int) -> None:
    got = Asked(says({"error": {"message": "no such model"}}, status), models=SERVED)
    assert got.waits == []
    assert got.error.what == "does not serve 'tiny-1'"
    assert "other-7b, other-32b" in str(got.error)


@pytest.mark.parametrize("models", [None, hangs, says(b"junk"), says({"data": [{"id": "tiny-1"}]})])
def test_another_refusal_is_shown_as_it_is(models: Answer | None) -> None:
    got = Asked(says({"detail": "bad temperature"}, 400), models=models, timeout=0.2)
    assert got.error.what == "the server answered 400: bad temperature"
    lost = Asked(says(b"nothing here", 404), models=models, timeout=0.2)
    assert "usually in /v1" in str(lost.error)


@pytest.mark.parametrize(
    "message",
    [
        "This model's maximum context length is 2048 tokens. However, you requested 9000 tokens",
        "The decoder prompt (length 9000) is longer than the maximum model length of 2048.",
        "the request exceeds the available context size, try increasing it",
        "Input too long: context_length_exceeded",
        "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 9000 tokens",
    ],
)
def test_a_prompt_too_long_is_an_overflow_and_not_a_fault(message: str) -> None:
    got = Asked(says({"error": {"message": message, "code": 400}}, 400))
    assert isinstance(got.outcome, ContextOverflow)
    assert str(got.outcome) == message
    assert (len(got.requests), got.waits) == (1, [])


def test_a_server_with_a_longer_context_than_the_plan_allows_does_not_widen_it() -> None:
    def counted(tokens: int) -> Asked:
        return Asked(says(reply("ok", usage={"prompt_tokens": tokens, "completion_tokens": 1})))

    assert counted(4096 - 64).reply.text == "ok"
    assert isinstance(counted(4097 - 64).outcome, ContextOverflow)


def test_a_redirect_is_not_followed() -> None:
    got = Asked(says(b"", 307, {"Location": "http://203.0.113.9/v1/chat/completions"}))
    assert len(got.requests) == 1
    assert "redirects (307) to http://203.0.113.9" in got.error.what


def test_a_refusal_of_any_length_is_one_short_line() -> None:
    got = Asked(says({"error": {"message": "no\x1b[31m\n" + "x" * 100_000}}, 418))
    assert len(got.error.what) < 300
    assert "\x1b" not in got.error.what
