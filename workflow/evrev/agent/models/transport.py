"""HTTP to one server: bounded answers, no redirect followed, no key in a message."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import aiohttp

from evrev.agent.models.chat_replies import ServerFault
from evrev.errors import ModelError

MAX_ANSWER = 16 << 20  # bytes; far above the longest reply of a sane server
_CONNECT = 30.0  # seconds to open a connection


@dataclass(frozen=True)
class Answer:
    """Status, headers and body as they came."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class Transport:
    """One keep-alive session to `base`; `key` goes into the Authorization header and nowhere else."""

    def __init__(self, base: str, key: str | None, timeout: float) -> None:
        self._base, self._key, self._timeout = base, key, timeout
        self._session: aiohttp.ClientSession | None = None

    async def send(self, method: str, path: str, body: dict[str, Any] | None = None) -> Answer:
        """One request. ServerFault: no whole answer came. ModelError: none can come."""
        try:
            async with self._open().request(
                method, f"{self._base}/{path}", json=body, allow_redirects=False
            ) as response:
                return Answer(response.status, response.headers, await _bounded(response))
        except (aiohttp.ClientSSLError, aiohttp.InvalidURL) as error:
            raise self.error(f"no connection: {error}", "check the endpoint and its certificate") from error
        except TimeoutError:
            raise ServerFault(f"no answer within {self._timeout:g} s") from None
        except aiohttp.ClientConnectorError as error:
            raise ServerFault(f"no connection: {error.os_error.strerror or error.os_error}") from error
        except (aiohttp.ClientError, OSError) as error:
            raise ServerFault(f"no connection: {error or type(error).__name__}") from error

    def error(self, what: str, remedy: str) -> ModelError:
        """A ModelError about this server."""
        return ModelError(self.without_key(what), where=self._base, remedy=self.without_key(remedy))

    def without_key(self, text: str) -> str:
        """`text` with the key blotted out: servers repeat it in what they answer."""
        return text.replace(self._key, "***") if self._key else text

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


async def _bounded(response: aiohttp.ClientResponse) -> bytes:
    body = bytearray()
    async for part in response.content.iter_chunked(1 << 16):
        body += part
        if len(body) > MAX_ANSWER:
            raise ServerFault(f"the server's answer is longer than {MAX_ANSWER >> 20} MiB")
    return bytes(body)
