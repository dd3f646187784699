"""GaLU and ReLU networks on MNIST as it is, with random labels, and with random pixels."""

import numpy as np

from derivations.reproductions.expansions import COURSE, beside_courses, beside_entry, entries, first_courses
from derivations.reproductions.model import (
    REMARK,
    Beside,
    Cells,
    Design,
    Numbers,
    Reproduction,
    Setting,
    Target,
    Theory,
    levels,
    pooled,
)
from derivations.reproductions.networks import connected
from derivations.reproductions.training import train_family
from sim.deep import ExampleSet, LabelledImages, Settings, adam, galu, relu

WIDTHS, BATCH, RATE = (512, 512, 256, 256, 128, 64), 128, 3e-4
_KINDS = (relu(WIDTHS), galu(WIDTHS))
STAGES = (1, 2, 5, 10, 20)  # epochs
STEPS = (0, 1, 3, 10, 30, 100, 300, 469, 938)  # of the theory; the last two: 1 and 2 epochs
_DRAWS = 8
_SETS = {
    "true": {},
    "random labels": {"labels": "random"},
    "random pixels": {"pixels": "random"},
}
_TEST = {"relu": 98.5, "galu": 96.5}
_NAMES = {"relu": "ReLU", "galu": "GaLU"}
_PANELS = "The source says this of MNIST as it is; that the panels of the other two sets show it too is our reading."


