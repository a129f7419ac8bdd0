"""A program that runs one shard against a server and can be stopped: FOLDER ENDPOINT CONCURRENCY."""

from __future__ import annotations

import sys
from pathlib import Path

from agent_fakes import CONTRACT, make_plan, make_scenario

from evrev.agent.runner import run_shard
from evrev.errors import EvrevError
from evrev.formats.plan import Plan
from evrev.formats.scenario import Scenario
from evrev.formats.settings import ModelEntry, Settings

MODEL = "tiny-model"
ENTRY = ModelEntry(
    label="Tiny",
    kind="tiny",
    client="openai_chat",
    served_name="tiny",
    tokenizer="qwen2.5",
    context_length=32768,
    errors={"omission": 0.1, "missing_brace": 0.2},
)


def scenarios() -> list[Scenario]:
    return [make_scenario("E1"), make_scenario("E2")]


def plan() -> Plan:
    return make_plan()


def manifest(folder: Path) -> None:
    (folder / "manifest.json").write_text("{}")


def main(folder: str, endpoint: str, concurrency: str) -> int:
    try:
        summary = run_shard(
            scenarios=scenarios(),
            plan=plan(),
            contract=CONTRACT,
            model=MODEL,
            entry=ENTRY,
            settings=Settings.model_validate(
                {"endpoint": endpoint, "concurrency": int(concurrency), "attempts": 1}
            ),
            folder=Path(folder),
            finish=manifest,
            progress=True,
        )
    except EvrevError as error:
        print(f"evrev: {error}", file=sys.stderr)
        return 2
    print(summary)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
