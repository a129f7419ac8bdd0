"""Where a model server may be, and the key that goes to it."""

from __future__ import annotations

import ipaddress
import os
from urllib.parse import urlsplit

from evrev.errors import SettingsError

KEY = "EVREV_API_KEY"
_EXAMPLE = "give ENDPOINT=http://127.0.0.1:8000/v1, or --config endpoint=... with snakemake"


def check_endpoint(endpoint: str | None, *, model: str) -> str:
    """The base URL without a final slash.

    Patient text leaves this machine encrypted or not at all: plain http is for loopback addresses only. A
    user name or password in the URL is refused, since the URL is shown in messages.

    SettingsError: no endpoint, not an http(s) URL, or http to another machine.
    """
    if endpoint is None:
        raise SettingsError(f"{model} needs a server", where="config: endpoint", remedy=_EXAMPLE)
    try:
        parts = urlsplit(endpoint)
        host, _ = parts.hostname, parts.port
    except ValueError as error:
        raise SettingsError(f"not a URL: {error}", where="config: endpoint", remedy=_EXAMPLE) from error
    if parts.username is not None or parts.password is not None:
        raise SettingsError(
            "holds a user name or password",
            where="config: endpoint",
            remedy=f"put the key into the environment variable {KEY}",
        )
    if parts.scheme not in {"http", "https"} or not host or parts.query or parts.fragment:
        raise SettingsError(
            f"{endpoint!r} is not the base URL of a server", where="config: endpoint", remedy=_EXAMPLE
        )
    if parts.scheme == "http" and not _is_loopback(host):
        raise SettingsError(
            f"plain http to {host}, which is not this machine",
            where="config: endpoint",
            remedy="use https, or a tunnel to 127.0.0.1",
        )
    return endpoint.rstrip("/")


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def api_key() -> str | None:
    """The key of the environment, or none; SettingsError if no header can carry it."""
    key = os.environ.get(KEY, "").strip()
    if not (key.isascii() and key.isprintable()):
        raise SettingsError(
            "holds characters that a key cannot have", where=KEY, remedy="set it again, without line breaks"
        )
    return key or None
