"""Signs at thresholds in float64: Owen's T and E[prod_k sign(z_k + h_k)] for up to four jointly Gaussian variables.

Unit variances. With the cross correlations of two blocks A, B of the variables scaled by t, Price's theorem gives

    E = E[A] E[B] + int_0^1 sum_{a in A, b in B} r_ab 4 phi2(h_a, h_b; t r_ab) E[the other signs | z_a, z_b = -h] dt.

Every part is a function of thresholds and canonical numbers: z_c = r_ac z_a + sqrt(1 - r_ac^2) y_c turns the other
sign of a block into sign(y_c + eta_c), eta_c = (h_c - r_ac h_a)/sqrt(1 - r_ac^2), with y_c independent of z_a, and K
are the correlations of (z_a, y_c) with (z_b, y_d). Differences are taken so that nothing is lost near |r| = 1.

The error of the quadrature is bounded for all thresholds at once: by Mehler's expansion E as a function of t is a
power series sum_n m_n (c t)^n with sum |m_n| <= 1, c the largest canonical correlation of A with B. So it is analytic
and at most 1 in size for |t| < 1/c, which under t = tanh(u)/c is the strip |Im u| < pi/4; by Cauchy its derivative, the
integrand in u, is at most 1/d at the distance d from the edge of the strip, and n Gauss-Legendre nodes on
[0, U = atanh c] leave 4 U rho^-(2n-1)/(d (rho - 1)), rho = x + sqrt(1 + x^2), x = (pi/2 - 2 d)/U, for every d: below
1e-12 for U <= 10, and in practice to rounding. Two signs are two of Owen's T, whose integrands are at most 1 in
size in a fixed region after the reduction to |a| <= 1.
"""

from collections.abc import Callable
from functools import cache, partial
from itertools import combinations
from math import asinh, ceil, inf, pi, sqrt
from typing import Any

from theory.expressions.arrays import namespace
from theory.gaussian.float64.differentiable import erf, floats, grouped, host, like, with_slopes
from theory.gaussian.float64.orthant import legendre
from theory.gaussian.float64.owens_t import TINY, less_product, near, owens_t, pair_density, two_signs

__all__ = ["owens_t", "shifted_pair", "shifted_quad", "shifted_triple"]

# n nodes for U with 2 n asinh(pi/(2 U)) >= 38: exp(-38) = 3e-17, without the factors of the bound.
NATS = 38.0
LIMITS = (0.55, 0.8, 1.1, 1.5, 2.0, 2.7, 3.6, 5.0, 7.0, 10.0, 14.0, 20.0, 28.0, 36.0)
RULES = tuple((u, ceil(NATS / (2 * asinh(pi / (2 * u))))) for u in LIMITS)
# Singularities farther away than this makes them are far enough.
LEAST_SQUARE = 0.25
# 1 - c^2 below this is taken for it: t = tanh(u) then ends 4e-31 before 1.
LEAST_GAP = 1e-30
# Rounding of a canonical correlation relative to the root of the blocks' determinants: some forty operations.
INDEFINITE = 40 * 2.0**-52
# Numbers in work at a time.
SIZE = 2**14

Rows = tuple[Any, ...]


def shifted_pair(h1: Any, h2: Any, r: Any, one_minus_square: Any = None) -> Any:
    """E[sign(z1 + h1) sign(z2 + h2)] for unit Gaussians of correlation `r` (broadcastable; NumPy or torch).

    Give `one_minus_square` = 1 - r^2 where it is known better than the rounded `r` tells. Equals (2/pi) asin r at
    h = 0. The absolute error is below 1e-15 times a few, for all |r| <= 1 and all h, infinite ones included. Slopes
    (torch): 2 phi(h1) erf((h2 - r h1)/sqrt(2 (1 - r^2))) by h1, 4 phi2(h1, h2; r) by r. Raises ValueError for
    |r| > 1 and NaN.

    >>> float(shifted_pair(0.0, 0.0, 0.5)) * 3
    1.0
    """
    _, (h1, h2, r, gap) = floats(h1, h2, r, 0.0 if one_minus_square is None else one_minus_square)
    gap = (1 - r) * (1 + r) if one_minus_square is None else gap
    if bool((gap < 0).any()):
        raise ValueError(f"correlations must lie in [-1, 1]; the largest 1 - r^2 missed is {host(gap).min():.3g}.")
    return with_slopes(_pair, PAIR_SLOPES, h1, h2, r, gap)


