"""Compiled Gaussian vectors from noise, for factors that are narrow bands: z_j = sum_d L_{j, j-d} noise_{j-d}.

Noise, z and x are computed for four sites at a time, the numbers of one call of the generator, so that they stay in the
fastest caches.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numba import njit, types
from numba.extending import overload

from sim.data.factors import Dense, Factor
from sim.training.backends.compiled.error_function import inputs_of
from sim.training.backends.compiled.numbers import FAST, INNER, WORDS, pairs, words
from sim.training.memory import TILE

_GROUP = 5  # diagonals per pass: each noise value read is used four times, and the factors fit in registers
_LANES = 16  # loops run over whole multiples of this, because a remainder would be processed one by one
_MOST = 2**20 - 1  # mask of row indices of the noise: numba does not vectorise indices that may be negative


class Maker(NamedTuple):
    """A band in the form of the loops: `taps` is [j, d] -> L_{j, j-d}.

    `before` counts the sites at the end of a ring whose noise the first sites need; 0 on a line.
    """

    taps: np.ndarray
    before: int


def maker(factor: Factor) -> Maker | None:
    """Return the Maker of a factor that is a band; None for another one.

    None also for a cyclic band whose sites are not a multiple of four: the calls of the generator would not end with
    the last site.
    """
    if not isinstance(factor, Dense) or factor.band is None or (factor.wraps and factor.sites % WORDS):
        return None
    lower, n, band = factor.matrix.numpy().T, factor.sites, factor.band
    taps = np.zeros((_groups(n, WORDS), _groups(band, _GROUP)), lower.dtype)
    if factor.wraps:
        taps[:, :band] = lower[:band, 0]
        return Maker(taps, _groups(band - 1, WORDS))
    for d in range(band):
        taps[d:n, d] = np.diagonal(lower, -d)
    return Maker(taps, 0)


def _groups(count: int, size: int) -> int:
    """Return the least positive multiple of `size` that is not less than `count`."""
    return max(1, -(-count // size)) * size


@njit(**FAST | INNER)
def _whole(count):
    """Return the least multiple of the lanes that is not less than `count`."""
    return -(-count // _LANES) * _LANES


@njit(**FAST | INNER)
def _add_diagonals(taps, j, e, noise, mask, made, width):
    """Add the diagonals e to e + 4 of the sites j to j + 3 to `made`; for e = 0 overwrite it."""
    p0, p1 = ((j + 3 - e) & mask & _MOST) * TILE, ((j + 2 - e) & mask & _MOST) * TILE
    p2, p3 = ((j + 1 - e) & mask & _MOST) * TILE, ((j - e) & mask & _MOST) * TILE
    p4, p5 = ((j - e - 1) & mask & _MOST) * TILE, ((j - e - 2) & mask & _MOST) * TILE
    p6, p7 = ((j - e - 3) & mask & _MOST) * TILE, ((j - e - 4) & mask & _MOST) * TILE
    a0, a1, a2, a3, a4 = taps[j, e], taps[j, e + 1], taps[j, e + 2], taps[j, e + 3], taps[j, e + 4]
    b0, b1, b2, b3, b4 = taps[j + 1, e], taps[j + 1, e + 1], taps[j + 1, e + 2], taps[j + 1, e + 3], taps[j + 1, e + 4]
    c0, c1, c2, c3, c4 = taps[j + 2, e], taps[j + 2, e + 1], taps[j + 2, e + 2], taps[j + 2, e + 3], taps[j + 2, e + 4]
    d0, d1, d2, d3, d4 = taps[j + 3, e], taps[j + 3, e + 1], taps[j + 3, e + 2], taps[j + 3, e + 3], taps[j + 3, e + 4]
    keep = made.dtype.type(e > 0)
    for r in range(width):
        n0, n1, n2, n3 = noise[p0 + r], noise[p1 + r], noise[p2 + r], noise[p3 + r]
        n4, n5, n6, n7 = noise[p4 + r], noise[p5 + r], noise[p6 + r], noise[p7 + r]
        made[r] = keep * made[r] + a0 * n3 + a1 * n4 + a2 * n5 + a3 * n6 + a4 * n7
        made[TILE + r] = keep * made[TILE + r] + b0 * n2 + b1 * n3 + b2 * n4 + b3 * n5 + b4 * n6
        made[2 * TILE + r] = keep * made[2 * TILE + r] + c0 * n1 + c1 * n2 + c2 * n3 + c3 * n4 + c4 * n5
        made[3 * TILE + r] = keep * made[3 * TILE + r] + d0 * n0 + d1 * n1 + d2 * n2 + d3 * n3 + d4 * n4


@njit(**FAST | INNER)
def _copy(made, out):
    for r in range(out.size):
        out[r] = made[r]


@njit(**FAST | INNER)
def _copy_rows(made, count, out, at, j, sites):
    """Copy the sites of `made` into the columns of `out` from j on and the rows from `at` on."""
    if sites == WORDS:
        for r in range(count):
            row = out[at + r]
            row[j], row[j + 1], row[j + 2], row[j + 3] = (
                made[r],
                made[TILE + r],
                made[2 * TILE + r],
                made[3 * TILE + r],
            )
        return
    for s in range(sites):
        for r in range(count):
            out[at + r, j + s] = made[s * TILE + r]


def _finish(made, inputs, count, other, out, j, at):
    """Write z, or erf(gain z)/Z if `inputs` is (gain, Z), into four rows of `out` from j on; `other` is scratch.

    Columns after the last example are overwritten up to a multiple of the lanes.
    """


@overload(_finish)
def _(made, inputs, count, other, out, j, at):  # noqa: ARG001 - numba matches the names
    lie_together, plain = out.layout == "C", isinstance(inputs, types.NoneType)

    def by_site(made, inputs, count, other, out, j, at):  # noqa: ARG001
        width = min(_whole(count), out.shape[1] - at)
        for s in range(min(WORDS, len(out) - j)):
            inputs_of(made[s * TILE : s * TILE + width], inputs[0], inputs[1], out[j + s, at : at + width])

    def plain_by_site(made, inputs, count, other, out, j, at):  # noqa: ARG001
        width = min(_whole(count), out.shape[1] - at)
        for s in range(min(WORDS, len(out) - j)):
            _copy(made[s * TILE : s * TILE + width], out[j + s, at : at + width])

    def by_example(made, inputs, count, other, out, j, at):
        sites = min(WORDS, len(out) - j)
        for s in range(sites):
            low, high = s * TILE, s * TILE + _whole(count)
            inputs_of(made[low:high], inputs[0], inputs[1], other[low:high])
        _copy_rows(other, count, out.T, at, j, sites)

    def plain_by_example(made, inputs, count, other, out, j, at):  # noqa: ARG001
        _copy_rows(made, count, out.T, at, j, min(WORDS, len(out) - j))

    return ((by_example, plain_by_example), (by_site, plain_by_site))[lie_together][plain]


@njit(**FAST | INNER)
def _draw(key, word, call, examples, part, noise, rows):
    """Write the numbers of one call of the generator into four rows of the noise."""
    width = examples.size
    a, b, c, d = part[0, :width], part[1, :width], part[2, :width], part[3, :width]
    words(key, word, np.uint64(call), examples, a, b, c, d)
    p0, p1, p2, p3 = rows[0] * TILE, rows[1] * TILE, rows[2] * TILE, rows[3] * TILE
    pairs(a, b, noise[p0 : p0 + width], noise[p1 : p1 + width])
    pairs(c, d, noise[p2 : p2 + width], noise[p3 : p3 + width])


@njit(**FAST | INNER)
def _band(key, word, maker, examples, count, inputs, room, out, at):
    """Draw the vectors of a Maker."""
    part, noise, band, other = room
    taps, before = maker
    mask = _ring(taps) - 1
    width = examples.size
    for j in range(-before, 0, WORDS):  # on a ring the last sites come before the first
        p = j & mask
        _draw(key, word, (len(out) + j) // WORDS, examples, part, noise, (p, p + 1, p + 2, p + 3))
    for j in range(0, len(out), WORDS):
        p = j & mask
        _draw(key, word, j // WORDS, examples, part, noise, (p, p + 1, p + 2, p + 3))
        for e in range(0, taps.shape[1], _GROUP):
            _add_diagonals(taps, j, e, noise, mask, band, width)
        _finish(band, inputs, count, other, out, j, at)


@njit(**FAST | INNER)
def _ring(taps):
    """Return a power of two that is not less than the number of noise rows that four sites need."""
    rows = WORDS
    while rows < taps.shape[1] + WORDS - 1:
        rows *= 2
    return rows


def room_for(makers: Sequence[tuple]) -> tuple[np.ndarray, ...]:
    """Allocate the scratch of `fill_coloured`, which numba would need a third of a second more to compile with its own.

    The rows before the first site of a line hold zeros, or the noise of an earlier tile; their taps are zero.
    """
    kind = makers[0][0].dtype
    rows = max(_ring.py_func(taps) for taps, _ in makers)
    part, noise = np.empty((WORDS, TILE), np.uint32), np.zeros(rows * TILE, kind)
    return part, noise, np.zeros(WORDS * TILE, kind), np.zeros(WORDS * TILE, kind), np.zeros(TILE, np.uint64)


@njit(**FAST)
def fill_coloured(key, word, makers, examples, segment, middle, inputs, space, out):
    """Write the Gaussian vectors of `examples` into the first columns of `out` (n, rows).

    In every `segment` the examples before its `middle` are of class 0, whose Maker comes first; the others are of
    class 1. If `inputs` is (gain, Z), x = erf(gain z)/Z is written instead of z; otherwise it is None. Up to 15 columns
    after the last example may be overwritten. `space` comes from `room_for`.
    """
    part, noise, band, other, of_tile = space
    room = part, noise, band, other
    for index, begin in enumerate(range(0, examples.size, segment)):
        end = min(begin + segment, examples.size)
        for category in range(2):
            first, last = (middle[index], end) if category else (begin, middle[index])
            tiles = -(-(last - first) // TILE)
            for tile in range(tiles):
                start, stop = first + (last - first) * tile // tiles, first + (last - first) * (tile + 1) // tiles
                for r in range(stop - start):
                    of_tile[r] = examples[start + r]
                mine = of_tile[: _whole(stop - start)]
                _band(key, word, makers[category], mine, stop - start, inputs, room, out, start)
