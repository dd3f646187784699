"""Sigmoid beside erf units, and sigmoid units without biases."""

from fractions import Fraction

import numpy as np

from derivations.reproductions.model import (
    REFERENCE,
    Beside,
    Cells,
    Design,
    Numbers,
    Reproduction,
    Setting,
    Target,
    pooled,
)
from derivations.reproductions.weights import online
from sim.measure import measure as measure_networks
from sim.measure.receptive_fields import low_frequency_power, participation_ratio
from sim.train import train
from theory.moments.null_levels import gaussian_ratio
from theory.problem import LossAtTimes, Network, NonlinearGP, NormalInitialisation, Problem

SITES, UNITS, GAIN, BATCH = 40, 5, 3, 250
_LENGTHS = {"long": (2, 1), "short": (1, 2)}
# An output that starts at the mean of the labels, and the unit of time: 4/f'(0)^2, f'(0) the slope of a unit.
_CENTRED = {"erf": Fraction(1, 2), "sigmoid": Fraction(0)}
_UNIT = {"erf": 6, "sigmoid": 64}
_ALIKE = {"low": 1 / 3, "ratio": float(gaussian_ratio(SITES))}  # the largest difference of networks that are alike


def cell(setting: Setting, seed: int) -> Numbers:
    """Train networks; return share of low frequencies, participation ratio, and squared error at the end."""
    trained = train(problem(setting, seed), "cpu")
    weights = trained.weights[:, -1]
    return {
        "low": low_frequency_power(weights).mean(axis=1),
        "ratio": participation_ratio(weights).mean(axis=1),
        "error": measure_networks(LossAtTimes(), trained, "cpu").values[:, -1],
    }


def problem(setting: Setting, seed: int) -> Problem:
    """Return the problem of a setting.

    >>> setting = {"model": "erf", "first": "long", "biases": "trained", "networks": 2, "length": 16}
    >>> [float(time) for time in problem(setting, 0).training.times]
    [480.0]
    """
    model, biases = str(setting["model"]), str(setting["biases"])
    law = NonlinearGP(SITES, _LENGTHS[str(setting["first"])], GAIN, "ring", "unit-variance", (1, 0))
    trains = biases == "trained"
    return online(
        setting,
        seed,
        law,
        Network(model, "mean", UNITS, biases=biases),
        (int(setting["length"]) * _UNIT[model] * UNITS,),
        rate=1,
        batch=BATCH,
        samples=20000,
        scale=Fraction(1, 10),
        hidden_bias0=NormalInitialisation(1, seed) if trains else None,
        output_bias0=_CENTRED[model] if trains else None,
    )


def measure(cells: Cells) -> dict[str, np.ndarray]:
    """Return how far erf and sigmoid units stay within the largest difference, and how much less error biases leave."""
    measured = {}
    for first in _LENGTHS:
        for number, most in _ALIKE.items():
            erf, sigmoid = (
                pooled(cells, number, model=model, first=first, biases="trained") for model in ("erf", "sigmoid")
            )
            measured[f"{number} of erf not more, {first} first"] = most - (erf - sigmoid)
            measured[f"{number} of erf not less, {first} first"] = most - (sigmoid - erf)
    without, trained = (
        pooled(cells, "error", model="sigmoid", first="long", biases=biases) for biases in ("none", "trained")
    )
    return measured | {"biases needed": without - trained}


def comparisons(cells: Cells) -> tuple[Beside, ...]:
    """Return the least error of sigmoid units without biases, 1/4, beside that of trained ones."""
    return (
        Beside(
            "error, no biases",
            r"exact least $\langle (y - \hat{y})^2 \rangle$ of sigmoid units without biases: the law of $x$ is that "
            "of $-x$, so that no output is better than 1/2; training on noisy batches stays a little above it",
            0.25,
            pooled(cells, "error", model="sigmoid", biases="none"),
            REFERENCE,
        ),
    )


def _settings(networks: int, length: int) -> tuple[Setting, ...]:
    kinds = [(model, first, "trained") for model in _UNIT for first in _LENGTHS]
    return tuple(
        {"model": model, "first": first, "biases": biases, "networks": networks, "length": length}
        for model, first, biases in (*kinds, ("sigmoid", "long", "none"))
    )


_NAMES = {"low": "share of low frequencies", "ratio": "participation ratio"}

REPRODUCTION = Reproduction(
    name="notes-sigmoid",
    title="Sigmoid units beside erf units, and without biases",
    source="localization-with-gated-linear-networks",
    place="section 1",
    setup=r"Networks with one hidden layer of $\mathrm{erf}(h/\sqrt{2})$ or sigmoid units, the mean as readout, and "
    "biases, on the nonlinear Gaussian process with squared error.",
    unsaid=(
        ("the data", "40 sites on a ring, gain 3, lengths 2 and 1 in both orders"),
        ("the network", f"{UNITS} units, weights at the start of standard deviation 1/10"),
        (
            "the biases at the start",
            "hidden ones of standard deviation 1, and an output bias at which the output starts near 1/2, the mean of "
            "the labels; all learn",
        ),
        (
            "the training",
            rf"learning rate 1, fresh batches of {BATCH}, until $t = 480 \tau$ for erf and $5120 \tau$ for sigmoid "
            "units, so that both have learned equally long by the slope of a unit",
        ),
        (
            "what is 'qualitatively identical'",
            "in both orders the shares of power at low frequencies differ by less than 1/3, and the inverse "
            "participation ratios by less than $3/(n + 2)$, that of Gaussian weights",
        ),
        ("why the biases cannot be removed for sigmoid units", "without them the networks have a larger error"),
    ),
    rule="Orders, of means over units at the end: erf units exceed sigmoid ones, and are exceeded by them, by less "
    "than 1/3 in the share of low frequencies and by less than $3/(n + 2)$ in the participation ratio (half of that "
    "is the smallest margin that counts); sigmoid units without biases have a larger squared error than with them, "
    "for $\\xi_1 > \\xi_2$ (0.01). The rule is coarse. The claims on these sentences had been judged with other "
    "seeds and, for the first, over a design of configurations.",
    targets=(
        *(
            Target(
                f"{number} of erf not {way}, {first} first",
                f"the results are qualitatively identical: {_NAMES[number]}, {said}",
                None,
                margin=_ALIKE[number] / 2,
            )
            for first, said in (("long", r"$\xi_1 > \xi_2$"), ("short", r"$\xi_1 < \xi_2$"))
            for number in _ALIKE
            for way in ("more", "less")
        ),
        Target("biases needed", "the biases cannot be removed for sigmoid units", None, margin=0.01),
    ),
    designs={
        "quick": Design("4 networks of each kind, a quarter of the time", _settings(4, 4), 1, 20),
        "full": Design("10 networks of each kind", _settings(10, 16), 1, 120),
    },
    numbers=("low", "ratio", "error"),
    cell=cell,
    measure=measure,
    beside=comparisons,
)
