"""The comparison of a claim's prediction with an estimate, under its public name; see `derivations.statistics`."""

from derivations.statistics.comparison import compare

__all__ = ["compare"]
