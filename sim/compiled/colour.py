"""Compiled Gaussian vectors of a banded factor: z_j = sum_d L_{j, j-d} noise_{j-d}, right behind the normal numbers."""

import numpy as np
from numba import njit

from sim.compiled.numbers import FAST, TILE, WORDS, pairs, words

_GROUP = 4  # diagonals at once: so many rows are read for each time that one is written
_LANES = 64  # the loops run over whole multiples of this; the columns beyond the last example are not copied


def diagonals(lower: np.ndarray, band: int) -> np.ndarray:
    """[n, d] -> L_{j, j-d}, the first `band` diagonals of a lower triangular matrix."""
    taps = np.zeros((len(lower), band), lower.dtype)
    for d in range(band):
        taps[d:, d] = np.diagonal(lower, -d)
    return taps


@njit(**FAST)
def _add_one(tap, noise, q, out):
    for r in range(out.size):
        out[r] += tap * noise[q, r]


@njit(**FAST)
def _add(t0, t1, t2, t3, noise, q, out):
    for r in range(out.size):
        out[r] += t0 * noise[q, r] + t1 * noise[q - 1, r] + t2 * noise[q - 2, r] + t3 * noise[q - 3, r]


@njit(**FAST)
def _copy(made, out):
    for r in range(out.size):
        out[r] = made[r]


@njit(**FAST)
def fill_banded(key, word, taps, examples, out, at):
    """The Gaussian vectors of `examples` into the columns of `out` (n, rows) from `at` on; taps as `diagonals` gives.

    A site is made as soon as its normal numbers are there, while these are in the first-level cache.
    """
    k0, k1 = key
    n, band = taps.shape
    calls = -(-n // WORDS)
    part = np.empty((WORDS, TILE), np.uint32)
    noise = np.zeros((band + WORDS * calls, TILE), out.dtype)  # zeros stand before the first site
    site = np.empty(TILE, out.dtype)
    own = np.zeros(TILE, np.uint64)
    for start in range(0, examples.size, TILE):
        count = min(TILE, examples.size - start)
        own[:count] = examples[start : start + count]
        width = -(-count // _LANES) * _LANES
        made = site[:width]
        a, b, c, d = part[0, :width], part[1, :width], part[2, :width], part[3, :width]
        for call in range(calls):
            words(k0, k1, word, np.uint64(call), own[:width], a, b, c, d)
            q = band + WORDS * call
            pairs(a, b, noise[q, :width], noise[q + 1, :width])
            pairs(c, d, noise[q + 2, :width], noise[q + 3, :width])
            for j in range(WORDS * call, min(WORDS * (call + 1), n)):
                made[:] = 0
                for e in range(0, band - _GROUP + 1, _GROUP):
                    _add(taps[j, e], taps[j, e + 1], taps[j, e + 2], taps[j, e + 3], noise, band + j - e, made)
                for e in range(band - band % _GROUP, band):
                    _add_one(taps[j, e], noise, band + j - e, made)
                _copy(made, out[j, at + start : at + start + count])
