"""A study: one data source x model set x patient limit, its folder, and the key of every stage.

Keys are input-addressed: the key of a stage folder is a digest of its parameters, its code and the keys and
digests it builds on. All keys are therefore known before anything is made, nothing made under other inputs is
ever overwritten, and neither mtimes nor Snakemake's own records decide what is up to date.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from evrev.formats.canonical import digest, digest_file
from evrev.formats.plan import Plan, batch_names, load_plan
from evrev.formats.settings import BATCHES, ROOT, ModelEntry, Settings, load_models
from evrev.formats.tables import CONTEXT_TABLES, TABLES, files_at_hand, published_digests
from evrev.formats.task import TaskContract, load_task_contract
from evrev.freeze.code import code_digest
from evrev.freeze.plugins import plugin_items

ALIASES = ROOT / "resources" / "drug_aliases.csv"
CONTRACT = ROOT / "resources" / "task_contract.yaml"
LOCK = ROOT / "envs" / "core.txt"
PAPER = ROOT / "resources" / "paper"
_ODD = re.compile(r"[^A-Za-z0-9_.+-]")


def short(value: Any) -> str:
    """Twelve hexadecimal digits of the digest of `value`: a key."""
    return digest(value)[:12]


@dataclass(frozen=True)
class Study:
    """Paths and keys of one study. `settings` decide everything; nothing is read from results/."""

    settings: Settings

    @cached_property
    def models(self) -> dict[str, ModelEntry]:
        """The study's models by name, in the order given."""
        entries = load_models()
        return {name: entries[name] for name in self.settings.models}

    @property
    def has_real_model(self) -> bool:
        """Whether any model of the study is a real one, so that its runs are kept frozen."""
        return any(entry.kind == "real" for entry in self.models.values())

    @property
    def name(self) -> str:
        """The study's folder name, from source, models and limit unless the settings give one."""
        s = self.settings
        if s.study != "auto":
            return s.study
        names = list(s.models)
        if sorted(names) == ["scripted-mistral", "scripted-qwen"]:
            names = ["scripted"]
        lab = s.lab.removesuffix(".gz").removesuffix(".csv") if s.lab else ""
        partial = f"+{_ODD.sub('-', lab)}" if lab else ""
        limit = f"-n{s.patients}" if s.patients else ""
        return f"{s.source}{partial}-{'+'.join(names)}{limit}"

    @property
    def folder(self) -> Path:
        """Where everything of this study goes."""
        return Path(self.settings.results) / self.name

    @cached_property
    def contract(self) -> TaskContract:
        """The task contract, digested before any scenario exists."""
        return load_task_contract(CONTRACT)

    @cached_property
    def aliases_digest(self) -> str | None:
        """Digest of the alias table, or none when it is switched off."""
        return digest_file(ALIASES) if self.settings.aliases else None

    @cached_property
    def table_digests(self) -> dict[str, str]:
        """Table -> SHA-256 of the file at hand; the published digest stands in for one not yet fetched."""
        return self._digests(TABLES)

    def _digests(self, tables: tuple[str, ...], optional: tuple[str, ...] = ()) -> dict[str, str]:
        if self.settings.source == "synthetic":
            return {}
        found = files_at_hand(Path(self.settings.data or ""), self.settings.lab, tables)
        published = published_digests()
        return {
            table: digest_file(files[0]) if files else published[table.lower()]
            for table, files in found.items()
            if files or table not in optional
        }

    @cached_property
    def records_key(self) -> str:
        """Key of the records folder."""
        parameters = {"source": self.settings.source, "lab": self.settings.lab}
        return short(["records", code_digest("records"), parameters, self.table_digests])

    @cached_property
    def charting_key(self) -> str:
        """Key of the records folder that also holds what the length levels read."""
        parameters = {"source": self.settings.source, "lab": self.settings.lab, "charting": True}
        return short(["records", code_digest("records"), parameters, self.charting_digests])

    @cached_property
    def charting_digests(self) -> dict[str, str]:
        """`table_digests` with the context tables, without those that are not there and may be absent."""
        optional = CONTEXT_TABLES if self.settings.absent_tables else ()
        return self._digests((*TABLES, *CONTEXT_TABLES), optional)

    @property
    def batches(self) -> tuple[str, ...]:
        """Every batch that has a plan, in the order of Table 16."""
        return batch_names(BATCHES)

    def plan(self, batch: str) -> Plan:
        """The plan of a batch."""
        return load_plan(BATCHES, batch)

    def records_key_of(self, batch: str) -> str:
        """Key of the records a batch is built from: only length levels read charting."""
        return self.charting_key if self.plan(batch).levels else self.records_key

    def drawing(self, batch: str) -> dict[str, Any]:
        """What decides a batch's scenarios in its plan and in those it takes patients from, by batch."""
        found: dict[str, Any] = {}
        waiting = [batch]
        while waiting:
            name = waiting.pop()
            if name not in found:
                plan = self.plan(name)
                fields = {"patients", "strata", "events", "sizes"}
                # Lengths decide nothing about the patients that another batch takes from this one.
                own = {"levels", "growth"} if name == batch else set()
                found[name] = plan.model_dump(include=fields | own)
                waiting += plan.links
        return found

    def scenarios_key(self, batch: str) -> str:
        """Key of a batch's scenarios folder."""
        parameters = [self.drawing(batch), self.settings.patients, self.aliases_digest]
        return short(
            [
                "scenarios",
                code_digest("scenarios"),
                self.records_key_of(batch),
                parameters,
                self.contract.contract_digest,
            ]
        )

    def items(self, batch: str) -> dict[str, str]:
        """What a freeze fixes, item by item; all but `scorer` decide the run id."""
        plan = self.plan(batch)
        return {
            "code": code_digest("agent"),
            "task contract": self.contract.contract_digest,
            "scenarios": self.scenarios_key(batch),
            "plan": digest(plan),
            "decoding": digest(plan.decoding),
            **plugin_items(plan.pipelines),
            **{
                f"model {name}": digest(entry.model_dump(exclude={"label"}))
                for name, entry in self.models.items()
            },
            "environment": digest_file(LOCK),
            "scorer": digest([code_digest("scoring"), self.aliases_digest]),
        }

    def run_id(self, batch: str) -> str:
        """The run that the present code, plan, data and models make."""
        return short({k: v for k, v in self.items(batch).items() if k != "scorer"})

    # Folders -----------------------------------------------------------------------------------------------

    @property
    def records(self) -> Path:
        """The records folder."""
        return self.folder / "records" / self.records_key

    def records_of(self, batch: str) -> Path:
        """The records folder that a batch is built from."""
        return self.folder / "records" / self.records_key_of(batch)

    @property
    def reuse(self) -> Path:
        """Where it is recorded which patients several batches use."""
        return self.folder / "scenarios" / "reuse.json"

    def scenarios(self, batch: str, key: str | None = None) -> Path:
        """A batch's scenarios folder (a frozen run names its own key)."""
        return self.folder / "scenarios" / batch / (key or self.scenarios_key(batch))

    def frozen(self, batch: str, run: str) -> Path:
        """Where the freeze of a run stands."""
        return self.folder / "frozen" / batch / run

    def shard(self, batch: str, run: str, model: str, shard: str) -> Path:
        """Where one generation job works."""
        return self.folder / "trajectories" / batch / run / model / shard

    def shards(self, plan: Plan, run: str, models: Iterable[str] | None = None) -> list[Path]:
        """Every shard folder of a run, by model (the study's unless given) and then by shard."""
        names = plan.shard_names()
        asked = self.models if models is None else models
        return [self.shard(plan.batch, run, model, name) for model in asked for name in names]

    def scores_key(self, run: str) -> str:
        """Key of the scores of a run: the run, the scorer and the alias table."""
        return short(["scores", run, code_digest("scoring"), self.aliases_digest])

    def scores(self, batch: str, run: str) -> Path:
        """The scores folder of a run."""
        return self.folder / "scores" / batch / self.scores_key(run)

    def statistics_key(self, run: str) -> str:
        """Key of the statistics: the scores of the run, whose plan declares the families, and the code."""
        return short(["statistics", self.scores_key(run), code_digest("statistics")])

    def statistics(self, batch: str, run: str) -> Path:
        """The statistics folder of a run."""
        return self.folder / "statistics" / batch / self.statistics_key(run)

    def outputs_key(self, run: str) -> str:
        """Key of a run's tables: the statistics, the paper's figures and the code that prints them."""
        paper = {path.name: digest_file(path) for path in sorted(PAPER.glob("*.csv"))}
        labels = [[name, entry.label] for name, entry in self.models.items()]
        return short(["outputs", self.statistics_key(run), code_digest("outputs"), paper, labels])

    def table_stamp(self, number: int, run: str) -> Path:
        """A file whose presence says that the table in its fixed place was made from these inputs."""
        return self.folder / "tables" / ".made" / f"table{number}-{self.outputs_key(run)}"
