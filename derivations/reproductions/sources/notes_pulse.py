"""ReLU units on single pulses: do they localize where y = 1 has the wider pulse, and oscillate otherwise?"""

from fractions import Fraction

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
)
from derivations.reproductions.weights import held_gate_field, online
from sim.measure.receptive_fields import low_frequency_power, participation_ratio
from sim.train import train
from theory.moments.null_levels import gaussian_ratio
from theory.problem import Network, Problem, SinglePulse

SITES, UNITS, BATCH = 40, 5, 500
NOISE = float(gaussian_ratio(SITES))
_WIDTHS = {"wide": ((9, 10), (3, 4)), "narrow": ((3, 4), (9, 10))}
# The flip and the gate's threshold of each support.
_SUPPORTS = {"zero-one": ("none", Fraction(1, 2)), "plus-minus": ("sign", Fraction(0))}


def cell(setting: Setting, seed: int) -> Numbers:
    """Train ReLU networks; return the share of low frequencies and the participation ratio, means over units."""
    weights = train(problem(setting, seed), "cpu").weights[:, -1]
    return {"low": low_frequency_power(weights).mean(axis=1), "ratio": participation_ratio(weights).mean(axis=1)}


def problem(setting: Setting, seed: int) -> Problem:
    """Return the problem of a setting.

    >>> problem({"support": "zero-one", "first": "wide", "networks": 2, "end": 100}, 0).data.widths
    ((9, 10), (3, 4))
    """
    network, times, scale = Network("relu", "mean", UNITS), (int(setting["end"]),), Fraction(1, 10)
    return online(setting, seed, _law(setting), network, times, rate=1, batch=BATCH, samples=1000, scale=scale)


def _law(setting: Setting) -> SinglePulse:
    support = str(setting["support"])
    return SinglePulse(SITES, _WIDTHS[str(setting["first"])], support, _SUPPORTS[support][0], (1, 0))


def measure(cells: Cells) -> dict[str, np.ndarray]:
    """Return how far the ratios exceed that of noise, and how far the low frequencies stay below half of the power."""
    measured = {}
    for support in levels(cells, "support"):

        def of(number: str, first: str, support: str = support) -> np.ndarray:
            return pooled(cells, number, support=support, first=first)

        measured[f"localizes, {support}"] = of("ratio", "wide") - NOISE
        measured[f"oscillates, {support}"] = 0.5 - of("low", "narrow")
        measured[f"orders, {support}"] = of("low", "wide") - of("low", "narrow")
    return measured


def comparisons(cells: Cells) -> tuple[Beside, ...]:
    """Return share and ratio of the optimum where a gate is held at one site beside those of the ReLU units."""
    rows = []
    for support in levels(cells, "support"):
        for first in _WIDTHS:
            law = _law({"support": support, "first": first})
            field = held_gate_field(law, _SUPPORTS[support][1], on="input")
            for number, called, value in (
                ("low", "share of low frequencies", low_frequency_power(field)),
                ("ratio", "inverse participation ratio", participation_ratio(field)),
            ):
                rows.append(
                    Beside(
                        f"{number}, {support}, {first} first",
                        f"{called} of the optimum where a gate is held at one site, beside ReLU units at the end",
                        float(value),
                        pooled(cells, number, support=support, first=first),
                        REFERENCE,
                    )
                )
    return tuple(rows)


def _settings(networks: int, end: int) -> tuple[Setting, ...]:
    return tuple(
        {"support": support, "first": first, "networks": networks, "end": end}
        for support in _SUPPORTS
        for first in _WIDTHS
    )


_SAID = {"zero-one": r"support $\{0, 1\}$", "plus-minus": r"support $\{-1, 1\}$"}
_OURS = (
    "To read the sentence as one on pulses too is ours; the notes may mean the nonlinear process alone, and their "
    r"support is $\{0, 1\}$. It does not extend to these pulses: the fields are of long range in either order of the "
    "widths, and even the optimum where a gate is held at one site has more than half of its power at low frequencies."
)
_PRINTED = (
    ("localizes", r"localization if $\xi_1 > \xi_2$", 0.01),
    ("oscillates", r"short-range oscillations if $\xi_1 < \xi_2$", 0.1),
    ("orders", "the two orders differ so", 0.1),
)

REPRODUCTION = Reproduction(
    name="notes-single-pulse",
    title="ReLU units on single pulses",
    source="localization-with-gated-linear-networks",
    place="section 1",
    setup="ReLU networks with one hidden layer and the mean as readout, on the second of the two data sets of the "
    "notes, the single pulse.",
    unsaid=(
        (
            "whether the sentence on ReLU units is also one on pulses",
            "it is read so: it comes before the two data sets and names neither",
        ),
        ("the data", "a ring of 40 sites, pulses of 9 or 10 sites in one class and of 3 or 4 in the other"),
        ("the length of a pulse", r"its width: $\xi_1 > \xi_2$ is the wider pulse for $y = 1$"),
        (
            "the support: a subset of $\\{0, 1\\}^n$",
            "as printed, without flips, and $\\{-1, 1\\}^n$ with a random sign, as the public code has it",
        ),
        ("the network", f"{UNITS} units without biases, weights at the start of standard deviation 1/10"),
        ("the training", rf"learning rate 1, fresh batches of {BATCH}, until $t = 800 \tau = 32 K^2 \tau$"),
        (
            "measures of localization and of short-range oscillation",
            "those of the nonlinear process (`notes-orders`): the inverse participation ratio above $3/(n + 2)$, and "
            r"less than half of the power at frequencies $\lvert q \rvert \leq n/4$",
        ),
    ),
    rule="Orders, of means over units at the end, for each support: with the wider pulse for $y = 1$ the "
    "participation ratio exceeds $3/(n + 2)$ (0.01 is the smallest that counts), with the narrower one the low "
    "frequencies have less than half of the power, and more in the first case than in the second (0.1).",
    targets=tuple(
        Target(f"{key}, {support}", f"{printed}, {said}", None, margin, explains=_OURS, instead=REMARK)
        for support, said in _SAID.items()
        for key, printed, margin in _PRINTED
    ),
    designs={
        "quick": Design(r"2 networks of each kind, until $t = 50 \tau$", _settings(2, 50), 1, 20),
        "full": Design(
            r"12 networks of each kind; a first run of 8, until $t = 400 \tau$, left two statements on the support "
            r"$\{-1, 1\}$ undecided and reproduced none",
            _settings(12, 800),
            1,
            400,
        ),
    },
    numbers=("low", "ratio"),
    cell=cell,
    measure=measure,
    beside=comparisons,
)
