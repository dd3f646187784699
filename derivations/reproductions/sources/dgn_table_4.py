"""Convolutional networks on CIFAR-10: deep linear, ReLU, and soft-ReLU from smooth to steep gates."""

import numpy as np

from derivations.reproductions import convolutional
from derivations.reproductions.convolutional import (
    EPOCHS,
    STEPS,
    UNSAID,
    WIDTH,
    accuracy,
    best_accuracy,
    first_courses,
    images,
    plain_layers,
    theory,
)
from derivations.reproductions.model import Cells, Design, Numbers, Reproduction, Setting, Target, levels, pooled
from sim.deep import Member, adam, dln, relu, soft_relu

RATE = 3e-4
_BETAS = (1, 2, 4, 8, 12, 16, 20, 24)
# Test accuracies of soft-ReLU in percent, by epsilon, in the order of the betas.
_SOFT = {"0.1": (59, 64, 68, 71, 71, 72, 72, 72), "0.4": (56, 63, 68, 71, 71, 71, 71, 71)}
_MODERATE = (16, 20, 24)  # the betas for which, with epsilon = 0.1, the 72 % of the text are printed
# Accuracies in percent, in training and on test images.
_PRINTED = {
    ("dln", 0, "0"): (50.42, 39.39),
    ("relu", 0, "0"): (99, 71),
    **{
        ("soft-relu", beta, epsilon): (99, test)
        for epsilon, row in _SOFT.items()
        for beta, test in zip(_BETAS, row, strict=True)
    },
}


def cell(setting: Setting, seed: int, device: str = "cpu") -> Numbers:
    """Train one network; return its accuracy in training after the last epoch and its best one on test images."""
    layers, image_set = plain_layers("vconv", int(setting["width"])), images("cifar-10", int(setting["size"]))
    member = _member(setting, layers.widths)
    run = convolutional.trained(
        (member,),
        layers,
        image_set,
        int(setting["epochs"]),
        optimiser=adam(),
        rate=RATE,
        seed=seed,
        best=True,
        device=device,
    )
    return {"training accuracy": accuracy(run, member.name), "test accuracy": best_accuracy(run, member.name)}


def theory_cell(setting: Setting, seed: int) -> Numbers:
    """Train one network and its expansion; return their courses."""
    layers, image_set = plain_layers("vconv", int(setting["width"])), images("cifar-10", int(setting["size"]))
    members, steps = (_member(setting, layers.widths),), int(setting["steps"])
    return first_courses(members, layers, image_set, steps, optimiser=adam(), rate=RATE, seed=seed, names=["network"])


def measure(cells: Cells) -> dict[str, np.ndarray]:
    """Return both accuracies of each network, and how far the ReLU network is ahead of the deep linear one and of
    soft-ReLU with moderately steep gates.
    """
    ahead = pooled(cells, "test accuracy", kind="relu") - pooled(cells, "test accuracy", kind="dln")
    measured = {"relu ahead of dln": ahead}
    if levels(cells, "width") == [WIDTH]:
        for kind, beta, epsilon in _PRINTED:
            entries = {"kind": kind, "beta": beta, "epsilon": epsilon}
            for part in ("training", "test"):
                measured[_key(part, kind, beta, epsilon)] = pooled(cells, f"{part} accuracy", **entries)
        for beta in _MODERATE:
            measured[_comparable(beta)] = measured["test, relu"] - measured[_key("test", "soft-relu", beta, "0.1")]
    return measured


def _member(setting: Setting, widths: tuple[int, ...]) -> Member:
    match setting["kind"]:
        case "dln":
            return dln(widths)
        case "relu":
            return relu(widths)
        case _:
            return soft_relu(widths, setting["beta"], setting["epsilon"])


def _key(part: str, kind: str, beta: int, epsilon: str) -> str:
    return f"{part}, {kind}" if not beta else f"{part}, beta = {beta}, epsilon = {epsilon}"


