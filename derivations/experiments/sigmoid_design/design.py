"""The design that compares sigmoid with erf networks: the drawn configurations, and the rule for alike networks.

"Qualitatively identical" names no configuration. Drawn are the lengths, the gain g, the units K, the standard deviation
of an entry of w(0), and for each way to treat the biases one configuration for each pair of lengths:

* hidden biases that start at 0 and learn, that are drawn (standard deviation 1/10 or 1) and learn, or that are drawn
  (standard deviation 1) and stay fixed;
* the output bias starts centred, at 1/2 for erf and 0 for sigmoid units, or at 0 for both. Centred, the output starts
  near 1/2, the mean of the labels. As sigmoid(h) is close to (1 + erf(c h/sqrt(2)))/2 with c = 0.6, a sigmoid network
  on the labels 1 and 0 is close to an erf network on the labels 1 and -1: at 0 both are centred. An erf network that
  starts at 0 on the labels 1 and 0 first lifts its output, and with it all its hidden biases. What a unit becomes
  depends on the sign of its bias, and so the start at 0 should set the two apart where the biases are small, and only
  there. Fixed biases are always centred: at 0 the output of an erf network could not have the mean of the labels.

Rates of hidden weights are f'(0)^2 eigenvalues/K: times are in units of 4 K/f'(0)^2, rounded to 6 K tau for erf and
64 K tau for sigmoid units, so that both have learned equally long.

Two networks are alike where in both orders of the lengths their low-frequency shares of power differ by less than 1/3
and their participation ratios by less than 3/(n + 2), the ratio of Gaussian weights, at the last time; they are unlike
where one of the four differences is larger. Welch's intervals, which hold for the four differences together, decide so,
or leave it undecided. The means are over units: networks whose biases differ in sign have units of long and
of short range side by side, so that their means may lie anywhere between, and on which side of the null levels they
lie says less than how far they are apart.

There are two looks at the design. The first trained it whole, with sixteen networks of each kind and intervals of 99 %.
The second trained the centred configurations anew, with 64 networks of each kind and intervals of 99.5 %; the reason is
in `experiment.py`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np

from derivations.experiments.folders import problem_named
from derivations.experiments.relu_design.design import GAINS, LEVEL, ORDERS, PAIRS
from derivations.statistics.comparison import seed_for
from derivations.statistics.intervals import Intervals, difference
from theory.moments import null_levels
from theory.problem import Network, NormalInitialisation, Problem

NAME = "sigmoid-design"  # of the problem file, and of the draw
MODELS = ("erf", "sigmoid", "relu")
TIMES = (0, 4, 8, 16)  # in units of 4 K/f'(0)^2; of K^2 for ReLU units
UNITS = (5, 10)
SCALES = (Fraction(1, 10), Fraction(3, 10))  # an entry of w(0); 1/sqrt(n) = 0.16 lies between
_UNIT = {"erf": 6, "sigmoid": 64}  # f'(0)^2 = 2/pi and 1/16
CENTRED = {"erf": Fraction(1, 2), "sigmoid": Fraction(0)}
_RELU_RATE = Fraction(1, 50)  # in units of K^2, as in the design of ReLU networks
MARGINS = {"low_frequency_power": 1 / 3, "participation_ratio": float(null_levels.gaussian_ratio(40))}


@dataclass(frozen=True)
class Look:
    """A run of the design: the name of its file and seeds, the networks of each kind, and the level of its intervals.

    It has all configurations, or only those whose outputs start `centred`.
    """

    run: str
    networks: int
    level: float
    centred: bool

    def configurations(self) -> list["Configuration"]:
        """Return the configurations that are trained, in the order of the draw."""
        return [one for one in configurations() if one.biases.centred or not self.centred]


FIRST = Look(NAME, 16, LEVEL, centred=False)
SECOND = Look("sigmoid-design-second", 64, LEVEL / 2, centred=True)


@dataclass(frozen=True)
class Biases:
    """Standard deviation of the hidden biases at the start, whether they learn, whether the output starts centred."""

    spread: Fraction
    trained: bool
    centred: bool

    def describe(self) -> str:
        """Return the treatment in words."""
        start = f"drawn, sd {self.spread}" if self.spread else "0"
        return f"{start}, {'trained' if self.trained else 'fixed'}, {'centred' if self.centred else 'output bias 0'}"


_STARTS = ((Fraction(0), True), (Fraction(1, 10), True), (Fraction(1), True), (Fraction(1), False))
TREATMENTS = (
    *(Biases(*start, centred=True) for start in _STARTS),
    *(Biases(*start, centred=False) for start in _STARTS[:3]),
)


@dataclass(frozen=True)
class Configuration:
    """One draw: the lengths (long, short) in sites, gain, units, sd of an entry of w(0), and the biases."""

    lengths: tuple[Fraction, Fraction]
    gain: Fraction
    units: int
    scale: Fraction
    biases: Biases

    def problem(self, model: str, order: str, look: Look) -> Problem:
        """Return the problem of one of the MODELS with the lengths in one of the ORDERS; ReLU has no biases."""
        base, seed = problem_named(NAME), seed_for(f"{look.run}/{self}/{model}/{order}")
        training = replace(base.training, w0=NormalInitialisation(self.scale, seed))
        settings = replace(base.simulated(), seed=seed, replicates=look.networks)
        if model == "relu":
            network, squared = Network(model, base.network.readout, self.units), self.units**2
            training = replace(training, times=_times(squared), hidden_bias0=None, output_bias0=None)
            settings = replace(settings, learning_rate=_RELU_RATE * squared)
        else:
            learn = "trained" if self.biases.trained else "fixed"
            network = Network(model, base.network.readout, self.units, biases=learn)
            training = replace(
                training,
                times=_times(_UNIT[model] * self.units),
                hidden_bias0=NormalInitialisation(self.biases.spread, seed),
                output_bias0=CENTRED[model] if self.biases.centred else Fraction(0),
            )
        lengths = self.lengths if order == ORDERS[0] else self.lengths[::-1]
        data = replace(base.data, xi=lengths, gain=self.gain)
        return replace(base, data=data, network=network, training=training, simulation=settings)

    def data(self) -> dict[str, Any]:
        """Return the configuration as plain numbers."""
        return {
            "xi": [float(length) for length in self.lengths],
            "gain": float(self.gain),
            "units": self.units,
            "scale": float(self.scale),
            "biases": self.biases.describe(),
            "centred": self.biases.centred,
        }


def _times(unit: int) -> tuple[Fraction, ...]:
    return tuple(Fraction(time * unit) for time in TIMES)


def configurations() -> list[Configuration]:
    """Return the drawn configurations: for each treatment of the biases one with each pair of lengths."""
    rng = np.random.default_rng(seed_for(NAME))
    others = list(product(GAINS, UNITS, SCALES))
    drawn = []
    for biases, lengths in product(TREATMENTS, PAIRS):
        gain, units, scale = others[rng.integers(len(others))]
        pair = tuple(Fraction(length) for length in lengths)
        drawn.append(Configuration(pair, Fraction(gain), units, scale, biases))
    return drawn


def alike(one: Mapping[str, Any], models: tuple[str, str], level: float) -> bool | None:
    """Return whether two models are alike in a trained configuration; None where the intervals do not decide it.

    The intervals of the four differences hold together but for the probability `level`.
    """
    each = level / (len(ORDERS) * len(MARGINS))
    contrasts = [(distance(one, models, order, name, each), MARGINS[name]) for order in ORDERS for name in MARGINS]
    if all(-margin < interval.low[0] and interval.high[0] < margin for interval, margin in contrasts):
        return True
    return (
        False if any(interval.low[0] > margin or interval.high[0] < -margin for interval, margin in contrasts) else None
    )


def distance(one: Mapping[str, Any], models: tuple[str, str], order: str, name: str, level: float) -> Intervals:
    """Return the difference of a quantity between two models at the last time, with its interval at this level."""
    stored = [one["trained"][model][order] for model in models]
    means, errors = ([np.array([of[name][key][-1]]) for of in stored] for key in ("mean", "standard_error"))
    counts = [of["replicates"] for of in stored]
    return difference(means, errors, counts, level)