def shifted_triple(h1: Any, h2: Any, h3: Any, r12: Any, r13: Any, r23: Any) -> Any:
    """E[s1 s2 s3], s_k = sign(z_k + h_k), for unit Gaussians (broadcastable shapes; NumPy or torch, float64).

    The two closest variables are one block. The quadrature's remainder is proved below 1e-12 (2e-11 for canonical
    correlations above 1 - 4e-9). The absolute error measured against certified values is below 1e-15, and below 3e-14
    for correlations of 0.999999 and nearly singular matrices, at all thresholds. Correlations of exactly 1 or -1 are
    reduced: sign(z + a) sign(z + b) = 1 - sign(z + max) + sign(z + min). Raises ValueError for correlations that are
    not positive semidefinite, and NaN. Slopes (torch): 2 phi(h1) E[s2 s3 | z1 = -h1] by h1, 4 phi2 E[s3 | z1, z2 = -h]
    by r12; they are infinite or NaN at |r| = 1.
    """
    _, rows = floats(h1, h2, h3, r12, r13, r23)
    return _expectation(rows, INDEFINITE)


def shifted_quad(h1: Any, h2: Any, h3: Any, h4: Any, r12: Any, r13: Any, r14: Any, r23: Any, r24: Any, r34: Any) -> Any:
    """E[s1 s2 s3 s4], s_k = sign(z_k + h_k), for unit Gaussians (broadcastable shapes; NumPy or torch, float64).

    The closest pair is one block, the others the other. Errors, reductions and what is raised as for
    `shifted_triple`; the slope by h1 is 2 phi(h1) E[s2 s3 s4 | z1 = -h1], by r12 4 phi2 E[s3 s4 | z1, z2 = -h].
    """
    _, rows = floats(h1, h2, h3, h4, r12, r13, r14, r23, r24, r34)
    return _expectation(rows, INDEFINITE)


# --- two signs --------------------------------------------------------------------------------------------------------


def _pair(h1: Any, h2: Any, r: Any, gap: Any) -> Any:
    """The value for arrays: k1 = (h2 - r h1)/sqrt(1 - r^2) is the threshold of the second sign given z1 = -h1."""
    xp = namespace(h1)
    h1, h2 = near(h1), near(h2)
    root = xp.sqrt(gap)
    over = 1 / xp.clip(root, TINY, None)
    return two_signs(h1, h2, less_product(h2, r, h1, gap) * over, less_product(h1, r, h2, gap) * over, r, root)


# --- three and four signs --------------------------------------------------------------------------------------------


def _expectation(rows: Rows, slack: float) -> Any:
    """E of the product of m = 1 ... 4 signs from rows h1, ..., hm, r12, r13, ... of one shape, with gradients."""
    m = {1: 1, 3: 2, 6: 3, 10: 4}[len(rows)]
    if m == 1:
        return erf(rows[0] / sqrt(2))
    if m == 2:
        return with_slopes(_pair, PAIR_SLOPES, *rows, (1 - rows[2]) * (1 + rows[2]))
    return with_slopes(_value(m, slack), SLOPES[m], *rows)


def _table(m: int, rows: Rows) -> tuple[list[Any], dict[tuple[int, int], Any]]:
    """Thresholds, and correlations by pairs."""
    r = dict(zip(combinations(range(m), 2), rows[m:], strict=True))
    return list(rows[:m]), r | {(j, i): x for (i, j), x in r.items()}


def _listed(order: tuple[int, ...], h: list[Any], r: dict[tuple[int, int], Any]) -> Rows:
    """Some of the variables in another order, as rows."""
    return (*(h[i] for i in order), *(r[i, j] for i, j in combinations(order, 2)))


@cache
def _value(m: int, slack: float) -> Callable[..., Any]:
    return partial(_by_closest_pair, m, slack)


