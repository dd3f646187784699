"""Feature moments from exact fractions, in float64 or in balls: A is rational, and so are its range and its optimum.

Rows that no entry of A connects decouple. Source: notes, eq. (8)-(12), for singular A.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from jaxtyping import Shaped

from theory.moments.arithmetic import Arithmetic, Numbers
from theory.moments.exact_moments import ExactMoments
from theory.moments.exact_range import Component, components, decoupled, independent
from theory.moments.feature_moments import Block, FeatureMoments, Structure
from theory.problem import InputError

# The optimum is a fraction for kernels of at most so many rows, and shown if it is no longer than so many characters.
MOST_OPTIMUM_ROWS, MOST_CHARACTERS = 500, 60


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
        return structure(self.exact)

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """The moving components of A in the arithmetic of the moments."""
        A = self.assembled()
        parts = ((piece, A[np.ix_(piece.places, piece.places)]) for piece in pieces(self.exact))
        return tuple(
            piece.block(kernel, self.b[piece.places], self.arithmetic, is_circulant(self.exact, piece))
            for piece, kernel in parts
        )


@lru_cache(maxsize=8)
def pieces(moments: ExactMoments) -> tuple[Component, ...]:
    """Return the nonzero components of A. Raises OutOfReachError where one is too large, InputError without any.

    >>> from theory.moments.finite import exact_moments
    >>> from theory.problem import AlwaysGate, FiniteData, Network
    >>> law = FiniteData([[1, 1, 0], [0, 0, 1]], [1, -1])
    >>> [piece.rank for piece in pieces(exact_moments(law, Network("gated-linear", "mean", 1, (AlwaysGate(),))))]
    [1, 1]
    """
    rows, spanning = moments.rows, moments.spanning
    found = [
        Component.of(places, rows[np.ix_(places, places)] if spanning is None else spanning[places])
        for places in components(rows != 0)
        if rows[places[0]].any()
    ]
    if not found:
        raise InputError(
            "A = <x~ x~^T> is 0: no gate of this network ever opens on an input that is not 0, so nothing is learned.",
            "Move the bounds of the gates between the values of the inputs.",
        )
    return tuple(found)


def is_circulant(moments: ExactMoments, piece: Component) -> bool:
    """Whether the kernel of a component is exactly circulant.

    >>> ring = ExactMoments(1, 2, np.array([[2, 1], [1, 2]]), 1, np.array([Fraction(1)] * 2), Fraction(2))
    >>> is_circulant(ring, *pieces(ring))
    True
    """
    kernel = moments.rows[np.ix_(piece.places, piece.places)]
    turned = np.stack([np.roll(kernel[0], shift) for shift in range(len(kernel))])
    return piece.rank == 1 or (piece.regular and bool((kernel == turned).all()))


def optimum(moments: ExactMoments) -> Fraction:
    """Return <|y - yhat|^2> at the optimum as a fraction, <y.y> - sum_o b_o.A^+ b_o over the outputs o.

    Source: notes, eq. (13)-(16), corrected.

    >>> from theory.moments.finite import exact_moments
    >>> from theory.problem import AlwaysGate, FiniteData, Network
    >>> law = FiniteData([[1, 0], [0, 1], [1, 1]], [1, -1, 1])
    >>> str(optimum(exact_moments(law, Network("gated-linear", "mean", 1, (AlwaysGate(),)))))
    '1/9'
    """
    from flint import fmpq, fmpq_mat, fmpz_mat

    total, b = moments.y2, moments.columns
    for piece in pieces(moments):
        # b lies in the range of A, and any solution of A w = b has this b.w: the one on the pivots alone.
        pivots = piece.places[independent(piece.features.transpose(), piece.rank)]
        columns = fmpq_mat([[fmpq(x.numerator, x.denominator) for x in row] for row in b[pivots].tolist()])
        regular = fmpq_mat(fmpz_mat(moments.rows[np.ix_(pivots, pivots)].tolist()))
        products = columns.transpose() * regular.solve(columns)
        explained = sum((products[o, o] for o in range(b.shape[1])), fmpq(0))
        total -= moments.denominator * Fraction(int(explained.p), int(explained.q))
    return total


def structure(moments: ExactMoments) -> Structure:
    """Rank and decoupling of A by elimination, and in words: gates that never change, the rank, the blocks.

    Two equal rows have rank 1:

    >>> moments = ExactMoments(1, 2, np.array([[1, 1], [1, 1]]), 1, np.array([Fraction(1)] * 2), Fraction(2))
    >>> structure(moments).notes[0]
    'A has rank 1 of 2, exactly, by elimination in fractions; the other directions keep w0.'
    """
    found, size = pieces(moments), len(moments.first)
    ranks = [piece.rank for piece in found]
    whole = sum(ranks)
    circulant = all(is_circulant(moments, piece) for piece in found)
    notes = list(moments.notes)
    if whole < size:
        kept = "w0" if size == moments.units * moments.n else "their initial values"
        notes.append(
            f"A has rank {whole} of {size}, exactly, by elimination in fractions; the other directions keep {kept}."
        )
    notes.append(decoupled(ranks, circulant))
    if max(ranks) <= MOST_OPTIMUM_ROWS and len(least := str(optimum(moments))) <= MOST_CHARACTERS:
        notes.append(f"<(y - yhat)^2> at the optimum is {least}.")
    return Structure(whole, max(ranks), circulant, tuple(notes))
