"""Two units with one gate: their difference, their limit and their rate, beside the printed solution."""

from fractions import Fraction

import numpy as np

from derivations.reproductions.model import (
    INHERITED,
    REMARK,
    Beside,
    Cells,
    Design,
    Numbers,
    Reproduction,
    Setting,
    Target,
    pooled,
)
from derivations.reproductions.weights import along, descent_rate, exponent, largest_mode, online
from sim.measure import measure as measure_networks
from sim.train import train
from theory.flow import solve
from theory.moments import gated_moments
from theory.problem import LossAtTimes, Network, NonlinearGP, Problem, RepeatedGate, SiteGate

SITES, SITE, GAIN, LENGTHS = 40, 20, 1, (2, 1)
# Time, learning rate, examples a step, and size of the first weights: large ones show the difference of the units. On
# the way, where a rate is measured, they are small beside what is learned, and the steps small beside the rate.
_DESIGNS = {
    "end": (Fraction(400), Fraction(1, 5), 1000, Fraction(1, 2)),
    "way": (Fraction(2), Fraction(1, 50), 4000, Fraction(1, 1000)),
}
_UNITS = (1, 2)
_ROUNDING = 1e-9  # of weights of size 1 after 2,000 steps in float64, with a wide reserve


def cell(setting: Setting, seed: int) -> Numbers:
    """Train networks; return the weights of both units at the start and the last time, and the last error."""
    trained = train(problem(setting, seed), "cpu")
    error = measure_networks(LossAtTimes(), trained, "cpu").values
    weights = {
        f"{time} w{unit}": trained.weights[:, index, unit - 1]
        for index, time in enumerate(("first", "last"))
        for unit in _UNITS
    }
    return weights | {"error": error[:, -1]}


def problem(setting: Setting, seed: int) -> Problem:
    """Return the problem of a setting: two units whose gate is that of one half-space.

    >>> problem({"until": "end", "networks": 2}, 0).network.units
    2
    """
    time, rate, batch, size = _DESIGNS[str(setting["until"])]
    law = NonlinearGP(SITES, LENGTHS, GAIN, "open", "unit-variance", (1, 0))
    network = Network("gated-linear", "mean", len(_UNITS), (SiteGate(SITE, lo=0), RepeatedGate(of=0)))
    return online(setting, seed, law, network, (0, time), rate=rate, batch=batch, samples=20000, scale=size)


def measure(cells: Cells) -> dict[str, np.ndarray]:
    """Return the change of the difference, and coefficients and rate of the solution that is printed."""
    end = {name: pooled(cells, name, until="end") for name in ("first w1", "first w2", "last w1", "last w2")}
    before, after = end["first w1"] - end["first w2"], end["last w1"] - end["last w2"]
    half = before / 2  # Delta of the notes
    second, force = _own_moments()
    centre = (end["last w1"] + end["last w2"]) / 2
    value = largest_mode(second, force)[0]
    return {
        "difference": np.abs(after - before).max(axis=1),
        "mean": along(centre, np.linalg.solve(second, force)),
        # (31) has no Delta and (32) takes 2 Delta from it; what both share is subtracted.
        "first": np.sum((end["last w1"] - centre) * half, axis=1) / np.sum(half * half, axis=1),
        "second": np.sum((end["last w2"] - centre) * half, axis=1) / np.sum(half * half, axis=1),
        "rate": _rates(cells) / (value / len(_UNITS)),
    }


def comparisons(cells: Cells) -> tuple[Beside, ...]:
    """Return the exact mean of the two units, its rate, and the least error, beside those of the networks."""
    second, force = _own_moments()
    exact = solve(problem({"until": "end", "networks": 2}, 0))
    centre = (pooled(cells, "last w1", until="end") + pooled(cells, "last w2", until="end")) / 2
    return (
        Beside(
            "mean",
            r"coefficient of $(w_1 + w_2)/2$ along the exact $A_{11}^{-1} b_1$",
            1.0,
            along(centre, np.asarray(exact.fixed_point, dtype=float).mean(axis=0)),
        ),
        Beside(
            "rate",
            r"rate $-\log(1 - r \eta)/\eta$ of the mode in descent with learning rate $\eta$, in $1/\tau$; in the "
            r"flow it is $r = 2 \lambda/K^2$, exactly",
            descent_rate(2 * largest_mode(second, force)[0] / len(_UNITS) ** 2, float(_DESIGNS["way"][1])),
            _rates(cells),
        ),
        Beside(
            "error",
            r"exact least $\langle (y - \hat{y})^2 \rangle$, that of one unit",
            float(exact.mse),
            pooled(cells, "error", until="end"),
        ),
    )


