"""Entries of K0/d with fixed random gates: 1 on the diagonal and mu^(d-1) off it, by equation (5)."""

from statistics import NormalDist

import numpy as np

from derivations.reproductions.model import (
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
from derivations.reproductions.networks import DEPTHS, network
from derivations.reproductions.rules import LEVEL
from sim.deep import frg
from theory.kernels import alike, variance

WIDTH = 500
_PER_CELL = 20
_TOO_SMALL = (12, 16, 20)  # depths at which the second entry is too near to 0 for 200 runs


def cell(setting: Setting, seed: int) -> Numbers:
    """Return an entry on the diagonal of K0/d and one off it, for `runs` networks.

    The entries of two inputs x_s = 1 depend on the gates of these two alone, so that n = 200 needs two inputs.
    """
    width, depth = int(setting["width"]), int(setting["depth"])
    data = {"x": np.ones((2, 1)), "y": np.zeros(2)}
    entries = []
    for replicate in range(int(setting["runs"])):
        key = int(np.random.SeedSequence(seed, spawn_key=(replicate,)).generate_state(1)[0])
        kernel = network(frg((width,) * (depth - 1), "1/2", key), data, key).kernel() / depth
        entries.append((kernel[0, 0], kernel[0, 1]))
    diagonal, other = np.array(entries).T
    return {"diagonal": diagonal, "other": other}


def measure(cells: Cells) -> dict[str, np.ndarray]:
    """Return both entries at each depth."""
    depths = levels(cells, "depth")
    return {f"{name}, d = {d}": pooled(cells, name, depth=d) for name in ("diagonal", "other") for d in depths}


def comparisons(cells: Cells) -> tuple[Beside, ...]:
    """Return the exact variances of both entries, over weights and gates, beside those of the networks."""
    rows = []
    for depth in levels(cells, "depth"):
        (width,) = levels(cells, "width")
        net, unit = alike(width, depth, "1/2"), (width / 2) ** (2 * (depth - 1)) * depth**2
        for name, pair, middle in (("diagonal", (0, 0), 1.0), ("other", (0, 1), 0.5 ** (depth - 1))):
            squares = (pooled(cells, name, depth=depth) - middle) ** 2
            text = f"exact variance of the entry ({name})"
            rows.append(Beside(f"variance of {name}, d = {depth}", text, float(variance(net, pair) / unit), squares))
    return tuple(rows)


def _runs(depth: int) -> float:
    """Return the runs with which the interval of the second entry has half a width of mu^(d-1)/2, by its variance."""
    middle, level = 0.5 ** (depth - 1), LEVEL / (2 * len(DEPTHS))
    unit = (WIDTH / 2) ** (2 * (depth - 1)) * depth**2
    spread = float(variance(alike(WIDTH, depth, "1/2"), (0, 1)) / unit) ** 0.5
    return (NormalDist().inv_cdf(1 - level / 2) * spread / (middle / 2)) ** 2


_UNDECIDABLE = (
    r"The exact mean is $\mu^{d-1}$ at every width ([`kernel.mean.value`](depth-and-width.md#kernel.mean.value)). "
    f"By the exact variance, telling it from 0 takes about {round(_runs(12), -3):,.0f} runs at $d = 12$, "
    f"{_runs(16) / 1e6:.1f} million at $d = 16$ and {_runs(20) / 1e6:.0f} million at $d = 20$: undecidable by runs."
)

REPRODUCTION = Reproduction(
    name="dgn-fig-2",
    title="Entries of $K_0$ with fixed random gates",
    source="deep-gated-networks",
    place="Figure 2 (Experiment 1), equation (5)",
    setup=r"Inputs $x_s = 1$, fixed random gates with $\mu = 1/2$, $w = 500$, weights $\pm\sqrt{2/w}$, "
    r"$d = 2, \ldots, 20$, untrained.",
    unsaid=(
        ("which entries are shown", "$(1, 1)$ and $(1, 2)$; all entries of one kind have one law"),
        ("how near 20 runs must be to the ideal values", "200 runs, whose mean meets the ideal value"),
    ),
    rule=r"The means of $K_0(1, 1)/d$ and $K_0(1, 2)/d$ meet 1 and $\mu^{d-1}$, with half widths of at most 0.1 and "
    r"$\mu^{d-1}/2$, so that they are told from 0. The second was at first 0.01, which is larger than $\mu^{d-1}$ from "
    "$d = 8$ on.",
    targets=tuple(
        Target(
            f"{name}, d = {d}",
            f"the entry {place} of $K_0/d$ is {text}",
            base ** (d - 1),
            share * base ** (d - 1),
            explains=_UNDECIDABLE if name == "other" and d in _TOO_SMALL else "",
        )
        for name, place, text, base, share in (
            ("diagonal", "on the diagonal", "1", 1.0, 0.1),
            ("other", "off the diagonal", r"$\mu^{d-1}$", 0.5, 0.5),
        )
        for d in DEPTHS
    ),
    designs={
        "quick": Design(
            "$w = 50$, $d = 2$ and 8, 80 runs",
            tuple({"width": 50, "depth": d, "runs": _PER_CELL} for d in (2, 8)),
            4,
            2,
        ),
        "full": Design(
            "as printed, 200 runs in place of 20",
            tuple({"width": WIDTH, "depth": d, "runs": _PER_CELL} for d in DEPTHS),
            10,
            120,
        ),
    },
    numbers=("diagonal", "other"),
    cell=cell,
    measure=measure,
    beside=comparisons,
)
