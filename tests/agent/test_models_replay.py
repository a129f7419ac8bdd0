"""Recorded calls answer again, byte for byte, and nothing else does."""

from __future__ import annotations

import asyncio

import pytest
from agent_fakes import CONTRACT, make_plan, make_scenario

from evrev.agent.models import Completion
from evrev.agent.models.replay import Replay
from evrev.agent.models.scripted import ScriptedReader
from evrev.agent.pipelines import pipelines
from evrev.agent.trajectory import run_trajectory
from evrev.errors import ModelError
from evrev.formats.settings import load_models
from evrev.formats.trajectory import Decoding, Message, Trajectory


def play(client: ScriptedReader | Replay, model: str = "m") -> Trajectory:
    async def call(name: str, messages: tuple[Message, ...], decoding: Decoding) -> Completion:  # noqa: ARG001
        return await client.complete(messages, decoding)

    return asyncio.run(
        run_trajectory(
            make_scenario("E2"),
            pipeline=pipelines()["local_repair"](),
            plan=make_plan(),
            contract=CONTRACT,
            model=model,
            system_role="keep",
            call=call,
        )
    )


def test_a_replayed_trajectory_equals_the_recorded_one() -> None:
    recorded = play(ScriptedReader(load_models()["scripted-mistral"]))
    assert play(Replay("m", recorded.calls)) == recorded


def test_a_request_that_was_not_recorded_is_named() -> None:
    calls = play(ScriptedReader(load_models()["scripted-mistral"])).calls
    missing = calls[3]
    with pytest.raises(ModelError, match=f"request {missing.request[:12]} to m is not among"):
        play(Replay("m", calls[:3] + calls[4:]))


def test_another_model_name_is_another_request() -> None:
    calls = play(ScriptedReader(load_models()["scripted-mistral"])).calls
    with pytest.raises(ModelError, match="to other is not among"):
        play(Replay("other", calls), "other")
