"""One attempt to bring one file over http(s), taking up a part that is already there."""

from __future__ import annotations

import http.client
import ssl
import time
import urllib.error
import urllib.request
from email.message import Message
from typing import IO, Any
from urllib.parse import urlsplit

from evrev.errors import SettingsError

_CHUNK = 1 << 16
SLOWEST = 1024
"""Bytes a second below which, over a whole time-out, a transfer counts as stalled."""
_PARTIAL, _NO_SUCH_RANGE, _TRANSIENT = 206, 416, frozenset({408, 425, 429})
_LOOPBACK = ("127.0.0.1", "::1", "localhost")


class Cut(Exception):
    """An attempt that may succeed another time; what came is in the part."""


class Missing(Exception):
    """An answer that another attempt would not change."""


def check_address(base_url: str) -> None:
    """SettingsError unless `base_url` is https, or http on this machine."""
    parts = urlsplit(base_url)
    if parts.scheme != "https" and not (parts.scheme == "http" and parts.hostname in _LOOPBACK):
        raise SettingsError("not an https address", where=base_url, remedy="tables are fetched by https only")


def transfer(url: str, part: IO[bytes], timeout: float) -> None:
    """Append what `part` (open for append and reading) lacks of `url`, or all of it if that cannot be had.

    Cut for transport faults, a body that ends early, fewer than `SLOWEST` bytes a second over
    `timeout` seconds, and answers that may change; Missing for all other refusals; OSError when `part` cannot
    be written.
    """
    have = part.seek(0, 2)
    headers = {"User-Agent": "evrev", "Accept-Encoding": "identity"}
    if have:
        headers["Range"] = f"bytes={have}-"
    try:
        with _opener(url).open(urllib.request.Request(url, headers=headers), timeout=timeout) as answer:
            _receive(answer, part, have, timeout)
    except urllib.error.HTTPError as error:
        _refused(error)
    except urllib.error.URLError as error:
        raise Cut(f"cannot be reached: {_words(error.reason)}") from error
    except (http.client.HTTPException, TimeoutError, ConnectionError, ssl.SSLError) as error:
        raise Cut(f"the transfer broke off: {_words(error)}") from error


def _opener(url: str) -> urllib.request.OpenerDirector:
    if urlsplit(url).hostname in _LOOPBACK:
        return urllib.request.build_opener(urllib.request.ProxyHandler({}))
    return urllib.request.build_opener()


def _receive(answer: Any, part: IO[bytes], have: int, timeout: float) -> None:
    if answer.status != _PARTIAL or not _starts_at(answer.headers, have):
        part.truncate(0)
        have = 0
        if answer.status == _PARTIAL:
            raise Cut("the server sent another range than asked for")
    length = answer.headers.get("Content-Length")
    try:
        came = _copy(answer, part, timeout)
    finally:
        part.flush()
    if length is not None and came < int(length):
        raise Cut(f"the body was cut short: {have + came} of {have + int(length)} bytes")


def _copy(answer: Any, part: IO[bytes], timeout: float) -> int:
    came = window = 0
    since = time.monotonic()
    while chunk := answer.read1(_CHUNK):
        part.write(chunk)
        came += len(chunk)
        window += len(chunk)
        taken = time.monotonic() - since
        if taken > timeout:
            if window < SLOWEST * taken:
                raise Cut(f"the transfer stalled: {window} bytes in {taken:.0f} s")
            window, since = 0, time.monotonic()
    return came


def _starts_at(headers: Message, have: int) -> bool:
    return headers.get("Content-Range", "").startswith(f"bytes {have}-")


def _refused(error: urllib.error.HTTPError) -> None:
    error.close()
    if error.code == _NO_SUCH_RANGE:
        # All of it may be there already: its digest decides.
        return
    if error.code >= 500 or error.code in _TRANSIENT:
        raise Cut(f"the server answers {error.code} {error.reason}") from error
    raise Missing(f"the server answers {error.code} {error.reason}") from error


def _words(reason: object) -> str:
    text = getattr(reason, "strerror", None) or str(reason) or type(reason).__name__
    return " ".join(str(text).split())[:120]
