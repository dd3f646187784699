"""Orthant expectations in float64: E[s1 s2] and E[s1 s2 s3 s4] for signs of jointly Gaussian variables.

E[s1 s2] = (2/pi) asin r. For four signs Plackett's identity, with the cross block of the correlations scaled by t,

    E[s1 s2 s3 s4] = (4/pi^2) { asin r12 asin r34
        + sum_{a in 12, b in 34} int_0^1 r_ab / sqrt(1 - t^2 r_ab^2) asin(rho_cd.ab(t)) dt },

where rho_cd.ab(t) is the correlation of the other two given a and b. With s = t^2 and det R(t) a polynomial in s,
asin rho_cd.ab = atan2(t M, sqrt(det R(t) (1 - s r_ab^2))), M linear in s: nothing is lost near |rho| = 1.

Every singularity of the integrand in t lies on the real axis at |t| >= 1/c, c the largest canonical correlation
of (1, 2) with (3, 4). t = tanh(u)/c maps the strip |Im u| < pi/2 to the plane cut along |t| >= 1/c, so that
Gauss-Legendre on 0 <= u <= atanh(c) converges at a rate that depends on c alone, through log(1/(1 - c)).

The slopes are closed forms (Price): dE/dr_ab = (2/pi)^2 asin(rho_cd.ab) / sqrt(1 - r_ab^2).
"""

from functools import cache
from typing import Any

import numpy as np

from theory.expressions.arrays import namespace
from theory.gaussian.float64.differentiable import floats, host, like, with_slopes

# u = atanh(c) below the bound -> nodes. The Bernstein ellipse of [0, u] that fits the strip has
# log rho = asinh(pi / u), and 2 nodes log rho >= 36 leaves exp(-36) = 2e-16 of the integrand's size.
RULES = ((0.75, 9), (1.25, 12), (2.0, 16), (3.0, 22), (5.0, 34), (8.0, 50), (13.0, 78), (24.0, 140))
# Below this canonical correlation the map is the same for all (its singularity may lie nearer than needed).
LEAST_SQUARE = 0.25
# 1 - c^2 is not told from zero below this; t = 1 is then the branch point itself.
LEAST_GAP = 1e-18
# Rounding of det R relative to its block determinants: some forty operations, half an epsilon each.
INDEFINITE = 40 * np.finfo(float).eps
BLOCK = 4096


def sign_pair(r: Any, one_minus_square: Any = None) -> Any:
    """E[sign(z1) sign(z2)] = (2/pi) asin r for correlations `r` (any shape; NumPy or torch).

    Give `one_minus_square` = 1 - r^2 where it is known better than the rounded `r` tells: near |r| = 1 the result
    is then accurate to rounding, by asin r = atan2(r, sqrt(1 - r^2)).

    >>> float(sign_pair(0.5)) * 3
    1.0
    """
    xp, (r, gap) = floats(r, 0.0 if one_minus_square is None else one_minus_square)
    gap = (1 - r) * (1 + r) if one_minus_square is None else gap
    if bool((gap < 0).any()):
        raise ValueError(f"correlations must lie in [-1, 1]; the largest 1 - r^2 missed is {host(gap).min():.3g}.")
    return xp.arctan2(r, xp.sqrt(gap)) * (2 / np.pi)


@cache
def legendre(count: int) -> tuple[np.ndarray, np.ndarray]:
    """Gauss-Legendre nodes and weights on [0, 1]."""
    nodes, weights = np.polynomial.legendre.leggauss(count)
    return (nodes + 1) / 2, weights / 2


def sign_quad(r12: Any, r13: Any, r14: Any, r23: Any, r24: Any, r34: Any) -> Any:
    """E[sign(z1) sign(z2) sign(z3) sign(z4)] for correlations of any broadcastable shapes (NumPy or torch, float64).

    The absolute error is below 1e-13 for the float64 correlations as given, as long as no two correlations that
    share a variable are both within 1e-7 of 1 in size; below 1e-12 / sqrt(1 - r^2) * 1e-3 for those. Correlations of
    exactly 1 or -1 are reduced. Raises ValueError where the correlations are not positive semidefinite. Gradients
    (torch, of every order) are exact slopes; they grow like 1/sqrt(1 - r^2), and are infinite or NaN at |r| = 1.
    """
    _, rows = floats(r12, r13, r14, r23, r24, r34)
    return with_slopes(_blocks, SLOPES, *rows)


