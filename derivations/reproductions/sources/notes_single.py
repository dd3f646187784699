"""One gate, and three exclusive ones: trained weights beside least squares on the inputs of their gates."""

from fractions import Fraction

import numpy as np

from derivations.reproductions.model import (
    INHERITED,
    Beside,
    Cells,
    Design,
    Numbers,
    Reproduction,
    Setting,
    Target,
    levels,
    pooled,
)
from derivations.reproductions.weights import along, descent_rate, exponent, largest_mode, online
from sim.measure import measure as measure_networks
from sim.train import train
from theory.flow import solve
from theory.moments import gated_moments
from theory.problem import LossAtTimes, Network, NonlinearGP, Problem, SiteGate

SITES, SITE, GAIN, LENGTHS = 40, 20, 1, (2, 1)
_EDGE = Fraction(1, 2)
_GATES = {
    "one": (SiteGate(SITE, lo=0),),
    "three": (SiteGate(SITE, hi=-_EDGE), SiteGate(SITE, lo=-_EDGE, hi=_EDGE), SiteGate(SITE, lo=_EDGE)),
}
# Time, learning rate and examples a step; the flow is K^2 times as slow as that of one unit. A rate is measured on the
# way, in steps that are small beside it.
_DESIGNS = {
    ("one", "end"): (Fraction(200), Fraction(1, 10), 1000),
    ("three", "end"): (Fraction(2700), Fraction(3, 5), 1000),
    ("one", "way"): (Fraction(1), Fraction(1, 100), 8000),
    ("three", "way"): (Fraction(9), Fraction(9, 100), 8000),
}


def cell(setting: Setting, seed: int) -> Numbers:
    """Train networks from small weights; return those of the last unit, first and last, and the last error."""
    trained = train(problem(setting, seed), "cpu")
    error = measure_networks(LossAtTimes(), trained, "cpu").values
    return {"first w": trained.weights[:, 0, -1], "last w": trained.weights[:, 1, -1], "error": error[:, -1]}


def problem(setting: Setting, seed: int) -> Problem:
    """Return the problem of a setting: one gate, or three that are never open together.

    >>> problem({"gates": "three", "until": "end", "networks": 2}, 0).network.units
    3
    """
    gates = _GATES[str(setting["gates"])]
    time, rate, batch = _DESIGNS[str(setting["gates"]), str(setting["until"])]
    law = NonlinearGP(SITES, LENGTHS, GAIN, "open", "unit-variance", (1, 0))
    network, scale = Network("gated-linear", "mean", len(gates), gates), Fraction(1, 1000)
    return online(setting, seed, law, network, (0, time), rate=rate, batch=batch, samples=20000, scale=scale)


def measure(cells: Cells) -> dict[str, np.ndarray]:
    """Return coefficients along the least squares on the inputs of the last gate, and rates over the printed ones."""
    measured = {}
    for gates in levels(cells, "gates"):
        second, force = _own_moments(gates)
        last = pooled(cells, "last w", gates=gates, until="end")
        measured[f"limit, {gates}"] = along(last, np.linalg.solve(second, force))
        # (21) and (25) have the rate lambda/(K tau).
        measured[f"rate, {gates}"] = _rates(cells, gates) / (largest_mode(second, force)[0] / len(_GATES[gates]))
    return measured


def comparisons(cells: Cells) -> tuple[Beside, ...]:
    """Return the exact weights, rate and error beside those of the networks."""
    rows = []
    for gates in levels(cells, "gates"):
        exact = solve(_problem_of(gates))
        rows += [
            Beside(
                f"limit, {gates}",
                r"coefficient of the trained weights along $w(\infty) = K A_{11}^{-1} b_1$",
                1.0,
                along(
                    pooled(cells, "last w", gates=gates, until="end"), np.asarray(exact.fixed_point[-1], dtype=float)
                ),
            ),
            Beside(
                f"rate, {gates}",
                r"rate $-\log(1 - r \eta)/\eta$ of the mode in descent with learning rate $\eta$, in $1/\tau$; in "
                r"the flow it is $r = \lambda/K^2$, exactly",
                descent_rate(
                    largest_mode(*_own_moments(gates))[0] / len(_GATES[gates]) ** 2, float(_DESIGNS[gates, "way"][1])
                ),
                _rates(cells, gates),
            ),
            Beside(
                f"error, {gates}",
                r"exact least $\langle (y - \hat{y})^2 \rangle$",
                float(exact.mse),
                pooled(cells, "error", gates=gates, until="end"),
            ),
        ]
    return tuple(rows)


