"""Sigma^xx(p_1, p_1) where two of the three sites coincide: k or l at the gate's site, and k = l.

Both derivations split the step into a half and half a sign; the oracles are integrals over one site.
"""

from collections.abc import Callable

import mpmath
import sympy
from mpmath import mpf
from sympy import Eq, Heaviside, Rational, asin, erf, exp, pi, sign

from theory.claims.areas.moment._symbols import NORMALISER, d, xi1, xi2
from theory.claims.expectations import KAPPA, SECOND_MOMENT, Z_SQUARED, pair
from theory.claims.model import Point
from theory.claims.points import values
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
    """The definition, the step as a half and half a sign, and the odd expectations with the sign, which vanish."""
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


def _integrated(density: Callable[[mpf], mpf], steepest: mpf, both_sides: bool) -> mpf:
    """int phi(z) density(z) dz over z >= 0 or all z, in panels that grow away from 0, at the working precision."""
    reach = mpmath.sqrt(2 * mpmath.log(10) * (mpmath.mp.dps + 5))
    ends = [mpf(0), 1 / (1 + steepest)]
    while ends[-1] < reach:
        ends.append(min(2 * ends[-1], reach))
    ends = [*(-end for end in reversed(ends[1:])), *ends] if both_sides else ends
    return mpmath.quad(lambda x: mpmath.npdf(x) * density(x), ends)


def _mean_over_classes(of_class: Callable[[mpf, mpf], mpf], point: Point, digits: int) -> mpf:
    """The mean over the classes of `of_class(1 - rho^2, rho)`, divided by Z^2, which is computed by its integral."""
    with mpmath.workdps(digits + 15):
        at = values(point)
        slope = at["g"]
        exponents = [(at["d"] / at[length.name]) ** 2 for length in (xi1, xi2)]
        total = sum(of_class(-mpmath.expm1(-2 * e), mpmath.exp(-e)) for e in exponents)
        square = 2 * _integrated(lambda x: mpmath.erf(slope * x) ** 2, slope, both_sides=False)
        return total / (2 * square)


def oracle_own(point: Point, digits: int) -> mpf:
    """int_0^oo phi(z) erf(g z) E[erf(g z_l) | z] dz; the inner mean is E erf(m + s N) = erf(m/sqrt(1 + 2 s^2))."""

    def of_class(rest: mpf, rho: mpf) -> mpf:
        gain = values(point)["g"]
        inner = gain * rho / mpmath.sqrt(1 + 2 * gain**2 * rest)
        # The quadrature stops at an absolute error: rho, which may be tiny, stands in front.
        return rho * _integrated(lambda x: mpmath.erf(gain * x) * mpmath.erf(inner * x) / rho, gain, both_sides=False)

    return _mean_over_classes(of_class, point, digits)


def oracle_square(point: Point, digits: int) -> mpf:
    """int phi(z) erf(g z)^2 P(z_i >= 0 | z) dz over the whole line, z that of site k; at d = 0 over z >= 0."""

    def of_class(rest: mpf, rho: mpf) -> mpf:
        gain = values(point)["g"]
        if rest == 0:
            return _integrated(lambda x: mpmath.erf(gain * x) ** 2, gain, both_sides=False)
        steep = rho / mpmath.sqrt(rest)
        return _integrated(lambda x: mpmath.erf(gain * x) ** 2 * mpmath.ncdf(steep * x), gain + steep, both_sides=True)

    return _mean_over_classes(of_class, point, digits)
