"""The small-bump network on two sites: its symbols, its moments, its loss by quadrature, and the library's solution.

Entry by entry, a = asin(kappa R_1 e_1) and D = asin(kappa^2 R_1) + asin(kappa^2 R_0) with kappa^2 = 2 g^2/(1 + 2 g^2).
"""

import math
from fractions import Fraction

import mpmath
import sympy
from mpmath import mpf
from sympy import Integer, Interval, Rational, Tuple, asin, pi, sqrt

from theory.claims import finite_data, quadrature
from theory.claims.expectations import KAPPA
from theory.claims.float_flow import Number
from theory.claims.model import Param, Point
from theory.expressions.symbols import g
from theory.flow import Solution, solve
from theory.problem import Network, NonlinearGP, Problem, SiteGate, Training

Z = sympy.Symbol("Z", positive=True)  # Z^2 = (2/pi) asin(kappa^2), the variance of erf(g z)
# Two sites, the gate at the first: their latent correlations in the classes y = 1 and y = 0.
rho1, rho0 = sympy.symbols("rho1 rho0", real=True)
a0, a1, d0, d1 = sympy.symbols("a0 a1 D0 D1", real=True)

# The arcsine laws at distance 0 and 1, and the normaliser.
MOMENTS = (
    Tuple(a0, asin(KAPPA)),
    Tuple(a1, asin(KAPPA * rho1)),
    Tuple(d0, 2 * asin(KAPPA**2)),
    Tuple(d1, asin(KAPPA**2 * rho1) + asin(KAPPA**2 * rho0)),
    Tuple(Z, sqrt(2 * asin(KAPPA**2) / pi)),
)
_A0, _A1, _D0, _D1 = (value for _, value in MOMENTS[:4])

# The modes of two sites, the sum and the difference: their components of a, times sqrt(2), and their eigenvalues of D.
MODES = ((a0 + a1, d0 + d1), (a0 - a1, d0 - d1))
EXPLICIT_MODES = ((_A0 + _A1, _D0 + _D1), (_A0 - _A1, _D0 - _D1))

PARAMS = (
    Param(g, Interval(Rational(1, 64), 64), "gain", (Rational(1, 64), Integer(1), Integer(64))),
    Param(
        rho1, Interval(Rational(1, 16), Rational(31, 32)), "latent correlation in class $y = 1$", (Rational(31, 32),)
    ),
    Param(
        rho0, Interval(Rational(1, 16), Rational(31, 32)), "latent correlation in class $y = 0$", (Rational(31, 32),)
    ),
)

ASSUMPTIONS = (
    r"two sites, gates $\mathbf{1}[z_1 \geq 0]$ and its complement; $x = \operatorname{erf}(g z)/Z$ of unit "
    r"variance, correlation $\rho_c$ in class $c$",
    r"labels 1 and 0, classes of probability 1/2; $\hat y = (g_1 W_1 + g_2 W_2) x/2$",
)
LAWS = ("gaussian.step_erf.arcsine", "gaussian.step_erf_erf.arcsine", "gaussian.erf.second_moment")


def quadratic_loss(point: Point, digits: int) -> finite_data.Loss:
    """Return w -> <(y - (g_1 W_1 + g_2 W_2) x/2)^2>/2 for the four weights (W_1, W_2), from quadratures of the moments.

    Given x -> -x, <g_1 x x^T> = <g_2 x x^T> = <x x^T>/2 and <g_2 y x> = -<g_1 y x>; g_1 g_2 = 0.

    At w = 0 it is <y^2>/2 = 1/4 for the labels 1 and 0:

    >>> half = Rational(1, 2)
    >>> quadratic_loss({g: Integer(1), rho1: half, rho0: half}, 10)([mpf(0)] * 4)
    mpf('0.25')
    """
    gain = point[g]
    first, second = point[rho1], point[rho0]
    one = Integer(1)
    square = quadrature.erf_erf(one, gain, digits)
    scale = mpmath.sqrt(square)
    force = [quadrature.step_erf(rho, gain, digits) / (2 * scale) for rho in (one, first)]
    mixed = (quadrature.erf_erf(first, gain, digits) + quadrature.erf_erf(second, gain, digits)) / (2 * square)

    def loss(w: finite_data.Vector) -> mpf:
        linear = sum(force[i] * (w[i] - w[2 + i]) for i in (0, 1)) / 2
        squares = sum(p * p + 2 * mixed * p * q + q * q for p, q in (w[:2], w[2:])) / 2
        return mpf(1) / 4 - linear + squares / 8

    return loss


def float64_solution(gain: Number, first: Number, second: Number) -> Solution:
    """Return the library's float64 solution; its law takes xi with exp(-1/xi^2) = rho at distance 1.

    The law is symmetric under x -> -x, which exchanges the two gates, so their fields are opposite.

    >>> field = float64_solution(1.0, 0.5, 0.5).fixed_point
    >>> bool(abs(field[0] + field[1]).max() < 1e-12)
    True
    """
    zero, one = Fraction(0), Fraction(1)
    lengths = tuple(Fraction(1 / math.sqrt(-math.log(rho))) for rho in (first, second))
    law = NonlinearGP(2, lengths, Fraction(gain), "open", "unit-variance", (one, zero))
    network = Network("gated-linear", "mean", 2, (SiteGate(0, lo=zero), SiteGate(0, hi=zero)))
    return solve(Problem(law, network, Training("half-mse", one, ((zero, zero), (zero, zero)), (zero,))))
