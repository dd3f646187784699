"""E[prod_k sign(z_k + h_k)] in float64 for three and four jointly Gaussian variables of unit variance.

With the cross correlations of two blocks A, B of the variables scaled by t, Price's theorem gives

    E = E[A] E[B] + int_0^1 sum_{a in A, b in B} r_ab 4 phi2(h_a, h_b; t r_ab) E[the other signs | z_a, z_b = -h] dt.

Let c be the other variable of the block of a, and z_c = r_ac z_a + sqrt(1 - r_ac^2) y_c with y_c independent of z_a.
Given z_a = -h_a, its sign is sign(y_c + eta_c), eta_c = (h_c - r_ac h_a)/sqrt(1 - r_ac^2); likewise y_d for the block
of b. K is the matrix of the correlations of (z_a, y_c) with (z_b, y_d). Differences are computed without cancellation
near |r| = 1. Without thresholds 4 phi2 is (2/pi)/sqrt(1 - t^2 r_ab^2) and the expectation (2/pi) asin of a correlation
(Plackett).

The singularities in t lie on the real axis at |t| >= 1/c, c the largest canonical correlation of A with B, so that in
u, t = tanh(u)/c, Gauss-Legendre on [0, U = atanh c] converges at a rate that depends on U alone. Without thresholds
the strip of analyticity is |Im u| < pi/2. With thresholds the error is bounded for all of them at once: by Mehler's
expansion E as a function of t is a power series sum_n m_n (c t)^n with sum |m_n| <= 1, hence analytic and at most 1 in
size for |t| < 1/c, which is the strip |Im u| < pi/4. By Cauchy its derivative, the integrand in u, is at most 1/d at
the distance d from the edge of the strip. The error of n nodes is at most 4 U rho^-(2n-1)/(d (rho - 1)) for every d,
with rho = x + sqrt(1 + x^2) and x = (pi/2 - 2 d)/U: below 1e-12 for U <= 10, and in practice at rounding level.

The derivative by r_ab is the integrand of the pair (a, b) at t = 1, without the factor r_ab.
"""

from collections.abc import Callable
from functools import cache, partial
from itertools import combinations
from math import asinh, ceil, pi, sqrt
from typing import Any, NamedTuple

import numpy as np

from theory.expressions.arrays import namespace
from theory.gaussian.float64.differentiable import erf, floats, is_constant_zero, like, with_derivatives
from theory.gaussian.float64.owens_t import TINY, saturated
from theory.gaussian.float64.quadrature import grouped, legendre
from theory.gaussian.float64.two_signs import NEGLIGIBLE, arcsine, at_thresholds, less_product, pair_density

# For U and a strip |Im u| < w, n nodes with 2 n asinh(2 w/U) >= 38: exp(-38) = 3e-17, up to the bound's other factors.
NATS = 38.0
LIMITS = (0.101, 0.2, 0.36, 0.55, 0.8, 1.1, 1.5, 2.0, 2.7, 3.6, 5.0, 7.0, 10.0, 14.0, 22.0, 28.0, 36.0)
RULES, RULES_WITHOUT_THRESHOLDS = (
    tuple((u, ceil(NATS / (2 * asinh(2 * strip / u)))) for u in LIMITS) for strip in (pi / 4, pi / 2)
)
# The least c^2 in t = tanh(u)/c: a smaller one would save at most one node of six.
LEAST_SQUARE = 0.01
# The least 1 - c^2: for smaller ones t = tanh(u) ends 4e-31 before 1, without thresholds 3e-19, which has an effect
# only for correlations above 1 - 1e-14.
LEAST_GAP, LEAST_GAP_WITHOUT_THRESHOLDS = 1e-30, 1e-18
# The rounding error of a canonical correlation, times the root of the blocks' determinants: some forty operations.
INDEFINITE = 40 * 2.0**-52
# How many numbers the quadrature handles at a time, and the steps before it.
SIZE, BLOCK = 2**13, 2**12

Rows = tuple[Any, ...]
Table = dict[tuple[int, int], Any]


