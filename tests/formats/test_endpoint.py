"""Patient text goes to this machine, or encrypted; an address that may hold a key is refused unseen."""

from __future__ import annotations

import pytest

from evrev.errors import SettingsError
from evrev.formats.endpoint import check_endpoint
from evrev.formats.settings import parse_settings


@pytest.mark.parametrize(
    "endpoint",
    [
        "http://127.0.0.1:8000/v1",
        "http://127.8.8.8/v1",
        "http://localhost:8000/v1",
        "http://LOCALHOST:8000",
        "http://[::1]:8000/v1",
        "https://models.example.org/v1",
    ],
)
def test_loopback_and_https_are_accepted(endpoint: str) -> None:
    assert check_endpoint(endpoint) == check_endpoint(f"{endpoint}/") == endpoint


@pytest.mark.parametrize(
    ("endpoint", "what"),
    [
        ("http://models.example.org/v1", "not this machine"),
        ("http://10.0.0.5:8000/v1", "not this machine"),
        ("http://0.0.0.0:8000/v1", "not this machine"),
        ("http://localhost.example.org/v1", "not this machine"),
        ("http://127.0.0.1@evil.example/v1", "user name or password"),
        ("https://me:secret@models.example.org/v1", "user name or password"),
        ("me:secret@127.0.0.1:8000/v1", "user name or password"),
        ("http://me:secret@127.0.0.1:bad/v1", "user name or password"),
        ("ftp://127.0.0.1/v1", "not the base URL"),
        ("127.0.0.1:8000/v1", "not the base URL"),
        ("https:///v1", "not the base URL"),
        ("https://models.example.org/v1?key=secret", "not the base URL"),
        ("http://127.0.0.1:8000/v1?", "not the base URL"),
        ("http://127.0.0.1:8000/v1#", "not the base URL"),
        ("http://127.0.0.1:8000/v1\n", "not the base URL"),
        ("http://127.0.0.1:8000/v1 --set", "not the base URL"),
        ("http://127.0.0.1:99999/v1", "not a URL"),
        ("http://[::1/v1", "not a URL"),
    ],
)
def test_any_other_endpoint_is_refused_with_a_remedy_as_soon_as_settings_are_read(
    endpoint: str, what: str
) -> None:
    for refused in (check_endpoint, lambda e: parse_settings({"endpoint": e, "models": "qwen2.5-7b"})):
        with pytest.raises(SettingsError, match=what) as caught:
            refused(endpoint)
        assert caught.value.where == "config: endpoint"
        assert caught.value.remedy
        assert "secret" not in str(caught.value)
