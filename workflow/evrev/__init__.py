"""Evaluate what an agent's memory costs, and what it gets wrong, when its evidence is revoked or replaced."""

__version__ = "0.1.0"
