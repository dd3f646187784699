"""The spectrum of K0 with fixed random gates: wide networks are nearer to the ideal curve than narrow ones."""

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
    levels,
    pooled,
)
from derivations.reproductions.networks import DEPTHS, network
from sim.deep import frg
from theory.kernels import equal_inputs_moments, equal_inputs_spectrum

WIDTHS = (25, 500)


def cell(setting: Setting, seed: int) -> Numbers:
    """Return the eigenvalues of K0/d on n inputs x_s = 1, ascending."""
    width, depth, examples = (int(setting[name]) for name in ("width", "depth", "examples"))
    data = {"x": np.ones((examples, 1)), "y": np.zeros(examples)}
    kernel = network(frg((width,) * (depth - 1), "1/2", seed), data, seed).kernel()
    return {"eigenvalues": np.linalg.eigvalsh(kernel / depth)[None]}


def measure(cells: Cells) -> dict[str, np.ndarray]:
    """Return how much nearer to the ideal curve, and better conditioned, the wide networks are at each depth."""
    measured = {}
    for depth in levels(cells, "depth"):
        narrow, wide = (pooled(cells, "eigenvalues", depth=depth, width=width) for width in WIDTHS)
        measured[f"nearer, d = {depth}"] = _distance(narrow, depth) - _distance(wide, depth)
        measured[f"conditioned, d = {depth}"] = _lower_half(wide) - _lower_half(narrow)
    return measured


def comparisons(cells: Cells) -> tuple[Beside, ...]:
    """Return the eigenvalues of E K0/d, those of equation (5), and exact moments of the eigenvalues of K0/d itself."""
    rows = []
    for depth in levels(cells, "depth"):
        eigenvalues = pooled(cells, "eigenvalues", depth=depth, width=WIDTHS[-1])
        ideal = equal_inputs_spectrum(eigenvalues.shape[1], depth, "1/2")
        rows += [
            Beside(
                f"smallest, d = {depth}",
                r"$1 - \mu^{d-1}$ beside $\rho_{\min}$",
                float(ideal.smallest),
                eigenvalues[:, 0],
                REFERENCE,
            ),
            Beside(
                f"largest, d = {depth}",
                r"$1 + (n-1) \mu^{d-1}$ beside $\rho_{\max}$",
                float(ideal.largest),
                eigenvalues[:, -1],
                REFERENCE,
            ),
        ]
        for width in WIDTHS:
            eigenvalues = pooled(cells, "eigenvalues", depth=depth, width=width)
            exact = equal_inputs_moments(eigenvalues.shape[1], width, depth, "1/2")
            rows += [
                Beside(
                    f"variance of the mean, w = {width}, d = {depth}",
                    r"exact variance of $\sum_i \rho_i / n$, whose mean is 1",
                    float(exact.variance_of_mean),
                    (eigenvalues.mean(axis=1) - 1) ** 2,
                ),
                Beside(
                    f"mean square, w = {width}, d = {depth}",
                    r"exact $\mathrm{E} \sum_i \rho_i^2 / n$",
                    float(exact.mean_square),
                    (eigenvalues**2).mean(axis=1),
                ),
            ]
    return tuple(rows)


def _distance(eigenvalues: np.ndarray, depth: int) -> np.ndarray:
    """Return the largest distance of the cumulative sums from k (1 - mu^(d-1)), divided by n, (S,)."""
    examples = eigenvalues.shape[1]
    spectrum = equal_inputs_spectrum(examples, depth, "1/2")
    ideal = np.append(np.full(examples - 1, float(spectrum.smallest)), float(spectrum.largest))
    return np.abs(eigenvalues.cumsum(axis=1) - ideal.cumsum()).max(axis=1) / examples


def _lower_half(eigenvalues: np.ndarray) -> np.ndarray:
    """Return the share of the trace in the smaller half of the eigenvalues, at most 1/2, (S,)."""
    return eigenvalues[:, : eigenvalues.shape[1] // 2].sum(axis=1) / eigenvalues.sum(axis=1)


_EXAMPLES = 200
REPRODUCTION = Reproduction(
    name="dgn-fig-1",
    title="The spectrum of $K_0$ with fixed random gates",
    source="deep-gated-networks",
    place="Figure 1 (Experiment 1)",
    setup=r"$n = 200$ inputs $x_s = 1$, fixed random gates with $\mu = 1/2$, weights $\pm\sqrt{2/w}$, $w = 25$ and "
    r"$w = 500$, $d = 2, \ldots, 20$, untrained.",
    unsaid=(
        ("the number of runs", "20, as in Figure 2"),
        ("a measure of how near two curves are", "the largest difference of the cumulative sums, divided by $n$"),
        (
            "a measure of how well a curve is conditioned",
            "the share of the trace in the smaller half of the eigenvalues",
        ),
    ),
    rule="At each depth two orders: the distance from the ideal is smaller for $w = 500$ than for $w = 25$, and "
    "the share of the trace in the smaller half of the eigenvalues is larger. The differences are of runs "
    "with one seed; 0.01 is the smallest that counts.",
    targets=tuple(
        Target(f"{key}, d = {d}", printed, None, margin=0.01)
        for key, printed in (
            ("nearer", "$w = 500$ is nearer to the ideal e.c.d.f. than $w = 25$"),
            ("conditioned", "$w = 500$ is better conditioned than $w = 25$"),
        )
        for d in DEPTHS
    ),
    designs={
        "quick": Design(
            "40 inputs, $d = 2$ and 8, 4 runs",
            tuple({"width": w, "depth": d, "examples": 40} for d in (2, 8) for w in WIDTHS),
            4,
            2,
        ),
        "full": Design(
            "as printed, 20 runs",
            tuple({"width": w, "depth": d, "examples": _EXAMPLES} for d in DEPTHS for w in WIDTHS),
            20,
            90,
        ),
    },
    numbers=("eigenvalues",),
    cell=cell,
    measure=measure,
    beside=comparisons,
)
