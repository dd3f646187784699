"""Which of two trained sides has localized, and which is more local: rules, the numbers they rest on, and their errors.

The participation ratio of a network is averaged over its units; networks are independent, and intervals are Student's.
How often the rules call two seeds of one problem different is measured by `verdict_study` and stored beside it.
"""

import json
from collections.abc import Mapping, Sequence
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
from theory.moments.null_levels import gaussian_ratio, gaussian_sites
from theory.problem import Problem

SIDES = ("A", "B")
DEFINED = "Σw⁴/(Σw²)²"  # the participation ratio
LEVEL = 0.01  # at which an interval misses the mean
STUDY = Path(__file__).with_name("verdict.json")


@dataclass(frozen=True)
class Verdict:
    """The mean participation ratio over networks and units with its interval, and the bar: that of random weights.

    The bar is the one of the book's claims on localization, `gaussian_ratio`.
    """

    mean: float
    low: float
    high: float
    bar: float

    @property
    def localized(self) -> bool | None:
        """True where the whole interval lies above the bar, False where it lies below, None where it holds it."""
        return True if self.low > self.bar else False if self.high < self.bar else None


def ratios(problem: Problem, learned: Learned, snapshot: int) -> Float[np.ndarray, " S"]:
    """Return the participation ratio of each network, averaged over its units; NaN for one that has diverged."""
    return mean_and_error(shapes(fields_at(learned, snapshot), problem.data)[RATIO].T)[0]


def verdict(values: Float[np.ndarray, " S"], n: int, level: float = LEVEL) -> Verdict | None:
    """Return the verdict on networks with these ratios on n sites; None for fewer than two that have one.

    The interval misses the mean with probability `level`.

    >>> verdict(np.array([0.5, 0.6, 0.55]), 40).localized
    True
    """
    known = values[np.isfinite(values)]
    if len(known) < 2:
        return None
    found = intervals(known[:, None], level)
    return Verdict(float(found.mean[0]), float(found.low[0]), float(found.high[0]), float(gaussian_ratio(n)))


def difference(a: Float[np.ndarray, " S"], b: Float[np.ndarray, " S"]) -> Intervals | None:
    """Return the interval of the mean of b - a, network by network; None for fewer than two pairs."""
    apart = (b - a)[np.isfinite(b - a)]
    return None if len(apart) < 2 else intervals(apart[:, None], LEVEL)


def sign(found: Intervals) -> int:
    """Return 1 where the whole interval is positive, -1 where it is negative, and 0 where it holds zero."""
    return int(found.low[0] > 0) - int(found.high[0] < 0)


def half_time(times: Sequence[Any], snapshot: int) -> int | None:
    """Return the last snapshot at no more than half of the time of this one; None where there is none.

    >>> half_time((1, 2, 5, 8), 3), half_time((1, 2, 5, 8), 0)
    (1, None)
    """
    earlier = [place for place, time in enumerate(times) if 2 * time <= times[snapshot] and place != snapshot]
    return earlier[-1] if earlier else None


def sentences(problems: Mapping[str, Problem], learned: Mapping[str, Learned], snapshot: int) -> list[str]:
    """Return which of the two has localized, and which is more local, with the numbers on which this rests.

    Before the last time of the training these are the numbers alone, without a verdict. Where only a part of the
    networks is trained, a sentence says so.
    """
    times = problems["A"].training.times
    snapshot %= len(times)
    now, end = (time_text(times[place]) for place in (snapshot, -1))
    measured = {side: ratios(problems[side], learned[side], snapshot) for side in SIDES}
    verdicts = {side: verdict(measured[side], problems[side].data.n) for side in SIDES}
    if now != end:
        lost = " and ".join(side for side, one in verdicts.items() if one is None)
        if lost:
            return [f"At t = {now} of {end} the networks of {lost} have diverged."]
        found = [f"{side} {_numbers(one)}" for side, one in verdicts.items()]
        return [f"At t = {now} of {end} the participation ratio is: {'; '.join(found)}. It is judged at the end."]
    since = half_time(times, snapshot)
    found = []
    for side, one in verdicts.items():
        before = None if since is None else ratios(problems[side], learned[side], since)
        trend = "" if since is None else _trend(difference(before, measured[side]), time_text(times[since]))
        found.append(_of_a_side(side, one, problems[side].data.n, now, trend))
    apart = difference(*measured.values()) if problems["A"].data.n == problems["B"].data.n else None
    found += [] if apart is None else [_of_both(apart, now)]
    count, all_of_them = len(measured["A"]), problems["A"].simulated().replicates
    return found if count == all_of_them else [*found, _of_a_part(count, all_of_them)]


