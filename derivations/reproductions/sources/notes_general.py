"""Three overlapping gates: trained networks beside the flow, the limit and the error that the notes print."""

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
    levels,
    pooled,
)
from derivations.reproductions.weights import along, descent_rate, exponent, largest_mode, online
from sim.measure import measure as measure_networks
from sim.train import train
from theory.flow import solve
from theory.moments import gated_moments
from theory.problem import LossAtTimes, Network, NonlinearGP, Problem, SiteGate

SITES, GATES, GAIN, LENGTHS, BATCH = 40, (10, 20, 30), 1, (2, 1), 1000
_LABELS = {"long": (1, 0), "short": (0, 1)}  # by the length of the class y = 1
# Time and learning rate; the flow of the mean is 9 times as slow as that of the sum. A rate is measured on the way, in
# steps that are small beside it.
_TIMES = {
    ("mean", "end"): (Fraction(1800), Fraction(2, 5)),
    ("sum", "end"): (Fraction(200), Fraction(1, 25)),
    ("mean", "way"): (Fraction(4), Fraction(1, 25)),
    ("sum", "way"): (Fraction(2, 5), Fraction(1, 250)),
}
_UNITS = range(len(GATES))


def cell(setting: Setting, seed: int) -> Numbers:
    """Train networks from small weights; return the weights at the start and the last time, and the last error."""
    trained = train(problem(setting, seed), "cpu")
    error = measure_networks(LossAtTimes(), trained, "cpu").values
    weights = {
        f"{time} w{unit + 1}": trained.weights[:, index, unit]
        for index, time in enumerate(("first", "last"))
        for unit in _UNITS
    }
    return weights | {"error": error[:, -1]}


def problem(setting: Setting, seed: int) -> Problem:
    """Return the problem of a setting: one half-space gate at each of three sites.

    >>> problem({"readout": "mean", "positive": "long", "until": "end", "networks": 2}, 0).network.units
    3
    """
    readout = str(setting["readout"])
    time, rate = _TIMES[readout, str(setting["until"])]
    law = NonlinearGP(SITES, LENGTHS, GAIN, "open", "unit-variance", _LABELS[str(setting["positive"])])
    gates = tuple(SiteGate(site, lo=0) for site in GATES)
    network, scale = Network("gated-linear", readout, len(GATES), gates), Fraction(1, 1000)
    return online(setting, seed, law, network, (0, time), rate=rate, batch=BATCH, samples=20000, scale=scale)


def measure(cells: Cells) -> dict[str, np.ndarray]:
    """Return coefficients along A^{-1} b, rates over the printed ones, and errors over (15) and over each other."""
    measured = {}
    for readout in levels(cells, "readout"):
        moments = gated_moments(_problem_of(readout))
        printed = largest_mode(moments.A, moments.b)[0] * float(_scale(readout))
        measured[f"limit, {readout}"] = along(_weights(cells, readout, "end"), np.linalg.solve(moments.A, moments.b))
        measured[f"rate, {readout}"] = _rates(cells, readout) / printed
    error, other = (pooled(cells, "error", readout="mean", until="end", positive=of) for of in _LABELS)
    moments = gated_moments(_problem_of("mean"))
    least = float(moments.y2) - moments.b @ np.linalg.solve(moments.A, moments.b)
    return measured | {"error": error / least, "labels": other / error}


def comparisons(cells: Cells) -> tuple[Beside, ...]:
    """Return the exact limit, rate and error beside those of the networks."""
    rows = []
    for readout in levels(cells, "readout"):
        exact, moments = solve(_problem_of(readout)), gated_moments(_problem_of(readout))
        rows += [
            Beside(
                f"limit, {readout}",
                r"coefficient of trained weights along the exact $w(\infty)$",
                1.0,
                along(_weights(cells, readout, "end"), np.asarray(exact.fixed_point, dtype=float).ravel()),
            ),
            Beside(
                f"rate, {readout}",
                r"rate $-\log(1 - r \eta)/\eta$ of the mode in descent with learning rate $\eta$, in $1/\tau$; in "
                r"the flow it is $r = \lambda s^2$, exactly, with $s$ the factor of the readout",
                descent_rate(
                    largest_mode(moments.A, moments.b)[0] * float(_scale(readout)) ** 2,
                    float(_TIMES[readout, "way"][1]),
                ),
                _rates(cells, readout),
            ),
        ]
    for positive in _LABELS:
        rows.append(
            Beside(
                f"error, {positive}",
                rf"exact least $\langle (y - \hat{{y}})^2 \rangle$, $y = 1$ for the {positive} length",
                float(solve(_problem_of("mean", positive)).mse),
                pooled(cells, "error", readout="mean", until="end", positive=positive),
            )
        )
    return tuple(rows)


def _problem_of(readout: str, positive: str = "long") -> Problem:
    return problem({"readout": readout, "positive": positive, "until": "end", "networks": 2}, 0)


def _scale(readout: str) -> Fraction:
    """Return the factor s of the readout, with which yhat = s sum_k g_k w_k.x."""
    return Fraction(1, len(GATES)) if readout == "mean" else Fraction(1)


