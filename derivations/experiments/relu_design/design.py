"""The design of the ReLU experiments: its configurations, and the decisions on each and on all.

A sentence about trained ReLU networks names no configuration. These factors make 144 configurations, and a statement is
judged by the share of them in which it holds:

* correlation lengths (long, short) of the ring of 40 sites, each pair in both orders;
* gain g, units K, standard deviation of an entry of w(0), learning rate in units of K^2 (as the mean readout makes all
  rates eigenvalues over K^2). Measured at t = 0, K^2, 4 K^2, 8 K^2, 16 K^2 and 64 K^2.

In one configuration a quantity is above or below a bound where its 99 % t-interval over replicates says so, at every
time that the statement names; else it is undecided. Each decision errs at that level, and not independently of the
others: configurations of one number of units start from the same eight draws of w(0), times their scale.

A census tries all configurations, so that the share is known but for the undecided: they count as against at its lower
end, as for at its upper end. A share of drawn configurations has the binomial interval of Clopper and Pearson at 99 %
beside that, which is conservative for draws without replacement. A statement holds in most configurations where both
ends lie above 1/2.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np

from derivations.experiments.folders import problem_named
from derivations.statistics.comparison import seed_for
from derivations.statistics.intervals import Intervals, share_interval, student
from theory.claims.model import Outcome
from theory.problem import Problem

NAME = "relu-design"
LEVEL = 0.01
HALF = 0.5  # a statement holds in most configurations where its share lies above
TIMES = (0, 1, 4, 8, 16, 64)  # in units of K^2 tau
PAIRS = (
    (2, 1),
    (3, 1),
    (3, 2),
    (Fraction(7, 2), 2),
)  # (long, short); from 3.65 on the kernel is indefinite on the ring
GAINS = (1, 3, 10)
UNITS = (4, 10, 20)
SCALES = (Fraction(1, 100), Fraction(1, 10))
RATES = (Fraction(1, 100), Fraction(1, 50))  # in units of K^2
ORDERS = ("long-first", "short-first")  # xi1, the length of the class y = 1, is the longer or the shorter one
QUANTITIES = ("participation_ratio", "low_frequency_power", "gate_flips", "length")


@dataclass(frozen=True)
class Configuration:
    """One draw: the lengths (long, short) in sites, gain, units, sd of an entry of w(0), rate over K^2."""

    lengths: tuple[Fraction, Fraction]
    gain: Fraction
    units: int
    scale: Fraction
    rate: Fraction

    def problem(self, order: str, until: int = TIMES[-1], replicates: int | None = None) -> Problem:
        """The configuration with the lengths in one of the ORDERS, to be trained up to one of the TIMES."""
        base = problem_named(NAME)
        simulation = base.simulated()
        squared = self.units**2
        return replace(
            base,
            data=replace(base.data, xi=self.lengths if order == ORDERS[0] else self.lengths[::-1], gain=self.gain),
            network=replace(base.network, units=self.units),
            training=replace(
                base.training,
                w0=replace(base.training.w0, scale=self.scale),
                times=tuple(Fraction(time * squared) for time in TIMES if time <= until),
            ),
            simulation=replace(
                simulation,
                learning_rate=self.rate * squared,
                replicates=replicates or simulation.replicates,
                seed=seed_for(f"{NAME}/{self}/{order}"),
            ),
        )

    def data(self) -> dict[str, Any]:
        """The configuration as plain numbers."""
        lengths = [float(length) for length in self.lengths]
        return {"xi": lengths, "gain": float(self.gain), "units": self.units} | {
            "scale": float(self.scale),
            "rate": float(self.rate),
        }


def configurations() -> list[Configuration]:
    """All configurations, in the order in which they were drawn: the first 48 are those of the first two runs."""
    every = [
        Configuration(tuple(Fraction(length) for length in lengths), Fraction(gain), units, scale, rate)
        for lengths, gain, units, scale, rate in product(PAIRS, GAINS, UNITS, SCALES, RATES)
    ]
    return [every[index] for index in np.random.default_rng(seed_for(NAME)).permutation(len(every))]


@dataclass(frozen=True)
class Share:
    """The numbers of `count` configurations in which a statement holds and is undecided, and the ends of the share.

    The configurations are drawn from more of them, unless they are a `census`. The interval of a share of drawn ones
    misses it with probability `level` at most.
    """

    holds: int
    undecided: int
    count: int
    census: bool = False
    level: float = LEVEL

    @property
    def low(self) -> float:
        """The lower end of the share: undecided configurations count as against."""
        return self.holds / self.count if self.census else share_interval(self.holds, self.count, self.level)[0]

    @property
    def high(self) -> float:
        """The upper end of the share: undecided configurations count as for."""
        most = self.holds + self.undecided
        return most / self.count if self.census else share_interval(most, self.count, self.level)[1]

    @property
    def outcome(self) -> Outcome:
        """PASS where both ends lie above 1/2, FAIL where they lie below, else INCONCLUSIVE."""
        if self.low > HALF:
            return Outcome.PASS
        return Outcome.FAIL if self.high < HALF else Outcome.INCONCLUSIVE

    def data(self) -> dict[str, float]:
        """The share as numbers, for evidence."""
        return {
            "holds": self.holds,
            "undecided": self.undecided,
            "configurations": self.count,
            "low": self.low,
            "high": self.high,
        }

    def describe(self) -> str:
        """The share in words."""
        open_ = f", {self.undecided} undecided" if self.undecided else ""
        drawn = "" if self.census else f" ({100 * (1 - self.level):g} %: {self.low:.2f} to {self.high:.2f})"
        return f"{self.holds} of {self.count} configurations{open_}{drawn}"


_DECIDED = {Outcome.PASS: True, Outcome.FAIL: False, Outcome.INCONCLUSIVE: None}
Decide = Callable[[Mapping[str, Any]], bool | None]  # the stored numbers of one training -> holds, fails or undecided


def share(trained: Iterable[Mapping[str, Any]], decide: Decide, census: bool = False, level: float = LEVEL) -> Share:
    """The share of the trained configurations in which a statement holds; a `census` has trained all."""
    decisions = [decide(one) for one in trained]
    return Share(decisions.count(True), decisions.count(None), len(decisions), census, level)


def at(*times: int) -> tuple[int, ...]:
    """Return the indices in TIMES of these times, in units of K^2 tau.

    >>> at(4, 16)
    (2, 4)
    """
    return tuple(TIMES.index(time) for time in times)


def above(quantity: str, bound: float, times: Iterable[int]) -> Decide:
    """A decision: whether a quantity exceeds the bound at all of the times (indices into TIMES; see `at`)."""
    return lambda trained: _DECIDED[_intervals(trained, quantity, list(times)).above(bound)]


def below(quantity: str, bound: float, times: Iterable[int]) -> Decide:
    """A decision: whether a quantity is less than the bound at all of the times."""
    return lambda trained: _DECIDED[_intervals(trained, quantity, list(times)).below(bound)]


def _intervals(trained: Mapping[str, Any], quantity: str, times: list[int]) -> Intervals:
    """Return Student's intervals of a quantity at these times, together."""
    mean, error = (np.asarray(trained[quantity][name])[times] for name in ("mean", "standard_error"))
    return student(mean, error, trained["replicates"], LEVEL)
