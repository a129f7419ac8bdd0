"""Records have one byte form, files are written whole or not at all, and seeds come from names."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evrev.formats.canonical import canonical_json, clean_text, derive_seed, digest, replacing, write_json

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(JSON)
def test_canonical_json_reads_back_as_the_value(value: object) -> None:
    assert json.loads(canonical_json(value)) == json.loads(json.dumps(value))


@given(st.dictionaries(st.text(), st.integers(0, 9), max_size=6))
def test_the_order_of_keys_does_not_matter(value: dict[str, int]) -> None:
    assert digest(value) == digest(dict(reversed(value.items())))


@given(st.text(st.characters()))
def test_cleaned_text_is_valid_unicode_and_valid_text_is_untouched(text: str) -> None:
    clean = clean_text(text)
    clean.encode()
    assert clean_text(clean) == clean


def test_a_lone_surrogate_is_replaced() -> None:
    assert clean_text("a\ud800b") == "a\ufffdb"


@given(st.lists(st.text(min_size=1), min_size=1, max_size=4))
def test_seeds_fit_a_canonical_number(parts: list[str]) -> None:
    assert 0 <= derive_seed(*parts) < 2**53


def test_a_file_is_replaced_only_when_the_block_succeeds(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    write_json(path, {"n": 1})
    with pytest.raises(RuntimeError):
        _write_half(path)
    assert path.read_text() == '{"n":1}\n'
    assert list(tmp_path.iterdir()) == [path]


def _write_half(path: Path) -> None:
    with replacing(path) as part:
        part.write_text("half")
        raise RuntimeError
