"""Products of tails and signs of unit Gaussians in float64.

`tail_and_two_signs` is E[1[u >= a] s_1 s_2], a tail and two signs at 0, as accurate as P(u >= a) is small.

With p = corr(u, z_1), q = corr(u, z_2), w = corr(z_1, z_2), and p and q scaled by t, Price's theorem gives

    E = P(u >= a) (2/pi) asin w + int_0^1 (I(p, q) + I(q, p)) dt,
    I(p, q) = p/(pi sqrt f) exp(-a^2/(2 f)) erf(a t (q - w p)/sqrt(2 f d)),   f = 1 - t^2 p^2,
    d = det of the correlations at t = (1 - w^2)(1 - c^2 t^2),   c^2 = (p^2 + q^2 - 2 p q w)/(1 - w^2).

Every term has the factor exp(-a^2/2). The path t = tanh(u)/c is that of `theory.gaussian.float64.signs`: E is a power
series in c t whose coefficients have absolute sum at most sqrt(P(u >= a)) (Mehler, Cauchy and Schwarz), which bounds
the remainder of n nodes by that root times the bound there. So that it is small relative to P(u >= a), n grows as if
-log(P(u >= a))/2 more nats were asked for.
"""

from math import asinh, ceil, log, pi
from typing import Any

import numpy as np
from jaxtyping import Float
from scipy.special import erf

from theory.gaussian.float64.owens_t import TINY
from theory.gaussian.float64.quadrature import grouped, legendre
from theory.gaussian.float64.signs import LEAST_GAP, LEAST_SQUARE, LIMITS, NATS, SIZE, four_signs, three_signs
from theory.gaussian.float64.two_signs import NEGLIGIBLE, arcsine, less_product, two_signs

Rows = Float[np.ndarray, " N"]


def tail_and_two_signs(a: float, tail: float, p: Rows, q: Rows, w: Rows) -> Rows:
    """E[1[u >= a] s_1 s_2] with tail = P(u >= a) and the correlations p, q of u with the others, w between them.

    Correlations lie inside (-1, 1). The absolute error is some roundings of exp(-a^2/2), measured below 1e-15 of it
    for a >= 0.

    Without p and q the tail is independent of the signs:

    >>> w = np.array([0.5])
    >>> (tail_and_two_signs(0.0, 0.5, 0 * w, 0 * w, w) * 6).round(14)  # (1/2) (2/pi) asin(1/2)
    array([1.])
    """
    gap = (1 - w) * (1 + w)
    # c^2 (1 - w^2) = (p -+ q)^2 +- 2 p q (1 -+ w): nothing cancels where all are alike.
    side = np.where(w >= 0, 1.0, -1.0)
    square = ((p - side * q) ** 2 + 2 * side * p * q * gap / (1 + abs(w))) / np.maximum(gap, TINY)
    base = np.clip(square, LEAST_SQUARE, 1)
    upper = np.log((1 + np.sqrt(base)) ** 2 / np.maximum(1 - base, LEAST_GAP)) / 2
    columns = upper, np.minimum(square, 1), gap, p, q, less_product(q, w, p, gap), less_product(p, w, q, gap)

    nats = NATS - log(min(tail, 1.0)) / 2
    rules = tuple((limit, ceil(nats / (2 * asinh(pi / (2 * limit))))) for limit in LIMITS)

    def integral(count: int, *rows: Any) -> Rows:
        return _integral(a, count, *rows)

    return tail * arcsine(w, gap) + grouped(upper, rules, integral, *columns, size=SIZE)


def _integral(
    a: float, count: int, upper: Rows, square: Rows, gap: Rows, p: Rows, q: Rows, q_left: Rows, p_left: Rows
) -> Rows:
    nodes, weights = (array[:, None] for array in legendre(count))
    whole = np.tanh(upper)
    t, sech = np.tanh(nodes * upper) / whole, 1 / np.cosh(nodes * upper) ** 2

    def below(x: Any) -> Any:
        """1 - t^2 x, as (1 - t^2 whole^2) + t^2 (whole^2 - x)."""
        return sech + t * t * (whole * whole - x)

    det = gap * np.maximum(below(square), TINY)
    total = np.zeros_like(upper)
    for own, left in ((p, q_left), (q, p_left)):
        f = np.maximum(below(own * own), TINY)
        density = np.exp(-a * a / (2 * f)) / (pi * np.sqrt(f))
        total = total + own * (weights * sech * density * erf(a * t * left / np.sqrt(2 * f * det))).sum(0)
    return total * upper / whole


def signs_at(thresholds: tuple[float, ...], *correlations: Any) -> Float[np.ndarray, "*any"]:
    """E[prod_k sign(z_k + h_k)] for three signs, or for four of which the last two are at 0.

    Of four, a sign at 0 that is uncorrelated with all others makes the expectation 0, and the last two factor out where
    they are uncorrelated with the first two: on a long line most pairs of sites are so.

    >>> far = signs_at((1.0, 1.0, 0.0, 0.0), 0.5, *np.zeros((4, 1)), np.array([0.5]))
    >>> bool(abs(far[0] - two_signs(0.5, thresholds=(1.0, 1.0)) / 3) < 1e-15)
    True
    """
    if len(thresholds) == 3:
        return three_signs(*correlations, thresholds=thresholds)
    if not any(thresholds):
        return four_signs(*correlations)
    r12, r13, r14, r23, r24, r34 = np.broadcast_arrays(*(np.atleast_1d(r) for r in correlations))
    no13, no14, no23, no24, no34 = (np.abs(r) < NEGLIGIBLE for r in (r13, r14, r23, r24, r34))
    alone = no34 & ((no13 & no23) | (no14 & no24))
    apart = no13 & no14 & no23 & no24 & ~alone
    joined = ~(alone | apart)
    value = np.zeros(r12.shape)
    value[apart] = two_signs(r12[apart], thresholds=thresholds[:2]) * two_signs(r34[apart])
    rows = (r[joined] for r in (r12, r13, r14, r23, r24, r34))
    value[joined] = four_signs(*rows, thresholds=thresholds)
    return value
