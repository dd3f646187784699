"""The circle task from larger initial weights: how far the statements on active paths depend on their size."""

from dataclasses import replace

from derivations.reproductions.expansions import COURSE, beside_courses, beside_entry, entries, first_courses
from derivations.reproductions.model import Beside, Cells, Design, Numbers, Setting, Theory, levels, pooled
from derivations.reproductions.sources.dlgn_circle import BATCH, OPTIMISERS, circle, settings, targets, three_kinds
from derivations.reproductions.sources.dlgn_circle import REPRODUCTION as CIRCLE
from derivations.reproductions.sources.dlgn_fig_4 import EPOCH, NAMES
from sim.deep import Settings

EPOCHS = (0, 1, 2, 3, 5, 10, 20, 30, 50, 100, 200)  # of the theory
_DRAWS = 40  # entries for each network: their squares have long tails
_OPTIMISERS = ("adam", "sgd")
_EXPLAINS = (
    "From these weights, gates that learn still save more than a factor of ten in epochs, but the share of active "
    "paths on the upper half does not grow. From normal weights with the variance of PyTorch's default, 1/(3 "
    "fan-in), it does (`dlgn-circle`). The source does not give its initial weights."
)
_ASSUMED = {
    "the optimiser and the learning rate": "Adam at 0.001, and gradient descent at 0.01; batches of 32",
    "the initial weights, and whether there are biases": "normal of variance 2/fan-in, no biases",
}


def theory_cell(setting: Setting, seed: int) -> Numbers:
    """Train the three kinds and their expansions; return their courses, and entries of the kernel of fixed gates."""
    optimiser, rate = OPTIMISERS[str(setting["optimiser"])]
    family, data = three_kinds(int(setting["networks"]), str(setting["start"]), seed), circle()
    taught = Settings("mse", optimiser, rate, batch=BATCH, seed=seed)
    stages = [EPOCH * epoch for epoch in EPOCHS if epoch <= int(setting["epochs"])]
    courses = first_courses(family, data, taught, stages, NAMES)
    return {"entry": entries(family, "fixed-dlgn", data, taught, _DRAWS), **courses}


def comparisons(cells: Cells) -> tuple[Beside, ...]:
    """Return the exact law of an entry of the kernel of fixed gates at the start, and the linearised training."""
    # Both optimisers start from the same weights.
    rows = [beside_entry(pooled(cells, "entry", optimiser="adam").ravel(), "entry, fixed gates")]
    for optimiser in levels(cells, "optimiser"):
        rows += beside_courses(cells, NAMES, [EPOCH * epoch for epoch in EPOCHS], optimiser=optimiser)
    return tuple(rows)


THEORY = Theory(
    name="dlgn-circle-he-theory",
    designs={
        "quick": Design("Adam, 4 networks, 10 epochs", settings(["adam"], "he", 4, 10), 1, 5),
        "full": Design(
            "200 epochs, 24 networks of each kind and optimiser", settings(_OPTIMISERS, "he", 24, EPOCHS[-1]), 1, 150
        ),
    },
    numbers=("entry", *(f"{name} {key}" for name in NAMES for key in COURSE)),
    cell=theory_cell,
    beside=comparisons,
)

REPRODUCTION = replace(
    CIRCLE,
    name="dlgn-circle-he",
    title="The circle task from larger initial weights",
    unsaid=tuple((left_open, _ASSUMED.get(left_open, assumed)) for left_open, assumed in CIRCLE.unsaid),
    targets=targets(
        _OPTIMISERS,
        {target.key: _EXPLAINS for target in targets(_OPTIMISERS, {}) if target.key.startswith("paths")},
    ),
    designs={
        "quick": Design("Adam, 4 networks, 100 epochs at most", settings(["adam"], "he", 4, 100), 1, 5),
        "full": Design(
            "2,000 epochs at most, 24 networks of each kind and optimiser",
            settings(_OPTIMISERS, "he", 24, 2000),
            1,
            300,
        ),
    },
    theory=THEORY,
    no_theory="",
    shows="From these weights fixed gates need 14 times as many epochs as gates that learn with Adam (11 to 18), "
    "and 36 times as many with gradient descent (25 to 52). So what the source says of the epochs holds from larger "
    "weights, and what it says of the paths from smaller ones (`dlgn-circle`).",
)
