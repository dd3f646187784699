"""Whether the fields of two trained sides are local, and which are more so, with the numbers this rests on.

The participation ratio of a network is averaged over its units; `derivations.statistics.locality` has the words. How
often two seeds of one problem are called different is measured by `verdict_study` and stored beside it.
"""

import json
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float

from derivations.explore.fields import fields_at
from derivations.explore.shapes import RATIO, shapes
from derivations.explore.training import Learned
from derivations.statistics.alignment import mean_and_error
from derivations.statistics.intervals import Intervals, intervals
from derivations.statistics.locality import LEVEL, LOCAL, Locality, locality, rule
from theory.moments.null_levels import gaussian_sites
from theory.problem import Problem

SIDES = ("A", "B")
DEFINED = "Σw⁴/(Σw²)²"  # the participation ratio
STUDY = Path(__file__).with_name("verdict.json")


def ratios(problem: Problem, learned: Learned, snapshot: int) -> Float[np.ndarray, " S"]:
    """Return the participation ratio of each network, averaged over its units; NaN for one that has diverged."""
    return mean_and_error(shapes(fields_at(learned, snapshot), problem.data)[RATIO].T)[0]


def difference(a: Float[np.ndarray, " S"], b: Float[np.ndarray, " S"]) -> Intervals | None:
    """Return the interval of the mean of b - a, network by network; None for fewer than two pairs."""
    apart = (b - a)[np.isfinite(b - a)]
    return None if len(apart) < 2 else intervals(apart[:, None], LEVEL)


def sign(interval: Intervals) -> int:
    """Return 1 where the whole interval is positive, -1 where it is negative, and 0 where it holds zero."""
    return int(interval.low[0] > 0) - int(interval.high[0] < 0)


def half_time(times: Sequence[Any], snapshot: int) -> int | None:
    """Return the last snapshot at no more than half of the time of this one; None where there is none.

    >>> half_time((1, 2, 5, 8), 3), half_time((1, 2, 5, 8), 0)
    (1, None)
    """
    earlier = [place for place, time in enumerate(times) if 2 * time <= times[snapshot] and place != snapshot]
    return earlier[-1] if earlier else None


def sentences(problems: Mapping[str, Problem], learned: Mapping[str, Learned], snapshot: int) -> list[str]:
    """Return whether the fields of the two are local, and which are more so, with the numbers on which this rests.

    Before the last time of the training these are the numbers alone, without a verdict. Where only a part of the
    networks is trained, a sentence says so.
    """
    times = problems["A"].training.times
    snapshot %= len(times)
    now, end = (time_text(times[place]) for place in (snapshot, -1))
    measured = {side: ratios(problems[side], learned[side], snapshot) for side in SIDES}
    verdicts = {side: locality(measured[side], problems[side].data.n) for side in SIDES}
    if now != end:
        lost = " and ".join(side for side, one in verdicts.items() if one is None)
        if lost:
            return [f"At t = {now} of {end} the networks of {lost} have diverged."]
        said = [f"{side} {one.text()}" for side, one in verdicts.items()]
        return [f"At t = {now} of {end} the participation ratio is: {'; '.join(said)}. It is judged at the end."]
    since = half_time(times, snapshot)
    said = []
    for side, one in verdicts.items():
        before = None if since is None else ratios(problems[side], learned[side], since)
        trend = "" if since is None else _trend(difference(before, measured[side]), time_text(times[since]))
        said.append(_of_a_side(side, one, problems[side].data.n, now, trend))
    apart = difference(*measured.values()) if problems["A"].data.n == problems["B"].data.n else None
    said += [] if apart is None else [_of_both(apart, now)]
    count, all_of_them = len(measured["A"]), problems["A"].simulated().replicates
    return said if count == all_of_them else [*said, _of_a_part(count, all_of_them)]


def onset(problem: Problem, learned: Learned, snapshot: int) -> int | None:
    """Return the first snapshot from which on, up to this one, the fields are local; None where they are not."""
    first = None
    for place in range(snapshot, -1, -1):
        one = locality(ratios(problem, learned, place), problem.data.n)
        if one is None or one.word != LOCAL:
            break
        first = place
    return first


def when_local(networks: str, problem: Problem, learned: Learned, snapshot: int) -> str:
    """Return whether the fields of `networks`, as a sentence names them, are local at a snapshot, and since when."""
    times = problem.training.times
    now = time_text(times[snapshot])
    one = locality(ratios(problem, learned, snapshot), problem.data.n)
    if one is None:
        return f"At t = {now} the {networks} have diverged."
    first = onset(problem, learned, snapshot)
    since = "" if first is None else f", and have been at all times shown since t = {time_text(times[first])}"
    return (
        f"At t = {now} the fields of the {networks} are {one.word}{since}: their participation ratio {DEFINED} = "
        f"{one.text()}. {rule(problem.data.n)}"
    )


def _of_a_part(count: int, all_of_them: int) -> str:
    return f"This rests on the first {count} of {all_of_them} networks of each side; the others are being trained."


def time_text(time: Any) -> str:
    """Return a time with four digits, as the slider of the page shows it.

    >>> time_text(6400), time_text(1 / 3)
    ('6400', '0.3333')
    """
    return f"{float(f'{float(time):.4g}'):g}"


def _of_a_side(side: str, one: Locality | None, n: int, now: str, trend: str) -> str:
    if one is None:
        return f"The networks of {side} have diverged."
    few = f"{float(gaussian_sites(one.mean)):.0f}"
    sites = f" Random weights on {few} of the {n} sites, with zeros on the others, would have the same ratio."
    return (
        f"At t = {now} the fields of {side} are {one.word}: their participation ratio {DEFINED} = {one.text()}."
        f"{sites if one.mean > one.random else ''}{trend}"
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


def rule_and_errors(n: int) -> str:
    """Return the rule of the words on n sites, and how often it called two seeds of one problem different."""
    return (
        f"{rule(n)} The book's claim localization.relu.localizes has the lower of these thresholds. The "
        "ratio, in papers also called the inverse participation ratio, is 1 for a field of one site and 1/n for a flat "
        f"one. {_errors()}"
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
