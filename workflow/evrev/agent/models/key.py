"""The key that goes to a model server: from the environment, and into no file and no message."""

from __future__ import annotations

import os

from evrev.errors import SettingsError
from evrev.formats.endpoint import KEY


def api_key() -> str | None:
    """The key of the environment, or none; SettingsError if no header can carry it."""
    key = os.environ.get(KEY, "").strip()
    if not (key.isascii() and key.isprintable()):
        raise SettingsError(
            "holds characters that a key cannot have", where=KEY, remedy="set it again, without line breaks"
        )
    return key or None
