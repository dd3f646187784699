"""Compiled draws of Gaussian laws: the examples of a stream in blocks, whose memory stays from one to the next."""

from weakref import WeakKeyDictionary

import numpy as np
import torch

from sim.data.factors import Dense, Factor
from sim.data.gaussian import GaussianSampler
from sim.random.streams import WORDS, Stream, key_of
from sim.training.backends.compiled import colour, error_function, numbers

_MAKERS: WeakKeyDictionary[GaussianSampler, tuple[tuple, ...] | None] = WeakKeyDictionary()


def _makers(sampler: GaussianSampler) -> tuple[tuple, ...] | None:
    """The Makers of the factors, made once for each sampler; None where one has none."""
    if sampler not in _MAKERS:
        makers = [colour.maker(factor) for factor in sampler.factors]
        _MAKERS[sampler] = None if None in makers else tuple(map(tuple, makers))  # plain tuples are handed over faster
    return _MAKERS[sampler]


class Block:
    """Up to `rows` examples of a Gaussian law in memory that stays: z and x (rows, n), y, and each example's row.

    With `by_site` the numbers of a site lie together in memory, else those of an example. Without `latent` nobody reads
    z, which then may hold anything. Entry s of `middle` is the first row of class 1 in segment s.
    """

    def __init__(self, sampler: GaussianSampler, dtype: np.dtype, rows: int, by_site: bool, latent: bool) -> None:
        n, kind = sampler.n, np.dtype(dtype).type
        self.factors, self.by_site = sampler.factors, by_site
        self.labels = sampler.labels.numpy().astype(dtype)
        self.makers = _makers(sampler)
        if self.makers:
            self.ways, self.scratch = colour.ways(self.makers), colour.room_for(self.makers)
        self.curve = None if sampler.gain is None else (kind(sampler.gain), kind(sampler.normaliser))
        # Gain and Z where x is made without z, which then nobody reads.
        self.at_once = self.curve if self.makers and not latent else None
        calls = max(-(-factor.rank // WORDS) for factor in self.factors)
        self.noise = np.empty((WORDS * calls, 0 if self.makers else rows), dtype)
        self.z = _room(n, rows, dtype, by_site)
        self.x = self.z if self.curve is None or self.at_once else _room(n, rows, dtype, by_site)
        self.y, self.example, self.row = (np.empty(rows, kind) for kind in (dtype, np.uint64, np.int64))
        self.middle, self.part = np.empty(rows, np.int64), np.empty((WORDS, numbers.TILE), np.uint32)

    def draw(self, own: Stream, first: int, count: int, segment: int) -> None:
        """Draw the `count` examples of the stream from the example `first` on into the first rows.

        Rows stand in the order of the examples from segment to segment, sorted by class inside one.
        """
        y, example, row = (part[:count] for part in (self.y, self.example, self.row))
        key, word = tuple(np.uint64(part) for part in key_of(own.seed)), np.uint64(own.word)
        numbers.arrange(key, np.uint64(own.word + 1), first, segment, self.labels, y, example, row, self.middle)
        if self.makers:
            held = (key, word, self.makers, self.ways, example, segment, self.middle)
            colour.fill_coloured(*held, self.at_once, self.scratch, self.z.T)
        else:
            for index, start in enumerate(range(0, count, segment)):
                middle, stop = self.middle[index], min(start + segment, count)
                self._gaussian(0, key, word, start, middle)
                self._gaussian(1, key, word, middle, stop)
        if self.curve is not None and not self.at_once:
            rows = (self.z.T, self.x.T, count) if self.by_site else (self.z[:count], self.x[:count], self.z.shape[1])
            error_function.inputs(rows[0], rows[2], *self.curve, rows[1])

    def _gaussian(self, c: int, key: tuple[np.uint64, np.uint64], word: np.uint64, low: int, high: int) -> None:
        """z of the rows from `low` to `high`, which are of class c."""
        example, factor = self.example[low:high], self.factors[c]
        calls = -(-factor.rank // WORDS)
        numbers.fill(key, word, calls, example, self.noise, low, self.part)
        _colour(factor, self.noise[: factor.rank, low:high].T, self.z[low:high])


def _room(n: int, rows: int, dtype: np.dtype, by_site: bool) -> np.ndarray:
    """An array (rows, n) in which the numbers of a site, or else those of an example, lie together."""
    return np.empty((n, rows), dtype).T if by_site else np.empty((rows, n), dtype)


def _colour(factor: Factor, noise: np.ndarray, z: np.ndarray) -> None:
    if isinstance(factor, Dense):
        np.matmul(noise, factor.matrix.numpy(), out=z)
    else:
        z[:] = factor.coloured(torch.from_numpy(noise)).numpy()
