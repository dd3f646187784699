"""The circle task from larger initial weights: how far the statements on active paths depend on their size."""

from dataclasses import replace

from derivations.reproductions.model import Design
from derivations.reproductions.sources.dlgn_circle import REPRODUCTION as CIRCLE
from derivations.reproductions.sources.dlgn_circle import settings, targets

_OPTIMISERS = ("adam", "sgd")
_EXPLAINS = (
    "From these weights, gates that learn still save more than a factor of ten in epochs, but the share of active "
    "paths on the upper half does not grow. From weights of variance 1/(3 fan-in), PyTorch's default, it does "
    "(`dlgn-circle`). The source does not give its initial weights."
)
_ASSUMED = {
    "the optimiser and the learning rate": "Adam at 0.001, and gradient descent at 0.01; batches of 32",
    "the initial weights, and whether there are biases": "normal of variance 2/fan-in, no biases",
}

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
)
