"""The values of the claims on marginals: covariances of f(z) and fourth moments, from their integrals."""

from collections.abc import Callable
from fractions import Fraction

from mpmath import mp, mpf

from tests.pages.gaussians import erf_erf, step_step
from tests.pages.numerics import mean

Function = Callable[[mpf], mpf]


def two_cubics(rho: mpf, c: mpf) -> mpf:
    """Return E[(z_1 + c z_1^3)(z_2 + c z_2^3)]; z_2 of mean m and variance s^2 has E z_2^3 = m^3 + 3 m s^2."""

    def given(x: mpf) -> mpf:
        m, s2 = rho * x, 1 - rho**2
        return m + c * (m**3 + 3 * m * s2)

    return 2 * mean(lambda x: (x + c * x**3) * given(x), 0)


def kurtosis(f: Function) -> mpf:
    """Return E f(z)^4/(E f(z)^2)^2 - 3 of an odd f."""
    second, fourth = (2 * mean(lambda x, order=order: f(x) ** order, 0) for order in (2, 4))
    return fourth / second**2 - 3


def logistic() -> mpf:
    """Return the excess kurtosis of log(Phi(z)/Phi(-z)), rounded to the digits of its quadrature."""
    return mp.mpf(mp.nstr(kurtosis(lambda x: mp.log(mp.ncdf(x) / mp.ncdf(-x))), 30))


def of_an_interval() -> Fraction:
    """Return the excess kurtosis of a uniform variable on [-1, 1], whose moments of even order m are 1/(m + 1)."""
    return Fraction(1, 5) / Fraction(1, 3) ** 2 - 3


VALUES = {
    "marginal.covariance.sign": lambda rho: 4 * step_step(rho) - 1,
    "marginal.covariance.uniform": lambda rho: erf_erf(1 / mp.sqrt(2), rho),
    "marginal.covariance.cubic": two_cubics,
    "marginal.kurtosis.cubic": lambda c: 2 * mean(lambda x: (x + c * x**3) ** 4, 0),
}
