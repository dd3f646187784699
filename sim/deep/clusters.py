"""Clusters of images by k-means, in whole numbers, so that every machine finds the same ones.

Lloyd's iteration assigns each image x to the nearest centre c, in the Euclidean distance of grey levels, and then puts
each centre at the mean of its images. Centres are rounded to 1/256 of a grey level. So every sum is a whole number
below 2^53, and float64 has no rounding errors.
"""

import numpy as np
from jaxtyping import Float, Int64, UInt8

from sim.deep.draws import order
from sim.random.streams import Stream
from theory.problem import InputError, OutOfReachError

UNITS = 256  # of a centre in one grey level
_MOST_STEPS = 1000


def k_means(images: UInt8[np.ndarray, "N n"], clusters: int, own: Stream) -> Int64[np.ndarray, "{clusters} n"]:
    """Return the centres of k-means in units of 1/256 of a grey level, a row for each cluster.

    It begins at different images, drawn uniformly by `own`, and ends where no centre moves. A cluster that loses all
    images keeps its centre. Equal distances go to the first of the centres.
    Raises InputError for fewer images than clusters, OutOfReachError where the centres move on after 1000 steps.

    >>> from sim.random.streams import TRAINING, stream
    >>> levels = np.array([[0], [1], [100], [101]], dtype=np.uint8)
    >>> (k_means(levels, 2, stream(0, 0, TRAINING)) / UNITS).tolist()
    [[0.5], [100.5]]
    """
    if len(images) < clusters:
        raise InputError(
            f"{len(images)} images cannot be divided into {clusters} clusters.", "Take more images or fewer clusters."
        )
    points = images.astype(float)
    centres = UNITS * images[order(own, len(images))[:clusters]].astype(np.int64)
    for _ in range(_MOST_STEPS):
        members = np.eye(clusters)[_nearest(points, centres)]
        sums, counts = (members.T @ points).astype(np.int64), members.sum(axis=0).astype(np.int64)[:, None]
        means = (2 * UNITS * sums + counts) // np.maximum(2 * counts, 1)
        moved = np.where(counts > 0, means, centres)
        if np.array_equal(moved, centres):
            return centres
        centres = moved
    raise OutOfReachError(f"The centres of k-means still move after {_MOST_STEPS} steps.", "Choose another seed.")


def nearest(images: UInt8[np.ndarray, "N n"], centres: Int64[np.ndarray, "k n"]) -> Int64[np.ndarray, " N"]:
    """Return the number of the centre that is nearest to each image: the least |c|^2 - 2 x.c.

    >>> nearest(np.array([[3], [200]], dtype=np.uint8), np.array([[0], [UNITS * 255]])).tolist()
    [0, 1]
    """
    return _nearest(images.astype(float), centres)


def _nearest(points: Float[np.ndarray, "N n"], centres: Int64[np.ndarray, "k n"]) -> Int64[np.ndarray, " N"]:
    ends = centres.astype(float)
    return np.argmin((ends**2).sum(axis=1) - 2 * UNITS * (points @ ends.T), axis=1)
