"""Convolutional networks on CIFAR-10 that train their gates alone."""

import numpy as np

from derivations.reproductions import convolutional
from derivations.reproductions.convolutional import (
    EPOCHS,
    STEPS,
    UNSAID,
    WIDTH,
    best_accuracy,
    first_courses,
    images,
    plain_layers,
    theory,
)
from derivations.reproductions.model import Cells, Design, Numbers, Reproduction, Setting, Target, levels, pooled
from sim.deep import adam, gates_only

BETA, RATE, CHANCE = 4, 3e-4, 10.0


def cell(setting: Setting, seed: int, device: str = "cpu") -> Numbers:
    """Train the gates of one network; return its best test accuracy in percent."""
    layers = plain_layers("vconv", int(setting["width"]))
    run = convolutional.trained(
        (gates_only(layers.widths, BETA, 0),),
        layers,
        images("cifar-10", int(setting["size"])),
        int(setting["epochs"]),
        optimiser=adam(),
        rate=RATE,
        seed=seed,
        best=True,
        device=device,
    )
    return {"accuracy": best_accuracy(run, "gates-only")}


def theory_cell(setting: Setting, seed: int) -> Numbers:
    """Train one network and its expansion in the weights of its gates; return their courses."""
    layers, image_set = plain_layers("vconv", int(setting["width"])), images("cifar-10", int(setting["size"]))
    members = (gates_only(layers.widths, BETA, 0),)
    return first_courses(members, layers, image_set, int(setting["steps"]), optimiser=adam(), rate=RATE, seed=seed)


def measure(cells: Cells) -> dict[str, np.ndarray]:
    """Return the accuracies, and how far they are above chance."""
    accuracy = pooled(cells, "accuracy")
    measured = {"above chance": accuracy - CHANCE}
    return measured | ({"test": accuracy} if levels(cells, "width") == [WIDTH] else {})


THEORY = theory(
    "dgn-experiment-6-theory",
    theory_cell,
    {"gates-only": "gates alone, of whose weights the expansion is"},
    (),
    ({"width": 4, "steps": 10, "size": 500},),
    ({"width": WIDTH, "steps": STEPS[-1], "size": 0},),
    12 * 3600,
)

REPRODUCTION = Reproduction(
    name="dgn-experiment-6",
    title="Training of the gates alone",
    source="deep-gated-networks",
    place="Experiment 6",
    setup="CIFAR-10; convolutions (3, 3) with 64, 64, 128 and 128 channels, flattened, 256, 256 and 10; the weights of "
    "the strengths keep their initial values, those of the gates train.",
    unsaid=(
        (
            r"the slope of the gates: the text has $\beta = \infty$, hard gates, whose derivative is 0",
            rf"soft gates with $\beta = {BETA}$ and $\varepsilon = 0$, as in Experiment 3",
        ),
        *UNSAID,
        ("optimiser and rate", "Adam at 0.0003, as in Table 4"),
        ("the loss, the size of a batch and the number of epochs", f"cross-entropy, 32, {EPOCHS}"),
        ("the time at which the accuracy is taken", "the best after an epoch, as in Table 4"),
        ("the number of runs", "10"),
    ),
    rule="Number: the mean of the best test accuracies, with a half width of at most 2 %. Order: it is above the 10 % "
    "of chance (1 % is the smallest that counts).",
    targets=(
        Target("test", "56 % test performance by tuning the gates alone", 56.0, margin=2.0, half_unit=0.5),
        Target("above chance", "the gates alone learn", None, margin=1.0),
    ),
    designs={
        "quick": Design(
            "4 channels in place of 64, 1 epoch on 500 images, 500 to test, 3 runs",
            ({"width": 4, "epochs": 1, "size": 500},),
            3,
            20,
        ),
        "full": Design(
            f"the source's network, {EPOCHS} epochs, 10 runs",
            ({"width": WIDTH, "epochs": EPOCHS, "size": 0},),
            10,
            20 * 86_400,
        ),
    },
    numbers=("accuracy",),
    cell=cell,
    measure=measure,
    theory=THEORY,
    datasets=("cifar-10",),
)
