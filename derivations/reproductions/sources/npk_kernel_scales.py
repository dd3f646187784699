"""The two parts of the tangent kernel of networks that learn features and values apart: are they of one scale?"""

import numpy as np
import torch

from derivations.reproductions.expansions import (
    COURSE,
    beside_courses,
    beside_entry,
    courses,
    entry_at_start,
    in_float64,
)
from derivations.reproductions.model import Beside, Cells, Design, Numbers, Reproduction, Setting, Target, pooled
from derivations.reproductions.networks import connected
from derivations.reproductions.training import train_family
from sim.deep import LabelledImages, Settings, adam, dnpfl, kernels_of, train_linearised

WIDTHS, BATCH, RATE, BETA, CLASSES = (128,) * 5, 32, 3e-4, 8, 10
STEPS = (0, 1, 3, 10, 30, 100, 300, 1000, 1875, 9375)  # the last two: 1 and 5 epochs
SCALE = 10.0  # the largest ratio of two numbers of one scale
_PARTS = ("values", "gates")


def cell(setting: Setting, seed: int) -> Numbers:
    """Train DNPFL networks on MNIST; return trace and norm of K^V and K^F, and the course beside the linearised one."""
    networks, most = int(setting["networks"]), int(setting["steps"])
    data = LabelledImages("mnist", "unit", "class", size=int(setting["size"]) or None).load().training()
    part = LabelledImages("mnist", "unit", "class", size=int(setting["examples"])).load(torch.float64).training()
    family = connected((dnpfl(WIDTHS, BETA),), networks, data, CLASSES, seed)
    settings = Settings("softmax-cross-entropy", adam(), RATE, batch=BATCH, seed=seed)
    stages = [step for step in STEPS if step <= most]
    run = train_family(family, data, settings, most, stages=stages)
    linear = train_linearised(family, data, settings, most, stages=stages)
    numbers = {f"{what} {name}": np.empty((networks, len(stages))) for what in ("trace", "norm") for name in _PARTS}
    for place, stage in enumerate(stages):
        kernels = kernels_of(family, "dnpfl", in_float64(run, stage), part)
        for name, kernel in zip(_PARTS, (kernels.tangent - kernels.of_gates, kernels.of_gates), strict=True):
            numbers[f"trace {name}"][:, place] = kernel.diagonal(dim1=1, dim2=2).sum(dim=1)
            numbers[f"norm {name}"][:, place] = torch.linalg.matrix_norm(kernel)
    curves = courses(run, linear, "dnpfl", stages, part).numbers("dnpfl")
    return numbers | curves | {"entry": entry_at_start(run, "dnpfl", part.x[0])}


def measure(cells: Cells) -> dict[str, np.ndarray]:
    """Return how far the ratios of the two parts stay within one scale, at the start and at the end."""
    measured = {}
    for what in ("trace", "norm"):
        ratio = np.log(pooled(cells, f"{what} gates") / pooled(cells, f"{what} values"))
        for when, place in (("start", 0), ("end", -1)):
            measured[f"{what}, {when}"] = np.log(SCALE) - np.abs(ratio[:, place])
    return measured


def comparisons(cells: Cells) -> tuple[Beside, ...]:
    """Return the exact law of an entry of K^V at the start, and the linearised training."""
    return (
        beside_entry(pooled(cells, "entry"), "entry of $K^V$"),
        *beside_courses(cells, {"dnpfl": "DNPFL"}, STEPS),
    )


REPRODUCTION = Reproduction(
    name="npk-kernel-scales",
    title="The parts of the tangent kernel that learn features and values",
    source="neural-path-kernel",
    place="section 6, item 4",
    setup="MNIST; DNPFL with $w = 128$, $d = 6$ and soft gates with $\\beta = 8$ (Appendix B), cross-entropy, Adam at "
    "0.0003, batches of 32; $K^V$ and $K^F$ on 100 examples, 10 of each class, by trace and Frobenius norm.",
    unsaid=(
        ("the time at which the kernels are compared", "before training, and after 5 epochs"),
        ("what one scale is", f"trace and norm differ by less than a factor of {SCALE:.0f}"),
        ("the kernel of ten outputs", "the sum over the outputs"),
        ("the normalisation of the images", "levels from 0 to 1"),
        (
            "the initial weights, and whether there are biases",
            "normal of variance 2/fan-in, no biases (the authors' public code: the defaults of Keras, with biases, SGD "
            "at 0.01, soft gates of slope 4, and 20 examples of each class, where the paper has 10)",
        ),
        ("the number of runs", "6"),
    ),
    rule=r"Orders: $\ln 10 - \lvert \ln(\mathrm{tr} K^F/\mathrm{tr} K^V) \rvert$ has a positive mean before training "
    "and after it, and so has the same with Frobenius norms (the smallest margin that counts is 0.1).",
    targets=tuple(
        Target(f"{what}, {when}", f"$K^V$ and $K^F$ are in the same scale: {said}, {time}", None, margin=0.1)
        for what, said in (("trace", "trace"), ("norm", "Frobenius norm"))
        for when, time in (("start", "before training"), ("end", "after it"))
    ),
    designs={
        "quick": Design(
            "100 steps on 2,000 images, 3 networks",
            ({"networks": 3, "steps": 100, "size": 2000, "examples": 100},),
            1,
            10,
        ),
        "full": Design(
            "5 epochs, 6 networks", ({"networks": 6, "steps": STEPS[-1], "size": 0, "examples": 100},), 1, 1260
        ),
    },
    numbers=(
        *(f"{what} {name}" for what in ("trace", "norm") for name in _PARTS),
        *(f"dnpfl {key}" for key in COURSE),
        "entry",
    ),
    cell=cell,
    measure=measure,
    beside=comparisons,
    shows="The two parts are nearer than the rule asks: their traces differ by a factor of 2.3 before training and 2.0 "
    "after it, their norms by 1.4 and 1.2 (means of the runs).",
    datasets=("mnist",),
)