def onset(problem: Problem, learned: Learned, snapshot: int) -> int | None:
    """Return the first snapshot from which on, up to this one, the networks are localized; None where they are not."""
    first = None
    for place in range(snapshot, -1, -1):
        one = verdict(ratios(problem, learned, place), problem.data.n)
        if one is None or not one.localized:
            break
        first = place
    return first


def when_local(networks: str, problem: Problem, learned: Learned, snapshot: int) -> str:
    """Return whether the fields of `networks`, as a sentence names them, are local at a snapshot, and since when."""
    times = problem.training.times
    now = time_text(times[snapshot])
    one = verdict(ratios(problem, learned, snapshot), problem.data.n)
    if one is None:
        return f"At t = {now} the {networks} have diverged."
    first = onset(problem, learned, snapshot)
    state = {True: "are local", False: "are not local", None: "cannot be told from random ones"}[one.localized]
    since = "" if first is None else f", and have been at all times shown since t = {time_text(times[first])}"
    return (
        f"At t = {now} the fields of the {networks} {state}{since}: their participation ratio {DEFINED} = "
        f"{_numbers(one)}, "
        f"and that of random weights {one.bar:.3f}."
    )


def _of_a_part(count: int, all_of_them: int) -> str:
    return f"This rests on the first {count} of {all_of_them} networks of each side; the others are being trained."


def time_text(time: Any) -> str:
    """Return a time with four digits, as the slider of the page shows it.

    >>> time_text(6400), time_text(1 / 3)
    ('6400', '0.3333')
    """
    return f"{float(f'{float(time):.4g}'):g}"


def _numbers(one: Verdict) -> str:
    return f"{one.mean:.3f} (99 %: {one.low:.3f} to {one.high:.3f})"


def _of_a_side(side: str, one: Verdict | None, n: int, now: str, trend: str) -> str:
    if one is None:
        return f"The networks of {side} have diverged."
    said, place = {
        True: (f"By t = {now} {side} has localized", "lies above"),
        False: (f"By t = {now} {side} has not localized", "lies below"),
        None: (f"At t = {now} {side} is undecided", "cannot be told from"),
    }[one.localized]
    few = f"{float(gaussian_sites(one.mean)):.0f}"
    sites = f" Random weights on {few} of the {n} sites, with zeros on the others, would have the same ratio."
    return (
        f"{said}: its participation ratio {DEFINED} = {_numbers(one)} {place} {one.bar:.3f}, that of random weights."
        f"{sites if one.localized else ''}{trend}"
    )


def _trend(change: Intervals | None, since: str) -> str:
    """Whether the ratio still changes: the interval of its change since half of the time, network by network."""
    if change is None:
        return ""
    numbers = _signed(change)
    return {
        1: f" It is still rising: since t = {since} by {numbers}.",
        -1: f" It is still falling: since t = {since} by {numbers}.",
        0: f" Since t = {since} it shows no change beyond noise: {numbers}.",
    }[sign(change)]


def _signed(change: Intervals) -> str:
    """A mean difference with its interval."""
    return f"{change.mean[0]:.3f} (99 %: {change.low[0]:.3f} to {change.high[0]:.3f})".replace("-", "−")


def _of_both(apart: Intervals, now: str) -> str:
    said = {
        1: f"At t = {now} the fields of B are more local than those of A",
        -1: f"At t = {now} the fields of B are less local than those of A",
        0: f"At t = {now} these networks do not tell which of A and B is more local",
    }[sign(apart)]
    return f"{said}: B − A is {_signed(apart)}."


def rule(n: int) -> str:
    """Return the rule of the verdict on n sites: the bar, where the book has it, and how often the rule errs."""
    return (
        "A side has localized where the 99 % interval of its mean participation ratio lies above "
        f"3/(n + 2) = {float(gaussian_ratio(n)):.3f} on {n} sites, the mean ratio of independent Gaussian weights: its "
        "fields are then more concentrated than random ones, be it by little. The book has the same bar "
        "(localization.relu.localizes). It has not where the interval lies below. The ratio, in papers also called the "
        f"inverse participation ratio, is 1 for a field of one site and 1/n for a flat one. {_errors()}"
    )


@cache
def _errors() -> str:
    """How often two seeds of one problem were called different."""
    study: Mapping[str, Any] = json.loads(STUDY.read_text(encoding="utf-8"))
    known = study["problems"].values()
    pairs, opposite, apart = (sum(one[name] for one in known) for name in ("pairs", "opposite", "apart"))
    return (
        f"Of {pairs} pairs of two seeds of one problem, {study['networks']} networks each, {opposite} had opposite "
        f"verdicts. In {apart} of these pairs ({100 * apart / pairs:.1f} %) the rule called the fields of one seed "
        f"more local, an error by noise. The pairs come from {len(known)} problems."
    )