def _rates(cells: Cells, readout: str) -> np.ndarray:
    """Return the rate at which the largest mode approaches its limit A^{-1} b/s, (S,)."""
    moments = gated_moments(_problem_of(readout))
    _, vector, coefficient = largest_mode(moments.A, moments.b)
    first, last = (_weights(cells, readout, "way", time) @ vector for time in ("first", "last"))
    return exponent(first, last, coefficient / float(_scale(readout))) / float(_TIMES[readout, "way"][0])


def _weights(cells: Cells, readout: str, until: str, time: str = "last") -> np.ndarray:
    """Return the weights of all units, unit-major, (S, K n)."""
    setting = {"readout": readout, "positive": "long", "until": until}
    return np.concatenate([pooled(cells, f"{time} w{unit + 1}", **setting) for unit in _UNITS], axis=1)


_SCALED = (
    r"With $\hat{y} = (1/K) \sum_k g_k w_k x$ of (3) the flow is $K \tau \, dw/dt = b - A w/K$: its limit is $K "
    r"A^{-1} b$ and its rates are $\lambda/(K^2 \tau)$. (5) leaves out this $1/K$. With a sum in (3) and $K \tau$ "
    "kept in (5), limits and rates are right as printed."
)


def _settings(networks: int) -> tuple[Setting, ...]:
    ends = [{"readout": "mean", "positive": of, "until": "end"} for of in _LABELS]
    ends.append({"readout": "sum", "positive": "long", "until": "end"})
    ways = [{"readout": of, "positive": "long", "until": "way"} for of in ("mean", "sum")]
    return tuple({**one, "networks": networks} for one in (*ends, *ways))


REPRODUCTION = Reproduction(
    name="notes-general",
    title="Three overlapping gates beside the printed flow",
    source="localization-with-gated-linear-networks",
    place="(5) to (16) of section 3.3",
    setup="Section 4.1 is a heading, 'General Case', under 'Theory-driven Experiments'. Its theory is (5) to (16) of "
    "section 3.3: networks with three half-space gates are trained beside it.",
    unsaid=(
        ("the experiment: the section is empty", "the printed limit, rates and least error, beside trained networks"),
        ("the data", "nonlinear process on a line of 40 sites, gain 1, lengths 2 and 1"),
        ("the gates", r"$\mathbf{1}[x_i \geq 0]$ at the sites 10, 20 and 30, so that two of them are often open"),
        ("the training", f"fresh batches of {BATCH:,}, until the slowest mode has decayed to 1/500 or less"),
        ("which mode shows the rate", r"that of the largest entry of $P^\top A^{-1} b$"),
        (r"whether $\hat{y}$ is a mean or a sum: (3) has a mean, (5) and (8) that of a sum", "both, as two readings"),
    ),
    described=False,
    rule="Numbers, limits and errors to a half-hundredth, rates to two hundredths: the coefficient of the trained "
    r"weights along $A^{-1} b$ is 1, and so is the measured exponent of a mode over the printed $\lambda t/(K \tau)$, "
    r"with $1/K$ in (3) as printed, and without it; the squared error over (15) is 1; and the error with the labels "
    "exchanged over that without is 1. Half widths of at most 0.02.",
    targets=(
        Target(
            "limit, mean",
            r"$w(\infty) = A^{-1} b$, with $1/K$ in (3)",
            1.0,
            margin=0.02,
            half_unit=0.005,
            explains=_SCALED,
        ),
        Target(
            "rate, mean",
            r"(9) has the rates $\lambda/(K \tau)$, with $1/K$ in (3)",
            1.0,
            margin=0.02,
            half_unit=0.02,
            explains=_SCALED,
            instead=INHERITED,
        ),
        Target("limit, sum", r"$w(\infty) = A^{-1} b$, without $1/K$ in (3)", 1.0, margin=0.02, half_unit=0.005),
        Target(
            "rate, sum",
            r"rates $\lambda/\tau$, without $1/K$ in (3)",
            1.0,
            margin=0.02,
            half_unit=0.02,
            explains=r"No source prints this rate: here the flow of the sum is $\tau \, dw/dt = b - A w$. In units of "
            r"$K \tau$ it is the printed $\lambda/(K \tau)$.",
            instead=REMARK,
        ),
        Target("error", r"(15), the least error, is $1/2 - b^\top A^{-1} b$", 1.0, margin=0.02, half_unit=0.005),
        Target(
            "labels",
            "which class has $y = 1$ makes no difference to the least error",
            1.0,
            margin=0.02,
            half_unit=0.005,
            explains=r"'Without loss of generality' is said of the labels, not of this exchange. The gated inputs have "
            "no constant component, so that the least error depends on which class has $y = 1$, unless there is a bias "
            "at the output.",
            instead=REMARK,
        ),
    ),
    designs={
        "quick": Design("4 networks of each kind", _settings(4), 1, 30),
        "full": Design("12 networks of each kind", _settings(12), 1, 330),
    },
    numbers=(*(f"{time} w{unit + 1}" for time in ("first", "last") for unit in _UNITS), "error"),
    cell=cell,
    measure=measure,
    beside=comparisons,
)
