"""A, b and their blocks through gates that are combinations of half-spaces: notes, eq. (6), (7) and (12).

Every product of two gates is an exact rational combination of 1, e_i and e_i e_j, as products along one direction are
single functions again (`half_spaces`). So all that the flow needs are the moments of these products with x x^T, x, 1,
y x and y.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations_with_replacement
from math import inf
from typing import Any

import numpy as np
from jaxtyping import Shaped

from theory.moments.arithmetic import Arithmetic
from theory.moments.basis import GateBasis, Key, Vector
from theory.moments.feature_moments import Block, FeatureMoments, Structure
from theory.moments.reduction import Part, Span, gate_rank, inner, kernel_size, parts
from theory.moments.symmetric import Dense, Symmetric


@dataclass(frozen=True, eq=False)
class SignMoments:
    """Population moments of products of half-spaces, each a function of the product's key; None is exactly zero.

    second(key) = <e x x^T>, first(key) = <e x> (n,), zeroth(key) = <e>; output(key) = <e y x> (n,) and label(key) =
    <e y> for 1 and single half-spaces, with a leading axis of m for m > 1 outputs; y2 = <y.y>. With `parity`, x and -x
    have the same law, all half-spaces are signs, and what is odd vanishes. `circulant` says that <x x^T> is. Products
    of two half-spaces, of which one is a tail, are sums of terms of the size `joint` where that is more than their own.
    """

    n: int
    arithmetic: Arithmetic
    second: Callable[[Key], Symmetric | None]
    first: Callable[[Key], Shaped[np.ndarray, " n"] | None]
    zeroth: Callable[[Key], Any | None]
    output: Callable[[Key], Shaped[np.ndarray, "*m n"] | None]
    label: Callable[[Key], Shaped[np.ndarray, "*m"] | None]
    y2: Any
    outputs: tuple[int, ...] = ()  # (m,) for m > 1
    parity: bool = True
    joint: float = 0.0
    circulant: bool = False


@dataclass(frozen=True, eq=False)
class SignFeatures(FeatureMoments):
    """The moments of the features of gates over a basis of half-spaces.

    (1 + s)/2 times (1 - s)/2 is 0, and its square is itself, here with E s = 0 at one site:

    >>> from theory.moments.arithmetic import FLOAT64
    >>> from theory.moments.process import process_moments
    >>> from theory.problem import Network, NonlinearGP, SiteGate
    >>> law = NonlinearGP(4, (2, 1), 1, "open", "none", (1, 0))
    >>> network = Network("gated-linear", "mean", 2, (SiteGate(0, lo=0), SiteGate(0, hi=0)))
    >>> features = process_moments(law, network, FLOAT64)
    >>> up, down = features.gates.coefficients
    >>> features.overlap(up, down), features.overlap(up, up)
    (0.0, 0.5)
    """

    gates: GateBasis
    signs: SignMoments
    certified_seconds: float = 0.0

    @property
    def arithmetic(self) -> Arithmetic:
        """The numbers: float64 or balls."""
        return self.signs.arithmetic

    @property
    def y2(self) -> Any:
        """<y.y>."""
        return self.signs.y2

    def combined(self, left: Vector, right: Vector) -> Shaped[np.ndarray, "n n"]:
        """<u v x x^T> for u = sum_c left[c] e_c, v = sum_c right[c] e_c over the basis: zeros where u v = 0."""
        n = self.signs.n
        return self._sum(self.gates.product(left, right), lambda key: _dense(self.signs.second(key)), (n, n))

    def shifted(self, left: Vector, right: Vector) -> Shaped[np.ndarray, " n"]:
        """<u v x>."""
        return self._sum(self.gates.product(left, right), self.signs.first, (self.signs.n,))

    def overlap(self, left: Vector, right: Vector) -> Any:
        """<u v>."""
        return self._sum(self.gates.product(left, right), self.signs.zeroth, ()).item()

    def correlated(self, left: Vector) -> Shaped[np.ndarray, "*m n"]:
        """<u y x>."""
        return self._sum(
            self.gates.product(left, (Fraction(1),)), self.signs.output, (*self.signs.outputs, self.signs.n)
        )

    def labelled(self, left: Vector) -> Shaped[np.ndarray, "*m"]:
        """<u y>."""
        return self._sum(self.gates.product(left, (Fraction(1),)), self.signs.label, self.signs.outputs)

    def _sum(self, terms: dict[Key, Fraction], moment: Callable[[Key], Any], shape: tuple[int, ...]) -> np.ndarray:
        number = self.arithmetic.rational
        total = np.full(shape, number(Fraction(0)), dtype=self.arithmetic.dtype)
        for key, coefficient in terms.items():
            value = moment(key)
            if value is not None:
                total = total + number(coefficient) * np.asarray(value, dtype=self.arithmetic.dtype)
        return np.asarray(total, dtype=self.arithmetic.dtype)

    def assembled(self) -> Shaped[np.ndarray, "P P"]:
        """A as an array: <x~ x~^T> with x~ = (g_1 x, ..., g_K x), with biases followed by g_1, ..., g_K and 1/s."""
        rows, constants = self.gates.coefficients, self.gates.constants
        inner_blocks = [[None] * len(rows) for _ in rows]
        for k, l in combinations_with_replacement(range(len(rows)), 2):
            inner_blocks[k][l] = inner_blocks[l][k] = self.combined(rows[k], rows[l])
        whole = np.block(inner_blocks)
        if not constants:
            return whole
        cross = np.stack([np.concatenate([self.shifted(row, constant) for row in rows]) for constant in constants])
        corner = np.array([[self.overlap(u, v) for v in constants] for u in constants], dtype=whole.dtype)
        return np.block([[whole, cross.T], [cross, corner]])

    @cached_property
    def b(self) -> Shaped[np.ndarray, "P *m"]:
        """<phi y>: <x~ y> unit-major; with biases followed by <g_k y> and <y>/s."""
        ends = [self.labelled(constant)[..., None] for constant in self.gates.constants]
        whole = np.concatenate([*(self.correlated(row) for row in self.gates.coefficients), *ends], axis=-1)
        return np.moveaxis(whole, -1, 0)

    @cached_property
    def _parts(self) -> tuple[Part, ...]:
        return parts(self.gates, self.signs.parity)

    @cached_property
    def structure(self) -> Structure:
        """Rank and decoupling from the gates' exact linear dependence."""
        n, found, units = self.signs.n, self._parts, len(self.gates.coefficients)
        independent, whole = gate_rank(self.gates), sum(part.rank(n) for part in found)
        size, biases = units * n + len(self.gates.constants), whole - n * independent
        notes = []
        if whole < size:
            with_biases = f", and {biases} of {units + 1} biases" if biases else ""
            notes.append(
                f"{units} gates, {independent} linearly independent{with_biases}: rank {whole} of {size}; "
                f"the other directions keep {'their initial values' if biases else 'w0'}."
            )
        circulant = all(part.shared for part in found) and self.signs.circulant
        rows = max(kernel_size(part, n) for part in found)
        pieces = sum(len(part.weights.vectors) if part.shared else 1 for part in found)
        solved = "diagonalised by the DFT" if circulant else f"kernels of at most {rows} rows"
        notes.append(f"A decouples into {pieces} block{'s' if pieces > 1 else ''}; {solved}.")
        return Structure(whole, rows, circulant, tuple(notes))

    @cached_property
    def amplification(self) -> float:
        """The largest term of a P(gate) over the largest P(gate): thin slabs are differences of tails."""
        if self.gates.odd:
            return 1.0
        rows = self.gates.coefficients
        largest = max(float(abs(number)) * size for row in rows for number, size in self._terms(row))
        whole = max(float(self.overlap(row, row)) for row in rows)
        return max(1.0, largest / whole) if whole > 0 else inf

    def _terms(self, row: Vector) -> list[tuple[Fraction, float]]:
        """Coefficients and sizes of the terms of P(gate) and of its products with others; signs have the mean 0."""
        alone = self.gates.product(row, (Fraction(1),))
        sizes = [(number, self.signs.zeroth(key)) for key, number in alone.items()]
        found = [(number, float(size)) for number, size in sizes if size is not None]
        if self.signs.joint:
            products = (self.gates.product(row, other) for other in self.gates.coefficients)
            pairs = ((key, number) for product in products for key, number in product.items() if len(key) == 2)
            found += [(number, self.signs.joint) for key, number in pairs if self._has_tail(key)]
        return found

    def _has_tail(self, key: Key) -> bool:
        return any(self.gates.half_spaces[i].tail for i in key)

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """The decoupled parts of A in the arithmetic of the moments."""
        return tuple(
            self._shared_kernel(part.weights) if part.shared else self._own_kernel(part) for part in self._parts
        )

    def _own_kernel(self, part: Part) -> Block:
        """Coupled directions: the kernel is the whole matrix, weights first."""
        arithmetic, n = self.arithmetic, self.signs.n
        weights, biases = part.weights, part.biases
        d, size = len(weights.rows), part.rank(n)
        directions, lengths = _unit_vectors(weights, len(self.gates.coefficients), arithmetic)
        constants, reaches = _unit_vectors(biases, len(self.gates.constants), arithmetic)
        kernel = np.empty((size, size), dtype=arithmetic.dtype)
        rhs = np.empty((*self.signs.outputs, 1, size), dtype=arithmetic.dtype)
        at = [slice(p * n, (p + 1) * n) for p in range(d)]
        for p, q in combinations_with_replacement(range(d), 2):
            length = arithmetic.sqrt(arithmetic.rational(weights.norms[p] * weights.norms[q]))
            kernel[at[p], at[q]] = kernel[at[q], at[p]] = self.combined(weights.rows[p], weights.rows[q]) / length
        for p, length in enumerate(lengths):
            rhs[..., 0, at[p]] = self.correlated(weights.rows[p]) / length
        for q, (row, reach) in enumerate(zip(biases.rows, reaches, strict=True), start=d * n):
            rhs[..., 0, q] = self.labelled(row) / reach
            for p, length in enumerate(lengths):
                kernel[q, at[p]] = kernel[at[p], q] = self.shifted(weights.rows[p], row) / (length * reach)
            for r, (other, far) in enumerate(zip(biases.rows, reaches, strict=True), start=d * n):
                kernel[q, r] = self.overlap(row, other) / (reach * far)
        one = np.array([arithmetic.rational(Fraction(1))], dtype=arithmetic.dtype)
        return Block(n, directions[None], constants[None], one, Dense(kernel), rhs)

    def _shared_kernel(self, span: Span) -> Block:
        """At most one sign: the block is (d x d matrix) kron <x x^T> with d <= 2; diagonalise the small one."""
        arithmetic = self.arithmetic
        directions, lengths = _unit_vectors(span, len(self.gates.coefficients), arithmetic)
        forces = [self.correlated(row) / length for row, length in zip(span.rows, lengths, strict=True)]
        rhs = np.stack(forces, axis=-2)
        scales = [arithmetic.rational(inner(row, row) / norm) for row, norm in zip(span.rows, span.norms, strict=True)]
        if len(span.rows) == 2 and inner(*span.rows):
            scales, turn = _diagonalise_two(span, arithmetic)
            directions, rhs = turn @ directions, turn @ rhs
        constants = np.empty((len(directions), 0, len(self.gates.constants)), dtype=arithmetic.dtype)
        scaled = np.array(scales, dtype=arithmetic.dtype)
        return Block(self.signs.n, directions[:, None, :], constants, scaled, self.signs.second(()), rhs)


