"""What each pipeline calls, in which order, and what it shows (paper, section 4 and the printed counts)."""

from __future__ import annotations

import asyncio
from collections import Counter

import pytest
from agent_fakes import CONTRACT, PATIENT, Scripted, make_plan, make_scenario, play
from hypothesis import given, settings
from hypothesis import strategies as st

from evrev.agent.models import Completion
from evrev.agent.pipelines import pipelines
from evrev.agent.trajectory import run_trajectory
from evrev.formats.canonical import canonical_json
from evrev.formats.trajectory import Decoding, Message, Trajectory

PIPELINES = ("reread", "cache", "rebuild", "local_repair")
EVENTS = ("E0", "E1", "E1b", "E2", "E4")
ANY_N = st.integers(1, 8)


def expected_calls(event: str, pipeline: str, n: int) -> tuple[int, int, int]:
    """Calls at ingest, in the revise phase and in all for three uses, with n documents besides D4."""
    documents = n if event == "E0" else n + 1
    full = 2 * documents + 1
    ingest = {"reread": 0, "cache": documents, "rebuild": full, "local_repair": full}[pipeline]
    revoked = {"rebuild": 2 * n + 1, "local_repair": 1}
    replaced = {"cache": 1, "rebuild": full, "local_repair": 3}
    revise = {"E1": revoked, "E1b": revoked, "E2": replaced}.get(event, {}).get(pipeline, 0)
    return ingest, revise, ingest + revise + 3


def counted(trajectory: Trajectory) -> tuple[int, int, int]:
    phases = Counter(call.phase for call in trajectory.calls)
    return phases["ingest"], phases["revise"], len(trajectory.calls)


# Table 3 and section 2 of the call structure: total calls at the small size.
PRINTED = {
    "E0": (3, 6, 10, 10),
    "E1": (3, 7, 19, 13),
    "E1b": (3, 7, 19, 13),
    "E2": (3, 8, 21, 15),
    "E4": (3, 7, 12, 12),
}


@pytest.mark.parametrize("event", EVENTS)
@pytest.mark.parametrize("pipeline", PIPELINES)
def test_the_small_size_makes_the_printed_number_of_calls(event: str, pipeline: str) -> None:
    trajectory = play(make_scenario(event), pipeline)
    assert len(trajectory.calls) == PRINTED[event][PIPELINES.index(pipeline)]
    assert trajectory.status == "complete"


@settings(max_examples=40)
@given(st.sampled_from(EVENTS), st.sampled_from(PIPELINES), ANY_N)
def test_any_number_of_documents_makes_the_calls_of_the_formulas(event: str, pipeline: str, n: int) -> None:
    assert counted(play(make_scenario(event, n), pipeline)) == expected_calls(event, pipeline, n)


@pytest.mark.parametrize(
    ("pipeline", "total"), [("reread", 21), ("cache", 25), ("local_repair", 31), ("rebuild", 37)]
)
def test_twenty_uses_after_the_revision_make_the_calls_of_the_reuse_sweep(pipeline: str, total: int) -> None:
    trajectory = play(make_scenario("E1"), pipeline, plan=make_plan(("medication",) * 21))
    assert len(trajectory.calls) == total
    assert [use.index for use in trajectory.uses] == list(range(21))


@pytest.mark.parametrize(
    ("pipeline", "event", "counts"),
    [
        ("cache", "E1", (1, 0)),
        ("rebuild", "E1", (3, 7)),
        ("local_repair", "E1", (3, 1)),
        ("cache", "E2", (1, 1)),
        ("rebuild", "E2", (3, 9)),
        ("local_repair", "E2", (3, 3)),
        ("reread", "E1", (0, 0)),
    ],
)
def test_invalidated_and_rebuilt_count_nodes(pipeline: str, event: str, counts: tuple[int, int]) -> None:
    revision = play(make_scenario(event), pipeline).revision
    assert revision is not None
    assert (len(revision.invalidated), len(revision.rebuilt)) == counts
    assert revision.action == ("replace" if event == "E2" else "revoke")
    assert revision.document == "D4"


@pytest.mark.parametrize("event", ["E0", "E4"])
def test_without_a_revision_nothing_is_revised(event: str) -> None:
    for pipeline in PIPELINES:
        assert play(make_scenario(event), pipeline).revision is None


def test_calls_stand_in_logical_order_with_names_of_their_own() -> None:
    names = [call.name for call in play(make_scenario("E1"), "rebuild").calls]
    ingest = [f"{k}:D{i}@1" for k in "es" for i in (1, 2, 3, 4)]
    revise = [f"r:{k}:D{i}@1" for k in "es" for i in (1, 2, 3)]
    assert names == [*ingest, "G@1", "u0", *revise, "r:G", "u1", "u2"]
    assert len(set(names)) == 19