def _own_moments() -> tuple[np.ndarray, np.ndarray]:
    """Return <g x x^T> and <g y x> of the gate."""
    moments = gated_moments(problem({"until": "end", "networks": 2}, 0))
    return moments.sigma_xx[0, 0], moments.sigma_yx[0]


def _rates(cells: Cells) -> np.ndarray:
    """Return the rate at which the largest mode of (w_1 + w_2)/2 approaches its limit A^{-1} b, (S,)."""
    _, vector, coefficient = largest_mode(*_own_moments())
    first, last = (
        (pooled(cells, f"{time} w1", until="way") + pooled(cells, f"{time} w2", until="way")) @ vector / 2
        for time in ("first", "last")
    )
    return exponent(first, last, coefficient) / float(_DESIGNS["way"][0])


def _settings(networks: int) -> tuple[Setting, ...]:
    return tuple({"until": until, "networks": networks} for until in _DESIGNS)


REPRODUCTION = Reproduction(
    name="notes-redundant-gates",
    title="Two units with one gate",
    source="localization-with-gated-linear-networks",
    place="(27) to (32) of section 3.5",
    setup="Section 4.3 is a heading, 'Redundant Gates', under 'Theory-driven Experiments'. Its theory is (27) to (32) "
    "of section 3.5: networks of two units with one gate are trained beside it.",
    unsaid=(
        ("the experiment: the section is empty", "the printed solution, beside trained networks"),
        ("the data", "nonlinear process on a line of 40 sites, gain 1, lengths 2 and 1"),
        ("the gate, and the units of the network", r"$\mathbf{1}[z_{20} \geq 0]$; these two alone, $K = 2$"),
        ("the weights at the start", "normal of standard deviation 1/2, so that the units differ; for the rate 1/1000"),
        ("the training", "fresh batches of 1,000, until the slowest mode has decayed to 1/500 or less"),
        ("which mode shows the rate", r"that of the largest entry of $P^\top A_{11}^{-1} b_1$"),
    ),
    described=False,
    rule=r"Numbers. The largest change of an entry of $w_1 - w_2$ is 0, to $10^{-9}$. To a half-hundredth: the "
    r"coefficient of $(w_1 + w_2)/2$ along $A_{11}^{-1} b_1$ is 1/2, and with $\Delta = (w_1(0) - w_2(0))/2$ those of "
    r"$w_1 - (w_1 + w_2)/2$ and $w_2 - (w_1 + w_2)/2$ along $\Delta$ are 0 and $-2$. To two hundredths: the measured "
    r"exponent of a mode over the printed $\lambda t/(K \tau)$ is 1. Half widths of at most 0.02.",
    targets=(
        Target("difference", "$w_1 - w_2$ is a constant vector", 0.0, margin=_ROUNDING, half_unit=_ROUNDING),
        Target(
            "mean",
            r"(31): $w_1(\infty) = A_{11}^{-1} b_1/2$",
            0.5,
            margin=0.02,
            half_unit=0.005,
            explains=r"With $1/K$ in (3), $K \tau \, dw_1/dt = b_1 - A_{11} (w_1 + w_2)/K$, so that $(w_1 + w_2)/2$ "
            "ends at $(K/2) A_{11}^{-1} b_1$. This is the slip of (5), charged in `notes-general`; without $1/K$ in "
            "(3) the limit is as printed.",
            instead=INHERITED,
        ),
        Target(
            "first",
            r"(31) has no $\Delta$",
            0.0,
            margin=0.02,
            half_unit=0.005,
            explains=r"(31) is the solution for $w_1 - \Delta$ of (30), printed for $w_1$: the units stay at $s \pm "
            r"\Delta$, $s = (w_1 + w_2)/2$.",
        ),
        Target(
            "second",
            r"(32) takes $2 \Delta$ from (31)",
            -2.0,
            margin=0.02,
            half_unit=0.005,
            explains=r"The relation $w_2 = w_1 - 2 \Delta$ of (32) is right; it is applied to (31), whose slip is "
            r"charged above.",
            instead=INHERITED,
        ),
        Target(
            "rate",
            r"(31) has the rates $\lambda/(K \tau)$, for $K = 2$",
            1.0,
            margin=0.02,
            half_unit=0.02,
            explains=r"Two slips cancel here. The solution of (30) as it is printed has the rates $2 \lambda/(K "
            r"\tau)$; (31) loses the 2, and for $K = 2$ this makes up for the $1/K$ that is missing in (5). The "
            r"measured rate is $2 \lambda/(K^2 \tau)$.",
            instead=REMARK,
        ),
    ),
    designs={
        "quick": Design("4 networks", _settings(4), 1, 10),
        "full": Design("24 networks", _settings(24), 1, 170),
    },
    numbers=(*(f"{time} w{unit}" for time in ("first", "last") for unit in _UNITS), "error"),
    cell=cell,
    measure=measure,
    beside=comparisons,
)
