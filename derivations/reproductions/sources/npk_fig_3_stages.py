"""Path features of successive stages of training on CIFAR-10, fixed, and their values trained again."""

from dataclasses import replace
from itertools import pairwise

import numpy as np

from derivations.reproductions import convolutional
from derivations.reproductions.convolutional import (
    EPOCHS,
    STEPS,
    UNSAID,
    WIDTH,
    accuracy,
    first_courses,
    images,
    plain_layers,
    theory,
)
from derivations.reproductions.model import Cells, Design, Numbers, Reproduction, Setting, Target, levels, pooled
from sim.deep import adam, features_of, flnpf, frnpf, relu

RATE, STAGES, CNTK = 3e-4, 6, 77.43
_NAMES = tuple(f"flnpf-{stage}" for stage in range(1, STAGES + 1))


def cell(setting: Setting, seed: int, device: str = "cpu") -> Numbers:
    """Train a ReLU network and an FRNPF, then an FLNPF with the gates of each stage; return accuracies in percent."""
    layers, image_set = plain_layers("gconv", int(setting["width"])), images("cifar-10", int(setting["size"]))
    widths, epochs = layers.widths, int(setting["epochs"])
    stages = [epochs * stage // STAGES for stage in range(1, STAGES + 1)]
    taught = {"optimiser": adam(), "rate": RATE, "device": device}
    first = convolutional.trained(
        (relu(widths), frnpf(widths, "same")), layers, image_set, epochs, seed=seed, stages=stages, **taught
    )
    learned = tuple(
        replace(flnpf(widths, features_of(first, "relu", image_set.epoch * stage)), name=name)
        for name, stage in zip(_NAMES, stages, strict=True)
    )
    # The values of FLNPF start independently of the network whose features they take.
    second = convolutional.trained(learned, layers, image_set, epochs, seed=seed ^ 1, **taught)
    numbers = {name: accuracy(second, name, image_set.held_out) for name in _NAMES}
    return numbers | {name: accuracy(first, name, image_set.held_out) for name in ("relu", "frnpf-same")}


def theory_cell(setting: Setting, seed: int) -> Numbers:
    """Train a ReLU network and an FRNPF, and their expansions; return their courses."""
    layers, image_set = plain_layers("gconv", int(setting["width"])), images("cifar-10", int(setting["size"]))
    members, steps = (relu(layers.widths), frnpf(layers.widths, "same")), int(setting["steps"])
    return first_courses(members, layers, image_set, steps, optimiser=adam(), rate=RATE, seed=seed)


def measure(cells: Cells) -> dict[str, np.ndarray]:
    """Return the gain from stage to stage, that of the first stage, and the accuracies beside those printed."""
    by_stage = [pooled(cells, name) for name in _NAMES]
    measured = {
        f"gain, stage {stage}": after - before for stage, (before, after) in enumerate(pairwise(by_stage), start=2)
    }
    measured["gain, stage 1"] = by_stage[0] - pooled(cells, "frnpf-same")
    if levels(cells, "width") == [WIDTH]:
        measured |= {f"test, {name}": pooled(cells, name) for name in (_NAMES[0], _NAMES[-1], "relu", "frnpf-same")}
        measured["as well as ReLU, flnpf-6"] = pooled(cells, "relu") - by_stage[-1]
        measured |= {"below CNTK, flnpf-1": CNTK - by_stage[0], "above CNTK, flnpf-6": by_stage[-1] - CNTK}
    return measured


def _number(name: str, printed: str, value: float, half_unit: float = 0.005) -> Target:
    return Target(f"test, {name}", f"{printed}: {value:.4g} %", value, margin=2.0, half_unit=half_unit)


THEORY = theory(
    "npk-fig-3-stages-theory",
    theory_cell,
    {"relu": "ReLU", "frnpf-same": "FRNPF (DI)"},
    (),
    ({"width": 4, "steps": 10, "size": 100},),
    ({"width": WIDTH, "steps": STEPS[-1], "size": 0},),
    86_400,
)

REPRODUCTION = Reproduction(
    name="npk-fig-3-stages",
    title="Path features of successive stages of training",
    source="neural-path-kernel",
    place="Figure 3, left",
    setup="CIFAR-10; GCONV trains for 60 epochs, its weights after 10, 20, ..., 60 epochs give the features of FLNPF-1 "
    "to FLNPF-6, whose values train from new weights; test accuracy.",
    unsaid=(
        ("the window: Appendix B has a stride of (3, 3)", "a window of (3, 3), as in the paper on deep gated networks"),
        *UNSAID,
        ("the optimiser", "Adam at 0.0003, as the printed accuracies are those of Table 2 with Adam"),
        ("which FRNPF: its 67.08 % is that of FRNPF (DI) in Table 2, where FRNPF (II) has 67.09 %", "FRNPF (DI)"),
        ("the epochs of the values", f"{EPOCHS}; the accuracy is that of the last one"),
        ("the number of runs", "10"),
    ),
    rule="Numbers: the mean accuracies, with half widths of at most 2 %. Orders: the mean accuracy rises from FRNPF "
    "to FLNPF-1 and from each stage to the next (0.1 % is the smallest that counts), and passes the 77.43 % of the "
    "convolutional tangent kernel, which is taken from its source (0.5 % is the smallest that counts). Nearness: the "
    "mean accuracies of ReLU and FLNPF-6 differ by at most 1.5 %, twice the printed difference.",
    targets=(
        _number("flnpf-1", "FLNPF-1", 72.0, half_unit=0.5),
        _number("flnpf-6", "FLNPF-6", 79.68),
        _number("relu", "ReLU", 80.43),
        _number("frnpf-same", "FRNPF", 67.08),
        Target("gain, stage 1", "FLNPF-1 is better than FRNPF", None, margin=0.1),
        *(
            Target(f"gain, stage {stage}", f"FLNPF-{stage} is better than FLNPF-{stage - 1}", None, margin=0.1)
            for stage in range(2, STAGES + 1)
        ),
        Target("below CNTK, flnpf-1", "FLNPF starts from below 77.43 %", None, margin=0.5),
        Target("above CNTK, flnpf-6", "FLNPF surpasses 77.43 %", None, margin=0.5),
        Target("as well as ReLU, flnpf-6", "FLNPF-6 performs as well as ReLU", 0.0, margin=0.0, within=1.5),
    ),
    designs={
        "quick": Design(
            "4 channels in place of 64, 6 epochs on 100 images, 100 to test, 2 runs",
            ({"width": 4, "epochs": 6, "size": 100},),
            2,
            30,
        ),
        "full": Design(
            f"the source's network, {EPOCHS} epochs, 10 runs",
            ({"width": WIDTH, "epochs": EPOCHS, "size": 0},),
            10,
            63 * 86_400,
        ),
    },
    numbers=(*_NAMES, "relu", "frnpf-same"),
    cell=cell,
    measure=measure,
    theory=THEORY,
    datasets=("cifar-10",),
)
