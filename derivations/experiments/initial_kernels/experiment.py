"""Tangent kernels of drawn networks at initialisation, before any training, beside their exact moments.

Weights +-s, with s^2 = 1/(mu w), are drawn in torch, and K0 is summed over the layers by forward and backward vectors,
K0(x, x') = sum_l <z_(l-1), z'_(l-1)> <B_l, B'_l>. Nothing is taken from the theory but the numbers beside the draws.

Three claims are judged. Decision rule, fixed before the run, for each: the predicted mean and variance lie within the
99 % intervals of the drawn entries, for both together (standard errors from the entries themselves), and the intervals
reach no farther than a fifth of the predicted standard deviation and variance. Control: the variance of a rival must
not pass: Gaussian weights for weights of two values; open gates for random ones; an entry that becomes small with its
mean.

Histograms of wide and deep networks, and variances by depth, are stored:
`python -m derivations.experiments.initial_kernels.experiment` writes them.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from importlib.metadata import version
from itertools import pairwise
from math import prod
from statistics import NormalDist

import numpy as np
import sympy
import torch
from jaxtyping import Float

from derivations.experiments import folders
from derivations.experiments.control import control
from derivations.experiments.model import Experiment, Finding, Progress, Settings
from derivations.output import DISTRIBUTION, plain, rounded
from derivations.statistics.comparison import seed_for
from theory.claims.evaluate import evaluate
from theory.claims.model import CheckResult, Claim, Level, Outcome
from theory.kernels import GAUSSIAN, alike, cumulant, mean, variance

NAME = "initial-kernels"
RUNS = (NAME,)
LEVEL, MARGIN = 0.01, 0.2
NETWORKS = 6_000  # of a claim, multiplied by the profile
WIDTH, DEPTH, DRAWN = 64, 20, 20_000  # of the histograms
DEPTHS = {
    20: ((3, 4, 5, 6, 8, 10, 14), 20_000),
    200: ((3, 4, 5, 6, 8, 10, 14, 20), 1_000),
}  # by width; networks of each
_EDGES = np.round(np.arange(-6, 6.01, 0.1), 1)  # of the bins, in exact standard deviations from the exact mean
_BATCH = 250
_DIGITS = 15  # of a formula's value at a point
_SIGNIFICANT = 10  # digits stored


@dataclass(frozen=True)
class Case:
    """Networks of one kind: mu is the probability of an open gate, and `cross` the entry of two inputs."""

    width: int
    depth: int
    mu: Fraction = Fraction(1)
    cross: bool = False

    @property
    def pair(self) -> tuple[int, int]:
        """The numbers of the two inputs of the entry."""
        return (0, 1) if self.cross else (0, 0)

    def exact(self, order: int) -> Fraction:
        """Return the exact cumulant of this order, for s^2 = 1/(mu w)."""
        unit = (self.mu * self.width) ** ((self.depth - 1) * order)
        return cumulant(alike(self.width, self.depth, self.mu), order, self.pair) / unit


JUDGED = {
    "kernel.variance.value": Case(64, 8),
    "kernel.random_gates.own": Case(64, 8, Fraction(1, 2)),
    "kernel.random_gates.cross": Case(64, 3, Fraction(1, 2), cross=True),
}
HISTOGRAMS = {
    "all gates open": Case(WIDTH, DEPTH),
    "one input, random gates": Case(WIDTH, DEPTH, Fraction(1, 2)),
    "two inputs, random gates": Case(WIDTH, DEPTH, Fraction(1, 2), cross=True),
}


def drawn(case: Case, networks: int, seed: int) -> Float[np.ndarray, " networks"]:
    """Return K0 of `networks` networks with their own weights and gates, for inputs x = x' = 1."""
    generator = torch.Generator().manual_seed(seed)
    entries = []
    for start in range(0, networks, _BATCH):
        count = min(_BATCH, networks - start)
        entries.append(_entries(case, count, generator))
    return np.concatenate(entries)


