"""ReLU networks, DLGNs and deep linear networks with five convolutions on CIFAR-10."""

import numpy as np

from derivations.reproductions import convolutional
from derivations.reproductions.convolutional import (
    EPOCHS,
    SHAPE,
    STEPS,
    UNSAID,
    WINDOW,
    accuracy,
    first_courses,
    images,
    theory,
)
from derivations.reproductions.model import Cells, Design, Numbers, Reproduction, Setting, Target, levels, pooled
from sim.deep import Convolution, GlobalAveragePooling, Layers, Member, adam, dlgn, dlgn_pwc, dln, relu

CONVOLUTIONS, FILTERS, NODES, BETA, RATE = 5, 26, 64, 4, 2e-4
_NAMES = {"relu": "ReLU", "dlgn": "DLGN", "dlgn-pwc": "DLGN-PWC", "dln": "deep linear"}
_GATED = ("relu", "dlgn", "dlgn-pwc")
WIDE = 5.0  # percent by which an accuracy is larger by a wide margin
# Accuracies in percent, in training and on test images, and half a unit of their last digits.
_PRINTED = {
    "relu": ((96.3, 0.05), (72.17, 0.005)),
    "dlgn": ((85.3, 0.05), (73.2, 0.05)),
    "dlgn-pwc": ((84.9, 0.05), (72.2, 0.05)),
    "dln": ((42.3, 0.05), (40.79, 0.005)),
}


def cell(setting: Setting, seed: int, device: str = "cpu") -> Numbers:
    """Train one network of each kind; return accuracies in percent after the last epoch."""
    layers, image_set = _layers(setting), images("cifar-10", int(setting["size"]))
    run = convolutional.trained(
        _members(layers.widths),
        layers,
        image_set,
        int(setting["epochs"]),
        optimiser=adam(),
        rate=RATE,
        seed=seed,
        device=device,
    )
    parts = {"training": image_set.data, "test": image_set.held_out}
    return {f"{name} {part}": accuracy(run, name, data) for name in _NAMES for part, data in parts.items()}


def theory_cell(setting: Setting, seed: int) -> Numbers:
    """Train one network of each kind and its expansion; return their courses."""
    layers, image_set = _layers(setting), images("cifar-10", int(setting["size"]))
    steps = int(setting["steps"])
    return first_courses(_members(layers.widths), layers, image_set, steps, optimiser=adam(), rate=RATE, seed=seed)


def _layers(setting: Setting) -> Layers:
    convolutions = [Convolution(int(setting["filters"]), WINDOW)] * CONVOLUTIONS
    return Layers(SHAPE, (*convolutions, GlobalAveragePooling(), int(setting["nodes"])))


def _members(widths: tuple[int, ...]) -> tuple[Member, ...]:
    return relu(widths), dlgn(widths, BETA), dlgn_pwc(widths, BETA), dln(widths)


def measure(cells: Cells) -> dict[str, np.ndarray]:
    """Return both accuracies of each kind, how far the gated ones are ahead of the deep linear network, and how far
    apart they are among themselves.
    """
    test = {name: pooled(cells, f"{name} test") for name in _NAMES}
    measured = {f"ahead of dln, {name}": test[name] - test["dln"] for name in _GATED}
    measured |= {f"wide margin, {name}": test[name] - test["dln"] - WIDE for name in _GATED}
    if levels(cells, "filters") == [FILTERS]:
        measured |= {
            f"{part}, {name}": pooled(cells, f"{name} {part}") for name in _NAMES for part in ("training", "test")
        }
        measured |= {f"similar, {name}": test["relu"] - test[name] for name in _GATED[1:]}
        measured["indistinguishable"] = test["dlgn"] - test["dlgn-pwc"]
    return measured


THEORY = theory(
    "dlgn-table-1-theory",
    theory_cell,
    _NAMES,
    (),
    ({"filters": 4, "nodes": 8, "steps": 10, "size": 500},),
    ({"filters": FILTERS, "nodes": NODES, "steps": STEPS[-1], "size": 0},),
    14 * 3600,
)

REPRODUCTION = Reproduction(
    name="dlgn-table-1",
    title="ReLU networks, DLGNs and deep linear networks",
    source="half-space-feature-learning",
    place="Table 1",
    setup="CIFAR-10; five convolutions with 26 filters each, global average pooling, a fully connected level of 64 "
    "nodes and 10 outputs; Adam at 0.0002.",
    unsaid=(
        ("the window of the convolutions", "(3, 3)"),
        *UNSAID,
        ("whether the fully connected level has gates", "it has, as the other levels"),
        ("the slope of the gates", rf"$\beta = {BETA}$, as for Fashion-MNIST here"),
        (
            "the loss, the size of a batch and the number of epochs",
            f"cross-entropy, 32, {EPOCHS}; the accuracies are those of the last epoch",
        ),
        ("the number of runs", "10"),
    ),
    rule="Numbers: the mean accuracies, with half widths of at most 2 %. Orders: ReLU, DLGN and DLGN-PWC have a larger "
    "test accuracy than the deep linear network (5 % would be a wide margin); with a wide margin "
    "it is larger by more than 5 % (1 % more is the smallest that counts). Nearness: the mean test accuracies of ReLU, "
    "DLGN and DLGN-PWC differ by at most 2 %, about twice the largest printed difference of 1.03 %.",
    targets=(
        *(
            Target(
                f"{part}, {name}",
                f"{_NAMES[name]}: {part} accuracy {value:.4g} %",
                value,
                margin=2.0,
                half_unit=half_unit,
            )
            for name, values in _PRINTED.items()
            for part, (value, half_unit) in zip(("training", "test"), values, strict=True)
        ),
        *(
            Target(f"ahead of dln, {name}", f"{printed} outperforms the deep linear network", None, margin=5.0)
            for name, printed in _NAMES.items()
            if name != "dln"
        ),
        *(
            Target(
                f"wide margin, {name}",
                f"{_NAMES[name]} outperforms the deep linear network by a wide margin",
                None,
                margin=1.0,
            )
            for name in _GATED
        ),
        *(
            Target(f"similar, {name}", f"ReLU and {_NAMES[name]} perform similarly", 0.0, margin=0.0, within=2.0)
            for name in _GATED[1:]
        ),
        Target(
            "indistinguishable",
            "in test accuracy DLGN-PWC is indistinguishable from DLGN, on most datasets",
            0.0,
            margin=0.0,
            within=2.0,
        ),
    ),
    designs={
        "quick": Design(
            "4 filters and 8 nodes, 1 epoch on 500 images, 500 to test, 2 runs",
            ({"filters": 4, "nodes": 8, "epochs": 1, "size": 500},),
            2,
            30,
        ),
        "full": Design(
            f"the source's networks, {EPOCHS} epochs, 10 runs",
            ({"filters": FILTERS, "nodes": NODES, "epochs": EPOCHS, "size": 0},),
            10,
            10 * 86_400,
        ),
    },
    numbers=tuple(f"{name} {part}" for name in _NAMES for part in ("training", "test")),
    cell=cell,
    measure=measure,
    theory=THEORY,
    datasets=("cifar-10",),
)
