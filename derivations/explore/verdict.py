"""Which of two trained sides localizes, and which is more local: rules, the numbers they rest on, and their errors.

The participation ratio of a network is averaged over its units; networks are independent, and intervals are Student's.
How often the rules call two seeds of one problem different is measured by `verdict_study` and stored beside it.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float

from derivations.explore.fields import fields_at
from derivations.explore.shapes import RATIO, mean_and_error, shapes
from derivations.explore.training import Learned
from derivations.statistics.intervals import Intervals, intervals
from theory.moments.null_levels import gaussian_ratio
from theory.problem import Problem

SIDES = ("A", "B")
LEVEL = 0.01  # at which an interval misses the mean
# Independent Gaussian weights on m of n sites have a participation ratio of 3/(m + 2) in the mean. Twice that of all
# sites, 6/(n + 2), is the ratio on m = n/2 - 1 sites: a field is local where it is confined to fewer than half of them.
TIMES_RANDOM = 2
STUDY = Path(__file__).with_name("verdict.json")


@dataclass(frozen=True)
class Verdict:
    """The mean participation ratio over networks and units with a 99 % interval, and the ratio of random fields."""

    mean: float
    low: float
    high: float
    random: float

    @property
    def bound(self) -> float:
        """The ratio above which fields are local."""
        return TIMES_RANDOM * self.random

    @property
    def localized(self) -> bool | None:
        """True where the whole interval lies above the bound, False where it lies below, None where it holds it."""
        return True if self.low > self.bound else False if self.high < self.bound else None


def ratios(problem: Problem, learned: Learned, snapshot: int) -> Float[np.ndarray, " S"]:
    """Return the participation ratio of each network, averaged over its units; NaN for one that has diverged."""
    return mean_and_error(shapes(fields_at(learned, snapshot), problem.data)[RATIO].T)[0]


def verdict(values: Float[np.ndarray, " S"], n: int) -> Verdict | None:
    """Return the verdict on networks with these ratios on n sites; None for fewer than two that have one.

    >>> verdict(np.array([0.5, 0.6, 0.55]), 40).localized
    True
    """
    known = values[np.isfinite(values)]
    if len(known) < 2:
        return None
    found = _interval(known)
    return Verdict(float(found.mean[0]), float(found.low[0]), float(found.high[0]), float(gaussian_ratio(n)))


def difference(a: Float[np.ndarray, " S"], b: Float[np.ndarray, " S"]) -> Intervals | None:
    """Return the interval of the mean of b - a, network by network; None for fewer than two pairs."""
    apart = (b - a)[np.isfinite(b - a)]
    return None if len(apart) < 2 else _interval(apart)


def _interval(values: Float[np.ndarray, " S"]) -> Intervals:
    return intervals(values[:, None], LEVEL)


def sign(found: Intervals) -> int:
    """Return 1 where the whole interval is positive, -1 where it is negative, and 0 where it holds zero."""
    return int(found.low[0] > 0) - int(found.high[0] < 0)


def sentences(problems: Mapping[str, Problem], learned: Mapping[str, Learned], snapshot: int) -> list[str]:
    """Return which of the two localizes, and which is more local, with the numbers on which this rests."""
    measured = {side: ratios(problems[side], learned[side], snapshot) for side in SIDES}
    found = [_of_a_side(side, verdict(measured[side], problems[side].data.n)) for side in SIDES]
    apart = difference(*measured.values()) if problems["A"].data.n == problems["B"].data.n else None
    return found if apart is None else [*found, _of_both(apart)]


def _of_a_side(side: str, one: Verdict | None) -> str:
    if one is None:
        return f"The networks of {side} have diverged."
    said = {
        True: f"{side} localizes: its fields are confined to fewer than half of the sites",
        False: f"{side} does not localize",
        None: f"{side} is undecided: more networks, or a longer training, may decide",
    }[one.localized]
    return (
        f"{said}. Participation ratio {one.mean:.3f} (99 %: {one.low:.3f} to {one.high:.3f}), the bound is "
        f"{one.bound:.3f}."
    )


def _of_both(apart: Intervals) -> str:
    said = {
        1: "The fields of B are more local than those of A",
        -1: "The fields of B are less local than those of A",
        0: "These networks do not tell which of A and B is more local",
    }[sign(apart)]
    numbers = f"{apart.mean[0]:.3f} (99 %: {apart.low[0]:.3f} to {apart.high[0]:.3f})".replace("-", "−")
    return f"{said}: B − A is {numbers}."


def rule(n: int) -> str:
    """Return the rule of the verdict on n sites: the bound, why it is this one, and how often the rule errs."""
    random = float(gaussian_ratio(n))
    return (
        "A side localizes where the 99 % interval of its mean participation ratio lies above "
        f"{TIMES_RANDOM} × 3/(n + 2) = {TIMES_RANDOM} × {random:.3f} = {TIMES_RANDOM * random:.3f} on {n} sites: twice "
        "the ratio of random fields, that of independent Gaussian weights on half of the sites. It does not localize "
        f"where the interval lies below. {_errors()}"
    )


@cache
def _errors() -> str:
    """How often two seeds of one problem were called different."""
    study: Mapping[str, Any] = json.loads(STUDY.read_text(encoding="utf-8"))
    known = study["problems"].values()
    pairs, opposite, apart = (sum(one[name] for one in known) for name in ("pairs", "opposite", "apart"))
    return (
        f"Of {pairs} pairs of two seeds of one problem, {study['networks']} networks each, {opposite} had opposite "
        f"verdicts; in {apart} ({100 * apart / pairs:.1f} %) one seed was called more local ({len(known)} problems)."
    )
