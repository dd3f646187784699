"""Gates 1[w_k.x + b_k >= 0] of trained networks on fresh examples: which are open, and how many have flipped."""

from functools import lru_cache

import numpy as np
from jaxtyping import Bool, Float

from derivations.answers.examples import drawn
from derivations.answers.relu_compare import SELF_GATED
from derivations.explore.training import Learned
from theory.problem import GatedGraph, Problem

SHOWN = 60  # examples of the raster
EXAMPLES = 512  # of each network, for the share of flips


def has_flips(problem: Problem) -> bool:
    """Return whether the units are gates times their pre-activation, so that training can flip a gate.

    >>> from theory.problem import Network, NonlinearGP, NormalInitialisation, Training
    >>> law = NonlinearGP(4, (2, 1), 1, "open", "unit-variance", (1, 0))
    >>> has_flips(Problem(law, Network("erf", "mean", 1), Training("mse", 1, NormalInitialisation(1, 0), (1,))))
    False
    """
    return not isinstance(problem.network, GatedGraph) and problem.network.model in SELF_GATED


@lru_cache(maxsize=4)
def examples(problem: Problem) -> tuple[Float[np.ndarray, "S E n"], np.ndarray]:
    """Return examples for the networks of a problem, from the streams of measurements, and the classes of the first."""
    settings = problem.simulated()
    sample = drawn(problem.data, EXAMPLES, settings.seed, settings.replicates)
    return sample.x.numpy(), sample.category[0].numpy()


def _opened(problem: Problem, learned: Learned, snapshot: int) -> Bool[np.ndarray, "S K E"]:
    w = learned.weights[:, snapshot]
    h = np.einsum("skn,sen->ske", w.reshape(len(w), -1, w.shape[-1]), examples(problem)[0])
    if "b" in learned.parameters:
        h = h + learned.parameters["b"][:, snapshot].reshape(*h.shape[:2], 1)
    return h >= 0


def flipped(problem: Problem, learned: Learned, snapshot: int) -> Float[np.ndarray, "S K"]:
    """Return the share of examples on which a unit's gate differs from the gate at the first snapshot."""
    share = (_opened(problem, learned, snapshot) != _opened(problem, learned, 0)).mean(axis=-1)
    finite = np.isfinite(learned.weights[:, snapshot]).all(axis=-1).reshape(share.shape)
    return np.where(finite, share, np.nan)


def raster(problem: Problem, learned: Learned, snapshot: int) -> list[str]:
    """Return the gates of the first network on the first examples, by class: a row of 0 and 1 for each unit."""
    opened = _opened(problem, learned, snapshot)[0][:, _by_class(problem)]
    return ["".join("1" if one else "0" for one in row) for row in opened]


def categories(problem: Problem) -> list[int]:
    """Return the classes of the raster's examples, ascending."""
    return examples(problem)[1][_by_class(problem)].tolist()


def _by_class(problem: Problem) -> np.ndarray:
    return np.argsort(examples(problem)[1][:SHOWN], kind="stable")
