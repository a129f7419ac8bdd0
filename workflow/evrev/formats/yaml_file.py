"""Reading the YAML files people write: settings, models, plans, the task contract."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from evrev.errors import SettingsError


def read_yaml(path: Path) -> dict[str, Any]:
    """The keys of a YAML file, none for an empty one; SettingsError when it is not one or holds no keys."""
    try:
        raw = yaml.safe_load(path.read_text("utf-8"))
    except OSError as error:
        raise SettingsError(f"cannot be read: {error.strerror}", where=path) from error
    except (UnicodeDecodeError, yaml.YAMLError) as error:
        raise SettingsError(f"not YAML: {error}", where=path) from error
    if raw is not None and not isinstance(raw, dict):
        raise SettingsError("holds no keys: each line is `key: value`", where=path)
    return raw or {}
