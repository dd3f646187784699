"""Quantile functions f(z) = Q(Phi(z)) in float64: values, moments in closed form, kinks, and marginals.

One dispatch for each, on the declaration. E f^2 and E f^4 are 2 and 24 for Laplace, pi^2/3 and 7 pi^4/15 for the
logistic law, B(3/k, 1 - 2/k)/k and B(5/k, 1 - 4/k)/k for the algebraic one, and sums of polynomials for a table.
"""

from fractions import Fraction
from functools import singledispatch
from itertools import pairwise
from math import inf, pi, sqrt
from typing import Any

import numpy as np
from jaxtyping import Float
from scipy.special import beta, erf, erfc, expit, log_ndtr, ndtr, ndtri

from theory.moments.inputs import Density, Function
from theory.problem import Algebraic, Laplace, Logistic, OutOfReachError, Quantile

Values = Float[np.ndarray, "*any"]
# Where k q is smaller, 1 - (1 - q)^k is k q to rounding.
_SMALL = 1e-17
FARTHEST = 37.0
LEAST_K = Fraction(9, 4)  # of the algebraic law, whose reach is then 36


@singledispatch
def values(nonlinearity: Any, z: Values) -> Values:
    """Return f(z) for z >= 0.

    >>> values(Laplace(), np.array([0.0])).tolist()
    [0.0]
    """
    del z
    raise OutOfReachError(
        f"The nonlinearity {type(nonlinearity).__name__} has no quantile function here.",
        "Register it in theory/moments/nonlinearities/functions.py.",
    )


@values.register
def _(nonlinearity: Laplace, z: np.ndarray) -> np.ndarray:
    """-log(2 Phi(-z)) by erfc(z/sqrt 2) = 2 Phi(-z), in a fifth of the time of log Phi, until that underflows."""
    del nonlinearity
    found = np.empty_like(z)
    near, far = z < 1, z > FARTHEST
    middle = ~(near | far)
    found[near] = -np.log1p(-erf(z[near] / sqrt(2)))
    found[middle] = -np.log(erfc(z[middle] / sqrt(2)))
    found[far] = -np.log(2) - log_ndtr(-z[far])
    return found


@values.register
def _(nonlinearity: Logistic, z: np.ndarray) -> np.ndarray:
    del nonlinearity
    return log_ndtr(z) - log_ndtr(-z)


@values.register
def _(nonlinearity: Algebraic, z: np.ndarray) -> np.ndarray:
    """u/(1 - u^k)^(1/k) with u = erf(z/sqrt2) = 1 - q; q by its logarithm, as it underflows beyond z = 38."""
    k = float(nonlinearity.k)
    u, log_q = erf(z / sqrt(2)), np.log(2) + log_ndtr(-z)
    q = erfc(z / sqrt(2))
    with np.errstate(divide="ignore"):
        log_u = np.where(z < 1, np.log(u), np.log1p(-q))
        log_rest = np.where(k * q < _SMALL, np.log(k) + log_q, np.log(-np.expm1(k * log_u)))
    return u * np.exp(-log_rest / k)


@values.register
def _(nonlinearity: Quantile, z: np.ndarray) -> np.ndarray:
    p, x = (np.array([float(number) for number in row]) for row in (nonlinearity.p, nonlinearity.x))
    return np.interp(ndtr(z), p, x)


@singledispatch
def moment(nonlinearity: Any, order: int) -> float:
    """Return E f^order for the orders 2 and 4. Raises OutOfReachError where it is infinite.

    >>> moment(Laplace(), 4) / moment(Laplace(), 2) ** 2 - 3
    3.0
    """
    del order
    return values(nonlinearity, np.zeros(0))  # refuses


@moment.register
def _(nonlinearity: Laplace, order: int) -> float:
    del nonlinearity
    return {2: 2.0, 4: 24.0}[order]


@moment.register
def _(nonlinearity: Logistic, order: int) -> float:
    del nonlinearity
    return {2: pi**2 / 3, 4: 7 * pi**4 / 15}[order]


@moment.register
def _(nonlinearity: Algebraic, order: int) -> float:
    if nonlinearity.k <= order:
        raise OutOfReachError(
            f"The algebraic law with k = {float(nonlinearity.k):g} has an infinite moment of order {order}.",
            f"Give k > {order}.",
        )
    k = float(nonlinearity.k)
    return float(beta((order + 1) / k, 1 - order / k) / k)


@moment.register
def _(nonlinearity: Quantile, order: int) -> float:
    return float(moment_of_table(nonlinearity, order))


