"""The alignment of the path kernel with the labels during training, on two digits of MNIST."""

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
    trend,
)
from derivations.reproductions.networks import connected
from derivations.reproductions.training import train_family
from sim.deep import SGD, LabelledImages, Settings, adam, kernels_of, relu
from sim.kernels import nu

WIDTH, LEVELS, BATCH, DIGITS = 100, 4, 32, (4, 7)
_OPTIMISERS = {"adam": (adam(), 3e-4), "sgd": (SGD, 0.01)}
_STAGES = (0, 1, 2, 5, 10)  # epochs


def cell(setting: Setting, seed: int, device: str = "cpu") -> Numbers:
    """Train ReLU networks on the images of the two digits; return nu_t, the loss, the active paths and the change
    of the path kernel since the start, both kernels over their traces, at the stages."""
    networks, most = int(setting["networks"]), int(setting["epochs"])
    optimiser, rate = _OPTIMISERS[str(setting["optimiser"])]
    data = _images(None).load().training()
    part = _images(int(setting["examples"])).load(torch.float64).training()
    family = connected((relu((WIDTH,) * LEVELS),), networks, data, 1, seed)
    settings = Settings("half-mse", optimiser, rate, batch=BATCH, seed=seed, device=device)
    epoch = -(-len(data.x) // BATCH)
    stages = [epoch * stage for stage in _STAGES if stage <= most]
    run = train_family(family, data, settings, stages[-1], stages=stages)
    alignment, active, change = np.empty((3, networks, len(stages)))
    first: dict[int, torch.Tensor] = {}
    for place, stage in enumerate(stages):
        weights = {name: theta.double() for name, theta in run.at(stage).items()}
        overlap = kernels_of(family, "relu", weights, part, device=device).overlap
        active[:, place] = overlap.diagonal(dim1=1, dim2=2).mean(dim=1) / (WIDTH / 2) ** LEVELS
        for replicate, paths in enumerate(overlap):
            kernel = part.x @ part.x.T * paths
            alignment[replicate, place] = nu(kernel, part.y[:, 0], by_trace=True).value
            kernel = kernel / kernel.trace()
            first.setdefault(replicate, kernel)
            change[replicate, place] = (kernel - first[replicate]).norm() / first[replicate].norm()
    losses = np.stack([run.losses("relu", stage) for stage in stages], axis=1)
    return {"alignment": alignment, "training error": losses, "active": active, "change": change}


def measure(cells: Cells) -> dict[str, np.ndarray]:
    """Return how far ln nu_t falls from the start to the end, and its mean fall from stage to stage after the first."""
    measured = {}
    for optimiser in levels(cells, "optimiser"):
        logarithm = np.log(pooled(cells, "alignment", optimiser=optimiser))
        measured[f"falls, {optimiser}"] = logarithm[:, 0] - logarithm[:, -1]
        if logarithm.shape[1] > 2:
            measured[f"goes on, {optimiser}"] = -trend(logarithm[:, 1:])
    return measured


def comparisons(cells: Cells) -> tuple[Beside, ...]:
    """Return the exact mean of the active paths at the start, and how far the kernel, constant by the linearised
    theory, has moved after the first epoch and at the end."""
    # The networks of all optimisers have the same weights at the start.
    start = pooled(cells, "active", optimiser=levels(cells, "optimiser")[0])[:, 0]
    text = r"$\mathrm{E} \Lambda(s, s) / (w/2)^{d-1} = 1$ at the start, where gates are fair coins"
    rows = [Beside("active paths", text, 1.0, start)]
    text = r"change of $M_t/\mathrm{tr} M_t$ since the start, relative (Frobenius), beside that of a linearised network"
    for optimiser in levels(cells, "optimiser"):
        change = pooled(cells, "change", optimiser=optimiser)
        for stage, name in ((1, "after 1 epoch"), (-1, f"after {_STAGES[change.shape[1] - 1]} epochs")):
            if stage == 1 or change.shape[1] > 2:
                rows.append(Beside(f"change {name}, {optimiser}", text, 0.0, change[:, stage], LINEARISED))
    return tuple(rows)


def _images(size: int | None) -> LabelledImages:
    return LabelledImages("mnist", "unit", "signs", classes=DIGITS, size=size)


REPRODUCTION = Reproduction(
    name="dgn-fig-6",
    title=r"$\nu_t$ of the features during training",
    source="deep-gated-networks",
    place="Figure 6",
    setup="The digits 4 and 7 of MNIST with the labels $-1$ and $1$, squared loss, ReLU networks with $w = 100$ and "
    r"$d = 5$; $\nu_t = y^\top (M_t/\mathrm{tr} M_t)^{-1} y$ on 200 examples, 100 of each digit.",
    unsaid=(
        ("the examples that train", "all 12,107 images of the two digits, with levels from 0 to 1"),
        ("the 200 examples", "drawn at random from those that train, the same for all networks"),
        ("optimiser, step and batches", "Adam at 0.0003, and gradient descent at 0.01; batches of 32"),
        ("the initial weights", "normal of variance 2/fan-in"),
        (r"how long the networks train, and when $\nu_t$ is taken", "10 epochs; at the start and after 1, 2, 5 and 10"),
        ("the number of runs", "10 of each optimiser"),
    ),
    rule=r"Orders, for both optimisers: $\ln \nu_0 - \ln \nu_T$ has a positive mean (0.1 is the smallest that "
    r"counts), and so has minus the slope of $\ln \nu$ over the stages from the first epoch on, which are taken as "
    "equally spaced (0.02 a stage is the smallest that counts).",
    targets=tuple(
        target
        for name in _OPTIMISERS
        for target in (
            Target(f"falls, {name}", r"$\nu_t$ reduces as training proceeds", None, margin=0.1),
            Target(
                f"goes on, {name}", r"$\nu_t$ reduces as training proceeds (after the first epoch)", None, margin=0.02
            ),
        )
    ),
    designs={
        "quick": Design(
            "1 epoch of 3 networks", ({"optimiser": "adam", "networks": 3, "epochs": 1, "examples": 200},), 1, 5
        ),
        "full": Design(
            "10 epochs, 10 networks of each optimiser",
            tuple({"optimiser": name, "networks": 10, "epochs": 10, "examples": 200} for name in _OPTIMISERS),
            1,
            240,
        ),
    },
    numbers=("alignment", "training error", "active", "change"),
    cell=cell,
    measure=measure,
    beside=comparisons,
    datasets=("mnist",),
)
