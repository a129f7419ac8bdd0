"""All batches of both sources, built once for every test that reads them."""

from __future__ import annotations

from pathlib import Path

import pytest
from plan_world import Everything, build_everything, demo_tables, synthetic_tables

from evrev.medication import load_aliases
from evrev.scenarios.audit import Source


@pytest.fixture(scope="session")
def synthetic_batches(tmp_path_factory: pytest.TempPathFactory) -> Everything:
    """Every plan on the embedded tables."""
    tables = synthetic_tables(tmp_path_factory.mktemp("tables"))
    return build_everything(tmp_path_factory.mktemp("synthetic"), tables)


@pytest.fixture(scope="session")
def real_batches(eicu_demo: Path, tmp_path_factory: pytest.TempPathFactory) -> Everything:
    """Every plan on the demo tables at hand."""
    folder = tmp_path_factory.mktemp("real")
    return build_everything(folder, demo_tables(eicu_demo), "lab.subset.csv.gz")


@pytest.fixture(scope="session")
def synthetic_source(synthetic_batches: Everything) -> Source:
    """The embedded tables as the audit reads them."""
    return Source(synthetic_batches.tables, load_aliases())


@pytest.fixture(scope="session")
def real_source(real_batches: Everything) -> Source:
    """The demo tables as the audit reads them."""
    return Source(real_batches.tables, load_aliases())
