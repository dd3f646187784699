"""Symmetric matrices, stored by all entries or by the first row of a circulant matrix."""

from dataclasses import dataclass
from math import prod

import numpy as np
from jaxtyping import Shaped

Vector = Shaped[np.ndarray, "*any N"]


@dataclass(frozen=True, eq=False)
class Dense:
    """A symmetric matrix of N x N numbers.

    >>> Dense(np.array([[2.0, 1.0], [1.0, 2.0]])).matvec(np.array([1.0, 0.0])).tolist()
    [2.0, 1.0]
    """

    matrix: Shaped[np.ndarray, "N N"]

    @property
    def rows(self) -> int:
        """N."""
        return len(self.matrix)

    def dense(self) -> Shaped[np.ndarray, "N N"]:
        """The matrix."""
        return self.matrix

    def matvec(self, v: Vector) -> Vector:
        """The products with vectors along the last axis."""
        return v @ self.matrix


@dataclass(frozen=True, eq=False)
class Circulant:
    """M[i, j] = first_row[j - i], sites modulo the ring: N numbers, as of a stationary process on a ring or a torus.

    `axes` are the sites along each axis, whose product is N; on a torus site i stands for its row and column, and
    j - i is taken along both.

    >>> ring = Circulant(np.array([2.0, 1.0, 0.0, 1.0]), (4,))
    >>> ring.dense()[1].tolist(), bool(np.abs(ring.matvec(np.eye(4)) - ring.dense()).max() <= 4 * np.finfo(float).eps)
    ([1.0, 2.0, 1.0, 0.0], True)
    """

    first_row: Shaped[np.ndarray, " N"]
    axes: tuple[int, ...]

    @property
    def rows(self) -> int:
        """N."""
        return len(self.first_row)

    def dense(self) -> Shaped[np.ndarray, "N N"]:
        """The matrix."""
        offset = np.zeros((1, 1), dtype=int)
        for sites in self.axes:
            site = np.arange(sites)
            along = (site - site[:, None]) % sites
            offset = (offset[:, None, :, None] * sites + along[None, :, None, :]).reshape(len(offset) * sites, -1)
        return self.first_row[offset]

    def eigenvalues(self) -> Shaped[np.ndarray, " N"]:
        """The DFT of the first row in float64, mode by mode: those of q and -q are the same number.

        Source: notes, section 5.
        """
        values = np.fft.fftn(self.first_row.reshape(self.axes)).real
        opposite = np.roll(np.flip(values), 1, axis=tuple(range(values.ndim)))
        return ((values + opposite) / 2).ravel()

    def matvec(self, v: Vector) -> Vector:
        """The products with vectors along the last axis, in float64, by FFT."""
        along = tuple(range(-len(self.axes), 0))
        modes = np.fft.fftn(v.reshape(*v.shape[:-1], *self.axes), axes=along)
        moved = np.fft.ifftn(modes * self.eigenvalues().reshape(self.axes), axes=along).real
        return moved.reshape(*v.shape[:-1], prod(self.axes))


Symmetric = Dense | Circulant
