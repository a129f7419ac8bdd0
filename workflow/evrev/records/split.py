"""The split: which persons are development, calibration or sealed, decided before anything is rendered."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from fractions import Fraction
from typing import Literal, NamedTuple

from pydantic import Field

from evrev.formats.base import Record

Partition = Literal["development", "calibration", "sealed"]
PARTITIONS: tuple[Partition, ...] = ("development", "calibration", "sealed")


class Shares(Record):
    """The proportion of persons in each partition (paper, section 5)."""

    development: int = Field(ge=0)
    calibration: int = Field(ge=0)
    sealed: int = Field(ge=1)


class SplitRule(Record):
    """How persons are ordered and divided."""

    salt: str = Field(min_length=1)
    shares: Shares


SPLIT_RULE = SplitRule(salt="evrev-split-1", shares=Shares(development=147, calibration=54, sealed=161))
"""Part of the code and so of every key and freeze: nothing built under another split passes for this one."""


class Place(NamedTuple):
    """A person's partition and position in the salted order over all persons."""

    partition: Partition
    rank: int


def split_persons(persons: Iterable[str], rule: SplitRule = SPLIT_RULE) -> dict[str, Place]:
    """The place of every person, in rank order, whatever order or repetition they come in.

    Persons are sorted by SHA-256 of `salt:person`; the first shares of them, rounded to the nearest whole
    number, are development and calibration, and all others are sealed.
    """
    ordered = sorted(set(persons), key=lambda person: (_hash(rule.salt, person), person))
    development, calibration = _sizes(len(ordered), rule.shares)

    def partition(rank: int) -> Partition:
        if rank < development:
            return "development"
        return "calibration" if rank < development + calibration else "sealed"

    return {person: Place(partition(rank), rank) for rank, person in enumerate(ordered)}


def _hash(salt: str, person: str) -> str:
    return hashlib.sha256(f"{salt}:{person}".encode()).hexdigest()


def _sizes(count: int, shares: Shares) -> tuple[int, int]:
    whole = shares.development + shares.calibration + shares.sealed
    development = round(Fraction(count * shares.development, whole))
    return development, min(round(Fraction(count * shares.calibration, whole)), count - development)
