"""E[sign(z1 + h1) sign(z2 + h2)] in float64: (2/pi) asin r without thresholds, two of Owen's T with them.

For unit variances let k1 = (h2 - r h1)/sqrt(1 - r^2), the threshold of the second sign given z1 = -h1, and k2 likewise;

    E = sign(h1) sign(h2) - 4 T(h1, k1/h1) - 4 T(h2, k2/h2).

Differences are computed without cancellation near |r| = 1. Nearly independent signs take Price's integral instead,

    E = erf(h1/sqrt 2) erf(h2/sqrt 2) + r int_0^1 4 phi2(h1, h2; r x) dx,

with few nodes: by Mehler's expansion E is a power series in r whose coefficients have the absolute sum 1 at most, so
that the integrand is analytic for |r x| < 1 and at most 1/(1 - |r x|) in size.
"""

from math import pi, sqrt
from typing import Any

from theory.expressions.arrays import namespace
from theory.gaussian.float64.differentiable import erf, floats, host, is_constant_zero, with_derivatives
from theory.gaussian.float64.owens_t import TINY, four_owens_t, saturated, side
from theory.gaussian.float64.quadrature import legendre

# For |r| <= WEAK the ellipse of [0, r] within the unit disc has rho = 24.6, and 6 nodes leave rho^-12 = 2e-17.
WEAK, NODES = 0.15, 6
# A correlation below this changes an expectation of signs by less than rounding: the slope is 4 phi2, at most 2/pi at
# correlations near 0.
NEGLIGIBLE = 2.0**-58


def two_signs(r: Any, one_minus_square: Any = None, thresholds: tuple[Any, Any] | None = None) -> Any:
    """E[sign(z1 + h1) sign(z2 + h2)] for unit Gaussians of correlation `r`; thresholds (h1, h2) are 0 unless given.

    Arguments are numbers or arrays (NumPy or torch) of broadcastable shapes. Give `one_minus_square` = 1 - r^2 where it
    is known more accurately than from the rounded `r`: near |r| = 1 the result is then accurate to rounding. Without
    thresholds, or where all are the number 0, this is (2/pi) asin r = (2/pi) atan2(r, sqrt(1 - r^2)), which costs a
    quarter of Owen's T. The absolute error is a few times 1e-15, for all |r| <= 1 and all h, infinite ones included.
    Derivatives (torch): 2 phi(h1) erf((h2 - r h1)/sqrt(2 (1 - r^2))) by h1, 4 phi2(h1, h2; r) by r. Raises ValueError
    for |r| > 1 and NaN.

    >>> float(two_signs(0.5)) * 3
    1.0
    >>> round(float(two_signs(0.5, thresholds=(0.3, float("inf"))) - erf(0.3 / sqrt(2))), 15)
    0.0
    """
    _, (r, gap, *h) = floats(r, 0.0 if one_minus_square is None else one_minus_square, *(thresholds or ()))
    gap = (1 - r) * (1 + r) if one_minus_square is None else gap
    if bool((gap < 0).any()):
        raise ValueError(f"correlations must lie in [-1, 1]; the smallest 1 - r^2 found is {host(gap).min():.3g}.")
    return arcsine(r, gap) if all(map(is_constant_zero, h)) else at_thresholds(*h, r, gap)


def arcsine(r: Any, gap: Any) -> Any:
    """Return (2/pi) asin r, with gap = 1 - r^2.

    >>> round(float(arcsine(0.5, 0.75)), 15)  # asin(1/2) = pi/6
    0.333333333333333
    """
    xp = namespace(r)
    return xp.arctan2(r, xp.sqrt(gap)) * (2 / pi)


def at_thresholds(h1: Any, h2: Any, r: Any, gap: Any) -> Any:
    """E[sign(z1 + h1) sign(z2 + h2)] for arrays of one shape, with gap = 1 - r^2; nothing is checked.

    Without correlation it is E sign(z1 + h1) E sign(z2 + h2), each erf(h/sqrt 2):

    >>> import numpy as np
    >>> h1, h2, r, gap = np.array([[0.5], [-1.0], [0.0], [1.0]])
    >>> np.abs(at_thresholds(h1, h2, r, gap) - erf(h1 / sqrt(2)) * erf(h2 / sqrt(2))).round(13)
    array([0.])
    """
    return with_derivatives(_value, DERIVATIVES, h1, h2, r, gap)