def moment_of_table(nonlinearity: Quantile, order: int) -> Fraction:
    """Return E f^order of a table for an even order: the mean of a^i b^(order - i) over i, panel by panel.

    >>> moment_of_table(Quantile(["1/2", 1], [0, 1]), 4)
    Fraction(1, 5)
    """
    total = Fraction(0)
    rows = zip(pairwise(nonlinearity.p), pairwise(nonlinearity.x), strict=True)
    for (low, high), (a, b) in rows:
        total += 2 * (high - low) * sum(a**i * b ** (order - i) for i in range(order + 1)) / (order + 1)
    return total


@singledispatch
def kinks(nonlinearity: Any) -> Float[np.ndarray, " k"]:
    """Return the z > 0 at which f is not smooth; 0, where an odd function may have a kink, is left out.

    >>> kinks(Quantile(["1/2", "3/4", 1], [0, 1, 3])).round(4).tolist()  # Phi(0.6745) = 3/4
    [0.6745]
    """
    del nonlinearity
    return np.zeros(0)


@kinks.register
def _(nonlinearity: Quantile) -> np.ndarray:
    return ndtri(np.array([float(p) for p in nonlinearity.p[1:-1]]))


@singledispatch
def reach(nonlinearity: Any) -> float:
    """Return the z beyond which f(z)^2 times the density of z is below the rounding of E f^2.

    >>> reach(Laplace())
    12.0
    """
    del nonlinearity
    return 12.0


@reach.register
def _(nonlinearity: Algebraic) -> float:
    # f(z)^2 grows like exp(z^2/k), and beyond z = 37 the density of z underflows.
    if nonlinearity.k < LEAST_K:
        raise OutOfReachError(
            f"Moments of the algebraic law with k = {float(nonlinearity.k):g} have much of their weight where the "
            "density of z underflows double precision.",
            f"Give k >= {float(LEAST_K):g}.",
        )
    return 12 / sqrt(1 - 2 / float(nonlinearity.k))


@singledispatch
def marginal(nonlinearity: Any, scale: float) -> Density:
    """Return the law of scale f(z) for z ~ N(0, 1).

    >>> marginal(Laplace(), 1.0).density(np.array([0.0])).tolist()
    [0.5]
    """
    del scale
    return values(nonlinearity, np.zeros(0))  # refuses


def _scaled(density: Function, cumulative: Function, scale: float, end: float = inf) -> Density:
    """The law of scale x for an x with this density and distribution."""
    return Density(lambda x: density(x / scale) / scale, lambda x: cumulative(x / scale), -scale * end, scale * end)


@marginal.register
def _(nonlinearity: Laplace, scale: float) -> Density:
    del nonlinearity

    def cumulative(x: np.ndarray) -> np.ndarray:
        below = np.exp(-np.abs(x)) / 2
        return np.where(x < 0, below, 1 - below)

    return _scaled(lambda x: np.exp(-np.abs(x)) / 2, cumulative, scale)


@marginal.register
def _(nonlinearity: Logistic, scale: float) -> Density:
    del nonlinearity
    return _scaled(lambda x: expit(x) * expit(-x), expit, scale)


@marginal.register
def _(nonlinearity: Algebraic, scale: float) -> Density:
    k = float(nonlinearity.k)

    def size(x: np.ndarray) -> np.ndarray:
        """log (1 + |x|^k), which does not overflow."""
        with np.errstate(divide="ignore"):
            return np.logaddexp(0.0, k * np.log(np.abs(x)))

    return _scaled(lambda x: np.exp(-(1 + 1 / k) * size(x)) / 2, lambda x: (1 + x * np.exp(-size(x) / k)) / 2, scale)


@marginal.register
def _(nonlinearity: Quantile, scale: float) -> Density:
    if not nonlinearity.increasing:
        raise OutOfReachError(
            "The quantile table has values of x with a probability of their own: this marginal has no density, nor has "
            "it finitely many values.",
            "Give x that ascends strictly, or sample the law.",
        )
    p, x = (np.array([float(number) for number in row]) for row in (nonlinearity.p, nonlinearity.x))
    slopes = np.diff(p) / np.diff(x)

    def density(at: np.ndarray) -> np.ndarray:
        size = np.abs(at)
        place = np.clip(np.searchsorted(x, size, side="right") - 1, 0, len(slopes) - 1)
        return np.where((size >= x[0]) & (size <= x[-1]), slopes[place], 0.0)

    def cumulative(at: np.ndarray) -> np.ndarray:
        above = np.interp(np.abs(at), x, p)
        return np.where(at < 0, 1 - above, above)

    return _scaled(density, cumulative, scale, x[-1])