def _dense(kernel: Symmetric | None) -> Shaped[np.ndarray, "n n"] | None:
    return None if kernel is None else kernel.dense()


def _unit_vectors(span: Span, size: int, arithmetic: Arithmetic) -> tuple[Shaped[np.ndarray, "d size"], list[Any]]:
    """v_p/|v_p|, and the lengths |v_p|."""
    number = arithmetic.rational
    lengths = [arithmetic.sqrt(number(norm)) for norm in span.norms]
    units = [[number(v) / length for v in vector] for vector, length in zip(span.vectors, lengths, strict=True)]
    return np.array(units, dtype=arithmetic.dtype).reshape(len(units), size), lengths


def _diagonalise_two(span: Span, arithmetic: Arithmetic) -> tuple[list[Any], Shaped[np.ndarray, "2 2"]]:
    """Eigenvalues and the rotation (rows are eigenvectors) of [[a, c], [c, d]], c = h_0.h_1/(|v_0| |v_1|).

    The smaller eigenvalue is det/larger, so that it keeps its digits.
    """
    number, sqrt, rows, norms = arithmetic.rational, arithmetic.sqrt, span.rows, span.norms
    a, d = (inner(row, row) / norm for row, norm in zip(rows, norms, strict=True))
    together = norms[0] * norms[1]
    mixed = inner(*rows)
    c = number(mixed) / sqrt(number(together))
    square = mixed**2 / together
    spread = sqrt(number((a - d) ** 2 / 4 + square))
    larger = number((a + d) / 2) + spread
    smaller = number(a * d - square) / larger
    x, y = (number((a - d) / 2) + spread, c) if a >= d else (c, number((d - a) / 2) + spread)
    length = sqrt(x * x + y * y)
    x, y = x / length, y / length
    return [larger, smaller], np.array([[x, y], [-y, x]], dtype=arithmetic.dtype)
