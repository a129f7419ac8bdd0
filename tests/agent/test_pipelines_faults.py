"""What a pipeline does with replies it cannot use, prompts that do not fit, and servers that fail."""

from __future__ import annotations

import asyncio
import json
import re
from typing import Any

import pytest
from agent_fakes import Scripted, make_document, make_evidence, make_plan, make_scenario, play
from hypothesis import given, settings
from hypothesis import strategies as st

from evrev.agent.models import Completion, ContextOverflow
from evrev.agent.pipelines import DocumentView, Memory, MemoryView, PipelineError, Revised, Snapshot
from evrev.agent.pipelines.cache import Cache
from evrev.agent.pipelines.local_repair import LocalRepair
from evrev.agent.transcript import together
from evrev.errors import DataError, ModelError
from evrev.formats.canonical import canonical_json
from evrev.formats.scenario import Task
from evrev.formats.trajectory import Call, Decoding, Message, Trajectory

MEMORY = ("cache", "rebuild", "local_repair")


def call_of(trajectory: Trajectory, name: str) -> Call:
    return next(call for call in trajectory.calls if call.name == name)


def test_a_summary_is_asked_for_even_without_a_fact() -> None:
    caller = Scripted({"e:D1@1": "sorry"})
    trajectory = play(make_scenario("E0"), "rebuild", caller)
    assert len(trajectory.calls) == 10
    assert "(no facts)" in caller.prompts["s:D1@1"]
    assert call_of(trajectory, "e:D1@1").parse.status == "failed"
    assert (call_of(trajectory, "e:D1@1").parse.admitted, len(trajectory.uses)) == (0, 3)


@pytest.mark.parametrize(
    ("reply", "labels"),
    [
        ("Stable\npatient", ("not_json", "raw_text")),
        ('["Stable\\npatient"]', ("no_summary", "raw_text")),
        ('{"summary": "Stable\\npatient"}', ()),
        ('{"summary": "Stable\\npatient"', ("closed_braces",)),
    ],
)
def test_an_unparsed_summary_is_kept_as_raw_text_and_labelled(reply: str, labels: tuple[str, ...]) -> None:
    caller = Scripted({"s:D1@1": reply})
    trajectory = play(make_scenario("E0"), "local_repair", caller)
    parse = call_of(trajectory, "s:D1@1").parse
    assert parse.repairs == labels
    assert (parse.status == "failed") is ("raw_text" in labels)
    shown = "Stable patient" if reply.startswith(("{", "Stable")) else reply
    assert f"- D1:pharmacy | {shown}\n" in caller.prompts["G@1"]
    assert f"- D1:pharmacy | {shown}\n" in caller.prompts["u0"]


@pytest.mark.parametrize(
    ("reply", "finish", "items", "status"),
    [
        ('{"items": ["a"]}', "stop", ("a",), "strict"),
        ('{"items": []}', "stop", (), "strict"),
        ('{"items": ["a"]', "stop", ("a",), "repaired"),
        ('```json\n{"items": ["a"]}\n```', "stop", ("a",), "repaired"),
        ('{"items": ["a"]}', "length", None, "strict"),
        ('{"items": ["a", "b', "length", None, "repaired"),
        ('{"items": ["a", "b', "stop", None, "repaired"),
        ('{"items": ["a",', "stop", None, "repaired"),
        ('{"items": ["a", 1]}', "stop", None, "failed"),
        ('{"items": "a"}', "stop", None, "failed"),
        ('["a"]', "stop", None, "failed"),
        ("null", "stop", None, "failed"),
        ("a", "stop", None, "failed"),
    ],
)
def test_an_answer_that_cannot_be_read_or_was_cut_is_a_format_failure_and_goes_to_the_gate(
    reply: str, finish: str, items: tuple[str, ...] | None, status: str
) -> None:
    trajectory = play(make_scenario("E0"), "reread", Scripted({"u0": reply}, finish={"u0": finish}))
    use = trajectory.uses[0]
    assert (use.items, use.parse.status, use.parse.capped) == (items, status, finish == "length")
    assert use.parse == call_of(trajectory, "u0").parse
    assert use.commit == "accepted"


