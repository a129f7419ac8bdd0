"""Which run a batch uses: scripted runs follow every change, runs of a real model do not."""

from __future__ import annotations

from pathlib import Path

import pytest

from evrev.errors import DigestError, FrozenError
from evrev.formats.canonical import write_json
from evrev.formats.manifest import Manifest
from evrev.formats.settings import parse_settings
from evrev.freeze.runs import resolve_run
from evrev.freeze.study import Study

REAL = ("qwen2.5-7b",)


def _study(tmp_path: Path, models: tuple[str, ...] = REAL, **settings: object) -> Study:
    return Study(parse_settings({"models": models, "results": str(tmp_path), "study": "s", **settings}))


def _freeze(study: Study, run: str, order: int = 1, **changed: str) -> None:
    items = study.items("heldout") | {"code": "a" * 64} | changed
    manifest = Manifest(
        stage="freeze",
        key=run,
        code="c",
        inputs=items,
        parameters={
            "plan": study.plan("heldout").model_dump(mode="json"),
            "models": dict.fromkeys(study.models),
        },
        notes={"order": order},
    )
    write_json(study.frozen("heldout", run) / "manifest.json", manifest)


def _finish(study: Study, run: str) -> None:
    for shard in study.shards(study.plan("heldout"), run):
        write_json(shard / "manifest.json", Manifest(stage="agent", key=run, code="c"))


def _start(study: Study, run: str) -> None:
    shard = study.shards(study.plan("heldout"), run)[0]
    shard.mkdir(parents=True)
    (shard / "journal.jsonl").write_text("{}\n")


def test_a_scripted_study_always_uses_the_run_its_present_inputs_make(tmp_path: Path) -> None:
    study = _study(tmp_path, models=("scripted-qwen",))
    _freeze(study, "0" * 12)
    _start(study, "0" * 12)
    assert resolve_run(study, "heldout").id == study.run_id("heldout")


def test_a_complete_real_run_is_used_though_the_code_changed_and_one_line_says_so(tmp_path: Path) -> None:
    study = _study(tmp_path)
    _freeze(study, "0" * 12)
    _finish(study, "0" * 12)
    run = resolve_run(study, "heldout")
    assert run.id == "0" * 12
    assert run.warning is not None
    assert run.warning.startswith(
        "heldout: run 000000000000 is used as frozen, though code: frozen aaaaaaaaaaaa"
    )


def test_an_incomplete_real_run_refuses_and_names_the_item_both_digests_and_the_way_out(
    tmp_path: Path,
) -> None:
    study = _study(tmp_path)
    _freeze(study, "0" * 12, code=study.items("heldout")["code"], decoding="b" * 64)
    _start(study, "0" * 12)
    now = study.items("heldout")["decoding"][:12]
    with pytest.raises(FrozenError) as error:
        resolve_run(study, "heldout")
    assert f"decoding: frozen bbbbbbbbbbbb, now {now}" in str(error.value)
    assert "code:" not in str(error.value)
    assert "--config thaw=heldout" in str(error.value)


def test_a_frozen_run_that_never_made_a_call_binds_nobody(tmp_path: Path) -> None:
    study = _study(tmp_path)
    _freeze(study, "0" * 12)
    assert resolve_run(study, "heldout").id == study.run_id("heldout")


def test_thawing_makes_another_run_and_keeps_the_old_one(tmp_path: Path) -> None:
    study = _study(tmp_path, thaw="heldout")
    _freeze(study, "0" * 12)
    _start(study, "0" * 12)
    assert resolve_run(study, "heldout").id == study.run_id("heldout")
    assert study.frozen("heldout", "0" * 12).is_dir()


def test_a_run_of_other_models_neither_serves_nor_binds_a_study_of_the_same_name(tmp_path: Path) -> None:
    one, two = _study(tmp_path), _study(tmp_path, models=(*REAL, "mistral-7b"))
    _freeze(one, "0" * 12)
    _finish(one, "0" * 12)
    assert resolve_run(two, "heldout").id == two.run_id("heldout")
    assert resolve_run(one, "heldout").id == "0" * 12


@pytest.mark.parametrize("lost", ["order", "plan", "models"])
def test_a_damaged_freeze_is_named(tmp_path: Path, lost: str) -> None:
    study = _study(tmp_path)
    _freeze(study, "0" * 12)
    path = study.frozen("heldout", "0" * 12) / "manifest.json"
    path.write_text(path.read_text().replace(f'"{lost}"', '"other"'))
    with pytest.raises(DigestError, match=rf"manifest\.json: is no freeze: {lost}"):
        resolve_run(study, "heldout")


def test_of_two_complete_runs_the_later_freeze_is_used(tmp_path: Path) -> None:
    study = _study(tmp_path)
    for run, order in (("0" * 12, 2), ("1" * 12, 1)):
        _freeze(study, run, order)
        _finish(study, run)
    assert resolve_run(study, "heldout").id == "0" * 12


def test_tables_follow_the_order_of_the_models_though_the_run_does_not(tmp_path: Path) -> None:
    one, two = (
        _study(tmp_path, models=names)
        for names in (("scripted-qwen", "scripted-mistral"), ("scripted-mistral", "scripted-qwen"))
    )
    assert one.run_id("heldout") == two.run_id("heldout")
    assert one.outputs_key("0" * 12) != two.outputs_key("0" * 12)


def test_a_changed_scorer_never_makes_another_run(tmp_path: Path) -> None:
    on, off = _study(tmp_path), _study(tmp_path, aliases=False)
    assert on.items("heldout")["scorer"] != off.items("heldout")["scorer"]
    assert on.scores_key("0" * 12) != off.scores_key("0" * 12)


@pytest.mark.parametrize(
    ("other", "name"),
    [
        ({"patients": 2}, "eicu_demo-scripted-n2"),
        ({"models": "scripted-qwen"}, "eicu_demo-scripted-qwen"),
        ({"lab": "lab.subset.csv.gz"}, "eicu_demo+lab.subset-scripted"),
        ({"lab": "my lab {1}.csv"}, "eicu_demo+my-lab--1--scripted"),
        ({"source": "synthetic", "data": None}, "synthetic-scripted"),
    ],
)
def test_other_limits_models_and_tables_have_a_study_of_their_own(
    other: dict[str, object], name: str
) -> None:
    assert Study(parse_settings({"source": "eicu_demo", "data": "tables", **other})).name == name
