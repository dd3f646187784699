"""Compiled draws of Gaussian laws: the examples of a stream in blocks that reuse their memory."""

from weakref import WeakKeyDictionary

import numpy as np
import torch

from sim.data.factors import Dense, Separable
from sim.data.gaussian import GaussianSampler
from sim.random.streams import WORDS, Stream, key_of
from sim.training.backends.compiled import colour, error_function, numbers, one_at_first

_AT_ONCE = 64  # examples of a grid
_MAKERS: WeakKeyDictionary[GaussianSampler, tuple[tuple, ...] | None] = WeakKeyDictionary()


def _makers(sampler: GaussianSampler) -> tuple[tuple, ...] | None:
    """Return a Maker for each factor, computed once for each sampler; None where a factor has none."""
    if sampler not in _MAKERS:
        makers = [colour.maker(factor) for factor in sampler.factors]
        # numba unpacks plain tuples faster
        _MAKERS[sampler] = None if None in makers else tuple(map(tuple, makers))
    return _MAKERS[sampler]


class _Grid:
    """The factors of the two axes of a grid, and memory for a few examples at a time, which fits into a cache.

    On a grid of 64 x 64 sites the draws of 500 examples take half of the time that they take all at once.
    """

    def __init__(self, factor: Separable) -> None:
        self.down, self.across = (axis.matrix.numpy().T for axis in (factor.down, factor.across))
        kind, (rows, modes), columns = self.down.dtype, self.down.shape, len(self.across)
        self.calls = -(-factor.rank // WORDS)
        self.noise = np.empty((WORDS * self.calls, _AT_ONCE), kind)
        self.half = np.empty(modes * columns * _AT_ONCE, kind)
        self.z, self.x = (np.empty(rows * columns * _AT_ONCE, kind) for _ in range(2))

    def draw(self, held: tuple, example: np.ndarray, curve: tuple | None, z: np.ndarray | None, x: np.ndarray) -> None:
        """Draw the vectors z (n, rows) of the examples, unless z is None, and x = erf(gain z)/Z for a curve."""
        rank = self.down.shape[1] * self.across.shape[1]
        for start in range(0, len(example), _AT_ONCE):
            own = example[start : start + _AT_ONCE]
            count, columns = len(own), slice(start, start + len(own))
            numbers.fill(*held[:2], self.calls, own, self.noise, 0, held[2])
            noise = self.noise[:rank, :count].reshape(self.down.shape[1], -1, count)
            half = self.half[: noise.shape[0] * len(self.across) * count].reshape(len(noise), -1, count)
            whole = self.z[: len(x) * count].reshape(len(self.down), -1)
            np.matmul(self.across, noise, out=half)
            np.matmul(self.down, half.reshape(len(half), -1), out=whole)
            if z is not None:
                z[:, columns] = whole.reshape(len(x), count)
            if curve is not None:
                curved = self.x[: len(x) * count].reshape(1, -1)
                error_function.inputs(whole.reshape(1, -1), curved.size, *curve, curved)
                x[:, columns] = curved.reshape(len(x), count)


class Block:
    """Up to `rows` examples of a Gaussian law in memory that is reused: z and x (rows, n), y, and each example's row.

    With `by_site` the numbers of a site are contiguous in memory, else those of an example. Without `latent`, z is not
    read and its content is undefined. Entry s of `middle` is the first row of class 1 in segment s.
    """

    def __init__(self, sampler: GaussianSampler, dtype: np.dtype, rows: int, by_site: bool, latent: bool) -> None:
        n, kind = sampler.n, np.dtype(dtype).type
        self.factors, self.by_site = sampler.factors, by_site
        self.labels = sampler.labels.numpy().astype(dtype)
        self.makers = _makers(sampler)
        if self.makers:
            self.scratch = colour.room_for(self.makers)
        on_grid = all(isinstance(factor, Separable) for factor in self.factors)
        self.grids = [_Grid(factor) for factor in self.factors] if on_grid else None
        self.curve = None if sampler.gain is None else (kind(sampler.gain), kind(sampler.normaliser))
        # Gain and Z where x is computed directly, without storing z.
        self.at_once = self.curve if (self.makers or self.grids) and not latent else None
        calls = max(-(-factor.rank // WORDS) for factor in self.factors)
        self.noise = np.empty((WORDS * calls, 0 if self.makers or self.grids else rows), dtype)
        self.z = _room(n, rows, dtype, by_site)
        self.x = self.z if self.curve is None or self.at_once else _room(n, rows, dtype, by_site)
        self.y, self.example, self.row = (np.empty(rows, kind) for kind in (dtype, np.uint64, np.int64))
        self.middle, self.part = np.empty(rows, np.int64), np.empty((WORDS, numbers.TILE), np.uint32)

    def draw(self, own: Stream, first: int, count: int, segment: int) -> None:
        """Draw `count` examples of the stream, from the example `first` on, into the first rows.

        The segments are in the order of the stream; within a segment the rows are sorted by class.
        """
        with one_at_first((self.y.dtype, self.by_site, self.at_once is None, self.makers is None)):
            self._draw(own, first, count, segment)

    def _draw(self, own: Stream, first: int, count: int, segment: int) -> None:
        y, example, row = (part[:count] for part in (self.y, self.example, self.row))
        key, word = tuple(np.uint64(part) for part in key_of(own.seed)), np.uint64(own.word)
        numbers.arrange(key, np.uint64(own.word + 1), first, segment, self.labels, y, example, row, self.middle)
        if self.makers:
            held = (key, word, self.makers, example, segment, self.middle)
            colour.fill_coloured(*held, self.at_once, self.scratch, self.z.T)
        else:
            draw = self._on_grid if self.grids else self._gaussian
            for index, start in enumerate(range(0, count, segment)):
                middle, stop = self.middle[index], min(start + segment, count)
                draw(0, key, word, start, middle)
                draw(1, key, word, middle, stop)
        if self.curve is not None and not self.at_once and not self.grids:
            rows = (self.z.T, self.x.T, count) if self.by_site else (self.z[:count], self.x[:count], self.z.shape[1])
            error_function.inputs(rows[0], rows[2], *self.curve, rows[1])

    def _on_grid(self, c: int, key: tuple[np.uint64, np.uint64], word: np.uint64, low: int, high: int) -> None:
        """Draw z, x or both of the rows from `low` to `high`, which are of class c."""
        z = None if self.at_once else self.z[low:high].T
        self.grids[c].draw((key, word, self.part), self.example[low:high], self.curve, z, self.x[low:high].T)

    def _gaussian(self, c: int, key: tuple[np.uint64, np.uint64], word: np.uint64, low: int, high: int) -> None:
        """Draw z of the rows from `low` to `high`, which are of class c."""
        example, factor = self.example[low:high], self.factors[c]
        calls = -(-factor.rank // WORDS)
        numbers.fill(key, word, calls, example, self.noise, low, self.part)
        noise, z = self.noise[: factor.rank, low:high].T, self.z[low:high]
        if isinstance(factor, Dense):
            np.matmul(noise, factor.matrix.numpy(), out=z)
        else:
            z[:] = factor.coloured(torch.from_numpy(noise)).numpy()


def _room(n: int, rows: int, dtype: np.dtype, by_site: bool) -> np.ndarray:
    """Return an array (rows, n) in which the numbers of a site, or else those of an example, are contiguous."""
    return np.empty((n, rows), dtype).T if by_site else np.empty((rows, n), dtype)