@pytest.mark.parametrize("finish", ["stop", "length"])
def test_a_cut_extraction_keeps_what_was_complete_and_says_that_it_was_cut(finish: str) -> None:
    cut = '{"claims": [{"type": "med", "content": "a 1 mg", "evidence": "D1"}, {"type": "med", "con'
    trajectory = play(make_scenario("E0"), "cache", Scripted({"e:D1@1": cut}, finish={"e:D1@1": finish}))
    call = call_of(trajectory, "e:D1@1")
    assert (call.parse.capped, call.finish_reason) == (finish == "length", finish)
    assert (call.parse.status, call.parse.admitted) == ("repaired", 1)
    assert call.parse.repairs[0] == "dropped_incomplete"


@pytest.mark.parametrize("last_first", [False, True])
def test_a_prompt_that_does_not_fit_fails_the_trajectory_and_keeps_its_siblings_calls(
    last_first: bool,
) -> None:
    replies = {"e:D2@1": ContextOverflow("20,000 tokens"), "e:D3@1": ContextOverflow("later")}
    caller = Scripted(replies, last_first=last_first)
    trajectory = play(make_scenario("E1"), "rebuild", caller)
    assert trajectory.status == "failed"
    assert trajectory.failure is not None
    assert (trajectory.failure.kind, trajectory.failure.message) == ("context_overflow", "20,000 tokens")
    assert [call.name for call in trajectory.calls] == ["e:D1@1", "e:D4@1"]
    assert trajectory.uses == ()
    assert [call.parse.admitted for call in trajectory.calls] == [1, 1]


def test_a_use_that_does_not_fit_keeps_the_uses_before_it() -> None:
    trajectory = play(make_scenario("E1"), "reread", Scripted({"u1": ContextOverflow("too long")}))
    assert [use.index for use in trajectory.uses] == [0]
    assert trajectory.revision is not None
    assert trajectory.store is not None


def test_a_pipelines_own_error_fails_the_trajectory() -> None:
    class Broken(Cache):
        async def ingest(self, memory: Memory) -> None:
            await super().ingest(memory)
            memory.notes["seen"] = len(memory.snapshot().nodes)
            raise PipelineError("cannot go on")

    trajectory = play(make_scenario("E0"), Broken())
    assert trajectory.failure is not None
    assert (trajectory.failure.kind, trajectory.failure.message) == ("pipeline_error", "cannot go on")
    assert (len(trajectory.calls), trajectory.extra) == (3, {"seen": 3})


def failing(step: str, error: BaseException) -> Cache:
    """Somebody's own pipeline that raises `error` when it comes to `step`."""

    class Failing(Cache):
        name = "own"

        async def ingest(self, memory: Memory) -> None:
            await super().ingest(memory)
            memory.notes["facts"] = 4
            self._at("ingest")

        async def revise(self, memory: Memory, revised: Revised) -> tuple[str, ...]:
            self._at("revise")
            return await super().revise(memory, revised)

        def show(self, snapshot: Snapshot, task: Task) -> MemoryView:
            self._at("show")
            return super().show(snapshot, task)

        def _at(self, now: str) -> None:
            if now == step:
                raise error

    return Failing()


@pytest.mark.parametrize(("step", "uses"), [("ingest", 0), ("show", 0), ("revise", 1)])
def test_whatever_anothers_pipeline_raises_is_an_execution_failure_of_its_trajectory(
    step: str, uses: int
) -> None:
    trajectory = play(make_scenario("E1"), failing(step, KeyError("dose")))
    assert (trajectory.status, len(trajectory.calls), len(trajectory.uses)) == ("failed", 4 + uses, uses)
    assert trajectory.failure is not None
    assert trajectory.failure.kind == "pipeline_error"
    message = trajectory.failure.message
    assert re.fullmatch(r"test_pipelines_faults\.py, line \d+: KeyError: 'dose'", message)
    assert trajectory.extra == {"facts": 4}