def cell(setting: Setting, seed: int, device: str = "cpu") -> Numbers:
    """Train a ReLU and a GaLU network; return accuracies in percent: in training at the stages, and on test images."""
    most, (data, held_out) = int(setting["epochs"]), _images(setting, seed)
    family, settings = connected(_KINDS, 1, data, 10, seed), _settings(seed, device)
    epoch = -(-len(data.x) // BATCH)
    stages = [epoch * stage for stage in STAGES if stage <= most]
    run = train_family(family, data, settings, stages[-1], stages=stages)
    numbers = {}
    for name in _NAMES:
        numbers[f"{name} training"] = 100 * (1 - np.stack([run.errors(name, stage) for stage in stages], axis=1))
        numbers[f"{name} test"] = 100 * (1 - run.errors(name, stages[-1], held_out))
    return numbers


def theory_cell(setting: Setting, seed: int) -> Numbers:
    """Train both networks and their expansions; return their courses, and entries of GaLU's kernel at the start."""
    data, _ = _images(setting, seed)
    family, settings = connected(_KINDS, 1, data, 10, seed), _settings(seed)
    stages = [step for step in STEPS if step <= int(setting["steps"])]
    courses = first_courses(family, data, settings, stages, _NAMES)
    return {"entry": entries(family, "galu", data, settings, _DRAWS), **courses}


def _images(setting: Setting, seed: int) -> tuple[ExampleSet, ExampleSet]:
    """Return the images that train, with the labels or pixels of the setting, and the test images."""
    size, kind = int(setting["size"]) or None, _SETS[str(setting["set"])]
    images = LabelledImages("mnist", "unit", "class", size=size, seed=seed, **kind).load()
    return images.training(), images.held_out()


def _settings(seed: int, device: str = "cpu") -> Settings:
    return Settings("softmax-cross-entropy", adam(), RATE, batch=BATCH, seed=seed, device=device)


def measure(cells: Cells) -> dict[str, np.ndarray]:
    """Return how far GaLU is ahead in training, averaged over the stages, and the accuracies on MNIST as it is."""
    measured = {}
    for variant in levels(cells, "set"):
        ahead = pooled(cells, "galu training", set=variant) - pooled(cells, "relu training", set=variant)
        measured[f"GaLU faster, {variant}"] = ahead.mean(axis=1)
    test = {name: pooled(cells, f"{name} test", set="true") for name in _NAMES}
    measured["ReLU ahead"] = test["relu"] - test["galu"]
    if levels(cells, "epochs") == [STAGES[-1]]:
        measured |= {f"trained, {name}": pooled(cells, f"{name} training", set="true")[:, -1] for name in _NAMES}
        measured |= {f"test, {name}": values for name, values in test.items()}
    return measured


def comparisons(cells: Cells) -> tuple[Beside, ...]:
    """Return the exact law of an entry of the kernel of GaLU at the start, and the linearised training of each set."""
    # The sets share the weights of a seed, so that the entries of one of them are all there are.
    rows = [beside_entry(pooled(cells, "entry", set="true").ravel(), "entry, galu")]
    for variant in levels(cells, "set"):
        rows += beside_courses(cells, _NAMES, STEPS, set=variant)
    return tuple(rows)


THEORY = Theory(
    name="dgn-fig-5-theory",
    designs={
        "quick": Design(
            "10 steps on 2,000 images, 3 runs",
            tuple({"set": variant, "steps": 10, "size": 2000} for variant in _SETS),
            3,
            20,
        ),
        "full": Design(
            "2 epochs on all images, 5 runs",
            tuple({"set": variant, "steps": STEPS[-1], "size": 0} for variant in _SETS),
            5,
            3000,
        ),
    },
    numbers=("entry", *(f"{name} {key}" for name in _NAMES for key in COURSE)),
    cell=theory_cell,
    beside=comparisons,
)

REPRODUCTION = Reproduction(
    name="dgn-fig-5",
    title="GaLU and ReLU networks on MNIST, random labels and random pixels",
    source="deep-gated-networks",
    place="Figure 5",
    setup="MNIST as it is, with random labels, and with random pixels; ReLU and GaLU networks with $d = 7$ and the "
    "widths 512, 512, 256, 256, 128, 64 and 10 outputs, softmax.",
    unsaid=(
        ("optimiser, rate and the size of a batch", f"Adam at 0.0003, {BATCH}"),
        ("the number of epochs", f"{STAGES[-1]}"),
        ("the normalisation of the images", "levels from 0 to 1"),
        ("the initial weights, and whether there are biases", "normal of variance 2/fan-in, no biases"),
        ("what a random pixel is", "each image has its own random order of pixels, as in Zhang et al. (2016)"),
        (
            "how much faster is a bit faster, and whether it is said of all three sets",
            f"the accuracy in training, averaged after {', '.join(map(str, STAGES))} epochs; a statement for each set",
        ),
        (
            "how near “around” and “close to” are",
            "half a percent for test accuracies after the last epoch, 1 % for training",
        ),
        ("the number of runs", "5"),
    ),
    rule="Orders: the accuracy of GaLU in training, averaged over the stages, is above that of ReLU (0.1 % is the "
    "smallest that counts). On MNIST as it is the test accuracy of GaLU is below that of ReLU (0.1 % again). "
    "Numbers: the whole intervals of the mean accuracies on MNIST as it is are within 0.5 % of the printed ones in "
    "test and 1 % in training. Differences are between networks of one seed, which share images and batches.",
    targets=(
        *(
            Target(
                f"GaLU faster, {variant}",
                f"the GaLU network trains a bit faster{'' if variant == 'true' else f', on {variant}'}",
                None,
                margin=0.1,
                explains="" if variant == "true" else _PANELS,
                instead="" if variant == "true" else REMARK,
            )
            for variant in _SETS
        ),
        Target("ReLU ahead", "ReLU networks generalise better than GaLU", None, margin=0.1),
        *(
            Target(f"trained, {name}", f"{printed}: trained to close to 100 %", 100.0, margin=0.0, within=1.0)
            for name, printed in _NAMES.items()
        ),
        *(
            Target(
                f"test, {name}",
                f"{_NAMES[name]}: accuracy of around {value} % in test data",
                value,
                margin=0.0,
                within=0.5,
            )
            for name, value in _TEST.items()
        ),
    ),
    designs={
        "quick": Design(
            "2 epochs on 2,000 images, 3 runs; the accuracies are not compared with the printed ones",
            tuple({"set": variant, "epochs": 2, "size": 2000} for variant in _SETS),
            3,
            30,
        ),
        "full": Design(
            f"{STAGES[-1]} epochs on all images, 5 runs",
            tuple({"set": variant, "epochs": STAGES[-1], "size": 0} for variant in _SETS),
            5,
            2 * 3600,
        ),
    },
    numbers=tuple(f"{name} {part}" for name in _NAMES for part in ("training", "test")),
    cell=cell,
    measure=measure,
    theory=THEORY,
    datasets=("mnist",),
    shows="The labels decide how long the linearised training is accurate: with random labels no GaLU network "
    "leaves its expansion in two epochs, and the ReLU networks leave theirs at the last step; on MNIST as it is all "
    "networks leave within 30 steps.",
)
