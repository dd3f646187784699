"""One latent site given two others: symbols, parameters and numbers. Small-bump note, eq. (9)-(13).

(z_i, z_k, z_l) is Gaussian with unit variances. Given z_i and z_k, z_l has the mean beta_i z_i + beta_k z_k and the
variance sigma^2, and E[erf(g z_l) | z_i, z_k] = erf(a_i z_i + a_k z_k) with a = c beta, c = g/sqrt(1 + 2 g^2 sigma^2).
"""

import mpmath
import sympy
from mpmath import mpf
from sympy import Integer, Interval, Rational, oo, sqrt

from theory.claims import finite_data, quadrature
from theory.claims.model import Param, Point
from theory.claims.points import values
from theory.expressions.symbols import g

# The reading of a symbol that (8) leaves undefined.
UNDEFINED = r"$\sigma_1^2$ is undefined and read as $1 - \rho_{ik}^2$"

ik, il, kl = sympy.symbols("rho_ik rho_il rho_kl", real=True)
LEFT = 1 - ik**2
VARIANCE = 1 - (il**2 - 2 * ik * il * kl + kl**2) / LEFT  # (12)
DETERMINANT = 1 - ik**2 - il**2 - kl**2 + 2 * ik * il * kl  # det of the correlation matrix of (z_i, z_k, z_l)
C = g / sqrt(1 + 2 * g**2 * VARIANCE)
OF_I, OF_K = (il - kl * ik) / LEFT, (kl - il * ik) / LEFT  # beta_i, beta_k

_INSIDE = Interval.open(-1, 1)

CORRELATIONS = (
    Param(ik, _INSIDE, "correlation of $z_i$ and $z_k$", (Integer(0), Rational(63, 64))),
    Param(il, _INSIDE, "correlation of $z_i$ and $z_l$", (Integer(0),)),
    Param(kl, _INSIDE, "correlation of $z_k$ and $z_l$", (Integer(0),)),
)

# The oracles lose digits where the determinant is tiny; the statement needs only > 0.
CONDITION = Rational(1, 1000) < DETERMINANT
SMALL_GAIN = Param(g, Interval.open(0, oo), "gain", (Rational(1, 100), Integer(1)), likely=Interval(Rational(1, 8), 4))


def regression(point: Point) -> tuple[mpf, mpf, mpf]:
    """Return beta_i, beta_k and sigma^2: the minimiser and the minimum of E (z_l - beta_i z_i - beta_k z_k)^2.

    If z_l is correlated with z_k alone, beta = (0, rho_kl) and sigma^2 = 1 - rho_kl^2:

    >>> point = {ik: Integer(0), il: Integer(0), kl: Rational(3, 5)}
    >>> [mpmath.nstr(value, 6) for value in regression(point)]
    ['0.0', '0.6', '0.64']
    """
    at = values(point)

    def loss(beta: finite_data.Vector) -> mpf:
        vector = [-beta[0], -beta[1], mpf(1)]
        cov = [[mpf(1), at["rho_ik"], at["rho_il"]], [at["rho_ik"], mpf(1), at["rho_kl"]]]
        cov.append([at["rho_il"], at["rho_kl"], mpf(1)])
        return sum(vector[i] * cov[i][j] * vector[j] for i in range(3) for j in range(3))

    first, second = finite_data.minimiser(loss, 2, mpmath.mp.dps)
    return first, second, loss([first, second])


def slopes(point: Point) -> tuple[mpf, mpf]:
    """Return a_i and a_k in numbers, from E[erf(g z_l) | z_i, z_k] at one value of z_i and of z_k, by quadrature.

    `regression` gives the conditional mean and standard deviation of z_l; the inverse of erf then gives a from erf(a
    x).

    With sigma^2 = 16/25 and g = 1, a_k = rho_kl/sqrt(1 + 2 sigma^2):

    >>> point = {g: Integer(1), ik: Integer(0), il: Integer(0), kl: Rational(3, 5)}
    >>> [mpmath.nstr(value, 8) for value in slopes(point)], round(0.6 / (1 + 32 / 25) ** 0.5, 8)
    (['0.0', '0.39735971'], 0.39735971)
    """
    first, second, spread = regression(point)
    gain = values(point)["g"]
    where = 1 / (4 * (1 + gain))

    def undone(beta: mpf) -> mpf:
        sd = gain * mpmath.sqrt(spread)
        return mpmath.erfinv(quadrature.smoothed_erf(gain * beta * where, sd, mpmath.mp.dps)) / where

    return undone(first), undone(second)
