"""The toy of the paper on the neural path kernel: 18 paths, two of them active for both of two inputs."""

from itertools import product

import numpy as np
import torch

from derivations.reproductions.model import Cells, Design, Numbers, Reproduction, Setting, Target, pooled
from sim.kernels import overlap

INPUTS, WIDTHS = 2, (3, 3)
SHARED = (3, 12)  # the numbers of the paths that are active for both inputs


def cell(setting: Setting, seed: int) -> Numbers:
    """Return Lambda(1, 2) of all pairs of gates for which p_3 and p_12, and no other path, are active for both inputs.

    Paths are numbered by input node, node of the first level and node of the second, the last fastest, as in the
    figure. The seed has no part: every pair of gates that the caption allows is listed.
    """
    del seed
    paths = list(product(range(INPUTS), *(range(int(setting["width"])) for _ in WIDTHS)))
    patterns = np.array(list(product((0, 1), repeat=sum(WIDTHS))), dtype=float)
    active = np.stack([patterns[:, j] * patterns[:, WIDTHS[0] + k] for _, j, k in paths], axis=1)
    wanted = np.zeros(len(paths))
    wanted[[number - 1 for number in SHARED]] = 1
    first, second = ((active[:, None] * active[None] == wanted).all(axis=2)).nonzero()
    levels = [
        torch.from_numpy(np.stack([part[first], part[second]], axis=1))
        for part in (patterns[:, : WIDTHS[0]], patterns[:, WIDTHS[0] :])
    ]
    shared = overlap(levels)[:, 0, 1].numpy()
    return {"overlap": shared, "paths": np.full(len(shared), len(paths), dtype=float)}


def measure(cells: Cells) -> dict[str, np.ndarray]:
    """Return the number of paths and the overlap of each pair of gates."""
    return {name: pooled(cells, name) for name in ("paths", "overlap")}


_EVERY = Design("every pair of gates that the caption allows", ({"width": WIDTHS[0]},), 1, 1)
REPRODUCTION = Reproduction(
    name="npk-fig-1",
    title="Paths and overlap of a toy network",
    source="neural-path-kernel",
    place="Figure 1",
    setup="Two input nodes, two hidden levels of three gates, one output; gates of two inputs.",
    unsaid=(
        ("the gates of the three examples, which only the drawing has", "all pairs of gates that the caption allows"),
        ("the order in which paths are numbered", "input node, first level, second level, the last fastest"),
    ),
    rule=r"The number of paths is 18 and $\Lambda(1, 2) = 1$, exactly, for every pair of gates that the "
    "caption allows.",
    targets=(
        Target("paths", "18 paths", 18.0, margin=0.0, identity=True),
        Target("overlap", r"$\Lambda(1, 2) = 1$", 1.0, margin=0.0, identity=True),
    ),
    designs={"quick": _EVERY, "full": _EVERY},
    numbers=("overlap", "paths"),
    cell=cell,
    measure=measure,
    no_theory="The experiment counts paths and their overlaps, which are exact; nothing is trained.",
)
