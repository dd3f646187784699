"""The exact reduction of A: independent gates, decoupled blocks, orthonormal directions.

With g = G e, e = (1, s_1, ..., s_m) and B = <(e x)(e x)^T>, A = (G kron I) B (G kron I)^T. The column space of the
rational matrix G, times the inputs, is the range of A: weights outside never move. In it, <e_0 e_i x x^T> = 0 by
parity, so the linear network's direction G e_0 decouples wherever it is orthogonal to the others; and gates that
share one sign all meet the same <x x^T>, so that there A = (G G^T) kron <x x^T> and only a 2 x 2 matrix is left.
Exclusive gates (blocks) and redundant gates (sum and difference) are cases of this.

Biases move in the column space of H = [G; e_0/s], whose rows are the coefficients of their features g_k and 1/s. Under
x -> -x the functions s_i x and 1 are even, x and s_i odd: where G e_0 is orthogonal to the G e_i, so is H e_0 to the
H e_i, and the weights along the G e_i with the bias along H e_0 decouple from all others.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations_with_replacement
from typing import Any

import numpy as np
from jaxtyping import Shaped

from theory.moments.arithmetic import Arithmetic
from theory.moments.basis import GateBasis, Vector
from theory.moments.gated import GatedMoments, Moments
from theory.moments.pulse import PulseMoments


@dataclass(frozen=True)
class Block:
    """A part of the flow that nothing else enters: `copies` uncoupled problems scales[a] * kernel.

    directions[a, p] are K-vectors and constants[a, q] vectors over the C = K + 1 biases (C = 0 without them), each
    orthonormal over all blocks. The N = d n + e coordinates u[a], directions[a, p] . w[:, j] over (p, j) and then
    constants[a, q] . biases over q, obey du/dt = ell s (rhs[a] - s scales[a] kernel u). `stationary` says that the
    kernel is <x x^T> itself (on the ring: that it is circulant). Directions that mix units, sites and biases are
    P-vectors over theta: then n = 1, P stands for K, and there are no constants.
    """

    n: int
    directions: Shaped[np.ndarray, "copies d K"]
    constants: Shaped[np.ndarray, "copies e C"]
    scales: Shaped[np.ndarray, " copies"]
    kernel: Shaped[np.ndarray, "N N"]
    rhs: Shaped[np.ndarray, "copies N"]
    stationary: bool

    def project(self, theta: Shaped[np.ndarray, " P"]) -> Shaped[np.ndarray, "copies N"]:
        """The coordinates u of theta = (w, biases)."""
        copies, d, units = self.directions.shape
        w, biases = theta[: units * self.n].reshape(units, self.n), theta[units * self.n :]
        weights = (self.directions.reshape(copies * d, units) @ w).reshape(copies, d * self.n)
        return np.concatenate([weights, self.constants @ biases], axis=1)

    def embed(self, u: Shaped[np.ndarray, "copies N"]) -> Shaped[np.ndarray, " P"]:
        """The theta with coordinates u in this block and none elsewhere."""
        copies, d, units = self.directions.shape
        _, e, biases = self.constants.shape
        weights, constants = u[:, : d * self.n], u[:, d * self.n :]
        w = self.directions.reshape(copies * d, units).T @ weights.reshape(copies * d, self.n)
        return np.concatenate([w.ravel(), self.constants.reshape(copies * e, biases).T @ constants.ravel()])


def inner(u: Sequence[Fraction], v: Sequence[Fraction]) -> Fraction:
    """u . v, exactly."""
    return sum((a * b for a, b in zip(u, v, strict=True)), Fraction(0))


def orthogonal_basis(vectors: Sequence[Vector]) -> list[Vector]:
    """Gram-Schmidt over the rationals, unnormalised; dependent vectors leave nothing.

    >>> one, two = Fraction(1), Fraction(2)
    >>> len(orthogonal_basis([(one, one), (two, two), (one, two)]))
    2
    """
    basis: list[Vector] = []
    for vector in vectors:
        rest = vector
        for other in basis:
            factor = inner(rest, other) / inner(other, other)
            rest = tuple(a - factor * b for a, b in zip(rest, other, strict=True))
        if any(rest):
            basis.append(rest)
    return basis


@dataclass(frozen=True)
class Span:
    """The span of some columns of a matrix M: orthogonal vectors v_p, the rows v_p^T M, and |v_p|^2."""

    vectors: list[Vector]
    rows: list[Vector]
    norms: list[Fraction]

    @classmethod
    def of(cls, matrix: Sequence[Vector], chosen: Sequence[int]) -> "Span":
        """The span of the columns `chosen` of a matrix given by its rows."""
        columns = list(zip(*matrix, strict=True))
        vectors = orthogonal_basis([columns[c] for c in chosen]) if columns else []
        rows = [tuple(inner(vector, column) for column in columns) for vector in vectors]
        return cls(vectors, rows, [inner(vector, vector) for vector in vectors])


@dataclass(frozen=True)
class Part:
    """A decoupled part: directions of the weights in the column space of G, of the biases in that of H."""

    weights: Span
    biases: Span

    @property
    def stationary(self) -> bool:
        """Whether weights alone and at most one sign enter, so that every block is a multiple of <x x^T>."""
        rows = self.weights.rows
        return not self.biases.rows and sum(any(row[c] for row in rows) for c in range(1, len(rows[0]))) <= 1

    def rank(self, n: int) -> int:
        """The number of directions of theta in this part."""
        return n * len(self.weights.vectors) + len(self.biases.vectors)


def parts(gates: GateBasis) -> list[Part]:
    """The decoupled parts of the column spaces of G and H, exactly."""
    signs = range(1, 1 + len(gates.directions))
    choices = [((*signs, 0), (*signs, 0))]
    even, *odd = zip(*gates.coefficients, strict=True)
    if (gates.constants or len(odd) > 1) and not any(inner(even, sign) for sign in odd):
        choices = [((0,), signs), (signs, (0,))]
    return [Part(Span.of(gates.coefficients, w), Span.of(gates.constants, b)) for w, b in choices]


def gate_rank(gates: GateBasis) -> int:
    """The number of linearly independent gates, exactly."""
    return sum(len(part.weights.vectors) for part in parts(gates))


def rank(gates: GateBasis, n: int) -> int:
    """The rank of A, exactly: n times that of the gates, and that of the features of the biases."""
    return sum(part.rank(n) for part in parts(gates))


def kernel_size(part: Part, n: int) -> int:
    """The number of rows of the kernel of a part."""
    return n if part.stationary else part.rank(n)


def blocks(moments: Moments) -> list[Block]:
    """The decoupled blocks of A in the arithmetic of the moments."""
    if isinstance(moments, PulseMoments):
        from theory.flow.linear.exact_range import range_blocks

        return range_blocks(moments)
    return [
        _shared_kernel(moments, part.weights) if part.stationary else _own_kernel(moments, part)
        for part in parts(moments.gates)
    ]


def _unit_vectors(span: Span, size: int, arithmetic: Arithmetic) -> tuple[Shaped[np.ndarray, "d size"], list[Any]]:
    """v_p/|v_p|, and the lengths |v_p|."""
    number = arithmetic.rational
    lengths = [arithmetic.sqrt(number(norm)) for norm in span.norms]
    units = [[number(v) / length for v in vector] for vector, length in zip(span.vectors, lengths, strict=True)]
    return np.array(units, dtype=arithmetic.dtype).reshape(len(units), size), lengths


def _own_kernel(moments: GatedMoments, part: Part) -> Block:
    """Coupled directions: the kernel is the whole matrix, weights first."""
    arithmetic, n, gates = moments.arithmetic, len(moments.even), moments.gates
    weights, biases = part.weights, part.biases
    d, size = len(weights.rows), part.rank(n)
    directions, lengths = _unit_vectors(weights, len(gates.coefficients), arithmetic)
    constants, reaches = _unit_vectors(biases, len(gates.constants), arithmetic)
    kernel, rhs = np.empty((size, size), dtype=arithmetic.dtype), np.empty(size, dtype=arithmetic.dtype)
    at = [slice(p * n, (p + 1) * n) for p in range(d)]
    for p, q in combinations_with_replacement(range(d), 2):
        length = arithmetic.sqrt(arithmetic.rational(weights.norms[p] * weights.norms[q]))
        kernel[at[p], at[q]] = kernel[at[q], at[p]] = moments.combined(weights.rows[p], weights.rows[q]) / length
    for p, length in enumerate(lengths):
        rhs[at[p]] = moments.correlated(weights.rows[p]) / length
    for q, (row, reach) in enumerate(zip(biases.rows, reaches, strict=True), start=d * n):
        rhs[q] = moments.labelled(row) / reach
        for p, length in enumerate(lengths):
            kernel[q, at[p]] = kernel[at[p], q] = moments.shifted(weights.rows[p], row) / (length * reach)
        for r, (other, far) in enumerate(zip(biases.rows, reaches, strict=True), start=d * n):
            kernel[q, r] = moments.overlap(row, other) / (reach * far)
    return Block(
        n=n,
        directions=directions[None],
        constants=constants[None],
        scales=np.array([arithmetic.rational(Fraction(1))], dtype=arithmetic.dtype),
        kernel=kernel,
        rhs=rhs[None],
        stationary=False,
    )


def _shared_kernel(moments: GatedMoments, span: Span) -> Block:
    """At most one sign: the block is (d x d matrix) kron <x x^T> with d <= 2; diagonalise the small one."""
    arithmetic = moments.arithmetic
    directions, lengths = _unit_vectors(span, len(moments.gates.coefficients), arithmetic)
    rhs = np.stack([moments.correlated(row) / length for row, length in zip(span.rows, lengths, strict=True)])
    scales = [arithmetic.rational(inner(row, row) / norm) for row, norm in zip(span.rows, span.norms, strict=True)]
    if len(span.rows) == 2 and inner(*span.rows):
        scales, turn = _diagonalise_two(span, arithmetic)
        directions, rhs = turn @ directions, turn @ rhs
    return Block(
        n=len(moments.even),
        directions=directions[:, None, :],
        constants=np.empty((len(directions), 0, len(moments.gates.constants)), dtype=arithmetic.dtype),
        scales=np.array(scales, dtype=arithmetic.dtype),
        kernel=moments.even,
        rhs=rhs,
        stationary=True,
    )


def _diagonalise_two(span: Span, arithmetic: Arithmetic) -> tuple[list[Any], Shaped[np.ndarray, "2 2"]]:
    """Eigenvalues and the rotation (rows are eigenvectors) of [[a, c], [c, d]], c = h_0.h_1/(|v_0| |v_1|).

    The smaller eigenvalue is det/larger, so that it keeps its digits.
    """
    number, sqrt, rows, norms = arithmetic.rational, arithmetic.sqrt, span.rows, span.norms
    a, d = (inner(row, row) / norm for row, norm in zip(rows, norms, strict=True))
    product = norms[0] * norms[1]
    mixed = inner(*rows)
    c = number(mixed) / sqrt(number(product))
    square = mixed**2 / product
    spread = sqrt(number((a - d) ** 2 / 4 + square))
    larger = number((a + d) / 2) + spread
    smaller = number(a * d - square) / larger
    x, y = (number((a - d) / 2) + spread, c) if a >= d else (c, number((d - a) / 2) + spread)
    length = sqrt(x * x + y * y)
    x, y = x / length, y / length
    return [larger, smaller], np.array([[x, y], [-y, x]], dtype=arithmetic.dtype)