def _entries(case: Case, count: int, generator: torch.Generator) -> Float[np.ndarray, " count"]:
    """Return one entry of each network; the last axis of z and of the backward vectors has the inputs."""
    inputs = 2 if case.cross else 1
    sizes = [1, *[case.width] * (case.depth - 1), 1]
    scale = float(case.mu * case.width) ** -0.5
    weights, gates, levels = [], [], [torch.ones(count, 1, inputs)]
    for before, after in pairwise(sizes):
        weights.append(_signs((count, after, before), generator))
        open_ = torch.ones(count, after, inputs)
        if len(weights) < case.depth and case.mu != 1:
            open_ = (torch.rand(count, after, inputs, generator=generator) < float(case.mu)).to(torch.float32)
        gates.append(open_)
        levels.append(scale * (weights[-1] @ levels[-1]) * open_)
    # A slope by a weight of one layer has the factor s of the d - 1 others: both vectors together have d - 1 of them.
    back, total = torch.ones(count, 1, inputs), torch.zeros(count, dtype=torch.float64)
    one, other = case.pair
    for number in reversed(range(case.depth)):
        before = levels[number]
        total += ((before[..., one] * before[..., other]).sum(1) * (back[..., one] * back[..., other]).sum(1)).double()
        if number:
            back = scale * (weights[number].mT @ back) * gates[number - 1]
    return total.numpy()


