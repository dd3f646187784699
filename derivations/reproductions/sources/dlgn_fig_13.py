"""Overlap and tangent kernels of simple and complex classes of Fashion-MNIST, at the start, midway and at the end."""

import numpy as np
import torch

from derivations.reproductions.expansions import COURSE, beside_courses, courses, in_float64
from derivations.reproductions.model import (
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
from derivations.reproductions.sources.dlgn_fig_7 import BATCH, BETA, CLASSES, NAMES, RATE, WIDTHS
from derivations.reproductions.training import train_family
from sim.deep import ExampleSet, FamilyRun, LabelledImages, Settings, adam, dlgn_pwc, kernels_of, relu, train_linearised
from sim.kernels import class_averages, trace_normalised

EACH = 50  # examples of a class
STEPS = (0, 10, 30, 100, 200, 400, 700, 1000, 1875, 3750, 9375, 18_750)  # the last four: 1, 2, 5 and 10 epochs
MIDDLE = 0.72  # accuracy on the simple half at which the source looks for the second time
_HALF = CLASSES // 2
_COURSE_CLASS = 5  # examples of a class on which the kernels of a course are computed


def cell(setting: Setting, seed: int) -> Numbers:
    """Train a ReLU network and a DLGN-PWC; return ratios of simple over complex classes at the three times."""
    most = int(setting["steps"])
    images = LabelledImages(
        "fashion-mnist", "unit", "class", size=int(setting["size"]) or None, labels="clusters", seed=seed
    )
    data = images.load().training()
    family = connected((relu(WIDTHS), dlgn_pwc(WIDTHS, BETA)), 1, data, CLASSES, seed)
    settings = Settings("softmax-cross-entropy", adam(), RATE, batch=BATCH, seed=seed)
    stages = [step for step in STEPS if step <= most]
    run = train_family(family, data, settings, most, stages=stages)
    short = [stage for stage in stages if stage <= int(setting["linearised"])]
    linear = train_linearised(family, data, settings, short[-1], stages=short)
    part, few = (_of_each_class(data, each) for each in (EACH, _COURSE_CLASS))
    simple = _chosen(data, torch.nonzero(data.y < _HALF)[:, 0])
    numbers = {}
    for name in NAMES:
        accuracies = [1 - run.errors(name, stage, simple)[0] for stage in stages]
        middle = next((place for place, accuracy in enumerate(accuracies) if accuracy >= MIDDLE), len(stages) - 1)
        times = (0, stages[middle], most)
        ratios = np.array([_ratios(run, name, stage, part) for stage in times])
        numbers[f"{name} overlap"], numbers[f"{name} tangent"], numbers[f"{name} diagonal"] = ratios.T[:, None]
        numbers |= courses(run, linear, name, short, few).numbers(name)
    return numbers


def _of_each_class(data: ExampleSet, each: int) -> ExampleSet:
    """Return the first training examples of each class, in float64."""
    rows = torch.cat([torch.nonzero(data.y == label)[:each, 0] for label in range(CLASSES)])
    return _chosen(data.to(torch.float64), rows)


def _chosen(data: ExampleSet, rows: torch.Tensor) -> ExampleSet:
    return ExampleSet(data.x[rows], data.y[rows])


def _ratios(run: FamilyRun, name: str, stage: int, part: ExampleSet) -> tuple[float, float, float]:
    """Return ln of simple over complex: the block of a half in the class averages of Lambda and of K, and K(s, s)."""
    kernels = kernels_of(run.family, name, in_float64(run, stage), part)
    overlap, tangent = kernels.overlap[0], kernels.tangent[0]
    logarithms = []
    for kernel in (overlap, tangent):
        blocks = class_averages(trace_normalised(kernel), part.y, CLASSES)
        logarithms.append(float((blocks[:_HALF, :_HALF].mean() / blocks[_HALF:, _HALF:].mean()).log()))
    diagonal = tangent.diagonal()
    logarithms.append(float((diagonal[part.y < _HALF].mean() / diagonal[part.y >= _HALF].mean()).log()))
    return tuple(logarithms)


def measure(cells: Cells) -> dict[str, np.ndarray]:
    """Return the logarithms of the ratios midway and at the end, less those at the start."""
    measured = {}
    for name in NAMES:
        for what in _SAID:
            ratios = pooled(cells, f"{name} {what}")
            for place, when in enumerate(_WHEN, start=1):
                measured[f"{what} growth {when}, {name}"] = ratios[:, place] - ratios[:, 0]
    return measured


def comparisons(cells: Cells) -> tuple[Beside, ...]:
    """Return the linearised training beside the networks."""
    return tuple(beside_courses(cells, NAMES, STEPS))


_OURS = (
    "The source prints pictures of these kernels, and no comparison of their blocks or diagonals. That the simple part "
    "grows is our reading of section 5, which speaks of paths. Six runs leave it open."
)
_WHEN = {"midway": "midway", "end": "at the end"}
_SAID = {
    "overlap": "the simple block of the overlap kernel grows relative to the complex one",
    "tangent": "the simple block of the tangent kernel grows relative to the complex one",
    "diagonal": "the diagonal of the tangent kernel grows on the simple part relative to the complex one",
}

REPRODUCTION = Reproduction(
    name="dlgn-fig-13",
    title="Overlap and tangent kernels of simple and complex classes",
    source="half-space-feature-learning",
    place="Figures 7 (middle), 11 (b), 12 (b), and 13 to 16",
    setup="The modified Fashion-MNIST of Figure 7, ReLU networks and DLGN-PWC with 5 hidden layers of 128 nodes, Adam "
    "at 0.0002: overlap and tangent kernels over their traces, averaged over classes of 50 examples, and the mean "
    "diagonal of the tangent kernel.",
    unsaid=(
        ("clustering, pixels, batches, gates and initial weights", "those of `dlgn-fig-7`"),
        ("the number of epochs", "10; the second time is the first recorded step with 72 % on the simple half"),
        (
            "what the pictures show: no sentence compares their blocks",
            "that training moves resources to the simple part, as section 5 says of the paths: the ratio of the means "
            "of the simple and the complex block has grown since the start, and so has that of the diagonals; a block "
            "has pairs of different classes too",
        ),
        (
            "the gates in the overlap kernel",
            "the soft gates of DLGN-PWC as they are, not whether they are at least 1/2",
        ),
        (
            "midway: the source says that the loss on the easy part is about 72 %",
            "72 % of the simple training images are right, since the source compares it with an accuracy of 85 %",
        ),
        ("the 50 examples of a class", "the first training images with its label"),
        ("the kernel of ten outputs", "the sum over the outputs"),
        ("the average over 3 runs", "6 runs, each with clusters of its own"),
    ),
    rule="Orders, for both networks, midway and at the end: the logarithm of the ratio of the mean entries of the "
    "simple and the complex block has grown since the start, for the overlap and the tangent kernel, and so has "
    "that of the ratio of the mean diagonals of the tangent kernel (the smallest growth that counts is 0.1). The "
    "diagonals were first judged by their ratio itself; that was changed after the run, since simple images are "
    "brighter and their diagonal is larger at the start already.",
    targets=tuple(
        Target(
            f"{what} growth {when}, {name}",
            f"{printed}: {said}, {time}",
            None,
            margin=0.1,
            explains=_OURS,
            instead=REMARK,
        )
        for name, printed in NAMES.items()
        for what, said in _SAID.items()
        for when, time in _WHEN.items()
    ),
    designs={
        "quick": Design("200 steps on 4,000 images, 2 runs", ({"steps": 200, "linearised": 100, "size": 4000},), 2, 20),
        "full": Design(
            "10 epochs, 6 runs in place of 3; the linearised training for one epoch",
            ({"steps": STEPS[-1], "linearised": 1875, "size": 0},),
            6,
            1320,
        ),
    },
    numbers=tuple(f"{name} {what}" for name in NAMES for what in ("overlap", "tangent", "diagonal", *COURSE)),
    cell=cell,
    measure=measure,
    beside=comparisons,
    datasets=("fashion-mnist",),
)