def three_signs(r12: Any, r13: Any, r23: Any, thresholds: tuple[Any, Any, Any]) -> Any:
    """E[s1 s2 s3], s_k = sign(z_k + h_k), for unit Gaussians (broadcastable shapes; NumPy or torch, float64).

    The two variables with the largest |r| form one block. The quadrature's remainder is proved below 1e-12 (2e-11 for
    canonical correlations above 1 - 4e-9). The absolute error measured against certified values is below 1e-15, and
    below 3e-14 for correlations of 0.999999 and nearly singular matrices, at all thresholds. Variables with |r| = 1
    exactly are merged: sign(z + a) sign(z + b) = 1 - sign(z + max) + sign(z + min). Raises ValueError for NaN and for
    correlations that are not positive semidefinite. Derivatives (torch): 2 phi(h1) E[s2 s3 | z1 = -h1] by h1,
    4 phi2 E[s3 | z1, z2 = -h] by r12; they are infinite or NaN at |r| = 1.

    >>> float(three_signs(0.5, 0.3, 0.2, thresholds=(0.0, 0.0, 0.0)))
    0.0
    """
    return _signs(3, (r12, r13, r23), thresholds)


def four_signs(
    r12: Any, r13: Any, r14: Any, r23: Any, r24: Any, r34: Any, thresholds: tuple[Any, Any, Any, Any] | None = None
) -> Any:
    """E[s1 s2 s3 s4], s_k = sign(z_k + h_k), for unit Gaussians (broadcastable shapes; NumPy or torch, float64).

    The pair with the largest |r| forms one block, the other two variables the other. Errors, merging and exceptions are
    those of `three_signs`; the derivative by h1 is 2 phi(h1) E[s2 s3 s4 | z1 = -h1], by r12
    4 phi2 E[s3 s4 | z1, z2 = -h]. Without thresholds, or where all are the number 0, the integrand is one arctangent,
    which takes a tenth of the work. The absolute error for the float64 correlations as given is then below 1e-13, or
    below 1e-15/sqrt(1 - r^2) if two correlations that share a variable are both within 1e-7 of 1 in size. Near rank
    one the measured error is below eps/sqrt(lam) for a smallest eigenvalue lam of the correlation matrix, 2e-10 at
    lam = 1e-12; rounding one correlation has the same effect, because the derivatives grow like 1/sqrt(lam).
    `conditioned.bounded_signs` returns an error bound with the value, and certifies values whose bound is too large.

    >>> round(5 * float(four_signs(0.5, 0.5, 0.5, 0.5, 0.5, 0.5)), 12)
    1.0
    """
    return _signs(4, (r12, r13, r14, r23, r24, r34), thresholds)


def _signs(m: int, correlations: Rows, thresholds: Rows | None) -> Any:
    _, rows = floats(*correlations, *(thresholds or ()))
    r, h = rows[: len(correlations)], rows[len(correlations) :]
    without = m % 2 == 0 and all(map(is_constant_zero, h))
    return _expectation(m, () if without else h, r)


def _expectation(m: int, h: Rows, r: Rows) -> Any:
    """Return E of a product of 1 to 4 signs for arrays of one shape, with derivatives; `h` = () for 2 or 4 at zero."""
    if m == 1:
        return erf(h[0] / sqrt(2))
    if m == 2:
        gap = (1 - r[0]) * (1 + r[0])
        return at_thresholds(*h, r[0], gap) if h else arcsine(r[0], gap)
    shifted = bool(h)
    return with_derivatives(_value(m, shifted), DERIVATIVES[m, shifted], *h, *r)


def _table(m: int, shifted: bool, rows: Rows) -> tuple[Rows, Table]:
    """Return thresholds, () where there are none, and correlations by pairs."""
    h, r = (rows[:m], rows[m:]) if shifted else ((), rows)
    table = dict(zip(combinations(range(m), 2), r, strict=True))
    return tuple(h), table | {(j, i): x for (i, j), x in table.items()}


def _chosen(order: tuple[int, ...], h: Rows, r: Table) -> tuple[int, Rows, Rows]:
    """Return the variables of `order`, in this order, as arguments of `_expectation`."""
    return len(order), tuple(h[i] for i in order) if h else (), tuple(r[pair] for pair in combinations(order, 2))


@cache
def _value(m: int, shifted: bool) -> Callable[..., Any]:
    return partial(_in_blocks, m, shifted)


def _in_blocks(m: int, shifted: bool, *rows: Any) -> Any:
    """Return the values for arrays of one shape, in blocks that stay in the processor's cache."""
    xp = namespace(*rows)
    flat = xp.stack([row.reshape(-1) for row in rows])
    if shifted:
        flat[:m] = saturated(flat[:m])
    wrong = abs(flat[m * shifted :]) > 1
    if bool(wrong.any()):
        raise ValueError(f"correlations must lie in [-1, 1]; found {float(flat[m * shifted :][wrong][0])!r}.")
    result = xp.zeros_like(flat[0])
    for start in range(0, flat.shape[1], BLOCK):
        result[start : start + BLOCK] = _by_closest_pair(m, shifted, flat[:, start : start + BLOCK])
    return result.reshape(rows[0].shape)