def _blocks(*rows: Any) -> Any:
    """The values for arrays of one shape, so many at a time that they stay in the processor's cache."""
    xp = namespace(*rows)
    flat = xp.stack([row.reshape(-1) for row in rows])
    result = xp.zeros_like(flat[0])
    for start in range(0, flat.shape[1], BLOCK):
        result[start : start + BLOCK] = _quad(flat[:, start : start + BLOCK])
    return result.reshape(rows[0].shape)


def _slope(ab: int, cd: int, ac: int, bd: int, ad: int, bc: int) -> Any:
    """dE/dr_ab as a function of the six correlations in their order."""

    def slope(*r: Any) -> Any:
        xp = namespace(*r)
        gap = (1 - r[ab]) * (1 + r[ab])
        p, q = less_product(r[cd], r[ac], r[ad]), less_product(r[bc], r[ac], r[ab])
        left = less_product(p, r[bd], q) + r[ab] * (q * r[ad] - r[ab] * p)
        # det R = (1 - r_ac^2)(1 - r_bd^2) det(1 - K K'), K the cross block between orthonormalised pairs.
        k11, k12, k21, k22 = _cross(r[ac], r[ab], r[ad], r[bc], r[cd], r[bd])
        det = 1 - (k11 * k11 + k12 * k12 + k21 * k21 + k22 * k22) + (k11 * k22 - k12 * k21) ** 2
        det = xp.clip(det, 0, None) * (1 - r[ac]) * (1 + r[ac]) * (1 - r[bd]) * (1 + r[bd])
        return (2 / np.pi) ** 2 / xp.sqrt(gap) * xp.arctan2(left, xp.sqrt(det * gap))

    return slope


SLOPES = tuple(
    _slope(*order)
    for order in (
        (0, 5, 1, 4, 2, 3),
        (1, 4, 0, 5, 2, 3),
        (2, 3, 0, 5, 1, 4),
        (3, 2, 0, 5, 4, 1),
        (4, 1, 0, 5, 3, 2),
        (5, 0, 1, 4, 3, 2),
    )
)


def _quad(r: Any) -> Any:
    """The same for rows r12, r13, r14, r23, r24, r34 of shape (6, count)."""
    xp = namespace(r)
    if not bool((abs(r) <= 1).all()):
        raise ValueError(f"correlations must lie in [-1, 1]; found {float(r[~(abs(r) <= 1)][0])!r}.")
    result = xp.zeros_like(r[0])
    left = abs(result) < 1
    for pair, rest in ((0, 5), (1, 4), (2, 3), (5, 0), (4, 1), (3, 2)):
        fused = left & (abs(r[pair]) == 1)
        result[fused] = r[pair][fused] * sign_pair(r[rest][fused])
        left &= ~fused
    if not bool(left.any()):
        return result
    r = _closest_pair_first(r[:, left])
    blocks, larger, smaller = _canonical(r)
    near = xp.clip(larger, 0.5, 1)
    far = xp.arctanh(xp.sqrt(xp.clip(larger, LEAST_SQUARE, 0.5)))
    upper = xp.where(larger > 0.5, 0.5 * xp.log((1 + xp.sqrt(near)) ** 2 / xp.clip(1 - near, LEAST_GAP, None)), far)
    integral = xp.zeros_like(upper)
    low = 0.0
    for high, count in RULES:
        chosen = (low <= upper) & (upper < high)
        if bool(chosen.any()):
            integral[chosen] = _integral(
                r[:, chosen], blocks[chosen], larger[chosen], smaller[chosen], upper[chosen], count
            )
        low = high
    product = xp.arctan2(r[0], xp.sqrt((1 - r[0]) * (1 + r[0]))) * xp.arctan2(r[5], xp.sqrt((1 - r[5]) * (1 + r[5])))
    result[left] = (product + integral) * (4 / np.pi**2)
    return result


