"""Compiled Gaussian vectors of banded factors: z_j = sum_d L_{j, j-d} noise_{j-d}, right behind the normal numbers.

Four sites, as many as one call of the generator has numbers for, are made at once from a ring of the last rows of
noise; both stay in the first-level cache.
"""

import numpy as np
from numba import njit, types
from numba.extending import overload

from sim.compiled.descent import inputs32_of
from sim.compiled.numbers import FAST, WORDS, pairs, words

_GROUP = 5  # diagonals at once: what is read of the noise is used four times, and their factors fit the registers
_TILE = 1024  # examples at once
_LANES = 16  # the loops run over whole multiples of this: what is left over would be taken one by one
_MOST = 2**20 - 1  # rows of a ring: numba handles indices that might be negative one by one


def diagonals(lower: np.ndarray, band: int) -> np.ndarray:
    """[j, d] -> L_{j, j-d}: the first `band` diagonals of a lower triangular matrix, in whole groups of both."""
    n = len(lower)
    taps = np.zeros((-(-n // WORDS) * WORDS, -(-band // _GROUP) * _GROUP), lower.dtype)
    for d in range(band):
        taps[d:n, d] = np.diagonal(lower, -d)
    return taps


@njit(**FAST)
def _whole(count):
    """The least multiple of the lanes that is no less."""
    return -(-count // _LANES) * _LANES


@njit(**FAST)
def _add(taps, j, e, noise, mask, made, width):
    """The diagonals e to e + 4 of the sites j to j + 3 onto `made`; from e = 0 on it is begun anew."""
    p0, p1 = ((j + 3 - e) & mask & _MOST) * _TILE, ((j + 2 - e) & mask & _MOST) * _TILE
    p2, p3 = ((j + 1 - e) & mask & _MOST) * _TILE, ((j - e) & mask & _MOST) * _TILE
    p4, p5 = ((j - e - 1) & mask & _MOST) * _TILE, ((j - e - 2) & mask & _MOST) * _TILE
    p6, p7 = ((j - e - 3) & mask & _MOST) * _TILE, ((j - e - 4) & mask & _MOST) * _TILE
    a0, a1, a2, a3, a4 = taps[j, e], taps[j, e + 1], taps[j, e + 2], taps[j, e + 3], taps[j, e + 4]
    b0, b1, b2, b3, b4 = taps[j + 1, e], taps[j + 1, e + 1], taps[j + 1, e + 2], taps[j + 1, e + 3], taps[j + 1, e + 4]
    c0, c1, c2, c3, c4 = taps[j + 2, e], taps[j + 2, e + 1], taps[j + 2, e + 2], taps[j + 2, e + 3], taps[j + 2, e + 4]
    d0, d1, d2, d3, d4 = taps[j + 3, e], taps[j + 3, e + 1], taps[j + 3, e + 2], taps[j + 3, e + 3], taps[j + 3, e + 4]
    keep = made.dtype.type(e > 0)
    for r in range(width):
        n0, n1, n2, n3 = noise[p0 + r], noise[p1 + r], noise[p2 + r], noise[p3 + r]
        n4, n5, n6, n7 = noise[p4 + r], noise[p5 + r], noise[p6 + r], noise[p7 + r]
        made[r] = keep * made[r] + a0 * n3 + a1 * n4 + a2 * n5 + a3 * n6 + a4 * n7
        made[_TILE + r] = keep * made[_TILE + r] + b0 * n2 + b1 * n3 + b2 * n4 + b3 * n5 + b4 * n6
        made[2 * _TILE + r] = keep * made[2 * _TILE + r] + c0 * n1 + c1 * n2 + c2 * n3 + c3 * n4 + c4 * n5
        made[3 * _TILE + r] = keep * made[3 * _TILE + r] + d0 * n0 + d1 * n1 + d2 * n2 + d3 * n3 + d4 * n4


@njit(**FAST)
def _copy(made, out):
    for r in range(out.size):
        out[r] = made[r]


@njit(**FAST)
def _copy_rows(made, count, out, at, j, sites):
    """The sites of `made` side by side into the columns from j on of the rows from `at` on."""
    if sites == WORDS:
        for r in range(count):
            row = out[at + r]
            row[j], row[j + 1], row[j + 2], row[j + 3] = (
                made[r],
                made[_TILE + r],
                made[2 * _TILE + r],
                made[3 * _TILE + r],
            )
        return
    for s in range(sites):
        for r in range(count):
            out[at + r, j + s] = made[s * _TILE + r]


def _finish(made, inputs, count, other, out, j, at):
    """z, or where `inputs` is (gain, Z) erf(gain z)/Z, into four rows of `out` from j on; `other` is scratch.

    Up to whole lanes, numbers of no example follow those of the last one, where columns come after it.
    """


@overload(_finish)
def _(made, inputs, count, other, out, j, at):  # noqa: ARG001 - numba matches the names
    lie_together, plain = out.layout == "C", isinstance(inputs, types.NoneType)

    def by_site(made, inputs, count, other, out, j, at):  # noqa: ARG001
        width = min(_whole(count), out.shape[1] - at)
        for s in range(min(WORDS, len(out) - j)):
            inputs32_of(made[s * _TILE : s * _TILE + width], inputs[0], inputs[1], out[j + s, at : at + width])

    def plain_by_site(made, inputs, count, other, out, j, at):  # noqa: ARG001
        width = min(_whole(count), out.shape[1] - at)
        for s in range(min(WORDS, len(out) - j)):
            _copy(made[s * _TILE : s * _TILE + width], out[j + s, at : at + width])

    def by_example(made, inputs, count, other, out, j, at):
        sites = min(WORDS, len(out) - j)
        for s in range(sites):
            low, high = s * _TILE, s * _TILE + _whole(count)
            inputs32_of(made[low:high], inputs[0], inputs[1], other[low:high])
        _copy_rows(other, count, out.T, at, j, sites)

    def plain_by_example(made, inputs, count, other, out, j, at):  # noqa: ARG001
        _copy_rows(made, count, out.T, at, j, min(WORDS, len(out) - j))

    return ((by_example, plain_by_example), (by_site, plain_by_site))[lie_together][plain]


@njit(**FAST)
def fill_banded(key, word, taps, examples, segment, middle, inputs, out):
    """The Gaussian vectors of `examples` into the first columns of `out` (n, rows).

    In every `segment` of them those before its `middle` are of class 0, whose taps, as `diagonals` gives them, come
    first; the others are of class 1. Where `inputs` is (gain, Z) and not None, x = erf(gain z)/Z in their place. Up to
    15 columns behind the last example may be overwritten.
    """
    k0, k1 = key
    n, mask = len(out), WORDS
    while mask < max(taps[0].shape[1], taps[1].shape[1]) + WORDS - 1:
        mask *= 2
    part = np.empty((WORDS, _TILE), np.uint32)
    # Before the first site stand zeros, or the last tile's noise, which taps of zero take in.
    noise = np.zeros(mask * _TILE, out.dtype)
    mask -= 1
    made, other = np.zeros(WORDS * _TILE, out.dtype), np.zeros(WORDS * _TILE, out.dtype)
    own = np.zeros(_TILE, np.uint64)
    for index, begin in enumerate(range(0, examples.size, segment)):
        end = min(begin + segment, examples.size)
        tiles = -(-(end - begin) // (_TILE - _LANES))  # each class is rounded up to whole lanes
        for tile in range(tiles):
            start = begin + (end - begin) * tile // tiles
            stop = begin + (end - begin) * (tile + 1) // tiles
            cut = min(max(middle[index], start), stop)
            second = _whole(cut - start)  # where class 1 begins
            width = second + _whole(stop - cut)
            own[: cut - start] = examples[start:cut]
            own[second : second + stop - cut] = examples[cut:stop]
            mine = own[:width]
            a, b, c, d = part[0, :width], part[1, :width], part[2, :width], part[3, :width]
            for j in range(0, n, WORDS):
                words(k0, k1, word, np.uint64(j // WORDS), mine, a, b, c, d)
                p = (j & mask) * _TILE
                pairs(a, b, noise[p : p + width], noise[p + _TILE : p + _TILE + width])
                p += 2 * _TILE
                pairs(c, d, noise[p : p + width], noise[p + _TILE : p + _TILE + width])
                for category, first, low, high in ((0, 0, start, cut), (1, second, cut, stop)):
                    if low < high:
                        for e in range(0, taps[category].shape[1], _GROUP):
                            _add(taps[category], j, e, noise[first:], mask, made, _whole(high - low))
                        _finish(made, inputs, high - low, other, out, j, low)
