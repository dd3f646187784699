"""The marginal law of one site of a Gaussian process and of erf of one: densities, distributions and supports.

x = erf(g z)/Z with z ~ N(0, 1) is increasing in z, so that with u = erfinv(Z x)

    P(x <= a) = Phi(erfinv(Z a)/g),   p(x) = phi(u/g) dz/dx = (Z/(2 sqrt2 g)) exp(u^2 - u^2/(2 g^2)),   |x| < 1/Z.

Definitions: localization notes, section 1.
"""

from math import inf, pi, sqrt

import numpy as np
from jaxtyping import Float
from scipy.special import erfinv, ndtr

from theory.moments.inputs import Density


def erf_marginal(gain: float, normaliser: float) -> Density:
    """Return the law of erf(gain z)/normaliser for z ~ N(0, 1).

    At gain 1/sqrt(2) erf(gain z) = 2 Phi(z) - 1 is uniform:

    >>> found = erf_marginal(1 / sqrt(2), 1.0)
    >>> found.low, found.density(np.array([0.2, 0.8, 1.5])).round(12).tolist()
    (-1.0, [0.5, 0.5, 0.0])
    """

    def density(x: Float[np.ndarray, "*any"]) -> Float[np.ndarray, "*any"]:
        inside = np.abs(normaliser * x) < 1
        u = erfinv(np.where(inside, normaliser * x, 0.0))
        scale = normaliser / (2 * sqrt(2) * gain)
        return np.where(inside, scale * np.exp(u * u * (1 - 1 / (2 * gain * gain))), 0.0)

    def cumulative(x: Float[np.ndarray, "*any"]) -> Float[np.ndarray, "*any"]:
        return ndtr(erfinv(np.clip(x * normaliser, -1, 1)) / gain)

    return Density(density, cumulative, -1 / normaliser, 1 / normaliser)


def gaussian_marginal(variance: float) -> Density:
    """Return N(0, variance).

    >>> gaussian_marginal(4.0).cumulative(np.array([0.0])).tolist()
    [0.5]
    """
    return Density(
        lambda x: np.exp(-x * x / (2 * variance)) / sqrt(2 * pi * variance),
        lambda x: ndtr(x / sqrt(variance)),
        -inf,
        inf,
    )
