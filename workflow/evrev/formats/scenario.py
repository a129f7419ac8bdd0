"""A scenario: one patient's connector documents, one event, and the answers each task expects (section 3)."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from evrev.formats.base import Record
from evrev.formats.canonical import digest

Event = Literal["E0", "E1", "E1b", "E2", "E4"]
Source = Literal["pharmacy", "ehr", "lab"]
Task = Literal["medication", "problem_list"]
Level = Literal["S", "M", "L", "XL"]
SupportClass = Literal["unique_support_revoked", "still_supported", "conflict", "irrelevant", "ambiguous"]


class Version(Record):
    """One version of a document: its rendered lines."""

    version: int = Field(ge=1)
    lines: tuple[str, ...] = Field(min_length=1)

    @property
    def payload(self) -> str:
        """The text a reader sees, without the document header."""
        return "\n".join(self.lines)

    @property
    def payload_digest(self) -> str:
        """SHA-256 of the rendered lines."""
        return digest(list(self.lines))


class Document(Record):
    """A connector document. `versions` holds the one at ingest first, then its replacement, if any."""

    id: str = Field(pattern=r"^D[1-9][0-9]*$", description="D1-D3, the event document D4, then D5 ...")
    kind: Literal["orders", "problems", "laboratory", "treatments", "charting"]
    source: Source = Field(description="assigned by the connector")
    title: str = Field(description="what the header calls it, as 'medication orders'")
    versions: tuple[Version, ...] = Field(min_length=1)


class Revision(Record):
    """What happens to one document between use0 and use1."""

    document: str
    action: Literal["revoke", "replace"]


class Support(Record):
    """A medication key with its class and the documents that support it before and after the revision.

    `key` is the lexical key, `resolved` what it is after the alias table; both stand so that scoring can
    work with aliases on or off.
    """

    key: str
    resolved: str
    support_class: SupportClass
    before: tuple[str, ...] = Field(description="ids of allowed active documents naming it at use0")
    after: tuple[str, ...] = Field(description="the same from use1 on")
    value: str | None = Field(default=None, description="E2: the strength expected after the revision")


class Expected(Record):
    """Expected answers: medication keys at use0 and from use1 on, and the problem paths of D2."""

    medication_before: tuple[str, ...]
    medication_after: tuple[str, ...]
    problem_paths: tuple[str, ...]


class Scenario(Record):
    """One patient under one event at one size or level. `documents` is in scenario order, D1-D4 first."""

    id: str = Field(pattern=r"^[a-z0-9][A-Za-z0-9_.+-]*$")
    patient: str = Field(description="pseudonym; never the record's own identifier")
    partition: Literal["development", "calibration", "sealed"]
    event: Event
    size: Literal["small", "large"]
    level: Level | None = None
    growth: int | None = Field(default=None, description="target tokens of an allowed-evidence level")
    documents: tuple[Document, ...]
    event_document: str | None = Field(default=None, description="D4, or none in E0")
    event_key: str | None = Field(default=None, description="the resolved key the event turns on")
    revision: Revision | None = None
    support: tuple[Support, ...]
    expected: Expected
    task_contract: str = Field(description="digest of resources/task_contract.yaml")
    builder: str = Field(description="builder version")
    seed: int

    @property
    def scenario_digest(self) -> str:
        """SHA-256 of the whole scenario."""
        return digest(self)
