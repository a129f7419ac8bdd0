"""The split by person, fixed before anything is rendered."""

from __future__ import annotations

import hashlib
import json
from collections import Counter

from hypothesis import given
from hypothesis import strategies as st
from records_world import Built

from evrev.records.split import PARTITIONS, SPLIT_RULE, Shares, SplitRule, split_persons

PERSONS = st.lists(st.text(min_size=1, max_size=6), unique=True, max_size=40)


def test_the_demo_has_1841_persons_with_2520_stays_split_748_275_818(demo_records: Built) -> None:
    report = demo_records.report
    assert (report.persons, report.stays) == (1841, 2520)
    assert report.partitions == {"development": 748, "calibration": 275, "sealed": 818}
    split = json.loads((demo_records.folder / "split.json").read_text())
    assert split["salt"] == "evrev-split-1"
    assert split["counts"] == report.partitions
    assert Counter(split["persons"].values()) == report.partitions


def test_persons_stand_in_the_order_of_their_salted_hash(records: Built) -> None:
    stays = records.frame("stays")
    ranks = dict(stays.select("rank", "person").iter_rows())
    assert sorted(ranks) == list(range(records.report.persons))
    hashes = [hashlib.sha256(f"evrev-split-1:{ranks[n]}".encode()).hexdigest() for n in sorted(ranks)]
    assert hashes == sorted(hashes)
    assert list(dict.fromkeys(stays["partition"])) == list(PARTITIONS)
    assert stays["rank"].is_sorted()


@given(persons=PERSONS, data=st.data())
def test_the_split_does_not_depend_on_the_order_or_repetition_of_rows(
    persons: list[str], data: st.DataObject
) -> None:
    shuffled = data.draw(st.permutations(persons)) + persons[:3]
    assert split_persons(shuffled) == split_persons(persons)


@given(persons=PERSONS)
def test_the_partitions_have_their_shares_of_the_persons(persons: list[str]) -> None:
    sizes = Counter(place.partition for place in split_persons(persons).values())
    assert sum(sizes.values()) == len(persons)
    assert abs(sizes["development"] - len(persons) * 147 / 362) <= 0.5
    assert abs(sizes["calibration"] - len(persons) * 54 / 362) <= 0.5
    assert abs(sizes["sealed"] - len(persons) * 161 / 362) <= 1


@given(
    persons=PERSONS,
    shares=st.builds(
        Shares, development=st.integers(0, 9), calibration=st.integers(0, 9), sealed=st.integers(1, 9)
    ),
)
def test_no_shares_lose_or_double_a_person(persons: list[str], shares: Shares) -> None:
    places = split_persons(persons, SplitRule(salt="s", shares=shares))
    assert [place.rank for place in places.values()] == list(range(len(persons)))
    assert set(places) == set(persons)


def test_another_salt_is_another_split() -> None:
    persons = [f"p{n}" for n in range(50)]
    other = SplitRule(salt="another", shares=SPLIT_RULE.shares)
    assert split_persons(persons) != split_persons(persons, other)
