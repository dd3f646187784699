"""Random orders and whole numbers for sets of examples: functions of the seed and the use, the same on every machine.

They come from the counters of `sim.random.streams`. An order sorts one uniform number for each entry. Two of these
numbers are equal with probability 2^-32; such entries keep their order.
"""

import numpy as np
from jaxtyping import Int64

from sim.random.streams import MEASUREMENT, TRAINING, Stream, stream

# What numbers are for. The clusters of class c take CENTRES + c.
CHOICE, LABELS, PIXELS, ASSIGNED, CENTRES = 0, 1, 2, 3, 6
_PURPOSES = {"train": TRAINING, "test": MEASUREMENT}


def numbers_for(use: int, seed: int, part: str) -> Stream:
    """Return the random numbers of one use for the part "train" or "test"."""
    return stream(seed, use, _PURPOSES[part])


def order(own: Stream, size: int) -> Int64[np.ndarray, " {size}"]:
    """Return the numbers 0, ..., size - 1 in random order.

    >>> order(numbers_for(CHOICE, 3, "train"), 8).tolist()
    [7, 3, 4, 0, 2, 1, 5, 6]
    """
    return np.argsort(own.choices(size), kind="stable")


def orders(own: Stream, count: int, size: int) -> Int64[np.ndarray, "{count} {size}"]:
    """Return independent random orders of 0, ..., size - 1 for the next `count` examples, and advance by them.

    >>> orders(numbers_for(PIXELS, 3, "train"), 2, 4).tolist()
    [[3, 2, 1, 0], [2, 3, 0, 1]]
    """
    found = np.argsort(own.uniforms(count, size), axis=1, kind="stable")
    own.advance(count)
    return found


def below(own: Stream, count: int, limit: int) -> Int64[np.ndarray, " {count}"]:
    """Return `count` independent whole numbers, uniform on 0, ..., limit - 1.

    >>> below(numbers_for(LABELS, 3, "train"), 8, 10).tolist()
    [9, 6, 7, 7, 6, 5, 2, 9]
    """
    return (limit * own.choices(count)).astype(np.int64)
