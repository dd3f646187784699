"""Residual networks with ReLU and with linear gates on CIFAR-10 and CIFAR-100."""

from dataclasses import dataclass
from itertools import product

import numpy as np

from derivations.reproductions import convolutional
from derivations.reproductions.convolutional import (
    EPOCHS,
    SHAPE,
    STEPS,
    WINDOW,
    accuracy,
    first_courses,
    images,
    theory,
)
from derivations.reproductions.model import (
    Cells,
    Design,
    Numbers,
    Reproduction,
    Setting,
    Target,
    half_unit_of,
    levels,
    pooled,
)
from sim.deep import Convolution, GlobalAveragePooling, Layers, Residual, adam, dlgn, relu, scales_by_fan_in

BETA, RATE = 4, 2e-4
_SETS = {"cifar-10": "CIFAR-10", "cifar-100": "CIFAR-100"}
_KINDS = {"relu": "ReLU", "dlgn": "DLGN"}
_DEPTHS = ("resnet-34", "resnet-110")
# Accuracies in percent as they are printed: in training, the same for all networks, and on the test images.
_TRAINING = {"cifar-10": "100.0", "cifar-100": "100"}
_PRINTED = {
    ("resnet-34", "cifar-10"): {"relu": "91", "dlgn": "86"},
    ("resnet-34", "cifar-100"): {"relu": "56.68", "dlgn": "51.6"},
    ("resnet-110", "cifar-10"): {"relu": "94", "dlgn": "89"},
    ("resnet-110", "cifar-100"): {"relu": "73", "dlgn": "67"},
}
SLIGHTLY = 10.0  # percent by which an accuracy is at most smaller where it is slightly worse


@dataclass(frozen=True)
class Plan:
    """The residual blocks of a network, each of two convolutions: how many in each group, with how many channels."""

    blocks: tuple[int, ...]
    channels: tuple[int, ...]

    def layers(self) -> Layers:
        """Return a convolution, the groups of blocks, of which each but the first halves the grid, and the mean."""
        levels_ = [Convolution(self.channels[0], WINDOW)]
        for group, (blocks, channels) in enumerate(zip(self.blocks, self.channels, strict=True)):
            for block in range(blocks):
                smaller = group > 0 and block == 0
                inner = (Convolution(channels, WINDOW, stride=2 if smaller else 1), Convolution(channels, WINDOW))
                levels_.append(Residual(inner, "padded" if smaller else "identity"))
        return Layers(SHAPE, (*levels_, GlobalAveragePooling()))

    def scales(self, layers: Layers, outputs: int) -> tuple[float, ...]:
        """Return the standard deviations of the weights: variance 2/fan-in, over the number of blocks where one ends.

        So the variance of the levels stays bounded at every depth without normalisation.
        """
        scales = scales_by_fan_in((*layers.fan_ins, outputs), 2)
        ends = sum(self.blocks) ** -0.5
        return tuple(
            scale * ends if layer.skip else scale for scale, layer in zip(scales, layers.plan(outputs), strict=True)
        )


PLANS = {
    "resnet-34": Plan((3, 4, 6, 3), (64, 128, 256, 512)),
    "resnet-110": Plan((18, 18, 18), (16, 32, 64)),
    "resnet-8": Plan((1, 1, 1), (4, 8, 16)),  # of the quick profile
}


def cell(setting: Setting, seed: int, device: str = "cpu") -> Numbers:
    """Train a ReLU network and a DLGN; return accuracies in percent after the last epoch."""
    plan, image_set = PLANS[str(setting["network"])], images(str(setting["dataset"]), int(setting["size"]))
    layers = plan.layers()
    run = convolutional.trained(
        (relu(layers.widths), dlgn(layers.widths, BETA)),
        layers,
        image_set,
        int(setting["epochs"]),
        optimiser=adam(),
        rate=RATE,
        seed=seed,
        device=device,
        scales=plan.scales(layers, image_set.outputs),
    )
    parts = {"training": image_set.data, "test": image_set.held_out}
    return {f"{name} {part}": accuracy(run, name, data) for name in _KINDS for part, data in parts.items()}


def theory_cell(setting: Setting, seed: int) -> Numbers:
    """Train a ReLU network and a DLGN, and their expansions; return their courses."""
    plan, image_set = PLANS[str(setting["network"])], images(str(setting["dataset"]), int(setting["size"]))
    layers = plan.layers()
    return first_courses(
        (relu(layers.widths), dlgn(layers.widths, BETA)),
        layers,
        image_set,
        int(setting["steps"]),
        optimiser=adam(),
        rate=RATE,
        seed=seed,
        scales=plan.scales(layers, image_set.outputs),
    )


