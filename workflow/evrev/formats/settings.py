"""Settings a user meets (config/config.yaml) and the models they may name (config/models.yaml)."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic import Field, ValidationError, field_validator

from evrev.errors import SettingsError, nearest
from evrev.formats.base import Record, explain

ROOT = Path(__file__).resolve().parents[3]


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

    source: Literal["synthetic", "eicu_demo"] = Field("synthetic", description="where records come from")
    data: str | None = Field(None, description="folder of the eICU tables")
    lab: str | None = Field(None, description="a file that stands in for the laboratory table (partial)")
    patients: int | None = Field(None, ge=1, description="take fewer patients than the plan says")
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
    timeout: float = Field(600.0, gt=0, description="seconds one model call may take")
    attempts: int = Field(4, ge=1, le=20, description="tries of one call when the server fails")

    @field_validator("models", "thaw", mode="before")
    @classmethod
    def _split(cls, value: Any) -> Any:
        return tuple(part for part in value.split(",") if part) if isinstance(value, str) else value

    @field_validator("data", "lab", "endpoint", mode="before")
    @classmethod
    def _empty_is_none(cls, value: Any) -> Any:
        return None if value == "" else value


def load_models(path: Path | None = None) -> dict[str, ModelEntry]:
    """Read config/models.yaml; SettingsError names the entry and key at fault."""
    path = path or ROOT / "config" / "models.yaml"
    try:
        raw = yaml.safe_load(path.read_text("utf-8"))
        return {name: ModelEntry.model_validate(entry) for name, entry in raw.items()}
    except (OSError, yaml.YAMLError, AttributeError) as error:
        raise SettingsError(f"cannot be read: {error}", where=path) from error
    except ValidationError as error:
        raise SettingsError(explain(error), where=path) from error


def parse_settings(raw: dict[str, Any]) -> Settings:
    """Validate settings; SettingsError names an unknown or ill-valued key and its nearest spelling."""
    known = Settings.model_fields
    for key in raw:
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
    models = load_models()
    for name in settings.models:
        if name not in models:
            raise SettingsError(
                f"no model {name!r}{nearest(name, models)}",
                where="config/models.yaml",
                remedy=f"models: {', '.join(models)}",
            )
    if settings.source == "eicu_demo" and settings.data is None:
        raise SettingsError(
            "source eicu_demo needs a folder", where="config: data", remedy="give DATA=FOLDER"
        )
    return settings


def load_settings(overrides: tuple[str, ...] = (), path: Path | None = None) -> Settings:
    """Settings of a config file with KEY=VALUE overrides on top."""
    path = path or ROOT / "config" / "config.yaml"
    try:
        raw = dict(yaml.safe_load(path.read_text("utf-8")) or {})
        for item in overrides:
            key, sign, value = item.partition("=")
            if not sign:
                raise SettingsError(f"{item!r} is not KEY=VALUE", where="--set")
            raw[key] = yaml.safe_load(value) if value else None
    except (OSError, yaml.YAMLError) as error:
        raise SettingsError(f"cannot be read: {error}", where=path) from error
    return parse_settings(raw)