def _comparable(beta: int) -> str:
    return f"comparable to relu, beta = {beta}, epsilon = 0.1"


def _target(part: str, kind: str, beta: int, epsilon: str, value: float) -> Target:
    names = {
        "dln": "deep linear",
        "relu": "ReLU",
        "soft-relu": rf"soft-ReLU, $\beta = {beta}$, $\varepsilon = {epsilon}$",
    }
    shown = f"{value / 100:.4g}"
    half_unit = 0.005 if kind == "dln" else 0.5
    key = _key(part, kind, beta, epsilon)
    return Target(key, f"{names[kind]}: {part} accuracy {shown}", float(value), margin=2.0, half_unit=half_unit)


def _settings(width: int, size: int, networks: list[tuple[str, int, str]], **length: int) -> tuple[Setting, ...]:
    return tuple(
        {"kind": kind, "beta": beta, "epsilon": epsilon, "width": width, "size": size, **length}
        for kind, beta, epsilon in networks
    )


_FEW = [("dln", 0, "0"), ("relu", 0, "0"), ("soft-relu", 4, "0.1")]

THEORY = theory(
    "dgn-table-4-theory",
    theory_cell,
    {"network": "this network"},
    ("kind", "beta", "epsilon"),
    _settings(4, 500, _FEW, steps=10),
    _settings(WIDTH, 0, list(_PRINTED), steps=STEPS[-1]),
    9 * 86_400,
)

REPRODUCTION = Reproduction(
    name="dgn-table-4",
    title="Soft-ReLU networks from smooth to steep gates",
    source="deep-gated-networks",
    place="Table 4 (Experiment 7)",
    setup="CIFAR-10; convolutions (3, 3) with 64, 64, 128 and 128 channels, flattened, 256, 256 and 10; Adam at "
    r"0.0003; deep linear, ReLU, and soft-ReLU with $\beta = 1, \ldots, 24$ and $\varepsilon = 0.1$ and $0.4$; mean of "
    "the best performance in each of 5 runs.",
    unsaid=(
        *UNSAID,
        ("the loss, the size of a batch and the number of epochs", f"cross-entropy, 32, {EPOCHS}"),
        (
            "the time of the best performance",
            "the epoch with the largest test accuracy; the accuracy in training is that of the last epoch",
        ),
        ("the average over 5 runs", "10 runs, so that intervals of 40 statements together decide"),
    ),
    rule="Numbers: the mean accuracies in percent, with half widths of at most 2 %. Order: the test accuracy of ReLU "
    "is above that of deep linear networks (2 % is the smallest that counts). Nearness: those of ReLU and of soft-ReLU "
    r"with $\beta = 16$, 20 and 24 and $\varepsilon = 0.1$ differ by at most 2 %, twice the printed difference.",
    targets=(
        *(
            _target(part, *network, value)
            for network, values in _PRINTED.items()
            for part, value in zip(("training", "test"), values, strict=True)
        ),
        Target("relu ahead of dln", "the test accuracy 0.71 of ReLU is above 0.3939", None, margin=2.0),
        *(
            Target(
                _comparable(beta),
                rf"for moderately high $\beta$, here {beta}, the 72 % are comparable to ReLU",
                0.0,
                margin=0.0,
                within=2.0,
            )
            for beta in _MODERATE
        ),
    ),
    designs={
        "quick": Design(
            "three networks with 4 channels in place of 64, 1 epoch on 500 images, 500 to test, 3 runs",
            _settings(4, 500, _FEW, epochs=1),
            3,
            30,
        ),
        "full": Design(
            f"the source's networks, {EPOCHS} epochs, 10 runs",
            _settings(WIDTH, 0, list(_PRINTED), epochs=EPOCHS),
            10,
            160 * 86_400,
        ),
    },
    numbers=("training accuracy", "test accuracy"),
    cell=cell,
    measure=measure,
    theory=THEORY,
    datasets=("cifar-10",),
)
