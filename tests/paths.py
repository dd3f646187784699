"""Folders that tests read from, so that a test can move without counting its parents."""

from pathlib import Path

ROOT = Path(__file__).parents[1]
ORACLES = ROOT / "tests" / "oracles"
PROBLEMS = ROOT / "derivations" / "experiments" / "problems"
