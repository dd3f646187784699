r"""The matrix E K0 over all pairs of inputs, and the spectrum of E K0 / d.

    E K0(x, x') = d s^(2(d-1)) <x, x'> prod_l E sum_i G_l,i(x) G_l,i(x')

With Bernoulli(mu) gates and s^2 = 1/(mu w) it is E K0 / d = mu^(d-1) X X^T + (1 - mu^(d-1)) diag |x_s|^2. If all
inputs have the norm r, the matrix has the eigenvectors of X X^T, and the eigenvalue rho of X X^T becomes
mu^(d-1) rho + (1 - mu^(d-1)) r^2. Equation (5) of the paper on deep gated networks is the case x_s = 1.

The eigenvalues of K0 itself scatter. Two of their sums have exact moments, since all entries of the diagonal have one
law, and all pairs of them, and all entries off the diagonal:

    sum_i rho_i = sum_s K0(s, s),   sum_i rho_i^2 = sum_(s, t) K0(s, t)^2.
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from jaxtyping import Float

from theory.kernels.network import SIGNS, GatedNetwork, WeightLaw, alike
from theory.kernels.overlap import overlap_moment
from theory.kernels.tangent import covariance, moment, variance
from theory.problem.errors import InputError, OutOfReachError
from theory.problem.numbers import exact, shown, whole

MOST_INPUTS = 500


@dataclass(frozen=True)
class EqualInputsSpectrum:
    """The eigenvalues of E K0 / d for n inputs x_s = 1: `largest` once, with (1, ..., 1), and `smallest` n - 1 times.

    The eigenvectors of `smallest` are the vectors whose entries have the sum 0.

    >>> EqualInputsSpectrum(3, Fraction(3, 2), Fraction(3, 4)).trace  # the diagonal has the entries 1
    Fraction(3, 1)
    """

    inputs: int
    largest: Fraction
    smallest: Fraction

    @property
    def trace(self) -> Fraction:
        """The sum of all eigenvalues."""
        return self.largest + (self.inputs - 1) * self.smallest


def equal_inputs_spectrum(inputs: int, depth: int, mu: Fraction | int | str) -> EqualInputsSpectrum:
    """Return 1 + (n-1) mu^(d-1) and 1 - mu^(d-1), the eigenvalues of equation (5): Bernoulli gates, s^2 = 1/(mu w).

    >>> found = equal_inputs_spectrum(200, 2, "1/2")
    >>> found.largest, found.smallest
    (Fraction(201, 2), Fraction(1, 2))
    """
    whole(inputs, "inputs", least=1)
    whole(depth, "depth", least=1)
    shared = _opening(mu) ** (depth - 1)
    return EqualInputsSpectrum(inputs, 1 + (inputs - 1) * shared, 1 - shared)


@dataclass(frozen=True)
class EqualInputsMoments:
    """Exact moments of the n eigenvalues rho_i of K0 / d for n inputs x_s = 1, over weights and gates.

    `variance_of_mean` is that of sum_i rho_i / n, whose mean is 1; `mean_square` is E sum_i rho_i^2 / n.

    >>> EqualInputsMoments(Fraction(1, 4), Fraction(2)).variance_of_mean
    Fraction(1, 4)
    """

    variance_of_mean: Fraction
    mean_square: Fraction


def equal_inputs_moments(
    inputs: int, width: int, depth: int, mu: Fraction | int | str, weights: WeightLaw = SIGNS
) -> EqualInputsMoments:
    """Return the moments of the eigenvalues of K0 / d for Bernoulli(mu) gates and s^2 = 1/(mu w).

    With n inputs they are (V + (n - 1) C)/n and D + (n - 1) E, with the variance V of an entry of the diagonal, the
    covariance C of two of them, and the mean squares D and E of entries on and off the diagonal. Raises InputError for
    sizes below 1 and mu outside (0, 1].

    >>> equal_inputs_moments(1, 10, 2, 1)  # one input, open gates: K0 = 2 for all signs of the weights
    EqualInputsMoments(variance_of_mean=Fraction(0, 1), mean_square=Fraction(1, 1))
    """
    whole(inputs, "inputs", least=1)
    probability, network = _opening(mu), alike(width, depth, mu, weights)
    unit = 1 / ((probability * width) ** (2 * (depth - 1)) * depth**2)
    of_mean = (variance(network) + (inputs - 1) * covariance(network, (0, 0), (1, 1))) / inputs
    square = moment(network, [(0, 0)] * 2) + (inputs - 1) * moment(network, [(0, 1)] * 2)
    return EqualInputsMoments(of_mean * unit, square * unit)


def mean_matrix(network: GatedNetwork) -> tuple[tuple[Fraction, ...], ...]:
    """Return E K0 for all pairs of inputs, (n, n), in units of s^(2(d-1)), over weights and random gates.

    Raises OutOfReachError for more than MOST_INPUTS inputs.

    >>> from theory.kernels import BernoulliGates
    >>> mean_matrix(GatedNetwork([[1], [2]], [BernoulliGates(10, "1/2")]))
    ((Fraction(10, 1), Fraction(10, 1)), (Fraction(10, 1), Fraction(40, 1)))
    """
    rows = network.inputs.rows
    if len(rows) > MOST_INPUTS:
        raise OutOfReachError(
            f"{len(rows)} inputs are more than {MOST_INPUTS}: the matrix would have {len(rows) ** 2:.2g} fractions.",
            "Take a part of the inputs, or equal_inputs_spectrum for equal inputs.",
        )
    numbers = range(len(rows))
    matrix = [[Fraction(0)] * len(rows) for _ in numbers]
    for s in numbers:
        for t in range(s + 1):
            dot = sum((a * b for a, b in zip(rows[s], rows[t], strict=True)), Fraction(0))
            if dot:
                matrix[s][t] = matrix[t][s] = network.depth * dot * overlap_moment(network, [(s, t)])
    return tuple(map(tuple, matrix))


def mean_spectrum(
    network: GatedNetwork, weight_variance: Fraction | int | str
) -> tuple[Float[np.ndarray, " n"], Float[np.ndarray, "n n"]]:
    """Return eigenvalues of E K0 / d, ascending, and their orthonormal eigenvectors as columns, in float64.

    `weight_variance` is s^2. The matrix is exact up to its rounding to float64.

    >>> from theory.kernels import BernoulliGates
    >>> net = GatedNetwork([[1], [1], [1]], [BernoulliGates(10, "1/2")])
    >>> mean_spectrum(net, "1/5")[0].round(12).tolist()  # 1 - 1/2 twice, and 1 + 2/2
    [0.5, 0.5, 2.0]
    """
    unit = exact(weight_variance, "weight_variance") ** (network.depth - 1) / network.depth
    matrix = np.array([[float(unit * value) for value in row] for row in mean_matrix(network)])
    values, vectors = np.linalg.eigh(matrix)
    return values, vectors


def _opening(mu: Fraction | int | str) -> Fraction:
    """Return the probability of an open gate, which is not 0."""
    probability = exact(mu, "mu")
    if not 0 < probability <= 1:
        raise InputError(
            f"mu = {shown(str(probability))} opens no gates or is no probability.", "Give 0 < mu <= 1, as 1/2."
        )
    return probability
