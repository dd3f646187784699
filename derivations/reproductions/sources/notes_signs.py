"""ReLU units while they learn: how many gates flip, whether weights grow, and where they gather."""

from fractions import Fraction

import numpy as np

from derivations.reproductions.model import (
    REMARK,
    Cells,
    Design,
    Numbers,
    Reproduction,
    Setting,
    Target,
    levels,
    pooled,
)
from derivations.reproductions.weights import online
from sim.measure import measure_each
from sim.measure.kurtosis import site_kurtosis
from sim.train import train
from theory.problem import GateFlipsBetweenTimes, Network, NonlinearGP, Problem

SITES, UNITS, GAIN, BATCH = 40, 10, 3, 500
NEAR = 2  # sites
_LENGTHS = {"long": (2, 1), "short": (1, 2)}
_TIMES = (0, 1, 4, 8)  # in eighths of the end: the start, the time of reference, half of the time, the end


def cell(setting: Setting, seed: int) -> Numbers:
    """Train ReLU networks; return flips of gates, growth of weights, kurtosis and places, means over units."""
    trained = train(problem(setting, seed), "cpu")
    (flips,) = measure_each([GateFlipsBetweenTimes()], trained, "cpu")
    shares = flips.values.mean(axis=1)
    weights = trained.weights
    norms = np.log(np.linalg.norm(weights, axis=-1))
    kurtosis = site_kurtosis(weights).mean(axis=2)
    return {
        "flips since the start": shares[:, 0, -1],
        "flips since half of the time": shares[:, 2, -1],
        "early growth": (norms[:, 1] - norms[:, 0]).mean(axis=1),
        "growth": (norms[:, -1] - norms[:, 1]).mean(axis=1),
        "kurtosis": kurtosis[:, -1] - kurtosis[:, 0],
        "near": _near(weights[:, 1], weights[:, -1]),
    }


def problem(setting: Setting, seed: int) -> Problem:
    """Return the problem of a setting.

    >>> [float(time) for time in problem({"first": "long", "networks": 2, "end": 800}, 0).training.times]
    [0.0, 100.0, 400.0, 800.0]
    """
    law = NonlinearGP(SITES, _LENGTHS[str(setting["first"])], GAIN, "ring", "unit-variance", (1, 0))
    times = tuple(int(setting["end"]) * Fraction(eighths, 8) for eighths in _TIMES)
    network, scale = Network("relu", "mean", UNITS), Fraction(1, 10)
    return online(setting, seed, law, network, times, rate=2, batch=BATCH, samples=4000, scale=scale)


def _near(early: np.ndarray, late: np.ndarray) -> np.ndarray:
    """Return the share of units whose largest |w_i| has moved by at most NEAR sites along the ring, (S,)."""
    moved = np.abs(np.abs(early).argmax(axis=-1) - np.abs(late).argmax(axis=-1))
    return (np.minimum(moved, early.shape[-1] - moved) <= NEAR).mean(axis=1)


def measure(cells: Cells) -> dict[str, np.ndarray]:
    """Return the statements as numbers that would be positive."""
    measured = {}
    for first in levels(cells, "first"):

        def of(number: str, first: str = first) -> np.ndarray:
            return pooled(cells, number, first=first)

        measured[f"constant since the start, {first} first"] = _FEW - of("flips since the start")
        measured[f"constant since half of the time, {first} first"] = _FEW - of("flips since half of the time")
        measured[f"grows early, {first} first"] = of("early growth")
        measured[f"grows, {first} first"] = of("growth")
        if first == "long":
            measured["non-Gaussian, long first"] = of("kurtosis")
            measured["around its mode, long first"] = of("near") - (2 * NEAR + 1) / SITES
    return measured


_FEW = 0.25  # half of the share of gates that differ where they are unrelated
_FLIPPED = (
    "More than a quarter of the gates differ from those of the start, where half would differ if they were "
    "unrelated. Most of them flip early: from half of the time to the end fewer than one in eight do. The notes say "
    "'may' and name no bound, so that no number refutes them; the quarter is ours."
)
_MAY = "The notes say 'may' and name no bound; the quarter is ours, so that meeting it is no credit either."
_MUCH = "The notes say 'appears to grow' and 'much'; the times are ours."
_STOPPED = (
    "The weights grow up to $t = 100$ and then become a little shorter. The notes say 'appears to grow' and 'much'; "
    "the times are ours."
)


