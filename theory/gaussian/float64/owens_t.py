"""Owen's T in float64 (NumPy or torch), by quadratures of a fixed number of nodes.

`owens_t` is relatively accurate in its tails; `four_owens_t` gives 4 T to absolute accuracy with half of the nodes.
"""

from math import pi, sqrt
from typing import Any

from theory.expressions.arrays import namespace
from theory.gaussian.float64.differentiable import erf, erfc, floats, with_derivatives
from theory.gaussian.float64.quadrature import even_legendre, legendre

# P(|z| > 40) < 1e-349: larger thresholds act as infinite ones, and clipping them avoids overflow.
SATURATED = 40.0
# Nodes for T(h, a), 0 <= a <= 1, of an even function on [-1, 1], where half of the nodes suffice: the ellipse through
# the poles +-i has rho = 2.41, and 24 nodes leave rho^-48 = 4e-19.
NODES = 12
# Nodes for an accuracy relative to exp(-h^2/2) at large h: the other factor is a normal density over at most 9 standard
# deviations, for which 30 nodes are exact up to rounding.
TAIL_NODES = 32
TAIL = 9.0
# A positive number in place of a zero divisor whose quotient is unused or acts as infinity.
TINY = 1e-200
# Second arguments beyond +-1e150 act as infinite ones; clipped to it, their squares are finite.
LARGE = 1e150


def owens_t(h: Any, a: Any) -> Any:
    """Return T(h, a) = (1/2 pi) int_0^a exp(-h^2 (1 + x^2)/2)/(1 + x^2) dx for broadcastable shapes (NumPy or torch).

    The relative error is below 2e-16 (8 + h^2) wherever T > 1e-300 (h^2/2 is rounded); `a` may be infinite. The
    derivatives (torch) are dT/dh = -exp(-h^2/2) erf(a h/sqrt 2)/(2 sqrt(2 pi)) and
    dT/da = exp(-h^2 (1 + a^2)/2)/(2 pi (1 + a^2)).
    Raises ValueError for NaN.

    >>> float(owens_t(0.0, float("inf")))
    0.25
    """
    _, (h, a) = floats(h, a)
    return with_derivatives(_owens_t, (_owens_t_by_h, _owens_t_by_a), h, a)


def _owens_t(h: Any, a: Any) -> Any:
    """T by its integral over 0 <= x <= |a| <= 1; else T(h, a) = Q(h)/2 + Q(k)/2 - Q(h) Q(k) - T(k, 1/a), k = |a| h."""
    xp = namespace(h)
    h, a_size = abs(h), abs(a)
    swapped = a_size > 1
    k = xp.where(h == 0, 0.0, h * xp.where(h == 0, 1.0, a_size))
    outer = xp.where(swapped, k, h)
    ratio = xp.where(swapped, 1 / xp.clip(a_size, 1, None), xp.clip(a_size, None, 1))
    finite = xp.clip(outer, None, 1 / TINY)
    end = xp.minimum(ratio, TAIL / xp.clip(finite, 1, None))
    total = xp.zeros_like(h)
    nodes, weights = legendre(TAIL_NODES)
    for x, w in zip(nodes.tolist(), weights.tolist(), strict=True):
        square = (end * x) ** 2
        total = total + w * xp.exp(-((finite * end * x) ** 2) / 2) / (1 + square)
    half = xp.exp(-(xp.clip(outer, None, SATURATED) ** 2) / 2) * total * end / (2 * pi)
    half = xp.where(outer > SATURATED, 0.0, half)
    q_h, q_k = erfc(h / sqrt(2)) / 2, erfc(k / sqrt(2)) / 2
    result = xp.where(swapped, (q_h + q_k) / 2 - q_h * q_k - half, half)
    return xp.where(a < 0, -result, result)


def _owens_t_by_h(h: Any, a: Any) -> Any:
    h, a = saturated(h), _finite(a)
    return -namespace(h).exp(-h * h / 2) * erf(a * h / sqrt(2)) / (2 * sqrt(2 * pi))


def _owens_t_by_a(h: Any, a: Any) -> Any:
    h, a = saturated(h), _finite(a)
    square = 1 + a * a
    return namespace(h).exp(-h * h * square / 2) / (2 * pi * square)


def _finite(a: Any) -> Any:
    return namespace(a).clip(a, -LARGE, LARGE)


def saturated(h: Any) -> Any:
    """Return `h` clipped to +-40: P(|z| > 40) < 1e-349.

    >>> float(saturated(1e6)), float(saturated(-3.0))
    (40.0, -3.0)
    """
    return namespace(h).clip(h, -SATURATED, SATURATED)


def side(x: Any) -> Any:
    """Return 1 for x >= 0, else -1.

    >>> side(0.0), side(-2.0)
    (1.0, -1.0)
    """
    return 1.0 - 2.0 * (x < 0)


def four_owens_t(h: Any, k: Any) -> Any:
    """4 T(h, k/h) to absolute accuracy, for |k| > |h| as sign(h k) - erf(h/sqrt 2) erf(k/sqrt 2) - 4 T(k, h/k).

    At k = h it is 4 T(h, 1) = (1 - erf(h/sqrt 2)^2)/2:

    >>> import numpy as np
    >>> h = np.array([0.1, 0.5, 3.0])
    >>> np.abs(four_owens_t(h, h) - (1 - erf(h / sqrt(2)) ** 2) / 2).max().round(13).item()
    0.0
    """
    xp = namespace(h)
    h, k = saturated(h), saturated(k)
    swapped = abs(k) > abs(h)
    outer, inner = xp.where(swapped, k, h), xp.where(swapped, h, k)
    a = inner / xp.where(outer == 0, 1.0, outer)
    half, square = outer * outer * -0.5, a * a
    total = xp.zeros_like(h)
    nodes, weights = even_legendre(NODES)
    for x, w in zip(nodes.tolist(), weights.tolist(), strict=True):
        growth = 1 + square * (x * x)
        total += xp.exp(half * growth) * w / growth
    total *= a * (2 / pi)
    return xp.where(swapped, side(h) * side(k) - erf(h / sqrt(2)) * erf(k / sqrt(2)) - total, total)
