"""ReLU units on the nonlinear process: localization for xi_1 > xi_2, oscillation otherwise, with and without biases."""

from fractions import Fraction

import numpy as np

from derivations.reproductions.model import (
    REFERENCE,
    UNSAID,
    Beside,
    Cells,
    Design,
    Numbers,
    Reproduction,
    Setting,
    Target,
    pooled,
)
from derivations.reproductions.weights import held_gate_field, online
from sim.measure.receptive_fields import low_frequency_power, participation_ratio
from sim.train import train
from theory.moments.null_levels import gaussian_ratio
from theory.problem import GaussianClone, Network, NonlinearGP, NormalInitialisation, Problem

SITES, UNITS, GAIN, BATCH, END = 40, 10, 3, 500, 1600
NOISE = float(gaussian_ratio(SITES))
_LAWS = {"process": NonlinearGP, "clone": GaussianClone}
_PAIRS = {"2 and 1": (2, 1), "3 and 2": (3, 2)}
_SMALL = Fraction(1, 10)


def cell(setting: Setting, seed: int) -> Numbers:
    """Train ReLU networks; return the share of low frequencies and the participation ratio, means over units."""
    weights = train(problem(setting, seed), "cpu").weights[:, -1]
    return {"low": low_frequency_power(weights).mean(axis=1), "ratio": participation_ratio(weights).mean(axis=1)}


def problem(setting: Setting, seed: int) -> Problem:
    """Return the problem of a setting.

    >>> setting = {"law": "process", "lengths": "2 and 1", "first": "short", "biases": "none", "networks": 2}
    >>> [str(length) for length in problem({**setting, "end": 100}, 0).data.xi]
    ['1', '2']
    """
    trains = setting["biases"] == "trained"
    return online(
        setting,
        seed,
        _law(setting),
        Network("relu", "mean", UNITS, biases=str(setting["biases"])),
        (int(setting["end"]),),
        rate=1,
        batch=BATCH,
        samples=1000,
        scale=_SMALL,
        hidden_bias0=NormalInitialisation(0, seed) if trains else None,
        output_bias0=0 if trains else None,
    )


def _law(setting: Setting) -> NonlinearGP:
    lengths = _PAIRS[str(setting["lengths"])]
    xi = lengths if setting["first"] == "long" else lengths[::-1]
    return _LAWS[str(setting["law"])](SITES, xi, GAIN, "ring", "unit-variance", (1, 0))


def measure(cells: Cells) -> dict[str, np.ndarray]:
    """Return how far the ratios exceed that of noise, and how far the low frequencies stay below half of the power."""
    measured = {}
    for lengths, biases in _KINDS:
        if not any(one.setting["lengths"] == lengths and one.setting["biases"] == biases for one in cells):
            continue

        def of(number: str, first: str, lengths: str = lengths, biases: str = biases) -> np.ndarray:
            return pooled(cells, number, law="process", lengths=lengths, first=first, biases=biases)

        said = f"{lengths}, {_BIASES[biases]}"
        measured[f"localizes, {said}"] = of("ratio", "long") - NOISE
        measured[f"oscillates, {said}"] = 0.5 - of("low", "short")
        measured[f"orders, {said}"] = of("low", "long") - of("low", "short")
    return measured


def comparisons(cells: Cells) -> tuple[Beside, ...]:
    """Return the exact fields of a fixed gate in both orders, and the ratio of noise beside that on Gaussian data."""
    rows = []
    for first in ("long", "short"):
        setting = {"law": "process", "lengths": "2 and 1", "first": first}
        field = held_gate_field(_law(setting))
        for number, called, value in (
            ("low", "share of low frequencies", low_frequency_power(field)),
            ("ratio", "inverse participation ratio", participation_ratio(field)),
        ):
            rows.append(
                Beside(
                    f"{number}, {first} first",
                    f"{called} of the optimum where a gate is held at one site, beside ReLU units at the end",
                    float(value),
                    pooled(cells, number, law="process", lengths="2 and 1", first=first, biases="none"),
                    REFERENCE,
                )
            )
    if any(one.setting["law"] == "clone" for one in cells):
        rows.append(
            Beside(
                "ratio, clone",
                "mean inverse participation ratio $3/(n + 2)$ of Gaussian weights, beside that of ReLU units on the "
                "Gaussian clone of the data, long first",
                NOISE,
                pooled(cells, "ratio", law="clone", first="long"),
                REFERENCE,
            )
        )
    return tuple(rows)


