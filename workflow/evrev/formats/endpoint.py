"""Which addresses a model server may have: refused here, before any command line or log holds the address."""

from __future__ import annotations

import ipaddress
from urllib.parse import urlsplit

from evrev.errors import SettingsError

KEY = "EVREV_API_KEY"
WHERE = "config: endpoint"
EXAMPLE = "give ENDPOINT=http://127.0.0.1:8000/v1, or --config endpoint=... with snakemake"


def check_endpoint(endpoint: str) -> str:
    """The base URL without a final slash.

    Patient text leaves this machine encrypted or not at all: plain http is for loopback addresses only. A
    URL with a user name, a password or a query is refused and never repeated: it may hold a key, and
    endpoints stand in command lines and logs.

    SettingsError: not a plain http(s) URL, or http to another machine.
    """
    if "@" in endpoint:
        raise SettingsError(
            "holds a user name or password",
            where=WHERE,
            remedy=f"put the key into the environment variable {KEY}",
        )
    try:
        parts = urlsplit(endpoint)
        host, _ = parts.hostname, parts.port
    except ValueError as error:
        raise SettingsError(f"not a URL: {error}", where=WHERE, remedy=EXAMPLE) from error
    plain = endpoint.isprintable() and not set(endpoint) & set(" ?#\\")
    if parts.scheme not in {"http", "https"} or not host or not plain:
        raise SettingsError("is not the base URL of a server", where=WHERE, remedy=EXAMPLE)
    if parts.scheme == "http" and not _is_loopback(host):
        raise SettingsError(
            f"plain http to {host}, which is not this machine",
            where=WHERE,
            remedy="use https, or a tunnel to 127.0.0.1",
        )
    return endpoint.rstrip("/")


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
