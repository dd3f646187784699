"""Blocks of lit sites on a line: how many cover given sites, and how many miss them, in whole numbers.

A block has a width W, uniform on a..b, and a uniform start: any of the n sites of a ring, or any of the n - W + 1 sites
of an open line from which it fits. On a ring each block counts once. On an open line a block of width W counts
L/(n - W + 1) times, L the least common multiple over the widths, because all widths are equally likely.

On a ring a block covers the sites S where its n - W dark sites lie within one of the gaps between neighbours of S, and
misses them where its W sites do: sum_gaps (W - n + gap)_+ and sum_gaps (gap - W)_+ blocks of width W. One site has the
gap n.
"""

from collections.abc import Callable
from math import lcm

import numpy as np
from jaxtyping import Shaped

from theory.moments.inputs import Sites

Counts = Shaped[np.ndarray, "..."]  # integers of 64 bits, or Python's
Widths = tuple[int, int]
_FEW = 2**25  # counts up to it, and sums of products of two, are exact in 64 bits


def covering(n: int, widths: Widths, boundary: str, *sites: Sites) -> Counts:
    """Count the blocks that cover all of `sites`, elementwise over arrays; all blocks where there are none.

    On four sites of an open line, blocks of width 3 start at site 0 or 1, and both cover the sites 1 and 2:

    >>> int(covering(4, (3, 3), "open")), int(covering(4, (3, 3), "open", 1, 2)), int(covering(4, (3, 3), "open", 0))
    (2, 2, 1)
    """
    least, largest = widths
    if not sites:
        return np.array((n if boundary == "ring" else _common(n, widths)) * (largest - least + 1))
    ordered = _ordered(sites)
    if boundary == "ring":
        return _triangles(_gaps(n, ordered) - n, widths, 1)
    first, last = ordered[0], ordered[-1]
    return _weighed(n, widths, lambda width: np.minimum(first, n - width) - np.maximum(last - width + 1, 0) + 1)


def missing(n: int, widths: Widths, boundary: str, *sites: Sites) -> Counts:
    """Count the blocks that cover none of `sites`, elementwise over arrays.

    >>> int(missing(4, (2, 2), "ring", 0)), int(missing(4, (2, 2), "open", 0))
    (2, 2)
    """
    if not sites:
        return covering(n, widths, boundary)
    ordered = _ordered(sites)
    if boundary == "ring":
        return _triangles(_gaps(n, ordered), widths, -1)
    walls = np.full_like(ordered[:1], -1), ordered, np.full_like(ordered[:1], n)
    runs = np.diff(np.concatenate(walls), axis=0) - 1
    return _weighed(n, widths, lambda width: np.maximum(runs - width + 1, 0).sum(axis=0))


def _ordered(sites: tuple[Sites, ...]) -> Counts:
    return np.sort(np.stack(np.broadcast_arrays(*sites)), axis=0)


def _gaps(n: int, ordered: Counts) -> Counts:
    return np.concatenate([np.diff(ordered, axis=0), n + ordered[:1] - ordered[-1:]])


def _triangles(shifts: Counts, widths: Widths, sign: int) -> Counts:
    """The sum over the gaps and over the widths W of (sign W + shift)_+."""
    least, largest = widths
    if sign > 0:
        return np.asarray((_triangle(shifts + largest) - _triangle(shifts + least - 1)).sum(axis=0))
    return np.asarray((_triangle(shifts - least) - _triangle(shifts - largest - 1)).sum(axis=0))


def _triangle(m: Counts) -> Counts:
    """m (m + 1)/2 for m > 0 and 0 below: 1 + ... + m."""
    positive = np.maximum(m, 0)
    return positive * (positive + 1) // 2


def _common(n: int, widths: Widths) -> int:
    return lcm(*(n - width + 1 for width in range(widths[0], widths[1] + 1)))


def _weighed(n: int, widths: Widths, places: Callable[[int], Counts]) -> Counts:
    """The sum over the widths of the number of places, each as often as it counts."""
    common = _common(n, widths)
    small = common * n * (widths[1] - widths[0] + 1) < _FEW
    total = 0
    for width in range(widths[0], widths[1] + 1):
        count = np.asarray(np.maximum(places(width), 0))
        total = total + (count if small else count.astype(object)) * (common // (n - width + 1))
    return np.asarray(total)