_BIASES = {"none": "no biases", "trained": "biases"}
_KINDS = (("2 and 1", "none"), ("2 and 1", "trained"), ("3 and 2", "none"))
_LATE = (
    "For lengths 2 and 3 the fields of ten units are still of long range at $t = 1600$: they pass through a phase of "
    "long range first, which lasts the longer the longer both lengths are. The notes do not say how long they train."
)


def _targets() -> tuple[Target, ...]:
    rows = []
    for lengths, biases in _KINDS:
        said, late = f"{lengths}, {_BIASES[biases]}", lengths == "3 and 2"
        rows += [
            Target(f"localizes, {said}", r"localization if $\xi_1 > \xi_2$", None, margin=0.01),
            Target(
                f"oscillates, {said}",
                r"short-range oscillations if $\xi_1 < \xi_2$",
                None,
                margin=0.1,
                explains=_LATE if late else "",
                instead=UNSAID if late else "",
            ),
            Target(
                f"orders, {said}",
                r"fields are of longer range for $\xi_1 > \xi_2$ than for $\xi_1 < \xi_2$",
                None,
                margin=0.1,
            ),
        ]
    return tuple(rows)


def _settings(networks: int, end: int, kinds: tuple[tuple[str, str, str], ...]) -> tuple[Setting, ...]:
    return tuple(
        {"law": law, "lengths": lengths, "first": first, "biases": biases, "networks": networks, "end": end}
        for law, lengths, biases in kinds
        for first in ("long", "short")
    )


REPRODUCTION = Reproduction(
    name="notes-orders",
    title="ReLU units: localization or oscillation, by the order of the lengths",
    source="localization-with-gated-linear-networks",
    place="section 1",
    setup="ReLU networks with one hidden layer and the mean as readout, the nonlinear Gaussian process with lengths "
    r"$\xi_1$ for $y = 1$ and $\xi_2$ for $y = 0$, squared error, with and without biases.",
    unsaid=(
        ("the data", "40 sites on a ring, gain 3, lengths 2 and 1, and 3 and 2, in both orders"),
        ("the network", "10 units, weights at the start of standard deviation 1/10, biases 0"),
        ("the training", rf"learning rate 1, fresh batches of {BATCH}, until $t = {END} \tau = 16 K^2 \tau$"),
        (
            "a measure of localization",
            "the inverse participation ratio of a unit's weights, above $3/(n + 2)$, that of Gaussian weights",
        ),
        (
            "a measure of short-range oscillation",
            r"less than half of the power at frequencies $\lvert q \rvert \leq n/4$, where white noise has 21/40",
        ),
        ("when biases can be removed", "the three statements hold without biases as with them, at lengths 2 and 1"),
    ),
    rule="Orders, of means over units at the end: for $\\xi_1 > \\xi_2$ the participation ratio exceeds $3/(n + 2)$ "
    "(0.01 is the smallest that counts; any ratio above that of Gaussian weights is called localized here, a weak "
    "criterion, as the reference in the table of theory shows), for $\\xi_1 < \\xi_2$ the low frequencies have less "
    "than half of the power, and more for $\\xi_1 > \\xi_2$ than for $\\xi_1 < \\xi_2$ (0.1). The claims on the "
    "same sentences had been judged with other seeds before, in these designs or similar ones, so that the outcomes "
    "could be expected.",
    targets=_targets(),
    designs={
        "quick": Design(
            r"lengths 2 and 1 without biases, 4 networks, until $t = 400 \tau$",
            _settings(4, 400, (("process", "2 and 1", "none"),)),
            1,
            10,
        ),
        "full": Design(
            "16 networks of each kind; the Gaussian clone beside them",
            _settings(16, END, (*(("process", *kind) for kind in _KINDS), ("clone", "2 and 1", "none"))),
            1,
            300,
        ),
    },
    numbers=("low", "ratio"),
    cell=cell,
    measure=measure,
    beside=comparisons,
)
