"""From settings to a client: keys come from the environment and nowhere else."""

from __future__ import annotations

import subprocess
import sys

import pytest

from evrev.agent.models.key import api_key
from evrev.agent.models.make import make_client
from evrev.agent.models.openai_chat import OpenAIChat
from evrev.agent.models.scripted import ScriptedReader
from evrev.errors import SettingsError
from evrev.formats.settings import Settings, load_models

MODELS = load_models()


def test_a_key_is_read_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVREV_API_KEY", " sk-1 \n")
    assert api_key() == "sk-1"
    monkeypatch.delenv("EVREV_API_KEY")
    assert api_key() is None
    monkeypatch.setenv("EVREV_API_KEY", "sk-1\r\nX-Other: 2")
    with pytest.raises(SettingsError, match="cannot have") as caught:
        api_key()
    assert "sk-1" not in str(caught.value)


def test_each_entry_makes_its_client() -> None:
    endpoint = Settings.model_validate({"endpoint": "http://127.0.0.1:8000/v1"})
    for entry in MODELS.values():
        kind = ScriptedReader if entry.kind == "scripted" else OpenAIChat
        assert isinstance(make_client(entry, endpoint), kind)


def test_a_real_model_without_a_server_says_how_to_name_one() -> None:
    with pytest.raises(SettingsError, match=r"Qwen/Qwen2.5-7B-Instruct needs a server") as caught:
        make_client(MODELS["qwen2.5-7b"], Settings.model_validate({}))
    assert "ENDPOINT=http://127.0.0.1:8000/v1" in str(caught.value)


def test_an_entry_without_a_served_name_is_refused() -> None:
    nameless = MODELS["qwen2.5-7b"].model_copy(update={"served_name": None})
    with pytest.raises(SettingsError, match="has no served_name"):
        make_client(nameless, Settings.model_validate({"endpoint": "http://127.0.0.1:8000/v1"}))


def test_the_scripted_reader_needs_no_network_library_and_sees_no_scenario() -> None:
    code = (
        "from evrev.formats.settings import Settings, load_models\n"
        "from evrev.agent.models.make import make_client\n"
        "make_client(load_models()['scripted-qwen'], Settings())\n"
        "import sys\n"
        "print([m for m in sys.modules if m.split('.')[0] == 'aiohttp'\n"
        "    or m.startswith(('evrev.scenarios', 'evrev.medication', 'evrev.scoring'))])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