def test_the_message_of_a_failure_is_one_line_and_the_same_in_every_process() -> None:
    error = ValueError(f"{object()}\n\ud800 {'x' * 1000}")
    failure = play(make_scenario("E0"), failing("ingest", error)).failure
    assert failure is not None
    assert "ValueError: <object object at 0x...> \ufffd xxx" in failure.message
    assert len(failure.message) == 500


def test_a_group_of_errors_is_told_by_its_first() -> None:
    grouped = play(make_scenario("E0"), failing("ingest", ExceptionGroup("two", [KeyError("a")]))).failure
    overflow = play(
        make_scenario("E0"), failing("show", ExceptionGroup("", [ContextOverflow("long")]))
    ).failure
    assert grouped is not None
    assert overflow is not None
    assert grouped.message == "KeyError: 'a'"
    assert (overflow.kind, overflow.message) == ("context_overflow", "long")


NOTHING = MemoryView(())


class Returns(Cache):
    """Somebody's own pipeline that gives back what it should not."""

    name = "own"

    def __init__(self, *, rebuilt: Any = (), view: Any = NOTHING, notes: Any = None) -> None:
        self._rebuilt, self._view, self._notes = rebuilt, view, notes

    async def ingest(self, memory: Memory) -> None:
        memory.notes["own"] = self._notes

    async def revise(self, memory: Memory, revised: Revised) -> Any:  # noqa: ARG002
        return self._rebuilt

    def show(self, snapshot: Snapshot, task: Task) -> Any:  # noqa: ARG002
        return self._view


@pytest.mark.parametrize(
    "wrong",
    [
        {"rebuilt": None},
        {"rebuilt": (1, 2)},
        {"view": None},
        {"view": MemoryView((None,))},  # type: ignore[arg-type]
        {"view": DocumentView((make_evidence("D77"),))},
        {"notes": {1, 2}},
        {"notes": float("nan")},
        {"notes": object()},
    ],
)
def test_what_anothers_pipeline_gives_back_wrongly_is_its_failure_too(wrong: dict[str, Any]) -> None:
    assert play(make_scenario("E1"), Returns()).status == "complete"
    trajectory = play(make_scenario("E1"), Returns(**wrong))
    assert trajectory.failure is not None
    assert trajectory.failure.kind == "pipeline_error"
    assert Trajectory.model_validate_json(canonical_json(trajectory)) == trajectory


