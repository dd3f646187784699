"""GaLU and ReLU networks on correlated inputs: GaLU converges faster, and faster the deeper it is."""

from collections.abc import Callable

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
    trend,
)
from derivations.reproductions.networks import DEPTHS, leaves, linearised, network
from sim.deep import galu, relu

WIDTH, STEPS, RATE = 100, 200, 0.1
STAGES = (0, 1, 10, 50, 100, STEPS)
_KINDS = {"galu": galu, "relu": relu}


def cell(setting: Setting, seed: int) -> Numbers:
    """Train a GaLU and a ReLU network on the same examples; return errors, linearised errors and the spectra of K0."""
    width, depth, examples = (int(setting[name]) for name in ("width", "depth", "examples"))
    rng = np.random.default_rng(np.random.SeedSequence(seed))
    data = {"x": rng.uniform(-1, 1, (examples, 2)), "y": rng.uniform(-1, 1, examples)}
    found = {}
    for name, kind in _KINDS.items():
        own = network(kind((width,) * (depth - 1)), data, seed)
        kernel = own.kernel()
        eigenvalues = np.linalg.eigvalsh(kernel)
        step = RATE / float(eigenvalues[-1])
        errors = own.errors(step, STAGES)
        sizes = [np.linalg.norm(each, axis=1) for each in (errors, linearised(kernel, errors[0], step, STAGES))]
        found |= {
            f"{name} trained": sizes[0][None] / sizes[0][0],
            f"{name} linearised": sizes[1][None] / sizes[1][0],
            f"{name} spectrum": eigenvalues[None] / eigenvalues[-1],
        }
    return found


def measure(cells: Cells) -> dict[str, np.ndarray]:
    """Return the differences of the two kinds over all depths, and the slopes of GaLU over the depths."""
    fitted = {name: _by_depth(cells, f"{name} trained", lambda own: np.log(own[:, -1])) for name in _KINDS}
    flat = {name: _by_depth(cells, f"{name} spectrum", lambda own: np.log(own.mean(axis=1))) for name in _KINDS}
    return {
        "GaLU faster": (fitted["relu"] - fitted["galu"]).mean(axis=1),
        "GaLU flatter": (flat["galu"] - flat["relu"]).mean(axis=1),
        "GaLU faster with depth": -trend(fitted["galu"]),
        "GaLU flatter with depth": trend(flat["galu"]),
    }


def beside(cells: Cells) -> tuple[Beside, ...]:
    """Return the linearised error of both kinds beside the trained one."""
    rows = []
    for name in _KINDS:
        for depth in levels(cells, "depth"):
            trained, linear = (pooled(cells, f"{name} {which}", depth=depth) for which in ("trained", "linearised"))
            when = leaves(trained, linear, STAGES)
            text = (
                rf"$\lvert e_t\rvert/\lvert e_0\rvert$ at $t = {STEPS}$ by $(1 - \alpha K_0)^t$ "
                f"beside the training; {when}"
            )
            rows.append(Beside(f"{name}, d = {depth}", text, float(linear[:, -1].mean()), trained[:, -1]))
    return tuple(rows)


def _by_depth(cells: Cells, name: str, of: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    return np.stack([of(pooled(cells, name, depth=depth)) for depth in levels(cells, "depth")], axis=1)


REPRODUCTION = Reproduction(
    name="dgn-fig-4",
    title="GaLU and ReLU networks on correlated inputs",
    source="deep-gated-networks",
    place="Figure 4 (Experiment 2)",
    setup=r"$n = 100$ inputs uniform on the square $[-1, 1]^2$, labels uniform on $[-1, 1]$, $w = 100$, weights "
    r"$\pm\sqrt{2/w}$, gradient descent on the whole set at the step $0.1/\rho_{\max}$.",
    unsaid=(
        ("the depths", "those of Figure 1: 2, 4, 6, 8, 12, 16, 20"),
        ("the number of steps", f"{STEPS}"),
        ("the initial weights of the gates", "an independent draw of the same law"),
        (
            "a measure of a better e.c.d.f.",
            r"the mean of $\rho_i/\rho_{\max}$, as the curves are divided by $\rho_{\max}$",
        ),
    ),
    rule=rf"Orders, with $r$ the ratio $\lvert e_t\rvert/\lvert e_0\rvert$ at $t = {STEPS}$ and $f$ the mean "
    r"of $\rho_i/\rho_{\max}$: the differences $\log r$(ReLU) - $\log r$(GaLU) and $\log f$(GaLU) - $\log f$(ReLU) of "
    "networks on the same examples, averaged over the depths, have positive means, and so have the slopes of "
    r"$-\log r$ and $\log f$ of GaLU over the depths in their order. 0.01 would be an effect.",
    targets=(
        Target("GaLU faster", "GaLU networks optimise better than ReLU networks", None, margin=0.01),
        Target("GaLU flatter", "the e.c.d.f. of GaLU is better than that of ReLU", None, margin=0.01),
        Target("GaLU faster with depth", "the convergence of GaLU improves with the depth", None, margin=0.01),
        Target("GaLU flatter with depth", "the e.c.d.f. of GaLU improves with the depth", None, margin=0.01),
    ),
    designs={
        "quick": Design(
            "$w = 20$, 30 inputs, $d = 2$ and 6, 4 runs",
            tuple({"width": 20, "depth": d, "examples": 30} for d in (2, 6)),
            4,
            4,
        ),
        "full": Design(
            f"as printed with {STEPS} steps, 10 runs in place of 5",
            tuple({"width": WIDTH, "depth": d, "examples": 100} for d in DEPTHS),
            10,
            240,
        ),
    },
    numbers=tuple(f"{name} {which}" for name in _KINDS for which in ("trained", "linearised", "spectrum")),
    cell=cell,
    measure=measure,
    beside=beside,
)
