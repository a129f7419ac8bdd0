"""HTTP to one server: bounded answers, no redirect followed, no key in a message."""

from __future__ import annotations

import resource
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import aiohttp

from evrev.agent.models.chat_replies import ServerFault, brief
from evrev.errors import ModelError
from evrev.formats.endpoint import KEY

MAX_ANSWER = 16 << 20  # bytes; far above the longest reply of a sane server
_CONNECT = 30.0  # seconds to open a connection
_OTHER_FILES = 256  # what may be open beside the connections
_KEY_LENGTH = 8  # a shorter key may stand in a reply by chance


@dataclass(frozen=True)
class Answer:
    """Status, headers and body as they came."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class Transport:
    """Up to `connections` at once to `base`; `key` goes into the Authorization header and nowhere else."""

    def __init__(self, base: str, key: str | None, timeout: float, connections: int = 1) -> None:
        self._base, self._key, self._timeout = base, key, timeout
        self._session: aiohttp.ClientSession | None = None
        _allow_files(connections + _OTHER_FILES)

    async def send(self, method: str, path: str, body: dict[str, Any] | None = None) -> Answer:
        """One request. ServerFault: no whole answer came. ModelError: none can come."""
        try:
            async with self._open().request(
                method, f"{self._base}/{path}", json=body, allow_redirects=False
            ) as response:
                return self._without_key(Answer(response.status, response.headers, await _bounded(response)))
        except (aiohttp.ClientSSLError, aiohttp.InvalidURL, UnicodeError) as error:
            what = f"no connection: {brief(error)}"
            raise self.error(what, "check the endpoint and its certificate") from error
        except TimeoutError:
            raise ServerFault(f"no answer within {self._timeout:g} s") from None
        except aiohttp.ClientConnectorError as error:
            raise ServerFault(f"no connection: {error.os_error.strerror or error.os_error}") from error
        except (aiohttp.ClientError, OSError) as error:
            raise ServerFault(f"no whole answer: {brief(error) or type(error).__name__}") from error

    def error(self, what: str, remedy: str) -> ModelError:
        """A ModelError about this server."""
        if self._key:
            what, remedy = what.replace(self._key, "***"), remedy.replace(self._key, "***")
        return ModelError(what, where=self._base, remedy=remedy)

    def _without_key(self, answer: Answer) -> Answer:
        """A refusal with the key blotted out. A reply is never altered: one with the key is none."""
        if self._key is None or self._key.encode() not in answer.body:
            return answer
        if answer.status != 200:
            return replace(answer, body=answer.body.replace(self._key.encode(), b"***"))
        if len(self._key) < _KEY_LENGTH:
            return answer
        raise self.error(f"the server repeats {KEY} in its reply", "use a server that does not")

    async def close(self) -> None:
        """Close the connections."""
        if self._session is not None:
            await self._session.close()

    def _open(self) -> aiohttp.ClientSession:
        # Only inside a running loop can a session be made.
        if self._session is None:
            self._session = aiohttp.ClientSession(
                headers={"Authorization": f"Bearer {self._key}"} if self._key else None,
                timeout=aiohttp.ClientTimeout(total=self._timeout, sock_connect=min(_CONNECT, self._timeout)),
                connector=aiohttp.TCPConnector(limit=0),
                cookie_jar=aiohttp.DummyCookieJar(),
            )
        return self._session


def _allow_files(wanted: int) -> None:
    """Let so many files be open, as far as this process may: a connection is one."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


async def _bounded(response: aiohttp.ClientResponse) -> bytes:
    body = bytearray()
    async for part in response.content.iter_chunked(1 << 16):
        body += part
        if len(body) > MAX_ANSWER:
            raise ServerFault(f"the server's answer is longer than {MAX_ANSWER >> 20} MiB")
    return bytes(body)
