"""Defining integrals of Gaussian expectations, computed by quadrature without closed forms of `theory.gaussian`.

A step contributes its definition as a conditional probability, P(z >= 0 | rest) = Phi(mean/sd); every erf factor is
integrated numerically. One-dimensional integrals are enclosed rigorously by Arb; two-dimensional ones use composite
Gauss-Legendre panels refined around the fastest factor, and are accepted only when a second order agrees.
"""

from collections.abc import Callable, Iterator
from functools import cache, lru_cache
from itertools import pairwise
from math import ceil, inf, log, sqrt

import mpmath
import sympy
from flint import acb, arb, ctx, fmpq

from theory.claims.model import Point
from theory.expressions.balls.integral import integral
from theory.expressions.balls.precision import precision

_GUARD = 15
_NEVER = arb(2) ** -100_000  # an absolute tolerance so small that the relative one is met first


class NotConverged(ArithmeticError):
    """A quadrature did not reach the requested digits; its value must not be used."""


Correlation = sympy.Expr  # an exact rational, or the exponential of one
Number = sympy.Rational | mpmath.mpf
Panel = tuple[float, float]


def step_step(rho: Correlation, digits: int) -> mpmath.mpf:
    """Return E[1(z1 >= 0) 1(z2 >= 0)] = int_0^oo phi(z) Phi(rho z / sqrt(1 - rho^2)) dz, corr(z1, z2) = rho, |rho| < 1.

    >>> mpmath.nstr(step_step(sympy.Rational(1, 2), 20), 15)  # 1/4 + asin(1/2)/(2 pi) = 1/3
    '0.333333333333333'
    """
    with precision(digits=digits + _GUARD):
        slope = _ball(rho) / _rest(rho).sqrt()
        return half_line(lambda z: probability(slope * z), digits)


def step_erf(rho: Correlation, gain: sympy.Rational, digits: int) -> mpmath.mpf:
    """Return E[1(z1 >= 0) erf(gain z2)] = int phi(z) erf(gain z) Phi(rho z / sqrt(1 - rho^2)) dz, |rho| <= 1.

    For |rho| = 1 the step selects a half line: +-int_0^oo phi(z) erf(gain z) dz.

    E[1(z >= 0) erf(z)] = asin(sqrt(2/3))/pi where both are one variable:

    >>> from math import asin, pi, sqrt
    >>> value = step_erf(sympy.Integer(1), sympy.Integer(1), 20)
    >>> round(float(value), 12) == round(asin(sqrt(2 / 3)) / pi, 12)
    True
    """
    with precision(digits=digits + _GUARD):
        slope = _ball(gain)
        if abs(rho) == 1:
            return half_line(lambda z: (int(rho) * slope * z).erf(), digits)
        steepness = _ball(rho) / _rest(rho).sqrt()
        # The two half lines together; the integrand at -z is phi(z) erf(-gain z) Phi(-steepness z), and
        # Phi(x) - Phi(-x) = erf(x/sqrt(2)) by the definition of Phi, without cancellation.
        return half_line(lambda z: (slope * z).erf() * (steepness * z / arb(2).sqrt()).erf(), digits)


def smoothed_erf(mean: Number, sd: Number, digits: int) -> mpmath.mpf:
    """Return E[erf(mean + sd N)] = int phi(z) erf(mean + sd z) dz, N ~ N(0, 1), to `digits` relative digits.

    E erf(m + s N) = erf(m/sqrt(1 + 2 s^2)), here with 1 + 2 s^2 = 9:

    >>> mpmath.nstr(smoothed_erf(sympy.Integer(3), sympy.Integer(2), 20), 12), mpmath.nstr(mpmath.erf(1), 12)
    ('0.84270079295', '0.84270079295')
    """
    if mean == 0:
        return mpmath.mpf(0)  # odd in z
    # The two half lines are added under the integral, because they cancel for a small mean.
    lost = max(0.0, -float(abs(_ball(mean)).log() / arb(10).log()))
    with precision(digits=digits + _GUARD + ceil(lost)):
        shift, slope = _ball(mean), _ball(sd)
        return half_line(lambda z: (shift + slope * z).erf() + (shift - slope * z).erf(), digits)


