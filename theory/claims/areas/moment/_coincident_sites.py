"""Sigma^xx(p_1, p_1) where two of the three sites coincide: k or l at the gate's site, and k = l.

Both derivations write the step as (1 + sign)/2; the oracles are integrals over one site.
"""

from collections.abc import Callable
from functools import partial

import mpmath
import sympy
from mpmath import mpf
from sympy import Eq, Heaviside, Rational, asin, erf, exp, pi, sign

from theory.claims import quadrature
from theory.claims.areas.moment._symbols import NORMALISER, d, xi1, xi2
from theory.claims.expectations import KAPPA, SECOND_MOMENT, Z_SQUARED, pair
from theory.claims.model import Point
from theory.claims.quadrature import Correlation
from theory.expressions.symbols import g, z
from theory.gaussian.expectation import Expectation
from theory.proof.derivation import Derivation, Step

_OWN_HALVES = tuple(
    Expectation(Heaviside(z(1)) * erf(g * z(1)) * erf(g * z(2)), pair(exp(-(d**2) / length**2)))
    for length in (xi1, xi2)
)
_OWN_ARCSINES = tuple(asin(KAPPA**2 * exp(-(d**2) / length**2)) / pi for length in (xi1, xi2))
OWN = Eq(sum(_OWN_HALVES) / (2 * SECOND_MOMENT), sum(_OWN_ARCSINES) / (2 * Z_SQUARED), evaluate=False)
_SQUARES = tuple(
    Expectation(Heaviside(z(1)) * erf(g * z(2)) ** 2, pair(exp(-(d**2) / length**2))) for length in (xi1, xi2)
)
SQUARE_LAW = Eq(sum(_SQUARES) / (2 * SECOND_MOMENT), Rational(1, 2), evaluate=False)


def _without_step(half: Expectation) -> tuple[Expectation, Expectation]:
    """The two expectations in E[1(z_1 >= 0) f] = (E[f] + E[sign(z_1) f])/2."""
    rest = half.integrand / Heaviside(z(1))
    return Expectation(rest, half.cov), Expectation(sign(z(1)) * rest, half.cov)


def _halved(halves: tuple[Expectation, ...]) -> tuple[Step, Step, Step]:
    """Steps: the definition, the step as (1 + sign)/2, and the odd expectations with the sign, which vanish."""
    parts = [_without_step(half) for half in halves]
    split = [(half, (even + odd) / 2) for half, (even, odd) in zip(halves, parts, strict=True)]
    first = sum(halves) / (2 * SECOND_MOMENT)
    second = first.xreplace(dict(split))
    third = second.xreplace({odd: sympy.S.Zero for _, odd in parts})
    return (
        Step(first, r"the mean over the two classes; $x = \operatorname{erf}(g z)/Z$", "definition"),
        Step(
            second,
            r"$\mathbf{1}(z \geq 0) = (1 + \operatorname{sign} z)/2$",
            "linearity",
            tuple(sympy.Tuple(*one) for one in split),
        ),
        Step(third, "odd in $z$", "parity", tuple(sympy.Tuple(odd, sympy.S.Zero) for _, odd in parts)),
    )


def derive_own() -> Derivation:
    """Derive <g_1 x_i x_l>: the parity of the sign leaves half of the arcsine law of two erfs in each class."""
    evens = [_without_step(half)[0] for half in _OWN_HALVES]
    laws = tuple(Eq(even, 2 * arcsine, evaluate=False) for even, arcsine in zip(evens, _OWN_ARCSINES, strict=True))
    cited = ("gaussian.erf_erf.arcsine", "gaussian.erf_erf.arcsine", "gaussian.erf.second_moment")
    last = Step(OWN.rhs, "the arcsine law of two erfs in each class", "cite", (*laws, NORMALISER), cited)
    return Derivation("moment.site_gate.own_site", OWN, (*_halved(_OWN_HALVES), last))


def derive_square() -> Derivation:
    """Derive <g_1 x_k^2> = 1/2: the parity of the sign leaves half of the mean square, which is 1."""
    evens = [_without_step(half)[0] for half in _SQUARES]
    one_site = tuple(sympy.Tuple(even, SECOND_MOMENT) for even in evens)
    last = Step(
        SQUARE_LAW.rhs, r"$\mathbb{E} \operatorname{erf}(g z)^2$ does not know the gate's site", "marginal", one_site
    )
    return Derivation("moment.site_gate.square", SQUARE_LAW, (*_halved(_SQUARES), last))


def _mean_over_classes(of_class: Callable[[Correlation, Rational, int], mpf], point: Point, digits: int) -> mpf:
    """The mean over the classes of `of_class(rho, gain, digits)`, divided by Z^2, which is computed by its integral."""
    rhos = [exp(-(point[d] ** 2) / point[length] ** 2) for length in (xi1, xi2)]
    total = [of_class(rho, point[g], digits + 5) for rho in rhos]
    with mpmath.workdps(digits + 10):
        return sum(total) / (2 * quadrature.erf_erf(sympy.Integer(1), point[g], digits + 5))


oracle_own = partial(_mean_over_classes, quadrature.step_erf_own)
oracle_square = partial(_mean_over_classes, quadrature.step_square)