def _targets() -> tuple[Target, ...]:
    rows = []
    for first, sign in (("long", ">"), ("short", "<")):
        order = rf"$\xi_1 {sign} \xi_2$"
        rows += [
            Target(
                f"constant since the start, {first} first",
                f"$g(x)$ may be relatively constant during learning, {order}",
                None,
                margin=0.02,
                explains=_FLIPPED,
                instead=REMARK,
            ),
            Target(
                f"constant since half of the time, {first} first",
                f"$g(x)$ may be relatively constant, in the second half of the training, {order}",
                None,
                margin=0.02,
                explains=_MAY,
                instead=REMARK,
            ),
            Target(f"grows early, {first} first", f"$w_1$ grows, up to $t = 100$, {order}", None, margin=0.02),
            Target(
                f"grows, {first} first",
                f"$w_1$ grows during much of its training, from $t = 100$ to 800, {order}",
                None,
                margin=0.02,
                explains=_STOPPED if first == "long" else _MUCH,
                instead=REMARK,
            ),
        ]
    return (
        *rows,
        Target("non-Gaussian, long first", "there is a phase where it goes from Gaussian to non-Gaussian", None, 0.1),
        Target("around its mode, long first", "the localization is more likely to occur around its mode", None, 0.1),
    )


def _settings(networks: int, end: int) -> tuple[Setting, ...]:
    return tuple({"first": first, "networks": networks, "end": end} for first in _LENGTHS)


REPRODUCTION = Reproduction(
    name="notes-signs",
    title="Gates and weights of ReLU units while they learn",
    source="localization-with-gated-linear-networks",
    place="section 2.1",
    setup=r"ReLU units on the nonlinear Gaussian process: their gates $\mathbf{1}[w_k x \geq 0]$, the size of their "
    "weights, and where these gather.",
    unsaid=(
        ("the network and the data", "10 units without biases, 40 sites on a ring, gain 3, lengths 2 and 1"),
        ("the training", f"weights at the start of standard deviation 1/10, learning rate 2, batches of {BATCH}"),
        (r"its length, and the phases of growth", r"until $t = 800 \tau$; growth up to and from $t = 100 \tau$"),
        ("how many gates are 'relatively constant'", "three in four or more; half are where gates are unrelated"),
        ("what is meant by 'uniformly'", "not judged: the length of the weights is"),
        ("a measure of 'Gaussian'", "the excess kurtosis of a unit's weights across sites, which grows"),
        (
            "its mode",
            f"the site of the largest weight at $t = 100$; at the end the largest is within {NEAR} sites of it more "
            "often than 5 times in 40",
        ),
        ("the order of the lengths", "both; for localization the one in which it is said to occur"),
    ),
    rule="Orders, of means over units: at the end fewer than a quarter of the gates differ from those of the start, "
    "and from those at half of the time (0.02 is the smallest that counts); the logarithm of the length of the "
    "weights has grown up to $t = 100$, and from there on (0.02); for $\\xi_1 > \\xi_2$ the kurtosis has grown "
    "(0.1), and the largest weight is near its former place more often than by chance (0.1). The claims on these "
    "sentences had been judged with other seeds before, so that the outcomes could be expected.",
    targets=_targets(),
    designs={
        "quick": Design(r"4 networks of each order, until $t = 160 \tau$", _settings(4, 160), 1, 10),
        "full": Design(
            "64 networks of each order, among them those of a first run of 16, which left the kurtosis undecided",
            _settings(64, 800),
            1,
            120,
        ),
    },
    numbers=(
        "flips since the start",
        "flips since half of the time",
        "early growth",
        "growth",
        "kurtosis",
        "near",
    ),
    cell=cell,
    measure=measure,
    no_theory="Training is online, on new examples at each step, which the kernel theory here does not cover; the "
    "sentences are on signs and orders, with no formula beside them.",
)