def _problem_of(gates: str) -> Problem:
    return problem({"gates": gates, "until": "end", "networks": 2}, 0)


def _own_moments(gates: str) -> tuple[np.ndarray, np.ndarray]:
    """Return <g x x^T> and <g y x> of the last gate, from the arcsine laws and their integrals."""
    moments = gated_moments(_problem_of(gates))
    return moments.sigma_xx[-1, -1], moments.sigma_yx[-1]


def _rates(cells: Cells, gates: str) -> np.ndarray:
    """Return the rate at which the largest mode approaches its limit K A^{-1} b, (S,)."""
    _, vector, coefficient = largest_mode(*_own_moments(gates))
    first, last = (pooled(cells, f"{time} w", gates=gates, until="way") @ vector for time in ("first", "last"))
    return exponent(first, last, len(_GATES[gates]) * coefficient) / float(_DESIGNS[gates, "way"][0])


_SCALED = (
    r"With $1/K$ in (3) the weights of an exclusive gate obey $K \tau \, dw_1/dt = b_1 - A_{11} w_1/K$: they end at "
    r"$K A_{11}^{-1} b_1$, with rates $\lambda/(K^2 \tau)$. It is $w_1/K$ that converges to least squares. For $K = "
    "1$ the two agree. This is the slip of (5), charged in `notes-general`; without $1/K$ in (3) the limit is as "
    r"printed, and the rates are $\lambda/\tau$."
)


def _settings(networks: int) -> tuple[Setting, ...]:
    return tuple({"gates": gates, "until": until, "networks": networks} for gates, until in _DESIGNS)


REPRODUCTION = Reproduction(
    name="notes-single-gate",
    title="A single gate, and three exclusive ones",
    source="localization-with-gated-linear-networks",
    place="(19) to (26) of section 3.4",
    setup="Section 4.2 is a heading, 'Single Gate', under 'Theory-driven Experiments'. Its theory is (19) to (26) of "
    "section 3.4, for gates of which one is open at a time: one gate alone, and three slabs of one site.",
    unsaid=(
        ("the experiment: the section is empty", "the printed limit and rates, beside trained networks"),
        ("the data", "nonlinear process on a line of 40 sites, gain 1, lengths 2 and 1"),
        (
            "the gates",
            r"$\mathbf{1}[z_{20} \geq 0]$, and $z_{20}$ below $-1/2$, between $-1/2$ and $1/2$, and above $1/2$; the "
            "weights of the last are compared",
        ),
        ("the training", "fresh batches of 1,000, until the slowest mode has decayed to 1/500 or less"),
        ("which mode shows the rate", r"that of the largest entry of $P^\top A_{11}^{-1} b_1$"),
        (r"the limit: (26) keeps the transient of (25) at $t = \infty$", "without it, as the sentence below (26) says"),
    ),
    described=False,
    rule="Numbers, limits to a half-hundredth, rates to two hundredths: the coefficient of the trained weights along "
    r"$A_{11}^{-1} b_1$, the least squares on the inputs that open the gate, is 1, and so is the measured exponent of "
    r"a mode over the printed $\lambda t/(K \tau)$. Half widths of at most 0.02.",
    targets=tuple(
        Target(
            f"{key}, {gates}",
            f"{printed}, {called}",
            1.0,
            margin=0.02,
            half_unit=half,
            explains=explains,
            instead=INHERITED if explains else "",
        )
        for gates, called, explains in (("one", "$K = 1$", ""), ("three", "$K = 3$", _SCALED))
        for key, printed, half in (
            ("limit", "each weight matrix converges to the OLS solution of its gate's data", 0.005),
            ("rate", r"(25) has the rates $\lambda/(K \tau)$", 0.02),
        )
    ),
    designs={
        "quick": Design("4 networks of each kind", _settings(4), 1, 20),
        "full": Design("40 networks of each kind", _settings(40), 1, 660),
    },
    numbers=("first w", "last w", "error"),
    cell=cell,
    measure=measure,
    beside=comparisons,
)