def less_product(c: Any, a: Any, b: Any, gap: Any) -> Any:
    """c - a b without cancellation where |a| is near 1: (c -+ b) +- b (1 -+ a), with gap = 1 - a^2.

    For c = b = 1 and a = sqrt(1 - gap), which rounds to 1, it is gap/2:

    >>> float(less_product(1.0, 1.0, 1.0, 1e-20)), 1.0 - 1.0 * 1.0
    (5e-21, 0.0)
    """
    rest = gap / (1 + abs(a))
    return namespace(a).where(a > 0, (c - b) + b * rest, (c + b) - b * rest)


def pair_density(h1: Any, h2: Any, r: Any, gap: Any) -> Any:
    """4 phi2(h1, h2; r), with gap = 1 - r^2 and exponent -(h1 -+ h2)^2/(2 gap) -+ h1 h2/(1 + |r|).

    >>> round(float(pair_density(0.0, 0.0, 0.6, 0.64)) * pi / 2 * 0.8, 13)  # phi2(0, 0; r) = 1/(2 pi sqrt(1 - r^2))
    1.0
    """
    xp = namespace(gap)
    gap = xp.clip(gap, TINY, None)
    h2 = side(r) * h2
    return xp.exp(-((h1 - h2) ** 2) / (2 * gap) - h1 * h2 / (1 + abs(r))) * (2 / pi) / xp.sqrt(gap)


def _value(h1: Any, h2: Any, r: Any, gap: Any) -> Any:
    h1, h2 = saturated(h1), saturated(h2)
    weak = (abs(r) <= WEAK) & ((h1 != 0) | (h2 != 0))
    if not bool(weak.any()):
        return _by_owens_t(h1, h2, r, gap)
    if bool(weak.all()):
        return _by_price(h1, h2, r)
    value = namespace(r).empty_like(r)
    value[weak] = _by_price(h1[weak], h2[weak], r[weak])
    value[~weak] = _by_owens_t(h1[~weak], h2[~weak], r[~weak], gap[~weak])
    return value


def _by_price(h1: Any, h2: Any, r: Any) -> Any:
    xp = namespace(r)
    square, product, total = (h1 * h1 + h2 * h2) * -0.5, h1 * h2, xp.zeros_like(r)
    nodes, weights = legendre(NODES)
    slope, minus_square = product * r, r * r * -1.0
    for x, w in zip(nodes.tolist(), weights.tolist(), strict=True):
        gap = minus_square * (x * x)
        gap += 1
        exponent = slope * x
        exponent += square
        exponent /= gap
        total += xp.exp(exponent) * w / xp.sqrt(gap)
    return erf(h1 / sqrt(2)) * erf(h2 / sqrt(2)) + total * r * (2 / pi)


def _by_owens_t(h1: Any, h2: Any, r: Any, gap: Any) -> Any:
    xp = namespace(h1)
    over = 1 / xp.clip(xp.sqrt(gap), TINY, None)
    k1, k2 = less_product(h2, r, h1, gap) * over, less_product(h1, r, h2, gap) * over
    value = side(h1) * side(h2) - four_owens_t(h1, k1) - four_owens_t(h2, k2)
    return xp.where((h1 == 0) & (h2 == 0), arcsine(r, gap), value)


def _by_h(h1: Any, h2: Any, r: Any, gap: Any) -> Any:
    xp = namespace(h1)
    h1, h2 = saturated(h1), saturated(h2)
    k = less_product(h2, r, h1, gap) / xp.sqrt(xp.clip(gap, TINY, None))
    return xp.exp(-h1 * h1 / 2) * sqrt(2 / pi) * erf(k / sqrt(2))


def _by_angle(h1: Any, h2: Any, r: Any, gap: Any) -> Any:
    """The derivative by the angle atan2(r, sqrt gap): (2/pi) exp(-(h1^2 + h2^2 - 2 r h1 h2)/(2 gap))."""
    return pair_density(saturated(h1), saturated(h2), r, gap) * namespace(gap).sqrt(
        namespace(gap).clip(gap, TINY, None)
    )


DERIVATIVES = (
    _by_h,
    lambda h1, h2, r, gap: _by_h(h2, h1, r, gap),
    lambda h1, h2, r, gap: _by_angle(h1, h2, r, gap) * namespace(gap).sqrt(gap),
    lambda h1, h2, r, gap: -_by_angle(h1, h2, r, gap) * r / (2 * namespace(gap).sqrt(gap)),
)
