"""The gain of the nonlinear process through the transition: how localized one ReLU neuron becomes."""

from fractions import Fraction
from itertools import pairwise

import numpy as np

from derivations.reproductions.model import (
    REFERENCE,
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
    trend,
)
from derivations.reproductions.weights import held_gate_field, online
from sim.measure.receptive_fields import participation_ratio
from sim.train import train
from theory.problem import Network, NonlinearGP, Problem

SITES, BATCH, END = 40, 1000, 100
_LENGTHS = ("7/10", "3/10")
_START = Fraction(69843, 10**7)
# The ten gains of the public sweep, 10^-2 to 10^2, and two of them between which a neuron begins to localize.
GAINS = (0.01, 0.0278, 0.0774, 0.215, 0.599, 1.67, 4.64, 12.9, 35.9, 100.0)
_LOW, _HIGH = 0.0774, 12.9


def cell(setting: Setting, seed: int) -> Numbers:
    """Train single ReLU neurons; return the participation ratio of their weights at the end."""
    weights = train(problem(setting, seed), "cpu").weights[:, -1, 0]
    return {"ratio": participation_ratio(weights)}


def problem(setting: Setting, seed: int) -> Problem:
    """Return the problem of a setting: the public experiment at one gain.

    >>> problem({"gain": 1.67, "networks": 2}, 0).network.units
    1
    """
    law, network, more = _law(setting["gain"]), Network("relu", "mean", 1), {"samples": 1000, "loss": "mse"}
    return online(setting, seed, law, network, (END,), rate=Fraction(1, 10), batch=BATCH, scale=_START, **more)


def _law(gain: int | float | str) -> NonlinearGP:
    lengths = tuple(Fraction(length) for length in _LENGTHS)
    return NonlinearGP(SITES, lengths, Fraction(str(gain)), "ring", "unit-variance", (1, 0))


def measure(cells: Cells) -> dict[str, np.ndarray]:
    """Return the trend of the ratio over the gains, its whole change, and the changes through the transition."""
    gains = levels(cells, "gain")
    ratios = np.stack([pooled(cells, "ratio", gain=gain) for gain in gains], axis=1)
    measured = {"trend": trend(ratios), "ends": ratios[:, -1] - ratios[:, 0]}
    for low, high in pairwise(gain for gain in gains if _LOW <= gain <= _HIGH):
        measured[f"from {low:g} to {high:g}"] = ratios[:, gains.index(high)] - ratios[:, gains.index(low)]
    return measured


def comparisons(cells: Cells) -> tuple[Beside, ...]:
    """Return the ratio of the optimum where two gates are held at one site beside that of the neurons."""
    rows = []
    for gain in levels(cells, "gain"):
        rows.append(
            Beside(
                f"gain {gain:g}",
                "inverse participation ratio of the optimum where a gate is held at one site, beside trained neurons",
                float(participation_ratio(held_gate_field(_law(gain)))),
                pooled(cells, "ratio", gain=gain),
                REFERENCE,
            )
        )
    return tuple(rows)


def _settings(gains: tuple[float, ...], networks: int) -> tuple[Setting, ...]:
    return tuple({"gain": gain, "networks": networks} for gain in gains)


_STEPS = tuple(pairwise(gain for gain in GAINS if _LOW <= gain <= _HIGH))

REPRODUCTION = Reproduction(
    name="notes-gain",
    title="The gain of the nonlinear process, through the transition",
    source="localization-with-gated-linear-networks",
    place="section 1",
    setup="One ReLU neuron on the nonlinear Gaussian process, whose gain 'controls the degree of localization'.",
    unsaid=(
        (
            "the networks and data",
            "those of the public sweep of the gain: one ReLU neuron without bias, 40 sites on a ring, lengths 0.7 for "
            r"$y = 1$ and 0.3 for $y = 0$, weights at the start of standard deviation 0.007, until $t = 100 \tau$ at "
            "learning rate 0.1, squared error without 1/2",
        ),
        ("the gains", "the ten of the public sweep, from 0.01 to 100, to three digits"),
        ("the size of a batch", f"{BATCH:,} fresh examples; that of the public sweep is 50,000"),
        ("a measure of localization", "the inverse participation ratio, 1 for a single site"),
        (
            "what it means to control",
            "the ratio grows with the gain, on the whole and from gain to gain through the "
            "transition, from 0.0774 to 12.9",
        ),
        ("the single pulse, which has no gain", "not judged: it is so by definition"),
    ),
    rule="Orders: the slope of the ratio over the ten gains, equally spaced in their logarithm, is positive (0.02 "
    "is the smallest that counts), and so are its change from the smallest to the largest gain (0.2) and each "
    "change from one gain to the next between 0.0774 and 12.9 (0.01). Networks of two gains are compared in the "
    "order of their numbers; they share their start. The claim on two of these gains had been judged before, with "
    "other seeds.",
    targets=(
        Target("trend", "the gain controls the degree of localization: over all gains", None, margin=0.02),
        Target("ends", "the gain controls the degree of localization: largest against smallest", None, margin=0.2),
        *(
            Target(
                f"from {low:g} to {high:g}",
                "the degree of localization grows",
                None,
                margin=0.01,
                explains="The notes say that the gain controls the degree of localization, not that each step "
                "raises it.",
                instead=REMARK,
            )
            for low, high in _STEPS
        ),
    ),
    designs={
        "quick": Design("4 networks at each gain", _settings(GAINS, 4), 1, 30),
        "full": Design("16 networks at each gain", _settings(GAINS, 16), 1, 330),
    },
    numbers=("ratio",),
    cell=cell,
    measure=measure,
    beside=comparisons,
    shows="The optimum with a gate that is held at one site is localized at every gain, with a participation ratio "
    "of 0.98 to 0.99. What changes with the gain is what training from small weights reaches in the same time.",
)