def _closest_pair_first(r: Any) -> Any:
    """The same variables in an order that has the largest |r| inside a block, where 1 - r^2 costs nothing."""
    xp = namespace(r)
    pair = abs(r).argmax(0)
    exchanged_23, exchanged_24 = r[[1, 0, 2, 3, 5, 4]], r[[2, 1, 0, 5, 4, 3]]
    return xp.where((pair == 1) | (pair == 4), exchanged_23, xp.where((pair == 2) | (pair == 3), exchanged_24, r))


def less_product(c: Any, a: Any, b: Any) -> Any:
    """c - a b without cancellation where |a| is near 1 and c near a b: (c -+ b) +- b (1 -+ a)."""
    return namespace(a).where(a > 0, (c - b) + b * (1 - a), (c + b) - b * (1 + a))


def _cross(r12: Any, r13: Any, r14: Any, r23: Any, r24: Any, r34: Any) -> tuple[Any, Any, Any, Any]:
    """The cross block between orthonormalised pairs; its singular values are the canonical correlations."""
    xp = namespace(r12)
    a, b = xp.sqrt((1 - r12) * (1 + r12)), xp.sqrt((1 - r34) * (1 + r34))
    d1, d2 = less_product(r23, r12, r13) / a, less_product(r24, r12, r14) / a
    return r13, less_product(r14, r34, r13) / b, d1, less_product(d2, r34, d1) / b


def _canonical(r: Any) -> tuple[Any, Any, Any]:
    """det of the two diagonal blocks, and the squared canonical correlations, larger and smaller.

    det R(t) = det A det B (1 - t^2 larger)(1 - t^2 smaller).
    """
    xp = namespace(r)
    r12, r13, r14, r23, r24, r34 = r
    blocks = (1 - r12) * (1 + r12) * (1 - r34) * (1 + r34)
    k11, k12, k21, k22 = _cross(r12, r13, r14, r23, r24, r34)
    larger = (xp.hypot(k11 + k22, k12 - k21) + xp.hypot(k11 - k22, k12 + k21)) / 2
    if bool((larger > 1 + INDEFINITE / xp.sqrt(blocks)).any()):
        worst = int(larger.argmax())
        raise ValueError(
            f"the correlations {r[:, worst].tolist()} are not those of four variables: the canonical correlation of "
            f"the pairs is {float(larger[worst]):.6g} > 1. Nothing is clipped for you."
        )
    larger = xp.clip(larger, None, 1)
    smaller = abs(k11 * k22 - k12 * k21) / xp.where(larger > 0, larger, 1.0)
    return blocks, larger**2, xp.minimum(smaller, larger) ** 2


def _integral(r: Any, blocks: Any, larger: Any, smaller: Any, upper: Any, count: int) -> Any:
    """The four integrals together by Gauss-Legendre in u; every array has shape (nodes, count of values)."""
    xp = namespace(r)
    r12, r13, r14, r23, r24, r34 = r
    nodes, weights = (like(array, r) for array in legendre(count))
    tanh = xp.tanh(nodes[:, None] * upper)
    whole = xp.tanh(upper)
    t = tanh / whole
    s = t * t
    cosh = xp.cosh(nodes[:, None] * upper)
    square = whole**2
    sech = 1 / cosh**2
    weight = weights[:, None] * (upper / whole) * sech

    def below(x: Any) -> Any:
        """1 - s x for 0 <= x <= 1, as (1 - s square) + s (square - x)."""
        return sech + s * (square - x)

    root = xp.sqrt(blocks * xp.clip(below(larger) * below(smaller), 0, None))
    total = xp.zeros_like(upper)
    for r_ab, r_cd, r_ac, r_bd, r_ad, r_bc in (
        (r13, r24, r12, r34, r14, r23),
        (r14, r23, r12, r34, r13, r24),
        (r23, r14, r12, r34, r24, r13),
        (r24, r13, r12, r34, r23, r14),
    ):
        p, q = less_product(r_cd, r_ac, r_ad), less_product(r_bc, r_ac, r_ab)
        constant, slope = less_product(p, r_bd, q), r_ab * (q * r_ad - r_ab * p)
        free = xp.sqrt(xp.clip(below(r_ab**2), 0, None))
        total += (weight * xp.arctan2(t * (constant + s * slope), root * free) / free).sum(0) * r_ab
    return total