def _by_closest_pair(m: int, slack: float, *rows: Any) -> Any:
    """The values: the variables in the order that has the largest |r| last."""
    xp = namespace(*rows)
    shape = rows[0].shape
    flat = xp.stack([row.reshape(-1) for row in rows])
    flat[:m] = near(flat[:m])
    if bool((abs(flat[m:]) > 1).any()):
        raise ValueError(f"correlations must lie in [-1, 1]; found {float(flat[m:][abs(flat[m:]) > 1][0])!r}.")
    result = xp.zeros_like(flat[0])
    closest = abs(flat[m:]).argmax(0)
    for k, last in enumerate(combinations(range(m), 2)):
        chosen = closest == k
        if bool(chosen.any()):
            order = (*(i for i in range(m) if i not in last), *last)
            some = _listed(order, *_table(m, tuple(flat[:, chosen])))
            result[chosen] = _closest_last(m, slack, some)
    return result.reshape(shape)


def _closest_last(m: int, slack: float, rows: Rows) -> Any:
    xp = namespace(*rows)
    fused = abs(rows[-1]) == 1
    if not bool(fused.any()):
        return _integrated(m, slack, rows)
    result = xp.zeros_like(rows[0])
    result[fused] = _fused(m, slack, tuple(row[fused] for row in rows))
    if not bool(fused.all()):
        result[~fused] = _integrated(m, slack, tuple(row[~fused] for row in rows))
    return result


def _fused(m: int, slack: float, rows: Rows) -> Any:
    """The last two variables are equal up to the sign f: f (1 - sign(z + max) + sign(z + min)) for their signs."""
    xp = namespace(*rows)
    h, r = _table(m, rows)
    *others, i, j = range(m)
    f = r[i, j]
    for k in others:
        missed = abs(r[k, j] - f * r[k, i])
        if bool((missed > slack).any()):
            raise _indefinite(
                rows, m, f"two are equal, but their correlations with another differ by {missed.max():.3g}"
            )
    other = _expectation(_listed(tuple(others), h, r), slack)
    one, two = h[i], f * h[j]
    high = _expectation(_listed((*others, i), [*h[:i], xp.maximum(one, two), h[j]], r), slack)
    low = _expectation(_listed((*others, i), [*h[:i], xp.minimum(one, two), h[j]], r), slack)
    return f * (other - high + low)


def _indefinite(rows: Rows, m: int, why: str) -> ValueError:
    return ValueError(
        f"the correlations {[float(row[0]) for row in rows[m:]]} are not those of {m} variables: {why}. "
        "Nothing is clipped for you."
    )


def _integrated(m: int, slack: float, rows: Rows) -> Any:
    """E[A] E[B] and the integral, for blocks A (the first variables) and B (the last two)."""
    xp = namespace(*rows)
    h, r = _table(m, rows)
    *first, i, j = range(m)
    blocks = (1 - r[i, j]) * (1 + r[i, j])
    if m == 3:
        crosses = [_Cross(h, r, 0, b, None, d) for b, d in ((1, 2), (2, 1))]
    else:
        blocks = blocks * (1 - r[0, 1]) * (1 + r[0, 1])
        crosses = [_Cross(h, r, a, b, 1 - a, 5 - b) for a in (0, 1) for b in (2, 3)]
    larger, smaller = crosses[0].canonical()
    wrong = larger > 1 + slack / xp.sqrt(blocks)
    if bool(wrong.any()):
        worst = tuple(row[wrong] for row in rows)
        raise _indefinite(worst, m, f"the canonical correlation of two groups is {float(larger[wrong][0]):.6g} > 1")
    larger = xp.clip(larger, None, 1) ** 2
    smaller = xp.minimum(smaller**2, larger)
    # atanh c = log((1 + c)^2/(1 - c^2))/2.
    base = xp.clip(larger, LEAST_SQUARE, 1)
    upper = xp.log((1 + xp.sqrt(base)) ** 2 / xp.clip(1 - base, LEAST_GAP, None)) / 2
    columns = [upper, larger, smaller, *(x for cross in crosses for x in cross.rows())]
    integral = grouped(upper, RULES, partial(_integral, m), *columns, size=SIZE)
    front = _expectation(_listed(tuple(first), h, r), slack)
    return front * _expectation(_listed((i, j), h, r), slack) + integral