def test_each_call_states_its_phase_kind_and_document() -> None:
    calls = {call.name: call for call in play(make_scenario("E2"), "local_repair").calls}
    stated = {name: (call.phase, call.kind, call.document) for name, call in calls.items()}
    assert stated["e:D4@1"] == ("ingest", "extraction", "D4")
    assert stated["s:D2@1"] == ("ingest", "summary", "D2")
    assert stated["G@1"] == ("ingest", "global_summary", None)
    assert stated["r:e:D4@2"] == ("revise", "extraction", "D4")
    assert stated["r:G"] == ("revise", "global_summary", None)
    assert stated["u1"] == ("use", "use", None)
    assert (calls["e:D3@1"].parse.admitted, calls["e:D3@1"].parse.rejected) == (2, 0)
    assert calls["s:D3@1"].parse.admitted is None


def test_the_event_document_stands_last_in_every_prompt_and_call_order() -> None:
    caller = Scripted()
    trajectory = play(make_scenario("E4", n=5), "rebuild", caller)
    order = ["D1", "D2", "D3", "D5", "D6", "D4"]
    assert [call.document for call in trajectory.calls if call.kind == "extraction"] == order
    assert [line.split(":")[0] for line in lines(caller.prompts["G@1"], "- ")] == order
    facts = [line for line in lines(caller.prompts["u0"], "- ") if "| claim=" in line]
    assert list(dict.fromkeys(line.split("from=")[1].split(":")[0] for line in facts)) == order
    documents = Scripted()
    play(make_scenario("E4", n=5), "reread", documents)
    shown = lines(documents.prompts["u0"], "Document ")
    assert [line.split(" ")[0] for line in shown] == order


def lines(text: str, mark: str) -> list[str]:
    return [line.removeprefix(mark) for line in text.splitlines() if line.startswith(mark)]


def prompts_of(event: str, pipeline: str) -> list[str]:
    trajectory = play(make_scenario(event), pipeline)
    return [call.messages[-1].content for call in trajectory.calls if call.kind == "use"]


@pytest.mark.parametrize("pipeline", PIPELINES)
def test_a_revoked_document_and_its_memory_are_in_the_first_use_only(pipeline: str) -> None:
    assert [("omegazol" in prompt, "D4" in prompt) for prompt in prompts_of("E1", pipeline)] == [
        (True, True),
        (False, False),
        (False, False),
    ]


@pytest.mark.parametrize("pipeline", PIPELINES)
def test_a_replaced_document_shows_its_second_version_from_the_second_use_on(pipeline: str) -> None:
    shown = [("omegazol 10 mg" in p, "omegazol 20 mg" in p) for p in prompts_of("E2", pipeline)]
    assert shown == [(True, False), (False, True), (False, True)]


@pytest.mark.parametrize("pipeline", PIPELINES)
def test_an_added_document_is_in_every_use(pipeline: str) -> None:
    assert ["omegazol" in prompt for prompt in prompts_of("E4", pipeline)] == [True] * 3
    assert ["D4" in prompt for prompt in prompts_of("E0", pipeline)] == [False] * 3


def test_a_drug_of_a_treatment_record_is_a_medication_fact_tagged_with_its_source() -> None:
    assert "- med | drug|omegazol | claim=D4.c1 | from=D4:ehr" in prompts_of("E4", "cache")[0]


def test_the_cache_has_no_summaries_and_the_others_have_them_all() -> None:
    assert "ummar" not in prompts_of("E1", "cache")[0]
    for pipeline in ("rebuild", "local_repair"):
        prompt = prompts_of("E1", pipeline)[1]
        assert prompt.index("Summary of the patient:") < prompt.index("Summaries by document:")
        assert prompt.index("Summaries by document:") < prompt.index("\nFacts:")
        assert [line.split(" ")[0] for line in lines(prompt, "- ")[:3]] == ["D1:pharmacy", "D2:ehr", "D3:lab"]


@pytest.mark.parametrize("pipeline", PIPELINES[1:])
def test_memory_prompts_never_show_a_version_and_documents_do(pipeline: str) -> None:
    assert not any("version" in prompt for prompt in prompts_of("E2", pipeline))
    assert [p.count("version: 2") for p in prompts_of("E2", "reread")] == [0, 1, 1]