def erf_erf(rho: Correlation, gain: sympy.Rational, digits: int) -> mpmath.mpf:
    """Return E[erf(gain z1) erf(gain z2)] = int phi(z) erf(gain z) E[erf(gain z2) | z1 = z] dz.

    The inner integral is E erf(m + s N) = erf(m / sqrt(1 + 2 s^2)), the claim `gaussian.erf.smoothing`, which is
    checked against `smoothed_erf`.

    E erf(z)^2 = (2/pi) asin(2/3):

    >>> value = erf_erf(sympy.Integer(1), sympy.Integer(1), 20)
    >>> mpmath.nstr(value * mpmath.pi / 2, 12), mpmath.nstr(mpmath.asin(mpmath.mpf(2) / 3), 12)
    ('0.729727656227', '0.729727656227')
    """
    with precision(digits=digits + _GUARD):
        slope = _ball(gain)
        inner = _inner(rho, slope)
        return half_line(lambda z: 2 * (slope * z).erf() * (inner * z).erf(), digits)


def step_erf_own(rho: Correlation, gain: sympy.Rational, digits: int) -> mpmath.mpf:
    """Return E[1(z1 >= 0) erf(gain z1) erf(gain z2)] = int_0^oo phi(z) erf(gain z) E[erf(gain z2) | z1 = z] dz.

    The inner integral is that of `erf_erf`. Here (1/pi) asin(1/3), half of E erf(z1) erf(z2) at the correlation 1/2:

    >>> value = step_erf_own(sympy.Rational(1, 2), sympy.Integer(1), 20)
    >>> mpmath.nstr(value * mpmath.pi, 12), mpmath.nstr(mpmath.asin(mpmath.mpf(1) / 3), 12)
    ('0.339836909454', '0.339836909454')
    """
    with precision(digits=digits + _GUARD):
        slope = _ball(gain)
        inner = _inner(rho, slope)
        return half_line(lambda z: (slope * z).erf() * (inner * z).erf(), digits)


def step_square(rho: Correlation, gain: sympy.Rational, digits: int) -> mpmath.mpf:
    """Return E[1(z1 >= 0) erf(gain z2)^2] = int phi(z) erf(gain z)^2 Phi(rho z / sqrt(1 - rho^2)) dz, |rho| <= 1.

    For |rho| = 1 the step selects a half line. Here (1/pi) asin(2/3), half of E erf(z)^2, whatever the correlation:

    >>> value = step_square(sympy.Rational(1, 2), sympy.Integer(1), 20)
    >>> mpmath.nstr(value * mpmath.pi, 12), mpmath.nstr(mpmath.asin(mpmath.mpf(2) / 3), 12)
    ('0.729727656227', '0.729727656227')
    """
    with precision(digits=digits + _GUARD):
        slope = _ball(gain)
        if abs(rho) == 1:
            return half_line(lambda z: (slope * z).erf() ** 2, digits)
        steep = _ball(rho) / _rest(rho).sqrt()
        # The values at z and at -z together.
        return half_line(lambda z: (slope * z).erf() ** 2 * (probability(steep * z) + probability(-steep * z)), digits)