class _Cross:
    """A cross pair (a, b), with c and d the other variables of their blocks (c None where A is one variable).

    `h_a`, `h_b`, `eta_c`, `eta_d` are thresholds of z_a, z_b, y_c, y_d, `k_ab`, `k_ad`, `k_cb`, `k_cd` correlations.
    """

    def __init__(self, h: list[Any], r: dict[tuple[int, int], Any], a: int, b: int, c: int | None, d: int) -> None:
        xp = namespace(h[0])
        self.h_a, self.h_b, self.k_ab = h[a], h[b], r[a, b]
        gap = (1 - r[b, d]) * (1 + r[b, d])
        over = 1 / xp.sqrt(gap)
        self.k_ad = less_product(r[a, d], r[b, d], r[a, b], gap) * over
        self.eta_d = less_product(h[d], r[b, d], h[b], gap) * over
        self.eta_c = None
        if c is not None:
            gap_c = (1 - r[a, c]) * (1 + r[a, c])
            over_c = 1 / xp.sqrt(gap_c)
            self.eta_c = less_product(h[c], r[a, c], h[a], gap_c) * over_c
            q = less_product(r[c, b], r[a, c], r[a, b], gap_c)
            self.k_cb = q * over_c
            self.k_cd = less_product(less_product(r[c, d], r[a, c], r[a, d], gap_c), r[b, d], q, gap) * over * over_c

    def rows(self) -> Rows:
        """What the integrand needs."""
        if self.eta_c is None:
            return self.h_a, self.h_b, self.k_ab, self.eta_d, self.k_ad
        return self.h_a, self.h_b, self.k_ab, self.eta_d, self.k_ad, self.eta_c, self.k_cb, self.k_cd

    def canonical(self) -> tuple[Any, Any]:
        """The singular values of K, the larger first."""
        xp = namespace(self.h_a)
        if self.eta_c is None:
            return xp.hypot(self.k_ab, self.k_ad), xp.zeros_like(self.k_ab)
        plus = xp.hypot(self.k_ab + self.k_cd, self.k_ad - self.k_cb)
        larger = (plus + xp.hypot(self.k_ab - self.k_cd, self.k_ad + self.k_cb)) / 2
        product = abs(self.k_ab * self.k_cd - self.k_ad * self.k_cb)
        return larger, product / xp.where(larger > 0, larger, 1.0)


def _integral(m: int, count: int, upper: Any, larger: Any, smaller: Any, *columns: Any) -> Any:
    """The integral over u by `count` Gauss-Legendre nodes; arrays have shape (nodes, number of values)."""
    xp = namespace(upper)
    nodes, weights = (like(array, upper)[:, None] for array in legendre(count))
    whole = xp.tanh(upper)
    t, sech = xp.tanh(nodes * upper) / whole, 1 / xp.cosh(nodes * upper) ** 2
    s, square = t * t, whole * whole
    weight = weights * (upper / whole) * sech

    def below(x: Any) -> Any:
        """1 - s x, as (1 - s square) + s (square - x)."""
        return sech + s * (square - x)

    gap = xp.clip(below(larger) * below(smaller), 0, None)
    width = 5 if m == 3 else 8
    total = xp.zeros_like(upper)
    for start in range(0, len(columns), width):
        h_a, h_b, k_ab, eta_d, k_ad, *more = columns[start : start + width]
        f = below(k_ab * k_ab)
        density = pair_density(h_a, h_b, t * k_ab, f) * weight
        # The conditional thresholds and variances of y_d and y_c, times f.
        n_d = eta_d * f + t * k_ad * (t * k_ab * h_b - h_a)
        v_d = xp.clip(below(k_ab * k_ab + k_ad * k_ad), TINY, None)
        if m == 3:
            inner = erf(n_d / xp.sqrt(2 * f * v_d))
        else:
            eta_c, k_cb, k_cd = more
            n_c = eta_c * f + t * k_cb * (t * k_ab * h_a - h_b)
            v_c = xp.clip(below(k_ab * k_ab + k_cb * k_cb), TINY, None)
            c = t * (k_cd * f + s * (k_cb * k_ad * k_ab))
            scale = 1 / (f * xp.sqrt(xp.clip(gap, TINY, None)))
            root_c, root_d = 1 / xp.sqrt(v_c), 1 / xp.sqrt(v_d)
            k_c, k_d = (n_d * v_c - c * n_c) * root_c * scale, (n_c * v_d - c * n_d) * root_d * scale
            over = 1 / xp.sqrt(f)
            inner = two_signs(near(n_c * root_c * over), near(n_d * root_d * over), k_c, k_d, c, xp.sqrt(f * gap))
        total = total + k_ab * (density * inner).sum(0)
    return total


