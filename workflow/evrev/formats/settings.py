"""Settings a user meets (config/config.yaml) and the models they may name (config/models.yaml)."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any, Literal

from pydantic import ConfigDict, Field, ValidationError, field_validator

from evrev.errors import SettingsError, nearest
from evrev.formats.base import Record, explain
from evrev.formats.endpoint import check_endpoint
from evrev.formats.yaml_file import read_yaml

ROOT = Path(__file__).resolve().parents[3]
BATCHES = ROOT / "config" / "batches"
MODELS = ROOT / "config" / "models.yaml"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.+-]*")


class ModelEntry(Record):
    """One model of config/models.yaml."""

    label: str = Field(description="what the tables call it, as Qwen")
    kind: Literal["real", "tiny", "scripted"]
    client: Literal["openai_chat", "scripted"]
    served_name: str | None = Field(default=None, description="the name a server knows it by")
    revision: str | None = Field(default=None, description="commit of the weights")
    tokenizer: Literal["qwen2.5", "mistral-v0.3"]
    system_role: Literal["keep", "merge"] = Field(
        default="keep", description="merge: the system turn goes into the first user turn, and is recorded"
    )
    context_length: int = Field(ge=1024)
    errors: dict[str, float] = Field(
        default_factory=dict, description="scripted reader: declared rate of each kind of error"
    )


class Settings(Record):
    """The keys of config/config.yaml."""

    # Snakemake reads `--config data=2024` as a number.
    model_config = ConfigDict(coerce_numbers_to_str=True)

    source: Literal["synthetic", "eicu_demo"] = Field("synthetic", description="where records come from")
    data: str | None = Field(None, description="folder of the eICU tables")
    lab: str | None = Field(None, description="a file of that folder that stands in for the laboratory table")
    patients: int | None = Field(
        None, ge=1, le=1_000_000, description="take fewer patients than the plan says"
    )
    models: tuple[str, ...] = Field(("scripted-qwen", "scripted-mistral"), min_length=1)
    endpoint: str | None = Field(
        None, description="base URL of an OpenAI-compatible server, as http://.../v1"
    )
    study: str = Field("auto", pattern=r"^[A-Za-z][A-Za-z0-9_.+-]*$", description="folder under results/")
    results: str = Field("results", description="where everything made goes")
    thaw: tuple[str, ...] = Field(
        (), description="batches to generate again on purpose, under another run id"
    )
    absent_tables: bool = Field(
        False, description="build length levels although vital-sign or nursing tables are not there"
    )
    aliases: bool = Field(True, description="brand and abbreviation table applied after the lexical key")
    concurrency: int = Field(16, ge=1, le=1024, description="model calls in flight per generation job")
    timeout: float = Field(600.0, gt=0, allow_inf_nan=False, description="seconds one model call may take")
    attempts: int = Field(4, ge=1, le=20, description="tries of one call when the server fails")

    @field_validator("models", "thaw", mode="before")
    @classmethod
    def _split(cls, value: Any) -> Any:
        return tuple(filter(None, map(str.strip, value.split(",")))) if isinstance(value, str) else value

    @field_validator("models")
    @classmethod
    def _once(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        twice = [name for name in value if value.count(name) > 1]
        if twice:
            raise ValueError(f"{twice[0]!r} stands twice")
        return value

    @field_validator("patients", "concurrency", "timeout", "attempts", mode="before")
    @classmethod
    def _no_switch(cls, value: Any) -> Any:
        if isinstance(value, bool):
            raise ValueError("must be a number")
        return value

    @field_validator("data", "lab", "endpoint", mode="before")
    @classmethod
    def _empty_is_none(cls, value: Any) -> Any:
        return None if value == "" else value

    @field_validator("data", "results")
    @classmethod
    def _at_home(cls, value: str | None) -> str | None:
        return f"{Path.home()}{value[1:]}" if value and f"{value}/".startswith("~/") else value

    @field_validator("lab")
    @classmethod
    def _no_path(cls, value: str | None) -> str | None:
        if value is not None and "/" in value:
            raise ValueError("names a file inside the data folder, not a path")
        return value

    @field_validator("results")
    @classmethod
    def _no_braces(cls, value: str) -> str:
        if not value or any(char in "{}\\" or ord(char) < 32 for char in value):
            raise ValueError("must be a path without braces, backslashes and control characters")
        return value

    @field_validator("study")
    @classmethod
    def _not_the_link(cls, value: str) -> str:
        if value == "latest":
            raise ValueError("results/latest is the link to the study built last")
        return value


def load_models(path: Path = MODELS) -> dict[str, ModelEntry]:
    """Read config/models.yaml; SettingsError names the entry and key at fault."""
    raw = read_yaml(path)
    models = {}
    for name, entry in raw.items():
        if not _NAME.fullmatch(str(name)):
            raise SettingsError(f"model name {name!r} must be letters, digits and any of _.+-", where=path)
        try:
            models[str(name)] = ModelEntry.model_validate(entry)
        except ValidationError as error:
            raise SettingsError(f"{name}: {explain(error)}", where=path) from error
    return models


def parse_settings(raw: dict[str, Any]) -> Settings:
    """Validate settings; SettingsError names an unknown or ill-valued key and its nearest spelling."""
    known = Settings.model_fields
    for key in map(str, raw):
        if key not in known:
            raise SettingsError(
                f"unknown key {key!r}{nearest(key, known)}",
                where="config",
                remedy=f"keys: {', '.join(known)}",
            )
    try:
        settings = Settings.model_validate({k: v for k, v in raw.items() if v is not None})
    except ValidationError as error:
        raise SettingsError(explain(error), where="config") from error
    if settings.endpoint is not None:
        check_endpoint(settings.endpoint)
    models = load_models()
    _named(settings.models, models, "model")
    _named(settings.thaw, [path.stem for path in sorted(BATCHES.glob("*.yaml"))], "batch")
    _check_source(settings)
    results = Path(settings.results).absolute()
    there = next(path for path in (results, *results.parents) if path.exists())
    if not there.is_dir():
        raise SettingsError("is not a folder", where=f"config: results: {there}")
    if settings.endpoint and not any(models[name].client == "openai_chat" for name in settings.models):
        raise SettingsError(
            f"an endpoint is given, but {', '.join(settings.models)} ask no server",
            where="config: endpoint",
            remedy="name a served model of config/models.yaml: models=NAME (make: MODELS=NAME)",
        )
    return settings


def _named(names: Iterable[str], known: Collection[str], kind: str) -> None:
    for name in names:
        if name not in known:
            raise SettingsError(
                f"no {kind} {name!r}{nearest(name, known)}",
                where="config",
                remedy=f"there are: {', '.join(known)}",
            )


def _check_source(settings: Settings) -> None:
    if settings.source == "eicu_demo" and settings.data is None:
        raise SettingsError(
            "source eicu_demo needs a folder", where="config: data", remedy="give DATA=FOLDER"
        )
    if settings.source == "synthetic" and (settings.data or settings.lab):
        raise SettingsError(
            "source synthetic takes no data folder and no lab file",
            where="config: source",
            remedy="to read the tables of a folder: source=eicu_demo data=FOLDER (make: DATA=FOLDER)",
        )


def load_settings(overrides: tuple[str, ...] = (), path: Path | None = None) -> Settings:
    """Settings of a config file with KEY=VALUE overrides on top; a key without a value has its default."""
    raw = read_yaml(path or ROOT / "config" / "config.yaml")
    for item in overrides:
        key, sign, value = item.partition("=")
        if not sign:
            raise SettingsError(f"{item!r} is not KEY=VALUE", where="--set")
        raw[key] = value or None
    return parse_settings(raw)
