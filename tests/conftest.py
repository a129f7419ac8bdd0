"""Fixtures every test may use: the shared material, skipped with a reason where it is absent."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "same", deadline=None, derandomize=True, database=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("same")

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def root() -> Path:
    """The repository root."""
    return ROOT


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder with the paper's figures and real records (`EVREV_SHARED`, else `../shared`)."""
    folder = Path(os.environ.get("EVREV_SHARED", ROOT.parent / "shared"))
    if not folder.is_dir():
        pytest.skip("shared material absent (set EVREV_SHARED)")
    return folder


@pytest.fixture(scope="session")
def eicu_demo(shared: Path) -> Path:
    """The eICU demo tables."""
    folder = shared / "eicu-demo"
    if not folder.is_dir():
        pytest.skip("eICU demo tables absent")
    return folder
