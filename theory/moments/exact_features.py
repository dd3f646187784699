"""Feature moments from exact fractions, in float64 or in balls."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from jaxtyping import Shaped

from theory.moments.arithmetic import Arithmetic, Numbers
from theory.moments.exact_moments import ExactMoments
from theory.moments.feature_moments import Block, FeatureMoments, Structure
from theory.moments.symmetric import Circulant, Dense


@dataclass(frozen=True, eq=False)
class ExactFeatures(FeatureMoments):
    """The exact moments in an arithmetic: float64, each correctly rounded, or Arb balls in object arrays.

    >>> from theory.moments.arithmetic import FLOAT64
    >>> rows, first = np.array([[2, 1], [1, 2]]), np.array([Fraction(2, 3), Fraction(0)])
    >>> features = ExactFeatures(ExactMoments(1, 2, rows, 3, first, Fraction(1)), FLOAT64)
    >>> features.assembled().round(4).tolist(), features.structure.rank
    ([[0.6667, 0.3333], [0.3333, 0.6667]], 2)
    """

    exact: ExactMoments
    arithmetic: Arithmetic

    def numbers(self, fractions: Shaped[np.ndarray, "..."]) -> Numbers:
        """Return an array of Fractions in this arithmetic."""
        found = [self.arithmetic.rational(value) for value in fractions.ravel().tolist()]
        return np.array(found, dtype=self.arithmetic.dtype).reshape(fractions.shape)

    def assembled(self) -> Shaped[np.ndarray, "P P"]:
        """Return A as an array; equal entries are converted once."""
        counts, inverse = np.unique(self.exact.rows, return_inverse=True)
        values = np.array([Fraction(count, self.exact.denominator) for count in counts.tolist()], dtype=object)
        return self.numbers(values)[inverse].reshape(self.exact.rows.shape)

    @cached_property
    def b(self) -> Shaped[np.ndarray, "P *m"]:
        """<x~ y>, unit-major; with biases followed by <g_k y> and <y>/s."""
        return self.numbers(self.exact.first)

    @cached_property
    def y2(self) -> Any:
        """<y.y>."""
        return self.arithmetic.rational(self.exact.y2)

    @cached_property
    def structure(self) -> Structure:
        """Rank and decoupling of A, by elimination in fractions."""
        from theory.moments.exact_range import structure

        return structure(self.exact)

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """The moving components of A in the arithmetic of the moments."""
        from theory.moments.exact_range import pieces

        return tuple(self._block(piece) for piece in pieces(self.exact))

    def _block(self, piece: Any) -> Block:
        norms = self.numbers(np.array(piece.norms, dtype=object))
        lengths = self.arithmetic.sqrt(norms)
        zero, one = (self.arithmetic.rational(Fraction(x)) for x in (0, 1))
        directions = np.full((1, len(norms), len(self.exact.first)), zero, dtype=self.arithmetic.dtype)
        directions[0][:, piece.places] = self.numbers(piece.vectors) / lengths[:, None]
        kernel = self.numbers(piece.kernel) / (lengths[:, None] * lengths[None, :])
        rhs = (self.numbers(piece.rhs) / lengths[:, None]).T
        return Block(
            n=1,
            directions=directions,
            constants=np.empty((1, 0, 0), dtype=self.arithmetic.dtype),
            scales=np.array([one], dtype=self.arithmetic.dtype),
            kernel=Circulant(kernel[0], (len(kernel),)) if piece.circulant else Dense(kernel),
            rhs=rhs if self.exact.first.ndim == 1 else rhs[:, None, :],
        )