def _by_closest_pair(m: int, shifted: bool, flat: Any) -> Any:
    """Return the values for an array (rows, count), with the variables ordered so that the largest |r| is last."""
    xp = namespace(flat)
    result = xp.zeros_like(flat[0])
    left = result == 0
    for pair, r in zip(combinations(range(m), 2), flat[m * shifted :], strict=True):
        fused = left & (abs(r) == 1)
        if bool(fused.any()):
            result[fused] = _fused(m, *_table(m, shifted, tuple(flat[:, fused])), pair)
            left = left & ~fused
    whole = bool(left.all())
    if not bool(left.any()):
        return result
    flat = flat if whole else flat[:, left]
    closest = abs(flat[m * shifted :]).argmax(0)
    value = _integrated(m, *_table(m, shifted, tuple(_reordered(flat, _orders(m, shifted), closest))))
    if whole:
        return value
    result[left] = value
    return result


@cache
def _orders(m: int, shifted: bool) -> np.ndarray:
    """Return for every pair the order of the rows that puts it last, of shape (rows, pairs)."""
    pairs = list(combinations(range(m), 2))
    places = {frozenset(pair): k for k, pair in enumerate(pairs)}
    columns = []
    for pair in pairs:
        order = (*(k for k in range(m) if k not in pair), *pair)
        rows = [places[frozenset((order[i], order[j]))] for i, j in pairs]
        columns.append([*order, *(m + row for row in rows)] if shifted else rows)
    return np.array(columns).T


def _reordered(flat: Any, orders: np.ndarray, which: Any) -> Any:
    """Return `flat` with the rows of each column in the order `which` of `orders`."""
    xp = namespace(flat)
    if xp is np:
        return np.take_along_axis(flat, orders[:, which], 0)
    return xp.take_along_dim(flat, xp.as_tensor(orders, device=flat.device)[:, which], 0)


def _fused(m: int, h: Rows, r: Table, pair: tuple[int, int]) -> Any:
    """Merge two variables, equal up to a sign f: their signs have the product f (1 - sign(z + max) + sign(z + min))."""
    i, j = pair
    others = tuple(k for k in range(m) if k not in pair)
    f = r[i, j]
    for k in others:
        missed = abs(r[k, j] - f * r[k, i])
        if bool((missed > INDEFINITE).any()):
            why = f"two are equal up to sign, but their correlations with another differ by {float(missed.max()):.3g}"
            raise _indefinite(m, r, missed > INDEFINITE, why)
    other = _expectation(*_chosen(others, h, r))
    if not h:
        return f * other
    xp = namespace(f)
    one, two = h[i], f * h[j]
    high, low = (
        _expectation(*_chosen((*others, i), (*h[:i], bound(one, two), *h[i + 1 :]), r))
        for bound in (xp.maximum, xp.minimum)
    )
    return f * (other - high + low)


def _indefinite(m: int, r: Table, wrong: Any, why: str) -> ValueError:
    first = [float(r[pair][wrong][0]) for pair in combinations(range(m), 2)]
    return ValueError(
        f"the correlations {first} of {m} variables are not positive semidefinite: {why}. Nothing is clipped for you."
    )


class _Cross(NamedTuple):
    """Correlations and thresholds of a cross pair (a, b), where c and d are the other variables of their blocks.

    k are correlations of (z_a, y_c) with (z_b, y_d), h and eta thresholds of z and y; None for a missing variable.
    """

    k_ab: Any
    k_ad: Any
    k_cb: Any = None
    k_cd: Any = None
    h_a: Any = None
    h_b: Any = None
    eta_c: Any = None
    eta_d: Any = None


def _cross(h: Rows, r: Table, a: int, b: int, c: int | None, d: int) -> _Cross:
    xp = namespace(r[a, b])
    gap = (1 - r[b, d]) * (1 + r[b, d])
    over = 1 / xp.sqrt(gap)
    k_ad = less_product(r[a, d], r[b, d], r[a, b], gap) * over
    shifts = {"h_a": h[a], "h_b": h[b], "eta_d": less_product(h[d], r[b, d], h[b], gap) * over} if h else {}
    if c is None:
        return _Cross(r[a, b], k_ad, **shifts)
    gap_c = (1 - r[a, c]) * (1 + r[a, c])
    over_c = 1 / xp.sqrt(gap_c)
    q = less_product(r[c, b], r[a, c], r[a, b], gap_c)
    k_cd = less_product(less_product(r[c, d], r[a, c], r[a, d], gap_c), r[b, d], q, gap) * over * over_c
    shifts |= {"eta_c": less_product(h[c], r[a, c], h[a], gap_c) * over_c} if h else {}
    return _Cross(r[a, b], k_ad, q * over_c, k_cd, **shifts)


