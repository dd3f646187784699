"""Compiled Gaussian vectors from noise, for factors that are narrow bands or consist of even and odd modes.

A band is z_j = sum_d L_{j, j-d} noise_{j-d}. If reversing the sites leaves the covariance unchanged, every mode is even
or odd: z_j and z_{n-1-j} are the sum and the difference of an even and an odd part, which halves the number of
products. Noise, z and x are computed for four sites at a time, the numbers of one call of the generator, so that they
stay in the fastest caches.
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

_GROUP = 5  # diagonals or modes per pass: each noise value read is used four times, and the factors fit in registers
_LANES = 16  # loops run over whole multiples of this, because a remainder would be processed one by one
# With more modes than these a matrix product is faster. Compared with that product, training on rings took in float32
# 12 % less time at 40 sites, the same at 100 and 20 % more at 400; in float64 8 % less at 40 sites, 20 % less at 400.
_MOST_FOLDED = {np.dtype(np.float32): 128, np.dtype(np.float64): 512}
_MOST = 2**20 - 1  # mask of row indices of the noise: numba does not vectorise indices that may be negative


class Maker(NamedTuple):
    """A factor in the form of the loops: `taps` is [j, d] -> L_{j, j-d}, or [j, q] -> F_{qj} for half of the sites.

    `split` is 0 for a band. Otherwise it is the column at which the odd modes begin, after the even ones; both are
    padded to whole groups, and `place` is the column of each mode. Of a cyclic band `place` is as long as the noise of
    the last sites that the first ones need.
    """

    taps: np.ndarray
    place: np.ndarray
    split: int


def maker(factor: Factor) -> Maker | None:
    """Return the Maker of a factor, or None for a factor of neither kind."""
    if not isinstance(factor, Dense):
        return None
    matrix = factor.matrix.numpy()
    if factor.band is None:
        return _folded(matrix)
    return _wrapped(matrix, factor.band) if factor.wraps else _banded(matrix.T, factor.band)


def _banded(lower: np.ndarray, band: int) -> Maker:
    n = len(lower)
    taps = np.zeros((_groups(n, WORDS), _groups(band, _GROUP)), lower.dtype)
    for d in range(band):
        taps[d:n, d] = np.diagonal(lower, -d)
    return Maker(taps, np.zeros(0, np.int64), 0)


def _wrapped(matrix: np.ndarray, band: int) -> Maker | None:
    """Return the Maker of a cyclic band; None where the calls of the generator do not end with the last site."""
    n = len(matrix)
    if n % WORDS:
        return None
    taps = np.zeros((n, _groups(band, _GROUP)), matrix.dtype)
    taps[:, :band] = matrix[0, :band]
    return Maker(taps, np.zeros(_groups(band - 1, WORDS), np.int64), 0)


def _folded(matrix: np.ndarray) -> Maker | None:
    """Return the Maker of even and odd modes; None for too many modes, too few sites, or a mode that is neither."""
    modes, n = matrix.shape
    if modes > _MOST_FOLDED[matrix.dtype]:
        return None
    parity = parities(matrix)
    if n < 2 * WORDS or parity is None:
        return None
    even, odd = np.flatnonzero(parity > 0), np.flatnonzero(parity < 0)
    split, end = _groups(len(even), _GROUP), _groups(len(even), _GROUP) + _groups(len(odd), _GROUP)
    sites = _groups(-(-n // 2), WORDS)
    taps = np.zeros((sites, end), matrix.dtype)
    place = np.full(_groups(modes, WORDS), end)  # numbers drawn beyond the modes go to row `end`, which is never read
    for first, chosen in ((0, even), (split, odd)):
        place[chosen] = first + np.arange(len(chosen))
        taps[:, first : first + len(chosen)] = matrix[chosen, :sites].T
    return Maker(taps, place, split)


def parities(matrix: np.ndarray) -> np.ndarray | None:
    """Return 1 for each mode that is even under reversal of the sites, -1 for each odd one; None if one is neither.

    The comparison allows for the rounding of the largest entry.
    """
    mirrored = matrix[:, ::-1]
    parity = np.where((matrix * mirrored).sum(axis=1) > 0, 1, -1)
    apart = np.abs(matrix - parity[:, None] * mirrored).max()
    return None if apart > 4 * np.finfo(matrix.dtype).eps * np.abs(matrix).max() else parity


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
def _add_modes(factor, j, q, begin, noise, made, width):
    """Add the modes q to q + 4 of the sites j to j + 3 to `made`; for q = `begin` overwrite it."""
    p0 = (q & _MOST) * TILE
    p1, p2, p3, p4 = p0 + TILE, p0 + 2 * TILE, p0 + 3 * TILE, p0 + 4 * TILE
    a0, a1, a2, a3, a4 = factor[j, q], factor[j, q + 1], factor[j, q + 2], factor[j, q + 3], factor[j, q + 4]
    j += 1
    b0, b1, b2, b3, b4 = factor[j, q], factor[j, q + 1], factor[j, q + 2], factor[j, q + 3], factor[j, q + 4]
    j += 1
    c0, c1, c2, c3, c4 = factor[j, q], factor[j, q + 1], factor[j, q + 2], factor[j, q + 3], factor[j, q + 4]
    j += 1
    d0, d1, d2, d3, d4 = factor[j, q], factor[j, q + 1], factor[j, q + 2], factor[j, q + 3], factor[j, q + 4]
    keep = made.dtype.type(q > begin)
    for r in range(width):
        n0, n1, n2, n3, n4 = noise[p0 + r], noise[p1 + r], noise[p2 + r], noise[p3 + r], noise[p4 + r]
        made[r] = keep * made[r] + a0 * n0 + a1 * n1 + a2 * n2 + a3 * n3 + a4 * n4
        made[TILE + r] = keep * made[TILE + r] + b0 * n0 + b1 * n1 + b2 * n2 + b3 * n3 + b4 * n4
        made[2 * TILE + r] = keep * made[2 * TILE + r] + c0 * n0 + c1 * n1 + c2 * n2 + c3 * n3 + c4 * n4
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
def _unfold(even, odd, width):
    """Replace `even` by the sum of both, and `odd` by their difference with the sites in reverse order."""
    for r in range(width):
        a0, a1, a2, a3 = even[r], even[TILE + r], even[2 * TILE + r], even[3 * TILE + r]
        b0, b1, b2, b3 = odd[r], odd[TILE + r], odd[2 * TILE + r], odd[3 * TILE + r]
        even[r], odd[3 * TILE + r] = a0 + b0, a0 - b0
        even[TILE + r], odd[2 * TILE + r] = a1 + b1, a1 - b1
        even[2 * TILE + r], odd[TILE + r] = a2 + b2, a2 - b2
        even[3 * TILE + r], odd[r] = a3 + b3, a3 - b3


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
def _band(banded, key, word, maker, examples, count, inputs, room, out, at):
    """Draw the vectors of a Maker that is a band, else nothing; for `banded` = None numba compiles no code."""
    if banded is None:
        return
    part, noise, made, other = room
    taps, before, split = maker
    if split > 0:
        return
    mask = _ring(taps) - 1
    width = examples.size
    for j in range(-before.size, 0, WORDS):  # on a ring the last sites come before the first
        p = j & mask
        _draw(key, word, (len(out) + j) // WORDS, examples, part, noise, (p, p + 1, p + 2, p + 3))
    for j in range(0, len(out), WORDS):
        p = j & mask
        _draw(key, word, j // WORDS, examples, part, noise, (p, p + 1, p + 2, p + 3))
        for e in range(0, taps.shape[1], _GROUP):
            _add_diagonals(taps, j, e, noise, mask, made, width)
        _finish(made, inputs, count, other, out, j, at)


@njit(**FAST | INNER)
def _modes(folded, key, word, maker, examples, count, inputs, room, out, at):
    """Draw the vectors of a Maker with even and odd modes, else nothing; for `folded` = None numba compiles no code."""
    if folded is None:
        return
    part, noise, even, other = room
    taps, place, split = maker
    if split == 0:
        return
    odd = other[WORDS * TILE :]
    width = examples.size
    for q in range(0, place.size, WORDS):
        _draw(key, word, q // WORDS, examples, part, noise, place[q : q + WORDS])
    for j in range(0, len(taps), WORDS):
        for q in range(0, split, _GROUP):
            _add_modes(taps, j, q, 0, noise, even, width)
        for q in range(split, taps.shape[1], _GROUP):
            _add_modes(taps, j, q, split, noise, odd, width)
        _unfold(even, odd, width)
        _finish(even, inputs, count, other, out, j, at)
        _finish(odd, inputs, count, other, out, len(out) - WORDS - j, at)


@njit(**FAST | INNER)
def _ring(taps):
    """Return a power of two that is not less than the number of noise rows that four sites need."""
    rows = WORDS
    while rows < taps.shape[1] + WORDS - 1:
        rows *= 2
    return rows


def ways(makers: Sequence[tuple]) -> tuple[bool | None, bool | None]:
    """Return whether there is a band, and whether there are modes, as True or None.

    None is a separate type: numba compiles only the loops that the Makers need.
    """
    return any(split == 0 for _, _, split in makers) or None, any(split > 0 for _, _, split in makers) or None


def room_for(makers: Sequence[tuple]) -> tuple[np.ndarray, ...]:
    """Allocate the scratch of `fill_coloured`, which numba would need a third of a second more to compile with its own.

    The rows before the first site of a line hold zeros, or the noise of an earlier tile; their taps are zero.
    """
    kind = makers[0][0].dtype
    rows = max(taps.shape[1] + 1 if split > 0 else _ring.py_func(taps) for taps, _, split in makers)
    part, noise = np.empty((WORDS, TILE), np.uint32), np.zeros(rows * TILE, kind)
    return part, noise, np.zeros(WORDS * TILE, kind), np.zeros(2 * WORDS * TILE, kind), np.zeros(TILE, np.uint64)


@njit(**FAST)
def fill_coloured(key, word, makers, taken, examples, segment, middle, inputs, space, out):
    """Write the Gaussian vectors of `examples` into the first columns of `out` (n, rows).

    In every `segment` the examples before its `middle` are of class 0, whose Maker comes first; the others are of
    class 1. If `inputs` is (gain, Z), x = erf(gain z)/Z is written instead of z; otherwise it is None. Up to 15 columns
    after the last example may be overwritten. `taken` comes from `ways`, `space` from `room_for`.
    """
    part, noise, made, other, own = space
    room = part, noise, made, other
    banded, folded = taken
    for index, begin in enumerate(range(0, examples.size, segment)):
        end = min(begin + segment, examples.size)
        for category in range(2):
            first, last = (middle[index], end) if category else (begin, middle[index])
            tiles = -(-(last - first) // TILE)
            for tile in range(tiles):
                start, stop = first + (last - first) * tile // tiles, first + (last - first) * (tile + 1) // tiles
                for r in range(stop - start):
                    own[r] = examples[start + r]
                mine, maker = own[: _whole(stop - start)], makers[category]
                _band(banded, key, word, maker, mine, stop - start, inputs, room, out, start)
                _modes(folded, key, word, maker, mine, stop - start, inputs, room, out, start)
