"""From an entry of config/models.yaml to its client."""

from __future__ import annotations

from evrev.agent.models import ModelClient
from evrev.formats.settings import ModelEntry, Settings


def make_client(entry: ModelEntry, settings: Settings) -> ModelClient:
    """The client of `entry`; SettingsError if it needs a server and none is given, or one it may not use."""
    if entry.client == "scripted":
        from evrev.agent.models.scripted import ScriptedReader

        return ScriptedReader(entry)
    from evrev.agent.models.openai_chat import OpenAIChat

    return OpenAIChat(entry, settings)