@pytest.mark.parametrize("pipeline", PIPELINES)
def test_the_read_set_is_the_rows_shown_and_their_recorded_parents(pipeline: str) -> None:
    uses = play(make_scenario("E1"), pipeline).uses
    documents = {
        0: {"evidence:D1", "evidence:D2", "evidence:D3", "evidence:D4"},
        1: {"evidence:D1", "evidence:D2", "evidence:D3"},
    }
    for use in uses[:2]:
        ids = sorted(row.split(":")[1] for row in documents[use.index])
        claims = {f"node:c:{id_}" for id_ in ids}
        summaries = {f"node:s:{id_}" for id_ in ids} | {"node:G"}
        shown = {"reread": set(), "cache": claims}.get(pipeline, claims | summaries)
        assert {read.row for read in use.read_set} == documents[use.index] | shown
        assert len(use.read_set) == len({read.row for read in use.read_set})


def test_equal_memory_has_an_equal_snapshot_whatever_happened_between() -> None:
    uses = play(make_scenario("E1"), "local_repair").uses
    assert uses[0].snapshot != uses[1].snapshot == uses[2].snapshot


@pytest.mark.parametrize("event", ["E1", "E2"])
@pytest.mark.parametrize("pipeline", PIPELINES)
def test_a_trajectory_does_not_depend_on_the_order_in_which_calls_end(event: str, pipeline: str) -> None:
    first, last = Scripted(), Scripted(last_first=True)
    one, other = (play(make_scenario(event), pipeline, caller) for caller in (first, last))
    assert canonical_json(one) == canonical_json(other)
    assert (first.ended == last.ended) is (pipeline == "reread")


class Steps(Scripted):
    """Answers a step's calls only once all of them have been asked, and notes how many there were."""

    def __init__(self) -> None:
        super().__init__()
        self.waiting: list[asyncio.Future[None]] = []
        self.steps: list[list[str]] = []

    async def __call__(self, name: str, messages: tuple[Message, ...], decoding: Decoding) -> Completion:
        if not self.waiting:
            self.steps.append([])
            asyncio.get_running_loop().call_soon(lambda: asyncio.get_running_loop().call_soon(self.answer))
        self.steps[-1].append(name)
        self.waiting.append(asyncio.get_running_loop().create_future())
        await self.waiting[-1]
        return await super().__call__(name, messages, decoding)

    def answer(self) -> None:
        waiting, self.waiting = self.waiting, []
        for future in waiting:
            future.set_result(None)


def test_the_extractions_of_one_ingest_run_together_then_all_summaries_then_the_global_summary() -> None:
    steps = Steps()
    play(make_scenario("E1"), "rebuild", steps)
    assert steps.steps == [
        ["e:D1@1", "e:D2@1", "e:D3@1", "e:D4@1"],
        ["s:D1@1", "s:D2@1", "s:D3@1", "s:D4@1"],
        ["G@1"],
        ["u0"],
        ["r:e:D1@1", "r:e:D2@1", "r:e:D3@1"],
        ["r:s:D1@1", "r:s:D2@1", "r:s:D3@1"],
        ["r:G"],
        ["u1"],
        ["u2"],
    ]


def test_every_call_uses_the_plans_decoding_and_its_digest_covers_it() -> None:
    seen = []

    async def call(name: str, messages: tuple[Message, ...], decoding: Decoding) -> Completion:
        seen.append(decoding)
        return await Scripted()(name, messages, decoding)

    def run(decoding: Decoding, model: str) -> Trajectory:
        plan = make_plan().model_copy(update={"decoding": decoding})
        pipeline = pipelines()["cache"]()
        return asyncio.run(
            run_trajectory(
                make_scenario("E0"),
                pipeline=pipeline,
                plan=plan,
                contract=CONTRACT,
                model=model,
                system_role="keep",
                call=call,
            )
        )

    warm = Decoding(temperature=0.2, seed=1)
    runs = [run(Decoding(), "a"), run(warm, "a"), run(Decoding(), "b"), run(Decoding(), "a")]
    assert seen == [Decoding()] * 6 + [warm] * 6 + [Decoding()] * 12
    assert runs[1].decoding == warm
    requests = [run.calls[0].request for run in runs]
    assert requests[0] == requests[3]
    assert len(set(requests)) == 3


def test_a_trajectory_says_what_it_is() -> None:
    scenario = make_scenario("E1b")
    trajectory = play(scenario, "cache")
    assert trajectory.id == f"{PATIENT}-E1b-small.cache.scripted"
    assert trajectory.scenario_digest == scenario.scenario_digest
    assert (trajectory.batch, trajectory.event, trajectory.size) == ("invented", "E1b", "small")
    assert [use.task for use in trajectory.uses] == ["medication", "medication", "problem_list"]
    assert [use.call for use in trajectory.uses] == ["u0", "u1", "u2"]
