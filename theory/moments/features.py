"""The moments of a gated problem: <y^2>, <x x^T>, Sigma^yx(p), Sigma^xx(p, q), A and b (notes, eq. 6, 7 and 12).

With biases the features are phi = (g_1 x, ..., g_K x, g_1, ..., g_K, 1/s), and A and b are theirs.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from jaxtyping import Shaped

from theory.moments.arithmetic import FLOAT64, Arithmetic, certified
from theory.moments.basis import GateBasis, Vector, gate_basis
from theory.moments.directions import half_space, two_sign_block, two_signs
from theory.moments.pulse import PulseMoments, pulse_moments
from theory.moments.statistics import all_lags, class_statistics
from theory.problem import Problem, SinglePulse

HALF = Fraction(1, 2)  # the probability of each class


@dataclass(frozen=True)
class GatedMoments:
    """Population moments through the gates; entries are float64, or Arb balls in object arrays.

    covariances[c] = E[x x^T | class c]; even = <x x^T>; odd[i, j] = <s_i s_j x x^T> and output[i] = <s_i y x> with
    s_i the sign of gates.directions[i]; signs[i, j] = <s_i s_j>, inputs[i] = <s_i x>; y1 = <y>, y2 = <y^2>. What is odd
    under x -> -x vanishes: <x>, <y x>, <s_i>, <s_i y>, <s_i s_j x>, <s_i x x^T>. sigma_yx, sigma_xx, A and b are
    assembled from these when asked for.
    """

    gates: GateBasis
    covariances: Shaped[np.ndarray, "2 n n"]
    even: Shaped[np.ndarray, "n n"]
    odd: Shaped[np.ndarray, "m m n n"]
    output: Shaped[np.ndarray, "m n"]
    signs: Shaped[np.ndarray, "m m"]
    inputs: Shaped[np.ndarray, "m n"]
    y1: Any
    y2: Any
    arithmetic: Arithmetic

    @cached_property
    def sigma_yx(self) -> Shaped[np.ndarray, "K n"]:
        """Sigma^yx(p_k) = <g_k y x> = sum_i coefficients[k][1 + i] <s_i y x>. Source: notes, eq. (6)."""
        return np.stack([self.correlated(row) for row in self.gates.coefficients])

    @cached_property
    def sigma_xx(self) -> Shaped[np.ndarray, "K K n n"]:
        """Sigma^xx(p_k, p_l) = <g_k g_l x x^T>; exactly 0 for exclusive gates. Source: notes, eq. (7)."""
        rows = self.gates.coefficients
        units = range(len(rows))
        blocks = [[self.combined(rows[k], rows[l]) for l in units] for k in units]
        return np.stack([np.stack(line) for line in blocks])

    def combined(self, left: Vector, right: Vector) -> Shaped[np.ndarray, "n n"]:
        """<u v x x^T> for u = sum_c left[c] e_c, v = sum_c right[c] e_c over {1, s_i}; e_c e_c = 1.

        Exact coefficients are summed before they meet <x x^T>, so that u v = 0 gives zeros and not rounding.
        """
        number = self.arithmetic.rational
        block = number(sum((a * b for a, b in zip(left, right, strict=True)), Fraction(0))) * self.even
        for i, a in enumerate(left[1:]):
            for j, b in enumerate(right[1:]):
                if i != j and a * b:
                    block = block + number(a * b) * self.odd[i, j]
        return block

    def correlated(self, left: Vector) -> Shaped[np.ndarray, " n"]:
        """<u y x> for u = sum_c left[c] e_c: the even part e_0 = 1 gives nothing."""
        terms = (self.arithmetic.rational(c) * self.output[i] for i, c in enumerate(left[1:]) if c)
        return sum(terms, start=self.even[0] * 0)

    def shifted(self, left: Vector, right: Vector) -> Shaped[np.ndarray, " n"]:
        """<u v x> for u = sum_c left[c] e_c, v = sum_c right[c] e_c: only 1 times a sign has a mean."""
        pairs = zip(left[1:], right[1:], strict=True)
        mixed = [left[0] * b + a * right[0] for a, b in pairs]
        terms = (self.arithmetic.rational(c) * self.inputs[i] for i, c in enumerate(mixed) if c)
        return sum(terms, start=self.even[0] * 0)

    def overlap(self, left: Vector, right: Vector) -> Any:
        """<u v> for u = sum_c left[c] e_c, v = sum_c right[c] e_c; exact coefficients are summed first."""
        number = self.arithmetic.rational
        total = number(sum((a * b for a, b in zip(left, right, strict=True)), Fraction(0)))
        for i, a in enumerate(left[1:]):
            for j, b in enumerate(right[1:]):
                if i != j and a * b:
                    total = total + number(a * b) * self.signs[i, j]
        return total

    def labelled(self, left: Vector) -> Any:
        """<u y> for u = sum_c left[c] e_c: the signs give nothing."""
        return self.arithmetic.rational(left[0]) * self.y1

    @cached_property
    def A(self) -> Shaped[np.ndarray, "P P"]:
        """<phi phi^T>: <x~ x~^T> with x~ = (g_1 x, ..., g_K x), unit-major: row k n + j. Source: notes, eq. (12).

        With biases K + 1 rows follow, those of g_1, ..., g_K and 1/s: P = K n + K + 1.
        """
        rows, constants = self.gates.coefficients, self.gates.constants
        size = len(rows) * len(self.even)
        inner = self.sigma_xx.transpose(0, 2, 1, 3).reshape(size, size)
        if not constants:
            return inner
        cross = np.stack([np.concatenate([self.shifted(row, constant) for row in rows]) for constant in constants])
        corner = np.array([[self.overlap(u, v) for v in constants] for u in constants], dtype=inner.dtype)
        return np.block([[inner, cross.T], [cross, corner]])

    @cached_property
    def b(self) -> Shaped[np.ndarray, " P"]:
        """<phi y>: <x~ y>, unit-major; with biases followed by <g_k y> and <y>/s."""
        ends = [self.labelled(constant) for constant in self.gates.constants]
        return np.concatenate([self.sigma_yx.reshape(-1), np.array(ends, dtype=self.sigma_yx.dtype)])


Moments = GatedMoments | PulseMoments


def gated_moments(problem: Problem) -> Moments:
    """The moments of a gated-linear problem in float64, entries accurate to a few roundings of their largest term.

    Gates: sites and directions at threshold 0 (for single pulses sites at any), always, repeated, in any combination;
    on the input of a law that has a latent, directions of one site or of two with weights of equal size. Raises
    OutOfReachError for other gates and networks. Sources: notes, eq. (6), (7); small-bump note, eq. (7), (8),
    corrected.
    """
    return _moments(problem, FLOAT64)


def gated_moments_certified(problem: Problem, digits: int) -> Moments:
    """The same as balls, at a working precision of `digits` and a few guard digits.

    A ball's radius is relative to the largest term of its entry: Sigma^yx, a sum over the classes, may cancel.
    Raises OutOfReachError where overlapping gates need more certified integrals than can be computed.
    """
    from flint import ctx

    with ctx.workdps(digits + 8):
        moments = _moments(problem, certified())
        _ = moments.A, moments.b  # assembled here, at this precision
        return moments


def _moments(problem: Problem, arithmetic: Arithmetic) -> Moments:
    if isinstance(problem.data, SinglePulse):
        return pulse_moments(problem, arithmetic)
    law = problem.data
    gates = gate_basis(problem.network, law.latent)
    lag = all_lags(law)
    classes = [class_statistics(law, c, arithmetic) for c in (0, 1)]
    half = arithmetic.rational(HALF)
    labels = [arithmetic.rational(HALF * label) for label in law.labels]
    covariances = np.stack([statistics.covariance(lag) for statistics in classes])
    even = half * (covariances[0] + covariances[1])
    count = len(gates.directions)
    odd = np.empty((count, count, law.n, law.n), dtype=arithmetic.dtype)
    output = np.empty((count, law.n), dtype=arithmetic.dtype)
    signs = np.empty((count, count), dtype=arithmetic.dtype)
    inputs = np.empty((count, law.n), dtype=arithmetic.dtype)
    for i, v in enumerate(gates.directions):
        odd[i, i], signs[i, i] = even, arithmetic.rational(Fraction(1))
        half_spaces = [half_space(statistics, v) for statistics in classes]
        output[i] = sum(y * values for y, values in zip(labels, half_spaces, strict=True))
        inputs[i] = half * (half_spaces[0] + half_spaces[1])
        for j, w in enumerate(gates.directions[:i]):
            pairs = [two_signs(statistics, w, v) for statistics in classes]
            signs[i, j] = signs[j, i] = half * (pairs[0] + pairs[1])
            blocks = [two_sign_block(statistics, w, v) for statistics in classes]
            odd[i, j] = odd[j, i] = half * (blocks[0] + blocks[1])
    y1 = arithmetic.rational(HALF * (law.labels[0] + law.labels[1]))
    y2 = arithmetic.rational(HALF * (law.labels[0] ** 2 + law.labels[1] ** 2))
    return GatedMoments(gates, covariances, even, odd, output, signs, inputs, y1, y2, arithmetic)
