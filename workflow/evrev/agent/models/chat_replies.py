"""What an OpenAI-compatible server answers, read without trust: replies, refusals, and how long to wait."""

from __future__ import annotations

import json
import re
from email.utils import parsedate_to_datetime
from typing import Any

from evrev.agent.models import Usage
from evrev.formats.canonical import clean_text

_MAX_COUNT = 1 << 31  # tokens of one call; the sum over any shard stays a number that JSON can hold
_OVERFLOW = re.compile(
    r"context[ _](length|window|size)|maximum (model|context) length|max_model_len|prompt is too long"
    r"|tokens` must be <= \d",
    re.I,
)


class ServerFault(Exception):
    """An answer that another try may better; `retry_after` is what the server asked for, in seconds."""

    def __init__(self, what: str, retry_after: float | None = None) -> None:
        super().__init__(what)
        self.retry_after = retry_after


def read_reply(raw: bytes) -> tuple[str, Usage, str]:
    """Text, usage and finish reason of a chat completion.

    ServerFault: not JSON, no choice with a text, or no token counts.
    """
    body = _json(raw)
    try:
        choice = body["choices"][0]
        content, finish = choice["message"].get("content"), choice.get("finish_reason")
        if not isinstance(content, str | None) or not isinstance(finish, str | None):
            raise TypeError
    except (KeyError, IndexError, TypeError, AttributeError):
        said = f": {error_message(raw)}" if isinstance(body, dict) and "error" in body else ""
        raise ServerFault(f"the server's JSON is not a chat completion{said}") from None
    if finish == "abort":
        raise ServerFault("the server broke off its reply")
    return clean_text(content or ""), _usage(body.get("usage")), clean_text(finish or "unknown")


def _usage(counts: Any) -> Usage:
    """The server's own counts: without them a guess would stand in a table as a measurement."""
    try:
        cached = (counts.get("prompt_tokens_details") or {}).get("cached_tokens")
        return Usage(
            prompt=_count(counts["prompt_tokens"]),
            completion=_count(counts["completion_tokens"]),
            cached=None if cached is None else _count(cached),
        )
    except (KeyError, TypeError, AttributeError, ValueError):
        raise ServerFault("the server's reply states no token counts (usage)") from None


def _json(raw: bytes) -> Any:
    try:
        return json.loads(raw)
    except (ValueError, RecursionError):
        raise ServerFault(f"the server's answer is not JSON: {brief(raw)}") from None


def _count(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < _MAX_COUNT:
        raise ValueError(value)
    return value


def error_message(raw: bytes) -> str:
    """What a refusal says, in one line."""
    try:
        body = json.loads(raw)
        said = body.get("error", body) if isinstance(body, dict) else body
        if isinstance(said, dict):
            said = said.get("message") or said.get("detail") or said.get("code") or said
        return brief(said)
    except (ValueError, RecursionError):
        return brief(raw)


def brief(said: object) -> str:
    """What a server said, as one line of at most 200 printable characters."""
    text = said[:2000].decode("utf-8", "replace") if isinstance(said, bytes) else str(said)[:2000]
    printable = "".join(sign if sign.isprintable() else " " for sign in " ".join(text.split()))
    return printable if len(printable) <= 200 else f"{printable[:199]}…"


def is_overflow(message: str) -> bool:
    """Whether a refusal says that the prompt is longer than the context."""
    return _OVERFLOW.search(message) is not None


def served_names(raw: bytes) -> list[str] | None:
    """The model names of a /models answer; none if it is not one."""
    try:
        return [str(model["id"]) for model in json.loads(raw)["data"]]
    except (ValueError, KeyError, TypeError, RecursionError):
        return None


def retry_after(header: str | None, now: float) -> float | None:
    """Seconds from a Retry-After header (a number or a date); none if absent or unreadable."""
    if header is None:
        return None
    try:
        return max(0.0, float(header) if header.strip().isdigit() else _until(header, now))
    except (ValueError, OverflowError):
        return None


def _until(date: str, now: float) -> float:
    return parsedate_to_datetime(date).timestamp() - now
