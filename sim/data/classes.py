"""The class of each example: a coin for two equally likely classes, else the inverse of the distribution function."""

from fractions import Fraction
from functools import lru_cache
from itertools import accumulate

import numpy as np
from jaxtyping import Float, Int

from sim.random.streams import Stream

_HALF = Fraction(1, 2)


def draw_classes(probabilities: tuple[Fraction, ...], streams: list[Stream], rows: int) -> Int[np.ndarray, "S {rows}"]:
    """Draw the class 0, ..., C - 1 of the next `rows` examples of each stream, without advancing it.

    Two classes of probability 1/2 take a coin each. Otherwise class c is that with P(< c) <= u < P(<= c), u one of 2^32
    equally spaced numbers: its probability is right up to 2^-32.

    >>> from sim.random.streams import TRAINING, stream
    >>> draw_classes((Fraction(1),), [stream(0, 0, TRAINING)], 3).tolist()
    [[0, 0, 0]]
    """
    if tuple(probabilities) == (_HALF, _HALF):
        return np.stack([own.coins(rows) for own in streams]).astype(np.int64)
    limits = bounds(tuple(probabilities))
    return np.stack([chosen(limits, own.choices(rows)) for own in streams])


@lru_cache(maxsize=8)
def bounds(probabilities: tuple[Fraction, ...]) -> Float[np.ndarray, " limits"]:
    """Return the C - 1 sums P(<= c) of the first probabilities, which divide [0, 1] into C parts."""
    return np.array([float(bound) for bound in accumulate(probabilities)][:-1])


def chosen(limits: Float[np.ndarray, " limits"], uniform: Float[np.ndarray, "*any"]) -> Int[np.ndarray, "*any"]:
    """Return the part of [0, 1] in which each uniform number lies: the inverse of the distribution function.

    >>> chosen(bounds((Fraction(1, 4), Fraction(1, 2), Fraction(1, 4))), np.array([0.1, 0.25, 0.74, 0.75])).tolist()
    [0, 1, 1, 2]
    """
    return np.searchsorted(limits, uniform, side="right").astype(np.int64)
