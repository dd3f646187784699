"""The circular convolutional network of Figure 9: how many different strengths its paths have."""

from collections import Counter
from itertools import product

import numpy as np

from derivations.reproductions.model import Cells, Design, Numbers, Reproduction, Setting, Target, pooled

INPUTS, WINDOW, CONVOLUTIONS = 3, 2, 3


def cell(setting: Setting, seed: int) -> Numbers:
    """Return the numbers of paths, of their different strengths, and of the paths of a strength, for random weights.

    A path starts at an input node, takes one weight of the window at each of the convolutions, which leads it along the
    circle, and ends in the mean over the positions. `repeats` is 0 where strengths have different numbers of paths.
    """
    weights = np.random.default_rng(np.random.SeedSequence(seed)).normal(size=(CONVOLUTIONS, int(setting["window"])))
    paths = product(range(INPUTS), *[range(weights.shape[1])] * CONVOLUTIONS)
    strengths = Counter(
        float(np.prod([weights[level, k] for level, k in enumerate(taken)])) / INPUTS for _start, *taken in paths
    )
    few, many = min(strengths.values()), max(strengths.values())
    counts = {"paths": strengths.total(), "strengths": len(strengths), "repeats": many if few == many else 0}
    return {name: np.array([float(count)]) for name, count in counts.items()}


def measure(cells: Cells) -> dict[str, np.ndarray]:
    """Return the counts of each draw of the weights."""
    return {name: pooled(cells, name) for name in ("strengths", "repeats")}


_EVERY = Design("4 draws of the weights", ({"window": WINDOW},), 4, 1)
REPRODUCTION = Reproduction(
    name="dgn-fig-9",
    title="Path strengths of a circular convolutional network",
    source="deep-gated-networks",
    place="Figure 9",
    setup=r"A circular convolutional network with $d_{in} = 3$ nodes a level, windows of $\hat{w} = 2$ weights at "
    "three levels, one channel, and global average pooling.",
    unsaid=(("the weights", "normal, so that different products differ"),),
    rule="Counts, exactly: 8 strengths, each of 3 paths.",
    targets=(
        Target("strengths", "only 8 unique path strengths", 8.0, margin=0.0, identity=True),
        Target("repeats", r"the same path strength repeats $d_{in} = 3$ times", 3.0, margin=0.0, identity=True),
    ),
    designs={"quick": _EVERY, "full": _EVERY},
    numbers=("paths", "strengths", "repeats"),
    cell=cell,
    measure=measure,
    no_theory="The experiment counts paths; no kernel and no training is in it.",
)
