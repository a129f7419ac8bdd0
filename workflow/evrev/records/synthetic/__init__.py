"""Synthetic eICU tables: same files, columns and mess as the real ones, made from a seed, nobody's data."""

from evrev.records.synthetic.write import PERSONS, SEED, write_tables

__all__ = ["PERSONS", "SEED", "write_tables"]