def test_a_fault_of_evrev_itself_is_no_data_row(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise KeyError("ours")

    monkeypatch.setattr(Cache, "show", broken)
    with pytest.raises(KeyError, match="ours"):
        play(make_scenario("E0"), "cache")


def test_an_outage_is_not_a_result() -> None:
    with pytest.raises(ModelError, match="down"):
        play(make_scenario("E0"), "cache", Scripted({"e:D2@1": ModelError("down")}))
    for step in ("ingest", "show"):
        with pytest.raises(ModelError, match="down"):
            play(make_scenario("E0"), failing(step, ModelError("down")))


def test_a_replacement_without_a_second_version_is_named() -> None:
    scenario = make_scenario("E2")
    documents = (*scenario.documents[:3], make_document("D4", ("MEDICATION | omegazol 10 mg",)))
    with pytest.raises(DataError, match="D4 has no second version"):
        play(scenario.model_copy(update={"documents": documents}), "reread")


class Hanging(Scripted):
    """Never answers some calls; notes which of them were cancelled."""

    def __init__(self, *hanging: str, **options: Any) -> None:
        super().__init__(**options)
        self.hanging, self.cancelled = hanging, set[str]()

    async def __call__(self, name: str, messages: tuple[Message, ...], decoding: Decoding) -> Completion:
        if name in self.hanging:
            try:
                # Only a failing test waits so long.
                await asyncio.wait_for(asyncio.get_running_loop().create_future(), timeout=30)
            except asyncio.CancelledError:
                self.cancelled.add(name)
                raise
        return await super().__call__(name, messages, decoding)


def test_an_outage_cancels_the_calls_beside_it() -> None:
    caller = Hanging("e:D1@1", "e:D3@1", replies={"e:D2@1": ModelError("down")})
    with pytest.raises(ModelError):
        play(make_scenario("E0"), "cache", caller)
    assert caller.cancelled == {"e:D1@1", "e:D3@1"}


def test_a_cancelled_trajectory_leaves_no_call_running() -> None:
    caller = Hanging("a", "b")

    async def cancel() -> int:
        work = [caller(name, (), Decoding()) for name in ("a", "b")]
        task = asyncio.ensure_future(together(work))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return len(asyncio.all_tasks()) - 1

    assert asyncio.run(cancel()) == 0
    assert caller.cancelled == {"a", "b"}


def test_when_no_document_is_left_nothing_is_recomputed() -> None:
    scenario = make_scenario("E1", n=1)
    alone = scenario.model_copy(update={"documents": scenario.documents[1:]})
    for pipeline in MEMORY:
        caller = Scripted()
        trajectory = play(alone, pipeline, caller)
        assert trajectory.revision is not None
        assert trajectory.revision.rebuilt == ()
        assert "(no facts)" in caller.prompts["u1"]
        assert [read.row for read in trajectory.uses[1].read_set] == []
    caller = Scripted()
    play(alone, "reread", caller)
    assert "(no documents)" in caller.prompts["u1"]


def test_a_step_repeated_by_a_pipeline_keeps_call_names_unique() -> None:
    class Twice(LocalRepair):
        async def ingest(self, memory: Memory) -> None:
            await memory.build()
            await memory.build()

    names = [call.name for call in play(make_scenario("E0", n=1), Twice()).calls]
    assert names == ["e:D1@1", "s:D1@1", "G@1", "e:D1@1+", "s:D1@1+", "G@1+", "u0", "u1", "u2"]


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.characters(), max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["claims", "summary", "items", "type", "content", "evidence", "x"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)
_CLAIM = st.fixed_dictionaries(
    {},
    optional={
        "type": st.sampled_from(["med", "lab", "drug", "", 1]),
        "content": st.sampled_from(["a | b", "two\nlines", "nul \x00", "\ud800", "", None]),
        "evidence": st.sampled_from(["D1", "D2", "D4", "d1", ["D1"]]),
    },
)
REPLIES = st.one_of(
    st.text(max_size=30),
    st.text(st.characters(categories=["Cs", "Cc", "Lu"]), max_size=8),
    _JSON.map(json.dumps),
    st.lists(_CLAIM | _JSON, max_size=4).map(lambda claims: json.dumps({"claims": claims})),
    st.sampled_from(
        ["[" * 20_000, '{"claims": [' * 3_000, '{"items": ["\\ud83d"]}', '{"summary": "\\udc00"}']
    ),
)


@settings(max_examples=60, deadline=None)
@given(st.lists(REPLIES, min_size=19, max_size=19), st.sampled_from(MEMORY), st.sampled_from(["E1", "E2"]))
def test_no_reply_whatever_it_is_stops_a_trajectory(replies: list[str], pipeline: str, event: str) -> None:
    names = [call.name for call in play(make_scenario(event), pipeline).calls]
    caller = Scripted(dict(zip(names, replies, strict=False)))
    trajectory = play(make_scenario(event), pipeline, caller, plan=make_plan())
    assert trajectory.status == "complete"
    assert [call.name for call in trajectory.calls] == names
    assert [use.commit for use in trajectory.uses] == ["accepted"] * 3
    assert Trajectory.model_validate_json(canonical_json(trajectory)) == trajectory