def step_erf_erf(r12: Correlation, r13: Correlation, r23: Correlation, gain: sympy.Rational, digits: int) -> mpmath.mpf:
    """Return E[1(z1 >= 0) erf(gain z2) erf(gain z3)], a double integral over z1 >= 0 and the rest of z2 given z1.

    The innermost integral, over z3 given z1 and z2, is E erf(m + s N) = erf(m / sqrt(1 + 2 s^2)) as in `erf_erf`.
    Two orders of Gauss-Legendre panels must agree; higher ones are tried where they do not. Raises NotConverged where
    none do.

    The step sees half of an even function: (1/2) E erf(z2) erf(z3), here (1/pi) asin(1/3) at the correlation 1/2.

    >>> third = sympy.Rational(1, 3)
    >>> value = step_erf_erf(third, third, sympy.Rational(1, 2), sympy.Integer(1), 8)
    >>> mpmath.nstr(value * mpmath.pi, 8), mpmath.nstr(mpmath.asin(mpmath.mpf(1) / 3), 8)
    ('0.33983691', '0.33983691')
    """
    with precision(digits=digits + _GUARD):
        a, b, c, slope = _ball(r12), _ball(r13), _ball(r23), _ball(gain)
        by_second = (c - a * b) / (1 - a * a)
        by_first = b - by_second * a
        left = 1 - b * b - by_second**2 * (1 - a * a)
        steep = slope / (1 + 2 * slope**2 * left).sqrt()
        coarse = _quadrant(a, slope, steep * by_first, steep * by_second, digits, 3 * digits // 4)
        for order in (7 * digits // 8, 3 * digits // 2, 2 * digits):
            fine = _quadrant(a, slope, steep * by_first, steep * by_second, digits, order)
            if abs(coarse - fine) < arb(10) ** -(digits - 2):
                return to_mpf(fine, digits)
            coarse, difference = fine, coarse - fine
        raise NotConverged(f"two orders differ by {difference.str(3)} at gain = {gain}")


def step_erf_of_two(first: mpmath.mpf, second: mpmath.mpf, correlation: mpmath.mpf) -> mpmath.mpf:
    """Return E[1(z_i >= 0) erf(first z_i + second z_k)] at mpmath's working precision, corr(z_i, z_k) = correlation.

    int_0^oo phi(v) erf(s v) erf(h v/sqrt 2) dv for s v = first z_i + second z_k, s its standard deviation.

    Given v, z_i is positive with the probability Phi(h v), h = r/sqrt(1 - r^2) with r the correlation of z_i
    and v; the two half lines are added, and Phi(x) - Phi(-x) = erf(x/sqrt 2).

    E[1(z_i >= 0) erf(z_i)] = asin(sqrt(2/3))/pi without z_k:

    >>> value = step_erf_of_two(mpmath.mpf(1), mpmath.mpf(0), mpmath.mpf(0))
    >>> mpmath.nstr(value * mpmath.pi, 12), mpmath.nstr(mpmath.asin(mpmath.sqrt(mpmath.mpf(2) / 3)), 12)
    ('0.955316618125', '0.955316618125')
    """
    spread = mpmath.sqrt(first**2 + 2 * first * second * correlation + second**2)
    rest = abs(second) * mpmath.sqrt(1 - correlation**2)  # s sqrt(1 - r^2), without cancellation
    along = first + second * correlation
    if abs(along) <= 2**10 * mpmath.eps * abs(first):  # rounding alone
        return mpmath.mpf(0)
    digits = mpmath.mp.dps
    with precision(digits=digits + _GUARD):
        slope = _ball(spread)
        if not rest:
            return half_line(lambda v: int(mpmath.sign(along)) * (slope * v).erf(), digits)
        h = _ball(along) / _ball(rest)
        return half_line(lambda v: (slope * v).erf() * (h * v / arb(2).sqrt()).erf(), digits)


def half_line(integrand: Callable[[acb], acb], digits: int) -> mpmath.mpf:
    """Return int_0^oo phi(z) f(z) dz of an entire function f; see `between`.

    E erf(z)^2 = (2/pi) asin(2/3), of which this is half:

    >>> with precision(digits=30):
    ...     value = half_line(lambda z: z.erf() ** 2, 20)
    >>> mpmath.nstr(value * mpmath.pi, 12), mpmath.nstr(mpmath.asin(mpmath.mpf(2) / 3), 12)
    ('0.729727656227', '0.729727656227')
    """
    return between(integrand, 0, inf, digits)


def between(integrand: Callable[[acb], acb], lo: arb | float, hi: arb | float, digits: int) -> mpmath.mpf:
    """Return int phi(z) f(z) dz over lo <= z < hi of an entire f, enclosed by Arb up to the cuts of the Gaussian tails.

    The enclosure is relative: where an absolute tolerance leaves too few digits of a small value, a relative one is
    used. |f| in the tail is at most 1e5 times its mean, so that the cut does not change the returned digits. The
    caller sets the precision of Arb, a few digits more than `digits`. Raises NotConverged where it is too low.

    int_1^2 phi(z) z dz = phi(1) - phi(2):

    >>> with precision(digits=30):
    ...     value = between(lambda z: z, 1, 2, 20)
    >>> mpmath.nstr(value, 12), mpmath.nstr(mpmath.npdf(1) - mpmath.npdf(2), 12)
    ('0.187979758006', '0.187979758006')
    """
    start, end = (arb.max(arb.min(arb(bound), arb(_reach(digits))), arb(-_reach(digits))) for bound in (lo, hi))

    def enclosed(**tolerances: arb) -> arb:
        total = integral(lambda z, _: _exponential(z) * integrand(z), acb(start), acb(end), **tolerances).real
        return total / (2 * arb.pi()).sqrt()

    value = enclosed()
    if not _has_digits(value, digits):
        value = enclosed(rel_tol=arb(10) ** -(digits + 5), abs_tol=_NEVER)
    if not _has_digits(value, digits):
        raise NotConverged(f"Arb encloses the integral only to {value.str(3)}")
    return to_mpf(value, digits)


def balls(point: Point) -> dict[str, arb]:
    """Return the exact rationals of a point as balls at Arb's working precision, by symbol name.

    >>> balls({sympy.Symbol("a"): sympy.Rational(1, 4)})["a"] * 4 == 1
    True
    """
    return {symbol.name: _ball(value) for symbol, value in point.items()}


def probability(x: arb | acb) -> arb | acb:
    """Return Phi(x), the distribution function of N(0, 1).

    >>> probability(arb(0)) == arb(1) / 2
    True
    """
    return (-x / arb(2).sqrt()).erfc() / 2


def _quadrant(r: arb, slope: arb, by_first: arb, by_second: arb, digits: int, order: int) -> arb:
    """int_0^oo phi(z) int phi(u) erf(slope z2) erf(by_first z + by_second z2) du dz, z2 = r z + sqrt(1-r^2) u.

    The panels of u begin where z2 = 0, at u = -r z/sqrt(1-r^2): relative to this point erf(slope z2) is the same for
    every z, and each panel's values are computed once. Where z^2 + u^2 exceeds the square of the reach the integrand
    is negligible.
    """
    rest = (1 - r * r).sqrt()
    reach = _reach(digits)
    steepest = max(1.0, float(slope), abs(float(by_first)) + abs(float(by_second)))
    panels = _refined(1 / max(1.0, steepest * float(rest)), reach + abs(float(r * reach / rest)))

    @cache
    def of_panel(ends: Panel) -> list[tuple[arb, arb, arb]]:
        nodes = [(v, rest * v, weight) for v, weight in _nodes(ends, order)]
        return [(v, by_second * second, weight * (slope * second).erf()) for v, second, weight in nodes]

    total = arb(0)
    for outer in _refined(1 / steepest, reach):
        for z, z_weight in _nodes(outer, order) if outer[0] >= 0 else ():
            left = reach**2 - float(z) ** 2
            start, first, inner = -r * z / rest, by_first * z, arb(0)
            for ends in panels:
                if _distance(ends, -float(start)) ** 2 < left:
                    for v, second, weight in of_panel(ends):
                        inner += weight * _exponential(start + v) * (first + second).erf()
            total += z_weight * _exponential(z) * inner
    return total / (2 * arb.pi())


def _refined(width: float, reach: float) -> list[Panel]:
    """Return panels that cover [-reach, reach] and double in length away from 0, where an erf changes fastest.

    `width` is the length over which the erf changes there; the first panels are three widths long.
    """
    ends, end = [0.0], 3 * width
    while ends[-1] < reach:
        ends.append(end)
        end = min(2 * end, end + 4.0)
    return list(pairwise([*(-end for end in reversed(ends[1:])), *ends]))


def _distance(panel: Panel, point: float) -> float:
    """Return the distance of a point from a panel."""
    return max(panel[0] - point, point - panel[1], 0.0)


def _nodes(panel: Panel, order: int) -> Iterator[tuple[arb, arb]]:
    """Return Gauss-Legendre nodes and weights on a panel."""
    start, end = panel
    middle, half = (arb(end) + arb(start)) / 2, (arb(end) - arb(start)) / 2
    for node, weight in _legendre(order, ctx.prec):
        yield middle + half * node, half * weight


@lru_cache(maxsize=16)
def _legendre(order: int, precision: int) -> tuple[tuple[arb, arb], ...]:
    """Return the rule of `order` nodes on [-1, 1]; `precision` is a cache key because the balls depend on it."""
    del precision
    return tuple(arb.legendre_p_root(order, index, weight=True) for index in range(order))


def _has_digits(value: arb, digits: int) -> bool:
    return value == 0 or value.rad() < arb(10) ** -(digits + 2) * abs(value)


def _exponential(z: arb | acb) -> arb | acb:
    """exp(-z^2/2)."""
    return (-z * z / 2).exp()


def _reach(digits: int) -> float:
    """Return L with P(|z| > L) < 10^-(digits + 5), where the Gaussian weight is cut."""
    return sqrt(2 * log(10) * (digits + 6))


def _ball(value: Correlation | Number) -> arb:
    if isinstance(value, mpmath.mpf):
        return arb(value)
    if isinstance(value, sympy.exp):
        return _ball(value.args[0]).exp()
    exact = sympy.Rational(value)
    return arb(fmpq(int(exact.p), int(exact.q)))


def _rest(rho: Correlation) -> arb:
    """Return 1 - rho^2 without cancellation where rho is an exponential."""
    if isinstance(rho, sympy.exp):
        return -(2 * _ball(rho.args[0])).expm1()
    return _ball(1 - sympy.Rational(rho) ** 2)


def _inner(rho: Correlation, slope: arb) -> arb:
    """s in E[erf(slope z2) | z1] = erf(s z1), by E erf(m + t N) = erf(m/sqrt(1 + 2 t^2)), t^2 = slope^2 (1 - rho^2)."""
    return slope * _ball(rho) / (1 + 2 * slope**2 * _rest(rho)).sqrt()


def to_mpf(value: arb, digits: int) -> mpmath.mpf:
    """Return the middle of a ball to some digits more than `digits`.

    >>> to_mpf(arb(3) / 4, 20)
    mpf('0.75')
    """
    with mpmath.workdps(digits + _GUARD):
        return mpmath.mpf(value.mid().str(digits + _GUARD, radius=False))
