"""Networks on CIFAR that several experiments share: their images, their convolutional layers, and their training."""

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from sim.deep import (
    Convolution,
    ExampleSet,
    Family,
    FamilyRun,
    Flatten,
    GlobalAveragePooling,
    LabelledImages,
    Layers,
    Member,
    Settings,
    Start,
    Validation,
    scales_by_fan_in,
    train_family,
)
from sim.training.optimisers import Optimiser

SHAPE, WINDOW = (3, 32, 32), (3, 3)
BATCH, EPOCHS = 32, 60
WIDTH = 64  # channels of the first convolution
REDUCTIONS = {"vconv": Flatten(), "gconv": GlobalAveragePooling()}
# What the papers leave unsaid of these networks, and what is assumed.
UNSAID = (
    ("the padding of the convolutions", "zeros, so that the grid keeps its size; the stride is 1"),
    ("the initial weights, and whether there are biases", "normal of variance 2/fan-in, no biases"),
    ("the normalisation of the images", "levels from 0 to 1"),
)


@dataclass(frozen=True, eq=False)
class Images:
    """Images to train and to test on, as vectors, with the numbers of their classes; `outputs` counts the classes."""

    data: ExampleSet
    held_out: ExampleSet
    outputs: int

    @property
    def epoch(self) -> int:
        """The number of steps that take every image to train once."""
        return -(-len(self.data.x) // BATCH)


def images(dataset: str, size: int) -> Images:
    """Return the images of a set, or `size` of those to train and `size` of those to test; 0 stands for all."""
    declared = LabelledImages(dataset, "unit", "class", size=size or None, test_size=size or None)
    split = declared.load()
    return Images(split.training(), split.held_out(), declared.outputs)


def plain_layers(kind: str, width: int) -> Layers:
    """Return four convolutions, a reduction to a vector, and two fully connected levels.

    "vconv" flattens, "gconv" averages over the positions; with the width 64 they have the sizes of the papers.

    >>> plain_layers("gconv", 64).widths
    (64, 64, 128, 128, 256, 256)
    """
    convolutions = [Convolution(channels, WINDOW) for channels in (width, width, 2 * width, 2 * width)]
    return Layers(SHAPE, (*convolutions, REDUCTIONS[kind], 4 * width, 4 * width))


def trained(
    members: tuple[Member, ...],
    layers: Layers,
    own: Images,
    epochs: int,
    *,
    optimiser: Optimiser,
    rate: float,
    seed: int,
    scales: tuple[float, ...] | None = None,
    stages: Collection[int] = (),
    best: bool = False,
    device: str = "cpu",
) -> FamilyRun:
    """Train one network of each member with cross-entropy, and record the epochs in `stages`.

    `scales` are the standard deviations of the initial weights, by default those of variance 2/fan-in. With `best` the
    networks are measured on the test images after each epoch; none of them stops. `device` is "cpu" or "cuda".
    """
    scales = scales or scales_by_fan_in((*layers.fan_ins, own.outputs), 2)
    family = Family(members, 1, own.data.x.shape[1], own.outputs, Start("normal", scales, seed), layers)
    settings = Settings("softmax-cross-entropy", optimiser, rate, batch=BATCH, seed=seed, device=device)
    measured = Validation(own.held_out, "error", every=own.epoch, patience=epochs + 1) if best else None
    recorded = [own.epoch * stage for stage in stages]
    return train_family(family, own.data, settings, own.epoch * epochs, validation=measured, stages=recorded)


def accuracy(run: FamilyRun, name: str, data: ExampleSet | None = None) -> Float[np.ndarray, " S"]:
    """Return the accuracy of a member in percent after the last step, by default on the images that it trains on."""
    return 100 * (1 - run.errors(name, run.state.step, data))


def best_accuracy(run: FamilyRun, name: str) -> Float[np.ndarray, " S"]:
    """Return the largest accuracy in percent on the test images after whole epochs, of a run with `best`."""
    return 100 * (1 - run.best(name)[0])
