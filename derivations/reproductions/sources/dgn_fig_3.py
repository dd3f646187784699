"""Convergence of networks with fixed random gates at a step of 0.1/rho_max: depth improves it up to a point."""

import numpy as np

from derivations.reproductions.model import (
    LINEARISED,
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
from derivations.reproductions.networks import DEPTHS, leaves, network
from sim.deep import frg
from theory.kernels import equal_inputs_moments

WIDTHS, STEPS, RATE = (25, 100, 500), 40, 0.1
_BEST = {25: 8, 100: 8, 500: 12}  # the depth of the least error by the width, in a first run with other seeds
STAGES = tuple(range(STEPS + 1))


def cell(setting: Setting, seed: int) -> Numbers:
    """Train one network at the step 0.1/rho_max(K0); return its course beside the linearised one, tr K0/(n d), and the
    mean eigenvalue of K0/rho_max."""
    width, depth, examples = (int(setting[name]) for name in ("width", "depth", "examples"))
    labels = np.random.default_rng(np.random.SeedSequence(seed)).uniform(-1, 1, examples)
    net = network(frg((width,) * (depth - 1), "1/2", seed), {"x": np.ones((examples, 1)), "y": labels}, seed)
    kernel = net.kernel()
    largest, diagonal = float(np.linalg.eigvalsh(kernel)[-1]), np.diag(kernel).mean()[None]
    course = net.course(kernel, RATE / largest, STAGES).numbers()
    return course | {"diagonal": diagonal / depth, "flat": diagonal / largest}


def measure(cells: Cells) -> dict[str, np.ndarray]:
    """Return slopes over the depths of each run, by the width: of -ln |e_T|/|e_0|, up to the best depth and beyond it
    too, there with the other sign, and of the logarithm of the mean eigenvalue."""
    measured, depths = {}, np.array(levels(cells, "depth"))
    for width in levels(cells, "width"):
        rates, best = -_logarithms(cells, "trained", width), _BEST[width]
        measured[f"deeper, w = {width}"] = trend(rates)
        measured[f"up to d = {best}, w = {width}"] = trend(rates[:, depths <= best])
        if (depths > best).any():
            measured[f"beyond d = {best}, w = {width}"] = -trend(rates[:, depths >= best])
        measured[f"flatter, w = {width}"] = trend(_logarithms(cells, "flat", width))
    return measured


def comparisons(cells: Cells) -> tuple[Beside, ...]:
    """Return the linearised error beside the trained one, when training leaves it, and the exact law of tr K0."""
    rows = []
    for width in levels(cells, "width"):
        for depth in levels(cells, "depth"):
            trained, linear, left, change, diagonal = (
                pooled(cells, name, width=width, depth=depth)
                for name in ("trained", "linearised", "left", "change", "diagonal")
            )
            when = leaves(left, change, STEPS)
            text = (
                rf"$\lvert e_t\rvert/\lvert e_0\rvert$ at $t = {STEPS}$ by $(1 - \alpha K_0)^t$ "
                f"beside the training; {when}"
            )
            at = f"w = {width}, d = {depth}"
            rows.append(Beside(f"linearised, {at}", text, float(linear[:, -1].mean()), trained[:, -1], LINEARISED))
            examples = levels(cells, "examples")[0]
            spread = float(equal_inputs_moments(examples, width, depth, "1/2").variance_of_mean) ** 0.5
            text = rf"$\mathrm{{tr}} K_0/(n d)$: exact mean 1, exact standard deviation {spread:.2g}"
            rows.append(Beside(f"diagonal, {at}", text, 1.0, diagonal))
    return tuple(rows)


def _logarithms(cells: Cells, name: str, width: int) -> np.ndarray:
    """Return the logarithm of a number, or of the last one of a course, of each run at each depth, (S, depths)."""
    by_depth = [pooled(cells, name, width=width, depth=depth) for depth in levels(cells, "depth")]
    return np.log(np.stack([values.reshape(len(values), -1)[:, -1] for values in by_depth], axis=1))


def _targets() -> tuple[Target, ...]:
    rows = []
    for width, best in _BEST.items():
        rows += [
            Target(f"deeper, w = {width}", "the convergence rate improves with the depth", None, margin=0.01),
            Target(
                f"up to d = {best}, w = {width}",
                "increasing the depth till a point improves training",
                None,
                margin=0.01,
            ),
            Target(
                f"beyond d = {best}, w = {width}", "increasing it beyond a point degrades training", None, margin=0.01
            ),
            Target(f"flatter, w = {width}", r"the e.c.d.f. of $K_0/\rho_{\max}$ gets better", None, margin=0.01),
        ]
    return tuple(rows)


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
        ("the average over 5 runs", "12 runs, after a first run of 6 with other seeds, which left $w = 25$ undecided"),
    ),
    rule=rf"Orders, for each width: the least-squares slope of $-\log$ of $\lvert e_t\rvert/\lvert e_0\rvert$ at "
    rf"$t = {STEPS}$ over the depths in their order has a positive mean, over all depths and up to the best one, and a "
    "negative mean from the best one on. Over all depths, the slope of the logarithm of the mean eigenvalue of "
    r"$K_0/\rho_{\max}$, which is larger where the e.c.d.f. is nearer to a straight line, has a positive mean too. "
    "0.01 from one depth of the list to the next is the smallest that counts. The best depths are those of a first "
    "run with other seeds: 8, 8 and 12 for the three widths.",
    targets=_targets(),
    designs={
        "quick": Design(
            "$w = 25$, 40 inputs, $d = 2$ and 8, 4 runs",
            tuple({"width": 25, "depth": d, "examples": 40} for d in (2, 8)),
            4,
            3,
        ),
        "full": Design(
            f"as printed with {STEPS} steps, 12 runs in place of 5",
            tuple({"width": w, "depth": d, "examples": 200} for w in WIDTHS for d in DEPTHS),
            12,
            840,
            first=6,
        ),
    },
    numbers=("trained", "linearised", "left", "change", "diagonal", "flat"),
    cell=cell,
    measure=measure,
    beside=comparisons,
    shows="The error after 40 steps is least at $d = 8$, 8 and 12 for $w = 25$, 100 and 500, in training and in its "
    "linearisation alike, and grows beyond. So both phenomena of the source are here: depth helps up to a point, "
    "which lies deeper in wider networks, and hurts beyond it. A slope over all depths mixes the two, which is why "
    "it is small for $w = 25$. The networks of a seed share draws at all depths, so that the rows of the diagonal "
    "are not independent of each other.",
)