def _canonical(x: _Cross) -> tuple[Any, Any]:
    """Return the singular values of K, the larger first."""
    xp = namespace(x.k_ab)
    if x.k_cd is None:
        return xp.hypot(x.k_ab, x.k_ad), xp.zeros_like(x.k_ab)
    plus = xp.hypot(x.k_ab + x.k_cd, x.k_ad - x.k_cb)
    larger = (plus + xp.hypot(x.k_ab - x.k_cd, x.k_ad + x.k_cb)) / 2
    return larger, abs(x.k_ab * x.k_cd - x.k_ad * x.k_cb) / xp.where(larger > 0, larger, 1.0)


def _integrated(m: int, h: Rows, r: Table) -> Any:
    """Return E[A] E[B] plus the integral, for blocks A (the first variables) and B (the last two)."""
    xp = namespace(r[0, 1])
    *first, i, j = range(m)
    blocks = (1 - r[i, j]) * (1 + r[i, j])
    if m == 3:
        crosses = [_cross(h, r, 0, b, None, d) for b, d in ((1, 2), (2, 1))]
    else:
        blocks = blocks * (1 - r[0, 1]) * (1 + r[0, 1])
        crosses = [_cross(h, r, a, b, 1 - a, 5 - b) for a in (0, 1) for b in (2, 3)]
    larger, smaller = _canonical(crosses[0])
    wrong = larger > 1 + INDEFINITE / xp.sqrt(blocks)
    if bool(wrong.any()):
        why = f"a canonical correlation of two groups is {float(larger[wrong][0]):.6g} > 1"
        raise _indefinite(m, r, wrong, why)
    larger = xp.clip(larger, None, 1) ** 2
    smaller = xp.minimum(smaller**2, larger)
    # atanh c = log((1 + c)^2/(1 - c^2))/2.
    base = xp.clip(larger, LEAST_SQUARE, 1)
    rules, least = (RULES, LEAST_GAP) if h else (RULES_WITHOUT_THRESHOLDS, LEAST_GAP_WITHOUT_THRESHOLDS)
    upper = xp.log((1 + xp.sqrt(base)) ** 2 / xp.clip(1 - base, least, None)) / 2
    names = tuple(name for name, x in crosses[0]._asdict().items() if x is not None)
    columns = [getattr(cross, name) for cross in crosses for name in names]
    integral = grouped(upper, rules, partial(_integral, names), upper, larger, smaller, *columns, size=SIZE)
    return _expectation(*_chosen(tuple(first), h, r)) * _expectation(*_chosen((i, j), h, r)) + integral


class _Path(NamedTuple):
    """The nodes of the integral over u: t, s = t^2, 1 - s square, the weights of dt and det(1 - s K K').

    All but square = tanh(U)^2 have the shape (nodes, number of values).
    """

    t: Any
    s: Any
    sech: Any
    weight: Any
    det: Any
    square: Any

    def below(self, x: Any) -> Any:
        """Return 1 - s x, computed as (1 - s square) + s (square - x)."""
        return self.sech + self.s * (self.square - x)


def _integral(names: tuple[str, ...], count: int, upper: Any, larger: Any, smaller: Any, *columns: Any) -> Any:
    """Return the integral over u by `count` Gauss-Legendre nodes, without cross pairs whose correlation is none."""
    xp = namespace(upper)
    nodes, weights = (like(array, upper)[:, None] for array in legendre(count))
    whole = xp.tanh(upper)
    t, sech = xp.tanh(nodes * upper) / whole, 1 / xp.cosh(nodes * upper) ** 2
    path = _Path(t, t * t, sech, weights * (upper / whole) * sech, None, whole * whole)
    path = path._replace(det=xp.clip(path.below(larger) * path.below(smaller), 0, None))
    total = xp.zeros_like(upper)
    for start in range(0, len(columns), len(names)):
        cross = columns[start : start + len(names)]
        counts = abs(cross[0]) >= NEGLIGIBLE
        if bool(counts.all()):
            total = total + _cross_integral(path, _Cross(**dict(zip(names, cross, strict=True))))
        elif bool(counts.any()):
            some = _Cross(**dict(zip(names, (x[counts] for x in cross), strict=True)))
            total[counts] += _cross_integral(_Path(*(x[..., counts] for x in path)), some)
    return total


