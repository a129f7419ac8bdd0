"""Prompts: templates under `prompts/` filled from rows of a snapshot; no prompt word stands anywhere else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Literal

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template

from evrev.agent.rows import Evidence, Fact, Node
from evrev.agent.views import DocumentView, View
from evrev.formats.scenario import Task
from evrev.formats.task import TaskContract
from evrev.formats.trajectory import Message

FOLDER = Path(__file__).resolve().parents[1] / "prompts"


@cache
def _template(name: str) -> Template:
    return _environment().get_template(f"{name}.j2")


@cache
def _environment() -> Environment:
    # Prompts are plain text for a model, so nothing is escaped: `<` and `&` of a record stay as they are.
    return Environment(
        loader=FileSystemLoader(FOLDER),
        undefined=StrictUndefined,
        autoescape=False,
        auto_reload=False,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


@cache
def _system() -> str:
    return _template("system").render().rstrip("\n")


def one_line(text: str) -> str:
    """`text` with every run of white space as one blank, so that what a model wrote cannot start a line."""
    return " ".join(text.split())


class Prompts:
    """The prompts of one trajectory as the messages to send.

    With `system_role` "merge" the system text goes in front of the user text, behind a blank line, for models
    whose chat template has no system turn.
    """

    def __init__(
        self, patient: str, contract: TaskContract, system_role: Literal["keep", "merge"] = "keep"
    ) -> None:
        self._patient, self._contract, self._merge = patient, contract, system_role == "merge"

    def extraction(self, document: Evidence) -> tuple[Message, ...]:
        """Ask for the claims of one document, shown with its source, patient and version."""
        return self._messages("extraction", document=document)

    def summary(self, document: Evidence, facts: tuple[Fact, ...]) -> tuple[Message, ...]:
        """Ask for a summary of one document's admitted facts, which may be none."""
        lines = [_fact(fact, {document.id: document}) for fact in facts]
        return self._messages("summary", document=document, facts=lines)

    def global_summary(
        self, summaries: Sequence[Node], evidence: Mapping[str, Evidence]
    ) -> tuple[Message, ...]:
        """Ask for one summary over the document summaries."""
        return self._messages("global_summary", summaries=[_summary(node, evidence) for node in summaries])

    def use(self, view: View, evidence: Mapping[str, Evidence], task: Task) -> tuple[Message, ...]:
        """Ask for a task's answer from what `view` shows; `evidence` gives each document's connector source.

        Re-reading and memory differ in the block shown and in the phrase "from these documents" alone.
        """
        rule = self._contract.rule(task)
        words = {"task": task, "request": rule.request, "permission": rule.permission}
        if isinstance(view, DocumentView):
            return self._messages("use_documents", documents=view.documents, from_documents=True, **words)
        return self._messages(
            "use_memory",
            global_summary=next((one_line(n.text) for n in view.nodes if n.kind == "global"), None),
            summaries=[_summary(node, evidence) for node in view.nodes if node.kind == "summary"],
            facts=[_fact(fact, evidence) for node in view.nodes for fact in node.facts],
            from_documents=False,
            **words,
        )

    def _messages(self, template: str, **values: Any) -> tuple[Message, ...]:
        system = _system()
        user = _template(template).render(patient=self._patient, **values).rstrip("\n")
        if self._merge:
            return (Message(role="user", content=f"{system}\n\n{user}"),)
        return Message(role="system", content=system), Message(role="user", content=user)


def _fact(fact: Fact, evidence: Mapping[str, Evidence]) -> dict[str, str]:
    source = evidence[fact.document].source
    content = one_line(fact.content)
    return {
        "type": fact.type,
        "content": content,
        "claim": fact.id,
        "document": fact.document,
        "source": source,
    }


def _summary(node: Node, evidence: Mapping[str, Evidence]) -> dict[str, str]:
    document = node.document or ""
    return {"document": document, "source": evidence[document].source, "text": one_line(node.text)}
