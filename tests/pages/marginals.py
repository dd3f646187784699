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


def laplace() -> mpf:
    """Return the excess kurtosis of -log(2 Phi(-z))."""
    return kurtosis(lambda x: -mp.log(mp.erfc(x / mp.sqrt(2))))


def logistic() -> mpf:
    """Return the excess kurtosis of log(Phi(z)/Phi(-z))."""
    return kurtosis(lambda x: mp.log(mp.ncdf(x) / mp.ncdf(-x)))


def algebraic(k: mpf) -> mpf:
    """Return the excess kurtosis of the law with P(|x| <= a) = a/(1 + a^k)^(1/k).

    With s = a^k/(1 + a^k), E |x|^m is the integral of s^(m/k) (1 - s)^(-m/k) over u = s^(1/k); near s = 1 the other
    variable w = (1 - s)^(1 - m/k) makes it smooth.
    """

    def moment(m: int) -> mpf:
        def lower(u: mpf) -> mpf:
            return (u / (1 - u**k) ** (1 / k)) ** m

        def upper(w: mpf) -> mpf:
            left = w ** (1 / (1 - m / k))  # 1 - s
            return (1 - left) ** ((m + 1) / k - 1) / (k * (1 - m / k))

        middle = mpf(1) / 2
        return mp.quad(lower, [0, middle]) + mp.quad(upper, [0, (1 - middle**k) ** (1 - m / k)])

    return moment(4) / moment(2) ** 2 - 3


def of_an_interval() -> Fraction:
    """Return the excess kurtosis of a uniform variable on [-1, 1], whose moments of even order m are 1/(m + 1)."""
    return Fraction(1, 5) / Fraction(1, 3) ** 2 - 3


VALUES = {
    "marginal.covariance.sign": lambda rho: 4 * step_step(rho) - 1,
    "marginal.covariance.uniform": lambda rho: erf_erf(1 / mp.sqrt(2), rho),
    "marginal.covariance.cubic": two_cubics,
    "marginal.kurtosis.cubic": lambda c: 2 * mean(lambda x: (x + c * x**3) ** 4, 0),
    "marginal.kurtosis.laplace": laplace,
    "marginal.kurtosis.logistic": logistic,
    "marginal.kurtosis.algebraic": algebraic,
}