def _cross_integral(path: _Path, cross: _Cross) -> Any:
    square_ab, scaled_variances = cross.k_ab * cross.k_ab, [None, None]
    if cross.h_a is not None:
        others = (cross.k_ad, cross.k_cb)
        scaled_variances = [None if k is None else path.below(square_ab + k * k) for k in others]
    integrand = _integrand(path.t, path.below(square_ab), path.det, *scaled_variances, cross)
    return cross.k_ab * (path.weight * integrand).sum(0)


def _integrand(t: Any, f: Any, det: Any, v_d: Any, v_c: Any, x: _Cross) -> Any:
    """Return 4 phi2(h_a, h_b; t k_ab) E[the other signs | z_a, z_b = -h] with K multiplied by t.

    f = 1 - t^2 k_ab^2 and det = det(1 - t^2 K K'). v_d and v_c are f times the variances of y_d and y_c given z_a and
    z_b; they are not needed without thresholds.
    """
    xp = namespace(f)
    c = None if x.k_cd is None else _covariance(t, f, x)
    if x.h_a is None:
        return xp.arctan2(c, xp.sqrt(det * f)) * (4 / pi**2) / xp.sqrt(f)
    density = pair_density(x.h_a, x.h_b, t * x.k_ab, f)
    n_d = x.eta_d * f + t * x.k_ad * (t * x.k_ab * x.h_b - x.h_a)
    v_d = xp.clip(v_d, TINY, None)
    if c is None:
        return density * erf(n_d / xp.sqrt(2 * f * v_d))
    n_c = x.eta_c * f + t * x.k_cb * (t * x.k_ab * x.h_a - x.h_b)
    v_c = xp.clip(v_c, TINY, None)
    over = 1 / xp.sqrt(v_c * v_d)
    return density * at_thresholds(n_c / xp.sqrt(v_c * f), n_d / xp.sqrt(v_d * f), c * over, det * f * over * over)


def _covariance(t: Any, f: Any, x: _Cross) -> Any:
    """f Cov(y_c, y_d | z_a, z_b)."""
    return t * (x.k_cd * f + t * t * (x.k_cb * x.k_ad * x.k_ab))


# --- derivatives -----------------------------------------------------------------------------------------------------


def _by_h(m: int, i: int, *rows: Any) -> Any:
    """Return 2 phi(h_i) E[the other signs | z_i = -h_i], with correlations clipped that exceed 1 by rounding."""
    xp = namespace(*rows)
    h, r = _table(m, True, rows)
    h = [saturated(x) for x in h]
    gaps = {j: (1 - r[i, j]) * (1 + r[i, j]) for j in range(m) if j != i}
    over = {j: 1 / xp.sqrt(xp.clip(gap, TINY, None)) for j, gap in gaps.items()}
    shifts = tuple(less_product(h[j], r[i, j], h[i], gap) * over[j] for j, gap in gaps.items())
    pairs = combinations(gaps, 2)
    left = (less_product(r[j, k], r[i, j], r[i, k], gaps[j]) * over[j] * over[k] for j, k in pairs)
    conditional = _expectation(m - 1, shifts, tuple(xp.clip(x, -1, 1) for x in left))
    return xp.exp(-h[i] * h[i] / 2) * sqrt(2 / pi) * conditional


def _by_r(m: int, shifted: bool, i: int, j: int, *rows: Any) -> Any:
    """4 phi2(h_i, h_j; r_ij) E[the other signs | z_i = -h_i, z_j = -h_j]: the integrand at t = 1."""
    h, r = _table(m, shifted, rows)
    *first, last = (k for k in range(m) if k not in (i, j))
    x = _cross(tuple(saturated(y) for y in h), r, i, j, first[0] if first else None, last)
    f = (1 - x.k_ab) * (1 + x.k_ab)
    v_d = f - x.k_ad * x.k_ad
    if x.k_cd is None:
        return _integrand(1.0, f, None, v_d, None, x)
    v_c = f - x.k_cb * x.k_cb
    # f times the determinant of the conditional covariance matrix: no numbers of size 1 cancel where all are small.
    det = namespace(f).clip(v_c * v_d - _covariance(1.0, f, x) ** 2, 0, None) / f
    return _integrand(1.0, f, det, v_d, v_c, x)


DERIVATIVES = {
    (m, shifted): (
        *(partial(_by_h, m, i) for i in range(m * shifted)),
        *(partial(_by_r, m, shifted, i, j) for i, j in combinations(range(m), 2)),
    )
    for m, shifted in ((3, True), (4, False), (4, True))
}
