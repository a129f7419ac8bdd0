"""The task contract: what each use task asks and may use, digested before any scenario exists."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field, ValidationError

from evrev.errors import SettingsError
from evrev.formats.base import Record, explain
from evrev.formats.canonical import digest
from evrev.formats.scenario import Document, Task
from evrev.formats.yaml_file import read_yaml


class TaskRule(Record):
    """One task: its request and the documents that may support an answer (paper, section 3)."""

    request: str = Field(description="the task sentence, without the phrase that re-reading adds")
    sources: tuple[str, ...] = Field(description="allowed connector sources, as stated in every prompt")
    documents: tuple[str, ...] = Field(
        default=(), description="if given, only these documents of the allowed sources may support an item"
    )
    permission: str = Field(description="the allowed-source sentence, identical in every pipeline")

    def allows(self, document: Document) -> bool:
        """Whether an active version of `document` may support an item of this task."""
        return document.source in self.sources and (not self.documents or document.id in self.documents)


class TaskContract(Record):
    """Both tasks, by name."""

    medication: TaskRule
    problem_list: TaskRule

    def rule(self, task: Task) -> TaskRule:
        """The rule of one task."""
        return self.medication if task == "medication" else self.problem_list

    @property
    def contract_digest(self) -> str:
        """SHA-256 of the contract; every scenario carries it."""
        return digest(self)


def load_task_contract(path: Path) -> TaskContract:
    """Read the contract; SettingsError names what is wrong with it."""
    try:
        return TaskContract.model_validate(read_yaml(path))
    except ValidationError as error:
        raise SettingsError(explain(error), where=path) from error
