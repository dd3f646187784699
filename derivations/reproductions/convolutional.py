"""Networks on CIFAR that several experiments share: their images, their convolutional layers, and their training."""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from derivations.reproductions.expansions import COURSE, beside_courses, courses
from derivations.reproductions.model import Beside, Cells, Design, Numbers, Setting, Theory
from derivations.reproductions.training import train_family
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
    train_linearised,
)
from sim.training.optimisers import Optimiser

SHAPE, WINDOW = (3, 32, 32), (3, 3)
BATCH, EPOCHS = 32, 60
WIDTH = 64  # channels of the first convolution
STEPS = (0, 1, 3, 10, 30, 100, 300)  # of the theory
_EXAMPLES = 10  # images of the kernels, which take a pass back for each image and output
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
    image_set: Images,
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
    family = _family(members, layers, image_set, seed, scales)
    settings = Settings("softmax-cross-entropy", optimiser, rate, batch=BATCH, seed=seed, device=device)
    measured = Validation(image_set.held_out, "error", every=image_set.epoch, patience=epochs + 1) if best else None
    recorded = [image_set.epoch * stage for stage in stages]
    return train_family(
        family, image_set.data, settings, image_set.epoch * epochs, validation=measured, stages=recorded
    )


def first_courses(
    members: tuple[Member, ...],
    layers: Layers,
    image_set: Images,
    steps: int,
    *,
    optimiser: Optimiser,
    rate: float,
    seed: int,
    scales: tuple[float, ...] | None = None,
    names: Iterable[str] = (),
) -> dict[str, np.ndarray]:
    """Train one network of each member as `trained` does, and its expansion, for some steps of `STEPS`.

    Returns the losses of both over that at the start, and the change of the kernel on some of the images, (1, steps),
    under the members' names, or under `names`.
    """
    family = _family(members, layers, image_set, seed, scales)
    settings = Settings("softmax-cross-entropy", optimiser, rate, batch=BATCH, seed=seed)
    stages = [step for step in STEPS if step <= steps]
    runs = [
        train(family, image_set.data, settings, stages[-1], stages=stages) for train in (train_family, train_linearised)
    ]
    part = ExampleSet(image_set.data.x[:_EXAMPLES].double(), image_set.data.y[:_EXAMPLES])
    numbers = {}
    for member, name in zip(members, names or [member.name for member in members], strict=True):
        numbers |= courses(*runs, member.name, stages, part).numbers(name)
    return numbers


def theory(
    name: str,
    cell: Callable[..., Numbers],
    kinds: Mapping[str, str],
    by: tuple[str, ...],
    quick: tuple[Setting, ...],
    full: tuple[Setting, ...],
    seconds: float,
) -> Theory:
    """Return the linearised training beside the networks of an experiment, 5 runs of each setting.

    `cell` returns what `first_courses` returns, for the members `kinds`, which have their words. `by` are the entries
    in which settings differ, and `seconds` is the time of the full profile.
    """

    def comparisons(cells: Cells) -> tuple[Beside, ...]:
        chosen = dict.fromkeys(tuple((entry, one.setting[entry]) for entry in by) for one in cells)
        return tuple(row for setting in chosen for row in beside_courses(cells, kinds, STEPS, **dict(setting)))

    return Theory(
        name=name,
        designs={
            "quick": Design("10 steps of small networks, 2 runs", quick, 2, 30),
            "full": Design(f"{STEPS[-1]} steps, 5 runs", full, 5, seconds),
        },
        numbers=tuple(f"{kind} {key}" for kind in kinds for key in COURSE),
        cell=cell,
        beside=comparisons,
    )


def _family(
    members: tuple[Member, ...], layers: Layers, image_set: Images, seed: int, scales: tuple[float, ...] | None
) -> Family:
    scales = scales or scales_by_fan_in((*layers.fan_ins, image_set.outputs), 2)
    return Family(members, 1, image_set.data.x.shape[1], image_set.outputs, Start("normal", scales, seed), layers)


def accuracy(run: FamilyRun, name: str, data: ExampleSet | None = None) -> Float[np.ndarray, " S"]:
    """Return the accuracy of a member in percent after the last step, by default on the images that it trains on."""
    return 100 * (1 - run.errors(name, run.state.step, data))


def best_accuracy(run: FamilyRun, name: str) -> Float[np.ndarray, " S"]:
    """Return the largest accuracy in percent on the test images after whole epochs, of a run with `best`."""
    return 100 * (1 - run.best(name)[0])