# --- slopes ----------------------------------------------------------------------------------------------------------


def _given(i: int, h: list[Any], r: dict[tuple[int, int], Any]) -> tuple[list[Any], dict[tuple[int, int], Any]]:
    """Thresholds and correlations given z_i = -h_i. Correlations of a checked matrix may pass 1 by rounding only."""
    xp = namespace(h[i])
    gaps = {j: (1 - r[i, j]) * (1 + r[i, j]) for j in range(len(h)) if j != i}
    over = {j: 1 / xp.sqrt(xp.clip(gap, TINY, None)) for j, gap in gaps.items()}
    shifted = [x if j == i else less_product(x, r[i, j], h[i], gaps[j]) * over[j] for j, x in enumerate(h)]
    left = {
        (j, k): xp.clip(less_product(r[j, k], r[i, j], r[i, k], gaps[j]) * over[j] * over[k], -1, 1)
        for j, k in r
        if i not in (j, k)
    }
    return shifted, left


def _without(gone: tuple[int, ...], h: list[Any], r: dict[tuple[int, int], Any]) -> Any:
    return _expectation(_listed(tuple(j for j in range(len(h)) if j not in gone), h, r), inf)


def _by_h(m: int, i: int, *rows: Any) -> Any:
    """2 phi(h_i) E[the other signs | z_i = -h_i]."""
    h, r = _table(m, rows)
    h = [near(x) for x in h]
    density = namespace(*rows).exp(-h[i] * h[i] / 2) * sqrt(2 / pi)
    return density * _without((i,), *_given(i, h, r))


def _by_r(m: int, i: int, j: int, *rows: Any) -> Any:
    """4 phi2(h_i, h_j; r_ij) E[the other signs | z_i = -h_i, z_j = -h_j]."""
    h, r = _table(m, rows)
    h = [near(x) for x in h]
    density = pair_density(h[i], h[j], r[i, j], (1 - r[i, j]) * (1 + r[i, j]))
    shifted, left = _given(i, h, r)
    # z_i is known: a placeholder independent of the others keeps the numbering.
    left |= {pair: h[i] * 0 for k in range(m) if k != i for pair in ((i, k), (k, i))}
    return density * _without((i, j), *_given(j, shifted, left))


def _pair_by_h(h1: Any, h2: Any, r: Any, gap: Any) -> Any:
    xp = namespace(h1)
    h1, h2 = near(h1), near(h2)
    k = less_product(h2, r, h1, gap) / xp.sqrt(xp.clip(gap, TINY, None))
    return xp.exp(-h1 * h1 / 2) * sqrt(2 / pi) * erf(k / sqrt(2))


def _pair_by_angle(h1: Any, h2: Any, r: Any, gap: Any) -> Any:
    """By the angle atan2(r, sqrt gap): (2/pi) exp(-(h1^2 + h2^2 - 2 r h1 h2)/(2 gap))."""
    return pair_density(near(h1), near(h2), r, gap) * namespace(gap).sqrt(namespace(gap).clip(gap, TINY, None))


PAIR_SLOPES = (
    _pair_by_h,
    lambda h1, h2, r, gap: _pair_by_h(h2, h1, r, gap),
    lambda h1, h2, r, gap: _pair_by_angle(h1, h2, r, gap) * namespace(gap).sqrt(gap),
    lambda h1, h2, r, gap: -_pair_by_angle(h1, h2, r, gap) * r / (2 * namespace(gap).sqrt(gap)),
)
SLOPES = {
    m: (
        *(partial(_by_h, m, i) for i in range(m)),
        *(partial(_by_r, m, i, j) for i, j in combinations(range(m), 2)),
    )
    for m in (3, 4)
}