def _signs(shape: tuple[int, int, int], generator: torch.Generator) -> Float[torch.Tensor, "count after before"]:
    """Return +1 or -1 with probability 1/2 each; a random byte gives eight of them."""
    number = prod(shape)
    octets = torch.randint(0, 256, (-(-number // 8),), generator=generator, dtype=torch.uint8)
    bits = (octets[:, None] >> torch.arange(8, dtype=torch.uint8)) & 1
    return bits.reshape(-1)[:number].reshape(shape).to(torch.float32).mul_(2).sub_(1)


def judge(claims: Mapping[str, Claim], settings: Settings, progress: Progress) -> Finding:
    """Draw the networks of each claim, and apply the rule to its prediction and to that of its rival."""
    results, estimates = [], {}
    for number, (name, case) in enumerate(JUDGED.items()):
        progress("drawing networks at initialisation", number / len(JUDGED))
        values = drawn(case, settings.scale * NETWORKS, seed_for(f"{name}/{NAME}"))
        middle = float(case.exact(1))
        results.append(decide(name, values, middle, predicted(claims[name], case)))
        results.append(control(decide(name, values, middle, rival(name, case)), f"the variance of {_RIVALS[name][0]}"))
        estimates[name] = {
            NAME: {
                "mean": values.mean(),
                "variance": values.var(ddof=1),
                "standard_error": values.std(ddof=1) / np.sqrt(len(values)),
                "replicates": len(values),
                "seed": seed_for(f"{name}/{NAME}"),
            }
        }
    return Finding(results=tuple(results), estimates=estimates)


def predicted(claim: Claim, case: Case) -> float:
    """Return the variance by the formula of the claim, whose left side is a second moment or a variance."""
    numbers = {"w": case.width, "d": case.depth, "mu": case.mu}
    point = {param.symbol: sympy.Rational(str(numbers[param.symbol.name])) for param in claim.params}
    value = float(evaluate(claim.statement.rhs, point, _DIGITS))
    return value if case.cross else value - case.depth**2


def _with_gaussian_weights(case: Case) -> float:
    network = alike(case.width, case.depth, case.mu, GAUSSIAN)
    return float(variance(network, case.pair) / (case.mu * case.width) ** (2 * (case.depth - 1)))


def _with_open_gates(case: Case) -> float:
    return float(Case(case.width, case.depth).exact(2))


def _falling_with_its_mean(case: Case) -> float:
    """Return the variance of a diagonal entry times the square of the factor by which the mean is smaller."""
    diagonal = Case(case.width, case.depth, case.mu)
    ratio = mean(alike(case.width, case.depth, case.mu), (0, 1)) / mean(alike(case.width, case.depth, case.mu))
    return float(diagonal.exact(2) * ratio**2)


_RIVALS: Mapping[str, tuple[str, Callable[[Case], float]]] = {
    "kernel.variance.value": ("Gaussian weights", _with_gaussian_weights),
    "kernel.random_gates.own": ("open gates", _with_open_gates),
    "kernel.random_gates.cross": ("an entry that falls with its mean", _falling_with_its_mean),
}


def rival(name: str, case: Case) -> float:
    """Return the variance of the claim's rival."""
    return _RIVALS[name][1](case)


def decide(name: str, values: Float[np.ndarray, " S"], middle: float, spread: float) -> CheckResult:
    """The rule of this experiment on drawn entries, for a predicted mean and variance."""
    critical = NormalDist().inv_cdf(1 - LEVEL / 4)  # two statistics, two sides
    squares = (values - middle) ** 2
    deviations, widths = [], []
    for sample, expected, scale in ((values, middle, spread**0.5), (squares, spread, spread)):
        half = critical * sample.std(ddof=1) / np.sqrt(len(sample))
        deviations.append(abs(sample.mean() - expected) / half)
        widths.append(half / scale)
    outcome = Outcome.FAIL if max(deviations) > 1 else Outcome.PASS if max(widths) < MARGIN else Outcome.INCONCLUSIVE
    where = (
        f"mean {values.mean():.4f} ({middle:.4f} predicted), variance {squares.mean():.4f} ({spread:.4f} predicted), "
        f"{len(values)} networks; deviations of {deviations[0]:.2f} and {deviations[1]:.2f} half widths"
    )
    untrained = {"networks": "Networks at initialisation"}  # the subject of the sentence that pages make of it
    return CheckResult(name, Level.SIMULATED, outcome, float(max(deviations)), 1.0, where, untrained)


def run(networks: int = DRAWN, report: Callable[[str], None] = lambda _what: None) -> dict:
    """Draw the networks of the histograms and of the depths; `networks` is the number for each histogram."""
    histograms = {}
    for name, case in HISTOGRAMS.items():
        report(name)
        histograms[name] = histogram(case, drawn(case, networks, seed_for(f"{NAME}/{name}")))
    depths = {}
    for width, (grid, most) in DEPTHS.items():
        report(f"depths at the width {width}")
        count = max(most * networks // DRAWN, 2)
        spreads = [_spread(drawn(Case(width, d), count, seed_for(f"{NAME}/{width}/{d}")), d) for d in grid]
        depths[str(width)] = {
            "depth": grid,
            "networks": count,
            **{key: [s[key] for s in spreads] for key in spreads[0]},
        }
    return {
        "width": WIDTH,
        "depth": DEPTH,
        "mu": "1/2",
        "networks": networks,
        "edges": _EDGES.tolist(),
        "histograms": rounded(plain(histograms), _SIGNIFICANT),
        "depths": rounded(plain(depths), _SIGNIFICANT),
        "versions": {DISTRIBUTION: version(DISTRIBUTION), "torch": torch.__version__},
    }


def histogram(case: Case, values: Float[np.ndarray, " S"]) -> dict:
    """Return the counts by bin, and the means of the first four powers of (K0 - E K0)/sd beside their exact values."""
    middle, spread = float(case.exact(1)), float(case.exact(2)) ** 0.5
    standard = (values - middle) / spread
    powers = np.stack([standard**order for order in (1, 2, 3, 4)])
    exact = [0.0, 1.0, float(case.exact(3)) / spread**3, float(case.exact(4)) / spread**4 + 3]
    return {
        "mean": middle,
        "sd": spread,
        "counts": np.histogram(standard, _EDGES)[0],
        "below": int((standard < _EDGES[0]).sum()),
        "above": int((standard >= _EDGES[-1]).sum()),
        "moments": powers.mean(axis=1),
        "standard_errors": powers.std(axis=1, ddof=1) / np.sqrt(len(values)),
        "exact": exact,
    }


def _spread(values: Float[np.ndarray, " S"], depth: int) -> dict:
    """Return the variance around the exact mean d, with its standard error."""
    squares = (values - depth) ** 2
    return {"variance": squares.mean(), "standard_error": squares.std(ddof=1) / np.sqrt(len(values))}


EXPERIMENT = Experiment("initial_kernels", "Tangent kernels at initialisation", tuple(JUDGED), judge)

if __name__ == "__main__":
    folders.write("initial_kernels", NAME, run(report=print))
