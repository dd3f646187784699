"""Deep linear networks on one example: the error's rate 0.81 at every depth, and the growth of the tangent kernel."""

import numpy as np
import torch

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
)
from derivations.reproductions.networks import apart, leaves
from sim.deep import SGD, ExampleSet, Family, Settings, Start, dln, train_family
from sim.kernels import tangent_kernel
from theory.kernels import alike, linearised_errors, variance

WIDTH, STEPS, RATE = 100, 25, 0.1
_SPEED = 10  # steps over which the speed is measured
_FULL, _QUICK = (2, 4, 6, 8, 10), (2, 10)


def cell(setting: Setting, seed: int) -> Numbers:
    """Train `networks` deep linear networks on (x, y) = (1, 1); record e_t^2, K_t and |Theta| at all steps."""
    depth, networks = int(setting["depth"]), int(setting["networks"])
    family = Family((dln((WIDTH,) * (depth - 1)),), networks, 1, 1, Start("signs", (WIDTH**-0.5,) * depth, seed))
    one = torch.ones(1, 1, dtype=torch.float64)
    settings = Settings("half-mse", SGD, RATE / depth, batch=1, seed=seed, dtype=torch.float64)
    gates = [torch.ones(networks, 1, WIDTH, dtype=torch.float64)] * (depth - 1)
    squares, kernels, norms, state = [], [], [], None
    for step in range(STEPS + 1):
        run = train_family(family, ExampleSet(one, one), settings, step, state=state)
        state = run.state
        weights = [*family.of("dln", state.parameters).values()]
        squares.append(2 * run.losses("dln", step))
        kernels.append(tangent_kernel(weights, one, gates=gates)[:, 0, 0].numpy())
        norms.append(sum(theta.square().sum(dim=(1, 2)) for theta in weights).sqrt().numpy())
    return {
        "square": np.stack(squares, axis=1),
        "kernel": np.stack(kernels, axis=1),
        "norm": np.stack(norms, axis=1),
    }


def measure(cells: Cells) -> dict[str, np.ndarray]:
    """Return the first ratio of squares at each depth, and the growth over the training."""
    measured = {}
    for depth in levels(cells, "depth"):
        square, kernel, norm = (pooled(cells, name, depth=depth) for name in ("square", "kernel", "norm"))
        measured[f"rate, d = {depth}"] = square[:, 1] / square[:, 0]
        measured[f"faster, d = {depth}"] = 1 - square[:, _SPEED] / square[:, 0] / (1 - RATE) ** (2 * _SPEED)
        measured[f"kernel, d = {depth}"] = kernel[:, -1] / kernel[:, 0] - 1
        measured[f"norm, d = {depth}"] = norm[:, -1] / norm[:, 0] - 1
    return measured


def comparisons(cells: Cells) -> tuple[Beside, ...]:
    """Return E K0, Var K0, the mean rate to first order, E(1 - alpha K0)^2, and the linearised training."""
    rows = []
    for depth in levels(cells, "depth"):
        kernels = pooled(cells, "kernel", depth=depth)
        kernel = kernels[:, 0]
        spread = float(variance(alike(WIDTH, depth))) / WIDTH ** (2 * (depth - 1))
        squares = pooled(cells, "square", depth=depth)
        first_order = (1 - RATE) ** 2 + (RATE / depth) ** 2 * spread
        if spread:  # at d = 2 all networks have K0 = 2, up to rounding
            rows += [
                Beside(f"mean, d = {depth}", r"$\mathrm{E} K_0 = d$", float(depth), kernel),
                Beside(f"variance, d = {depth}", r"exact $\mathrm{Var} K_0$", spread, (kernel - depth) ** 2),
            ]
        rows.append(
            Beside(
                f"first order, d = {depth}",
                r"$\mathrm{E}(1 - \alpha K_0)^2$ beside $e_1^2/e_0^2$",
                first_order,
                squares[:, 1] / squares[:, 0],
            )
        )
        rows.append(_linearised(depth, np.sqrt(squares), kernels))
    return tuple(rows)


def _linearised(depth: int, errors: np.ndarray, kernels: np.ndarray) -> Beside:
    """Return (1 - alpha K0)^t beside the training, and when networks leave it; both arrays are (S, steps)."""
    # All networks at once: each has one example, so that the kernel between them is diagonal.
    steps = range(STEPS + 1)
    linear = np.abs(linearised_errors(np.diag(kernels[:, 0]), errors[:, 0], RATE / depth, steps)).T
    away = apart(errors, linear)
    left = np.where(away.any(axis=1), away.argmax(axis=1), -1)
    change = np.abs(kernels / kernels[:, :1] - 1)[np.arange(len(left)), left]  # the last step is number -1
    text = rf"$\lvert e_t\rvert/\lvert e_0\rvert$ at $t = {_SPEED}$ by $(1 - \alpha K_0)^t$ beside the training"
    trained, expected = (course[:, _SPEED] / course[:, 0] for course in (errors, linear))
    return Beside(
        f"linearised, d = {depth}",
        f"{text}; {leaves(left, change, STEPS)}",
        float(expected.mean()),
        trained,
        LINEARISED,
    )


def _targets() -> tuple[Target, ...]:
    rates = [
        Target(f"rate, d = {d}", "$e_{t+1}^2/e_t^2 = 0.81$, at the first step", 0.81, margin=0.02, half_unit=0.005)
        for d in _FULL
    ]
    orders = [
        Target(f"{key}, d = {d}", printed, None, margin=0.01)
        for key, printed in (
            ("faster", "convergence is faster than 0.81 a step, over ten steps"),
            ("kernel", "$K_t$ grows during training"),
            ("norm", "the norm of the weights grows"),
        )
        for d in _FULL
    ]
    return (*rates, *orders)


REPRODUCTION = Reproduction(
    name="dgn-fig-10",
    title="Deep linear networks on one example",
    source="deep-gated-networks",
    place="Figure 10 (Experiment 8)",
    setup=r"$x = y = 1$, deep linear networks with $w = 100$ and $d = 2, \ldots, 10$, weights $\pm 1/\sqrt{w}$, "
    "rate $0.1/d$.",
    unsaid=(
        (
            r"the loss: it is defined without a factor 1/2, and the rate 0.81 at the step $0.1/d$ needs one",
            r"$L = (\hat{y} - y)^2/2$",
        ),
        ("the number of steps", f"{STEPS}; the rate is that of the first step, the speed that of the first 10"),
        ("the average of a ratio over its 5 runs", "the mean of the ratios of 400 networks at each depth"),
    ),
    rule=r"The first ratio $e_1^2/e_0^2$ has a mean that rounds to 0.81, with a half width of at most 0.02. Orders: "
    r"$1 - (e_{10}^2/e_0^2)/0.81^{10}$, $K_{25}/K_0 - 1$ and $\lvert\Theta_{25}\rvert/\lvert\Theta_0\rvert - 1$ have "
    "positive means; 0.01 is the smallest that counts.",
    targets=_targets(),
    designs={
        "quick": Design(
            "d = 2 and 10, 20 networks each in place of 400",
            tuple({"depth": d, "networks": 20} for d in _QUICK),
            1,
            1,
        ),
        "full": Design(
            "all depths of the source, 400 networks each in place of 5",
            tuple({"depth": d, "networks": 40} for d in _FULL),
            10,
            70,
        ),
    },
    numbers=("square", "kernel", "norm"),
    cell=cell,
    measure=measure,
    beside=comparisons,
    shows="The norm grows by a small share from $d = 4$ on because nearly all of it lies in the random weights of "
    "the middle layers, which have $w^2$ numbers each.",
)
