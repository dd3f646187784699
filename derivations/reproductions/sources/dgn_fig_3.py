"""Convergence of networks with fixed random gates: it improves with the depth, at a step of 0.1/rho_max."""

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
from sim.deep import frg

WIDTHS, STEPS, RATE = (25, 100, 500), 40, 0.1
STAGES = (0, 1, 2, 5, 10, 20, STEPS)


def cell(setting: Setting, seed: int) -> Numbers:
    """Train one network at the step 0.1/rho_max(K0); return |e_t|/|e_0|, trained and linearised, at the stages."""
    width, depth, examples = (int(setting[name]) for name in ("width", "depth", "examples"))
    labels = np.random.default_rng(np.random.SeedSequence(seed)).uniform(-1, 1, examples)
    own = network(frg((width,) * (depth - 1), "1/2", seed), {"x": np.ones((examples, 1)), "y": labels}, seed)
    kernel = own.kernel()
    step = RATE / float(np.linalg.eigvalsh(kernel)[-1])
    errors = own.errors(step, STAGES)
    sizes = [np.linalg.norm(each, axis=1) for each in (errors, linearised(kernel, errors[0], step, STAGES))]
    return {"trained": sizes[0][None] / sizes[0][0], "linearised": sizes[1][None] / sizes[1][0]}


def measure(cells: Cells) -> dict[str, np.ndarray]:
    """Return the fall of ln |e_T|/|e_0| from one depth to the next, the slope of each run, by the width."""
    return {f"deeper, w = {width}": -trend(_last(cells, "trained", width)) for width in levels(cells, "width")}


def beside(cells: Cells) -> tuple[Beside, ...]:
    """Return the linearised error beside the trained one, and the first stage at which they differ."""
    rows = []
    for width in levels(cells, "width"):
        for depth in levels(cells, "depth"):
            trained, linear = (pooled(cells, name, width=width, depth=depth) for name in ("trained", "linearised"))
            when = leaves(trained, linear, STAGES)
            text = (
                rf"$\lvert e_t\rvert/\lvert e_0\rvert$ at $t = {STEPS}$ by $(1 - \alpha K_0)^t$ "
                f"beside the training; {when}"
            )
            key = f"linearised, w = {width}, d = {depth}"
            rows.append(Beside(key, text, float(linear[:, -1].mean()), trained[:, -1]))
    return tuple(rows)


def _last(cells: Cells, name: str, width: int) -> np.ndarray:
    """Return ln |e_T|/|e_0| of each run at each depth, (S, depths)."""
    return np.stack([np.log(pooled(cells, name, width=width, depth=d)[:, -1]) for d in levels(cells, "depth")], axis=1)


REPRODUCTION = Reproduction(
    name="dgn-fig-3",
    title="Convergence with fixed random gates",
    source="deep-gated-networks",
    place="Figure 3 (Experiment 1)",
    setup=r"$n = 200$ inputs $x_s = 1$, labels uniform on $[-1, 1]$, fixed random gates with $\mu = 1/2$, weights "
    r"$\pm\sqrt{2/w}$, gradient descent on the whole set at the step $0.1/\rho_{\max}$.",
    unsaid=(
        ("the width: the text has $w = 100$, the caption $w = 25$ and 500", "all three"),
        ("the number of steps", f"{STEPS}"),
        ("the depths", "those of Figure 1: 2, 4, 6, 8, 12, 16, 20"),
        (r"$\rho_{\max}$: of $K_0$ or of its mean", "of the $K_0$ of each network"),
    ),
    rule=rf"For each width an order: the least-squares slope of $-\log$ of "
    rf"$\lvert e_t\rvert/\lvert e_0\rvert$ at $t = {STEPS}$ over the depths in their "
    "order has a positive mean. 0.01 a depth would be an effect.",
    targets=tuple(
        Target(f"deeper, w = {w}", "the convergence rate improves with the depth", None, margin=0.01) for w in WIDTHS
    ),
    designs={
        "quick": Design(
            "$w = 25$, 40 inputs, $d = 2$ and 8, 4 runs",
            tuple({"width": 25, "depth": d, "examples": 40} for d in (2, 8)),
            4,
            3,
        ),
        "full": Design(
            f"as printed with {STEPS} steps, 6 runs in place of 5",
            tuple({"width": w, "depth": d, "examples": 200} for w in WIDTHS for d in DEPTHS),
            6,
            300,
        ),
    },
    numbers=("trained", "linearised"),
    cell=cell,
    measure=measure,
    beside=beside,
)
