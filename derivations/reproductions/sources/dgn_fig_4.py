"""GaLU and ReLU networks on correlated inputs: GaLU converges faster, and faster the deeper it is."""

from collections.abc import Callable
from fractions import Fraction

import numpy as np

from derivations.reproductions.model import (
    LINEARISED,
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
    trend,
)
from derivations.reproductions.networks import DEPTHS, leaves, network
from sim.deep import galu, relu
from theory.kernels import GatedNetwork, GivenValues, mean, variance

WIDTH, STEPS, RATE = 100, 200, 0.1
STAGES = tuple(range(0, STEPS + 1, 5))
_KINDS = {"galu": galu, "relu": relu}
_COURSE = ("trained", "linearised", "left", "change")


def cell(setting: Setting, seed: int) -> Numbers:
    """Train a GaLU and a ReLU network on the same examples; return their courses beside the linearised ones, and of K0
    the spectrum, the trace, and the entry (1, 1) with the numbers of open gates on which its law depends."""
    width, depth, examples = (int(setting[name]) for name in ("width", "depth", "examples"))
    rng = np.random.default_rng(np.random.SeedSequence(seed))
    data = {"x": rng.uniform(-1, 1, (examples, 2)), "y": rng.uniform(-1, 1, examples)}
    numbers = {}
    for name, kind in _KINDS.items():
        net = network(kind((width,) * (depth - 1)), data, seed)
        kernel = net.kernel()
        eigenvalues = np.linalg.eigvalsh(kernel)
        step = RATE / float(eigenvalues[-1])
        numbers |= net.course(kernel, step, STAGES).numbers(f"{name} ")
        numbers[f"{name} spectrum"] = eigenvalues[None] / eigenvalues[-1]
        numbers[f"{name} trace"] = np.array([np.trace(kernel) / (depth * (data["x"] ** 2).sum())])
        if name == "galu":
            numbers["galu entry"] = kernel[0, :1]
            numbers["galu open"] = net.open_gates()[:, 0][None]
    return numbers | {"x": data["x"][:1]}


def measure(cells: Cells) -> dict[str, np.ndarray]:
    """Return the differences of the two kinds over all depths, and the slopes of GaLU over the depths."""
    fitted = {name: _by_depth(cells, f"{name} trained", lambda values: np.log(values[:, -1])) for name in _KINDS}
    flat = {name: _by_depth(cells, f"{name} spectrum", lambda values: np.log(values.mean(axis=1))) for name in _KINDS}
    return {
        "GaLU faster": (fitted["relu"] - fitted["galu"]).mean(axis=1),
        "GaLU flatter": (flat["galu"] - flat["relu"]).mean(axis=1),
        "GaLU faster with depth": -trend(fitted["galu"]),
        "GaLU flatter with depth": trend(flat["galu"]),
    }


def comparisons(cells: Cells) -> tuple[Beside, ...]:
    """Return the linearised error of both kinds beside the trained one, and the law of K0.

    Given the gates of GaLU, the law of an entry over the weights is exact. For ReLU the mean is that
    of infinite width.
    """
    rows = []
    for name in _KINDS:
        for depth in levels(cells, "depth"):
            trained, linear, left, change = (pooled(cells, f"{name} {which}", depth=depth) for which in _COURSE)
            when = leaves(left, change, STEPS)
            text = (
                rf"$\lvert e_t\rvert/\lvert e_0\rvert$ at $t = {STEPS}$ by $(1 - \alpha K_0)^t$ "
                f"beside the training; {when}"
            )
            rows.append(Beside(f"{name}, d = {depth}", text, float(linear[:, -1].mean()), trained[:, -1], LINEARISED))
            text = r"$\mathrm{tr} K_0 / (d \sum_s \lvert x_s\rvert^2)$ beside its limit of infinite width"
            traces = pooled(cells, f"{name} trace", depth=depth)
            rows.append(Beside(f"{name} trace, d = {depth}", text, 1.0, traces, REFERENCE))
    for depth in levels(cells, "depth"):
        text = r"$(K_0(1, 1) - \mathrm{E} K_0(1, 1))^2$ over the exact variance, both given the gates"
        rows.append(Beside(f"galu entry, d = {depth}", text, 1.0, _standardised(cells, depth) ** 2))
    return tuple(rows)


def _standardised(cells: Cells, depth: int) -> np.ndarray:
    """Return K0(1, 1) of the GaLU networks, less its exact mean and over its exact standard deviation, (S,)."""
    (width,) = levels(cells, "width")
    entries, counts, inputs = (pooled(cells, name, depth=depth) for name in ("galu entry", "galu open", "x"))
    scores = []
    for entry, opened, x in zip(entries, counts, inputs, strict=True):
        gates = [GivenValues(((1,) * int(r) + (0,) * (width - int(r)),)) for r in opened]
        net = GatedNetwork([[Fraction(value) for value in x]], gates)
        unit = (2 / width) ** (depth - 1)
        scores.append((entry - float(mean(net)) * unit) / (float(variance(net)) ** 0.5 * unit))
    return np.array(scores)


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
    r"$-\log r$ and $\log f$ of GaLU over the depths in their order. 0.01 is the smallest that counts.",
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
    numbers=(
        *(f"{name} {which}" for name in _KINDS for which in (*_COURSE, "spectrum", "trace")),
        *("galu entry", "galu open", "x"),
    ),
    cell=cell,
    measure=measure,
    beside=comparisons,
)