def measure(cells: Cells) -> dict[str, np.ndarray]:
    """Return how far ReLU is ahead on the test images, averaged over networks and sets, and all accuracies."""
    measured, ahead = {}, []
    for network, dataset in product(levels(cells, "network"), levels(cells, "dataset")):
        setting = {"network": network, "dataset": dataset}
        ahead.append(pooled(cells, "relu test", **setting) - pooled(cells, "dlgn test", **setting))
        if network in _DEPTHS:
            for part, name in product(("training", "test"), _KINDS):
                measured[f"{part}, {name}, {network}, {dataset}"] = pooled(cells, f"{name} {part}", **setting)
    mean = np.mean(ahead, axis=0)
    return measured | {"ReLU ahead": mean, "ReLU slightly ahead": SLIGHTLY - mean}


def _target(part: str, name: str, network: str, dataset: str, number: str) -> Target:
    printed = f"{network.replace('resnet', 'ResNet')}, {_KINDS[name]}, {_SETS[dataset]}: {part} accuracy {number} %"
    key, half_unit = f"{part}, {name}, {network}, {dataset}", half_unit_of(number)
    return Target(key, printed, float(number), margin=2.0, half_unit=half_unit)


THEORY = theory(
    "dlgn-table-2-theory",
    theory_cell,
    _KINDS,
    ("network", "dataset"),
    ({"network": "resnet-8", "dataset": "cifar-10", "steps": 10, "size": 500},),
    tuple(
        {"network": network, "dataset": dataset, "steps": STEPS[-1], "size": 0}
        for network, dataset in product(_DEPTHS, _SETS)
    ),
    11 * 86_400,
)

REPRODUCTION = Reproduction(
    name="dlgn-table-2",
    title="Residual networks with linear gates",
    source="half-space-feature-learning",
    place="Table 2",
    setup="ResNet-34 and ResNet-110 with ReLU and as DLGN, on CIFAR-10 and CIFAR-100; accuracy in training and on test "
    "images.",
    unsaid=(
        (
            "how the residual networks are adapted to images of 32 x 32 pixels",
            "ResNet-34 has a first convolution (3, 3) of stride 1 and no pooling after it; ResNet-110 is that of He et "
            "al. for CIFAR-10; shortcuts pad channels",
        ),
        (
            "batch normalisation, and what it would be in a network with linear gates",
            "none; weights have the variance 2/fan-in, in the last convolution of each block over the number of blocks",
        ),
        ("the normalisation of the images, and whether they are augmented", "levels from 0 to 1, not augmented"),
        ("the slope of the gates", rf"$\beta = {BETA}$, as for Fashion-MNIST here"),
        (
            "optimiser, loss, the size of a batch and the number of epochs",
            f"Adam at 0.0002 as in Table 1, cross-entropy, 32, {EPOCHS}; the accuracies are those of the last epoch",
        ),
        ("the number of runs", "10"),
    ),
    rule="Numbers: the mean accuracies, with half widths of at most 2 %. Orders: the test accuracy of ReLU is above "
    "that of DLGN, averaged over both networks and both sets, and by less than 10 %, about twice the printed mean of "
    "5.3 % (1 % is the smallest that counts).",
    targets=(
        *(
            _target("training", name, network, dataset, _TRAINING[dataset])
            for network, dataset, name in product(_DEPTHS, _SETS, _KINDS)
        ),
        *(
            _target("test", name, network, dataset, number)
            for (network, dataset), row in _PRINTED.items()
            for name, number in row.items()
        ),
        Target("ReLU ahead", "DLGNs are slightly worse than ReLU networks", None, margin=1.0),
        Target("ReLU slightly ahead", "DLGNs are no more than slightly worse than ReLU networks", None, margin=1.0),
    ),
    designs={
        "quick": Design(
            "ResNet-8 with 4, 8 and 16 channels, CIFAR-10, 1 epoch on 500 images, 500 to test, 2 runs",
            ({"network": "resnet-8", "dataset": "cifar-10", "epochs": 1, "size": 500},),
            2,
            30,
        ),
        "full": Design(
            f"the source's networks, {EPOCHS} epochs, 10 runs",
            tuple(
                {"network": network, "dataset": dataset, "epochs": EPOCHS, "size": 0}
                for network, dataset in product(_DEPTHS, _SETS)
            ),
            10,
            220 * 86_400,
        ),
    },
    numbers=tuple(f"{name} {part}" for name in _KINDS for part in ("training", "test")),
    cell=cell,
    measure=measure,
    theory=THEORY,
    datasets=tuple(_SETS),
)
