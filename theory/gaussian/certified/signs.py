"""E[prod_k sign(z_k + h_k)] of up to four jointly Gaussian variables of unit variance as certified balls.

The formulas are those of `float64.signs`, written a second time because these values check those. Every integral is a
Gauss-Legendre sum of real balls with a proved remainder. Without thresholds its integrand is an arctangent. Four such
signs of a nearly singular covariance, where the sum needs thousands of nodes, go to `plackett`. For 1 - c^2 <= 1e-12
`plackett` takes 0.2 to 0.6 of the time of the sum, and for 1 - c^2 > 1e-3 the sum takes 0.2 to 0.6 of its time.

**Remainder.** Let f be analytic with |f| <= M in the ellipse with foci 0 and U whose half-axes have the sum rho U/2.
Chebyshev truncation gives |f - p| <= 2 M rho^-(2n-1)/(rho - 1) for a polynomial p of degree 2n - 1, for which n nodes
are exact. The weights are positive with sum U, so that the error of the sum is at most 4 U M rho^-(2n-1)/(rho - 1).

**M.** With the cross block of two groups scaled by t, E is a power series in c t whose coefficients have an absolute
sum of at most 1 (Mehler; c is the largest canonical correlation). It is analytic and at most 1 for |t| < 1/c, hence for
t = tanh(u)/C, C >= c, in the strip |Im u| < pi/4. The integrand is its derivative by u, at most 1/d at the distance d
from the edge (Cauchy). For two signs, with an angle of tangent sinh v as the variable, the integrand of

    E[s1 s2] = erf(h1/sqrt 2) erf(h2/sqrt 2) + (2/pi) int_0^atanh(r) exp(-(p (1 + e^2v) + q (1 + e^-2v))/8) sech v dv,

p = (h1 - h2)^2, q = (h1 + h2)^2, is at most sqrt 2 in the strip. All bounds hold for every real threshold.
"""

from collections.abc import Callable
from itertools import combinations
from math import asinh, ceil, log, pi

from flint import arb, ctx

from theory.expressions.balls.closed_form import NotCertified
from theory.expressions.balls.owens_t import legendre, owens_t
from theory.expressions.balls.precision import precision
from theory.gaussian.certified.effort import Effort
from theory.gaussian.certified.plackett import plackett
from theory.gaussian.certified.price_path import SPARE_PRECISION, canonical_squares, nonnegative, path

# The ellipse fills this share of the strip, on which the derivative is at most 1/((1 - share) pi/4).
SHARE = 0.9
# The path of two signs has at most the length bits log(2), where tanh is about 1 - 2^-(2 bits).
LONGEST_PER_BIT = 0.7
# The price of an evaluation in units of `Effort`, for integrands with thresholds and for arctangents.
PRICE, PRICE_WITHOUT_THRESHOLDS = 1 / 20, 1 / 2
# Node counts are rounded up to multiples of 1/8 of themselves, so that quadrature rules are reused.
FINENESS = 8
# Remainders are made smaller than 2^-(prec - GUARD); the other bits absorb rounding and divisions by the caller.
GUARD = 32
LEAST_BITS = 8
# Smaller weights are counted as this float, which has a finite logarithm.
MOST_SPARE = 1e-300
# The half-width of the strip in which the integrand of two signs is at most sqrt 2, just inside pi/4.
ANGLE_STRIP = pi / 4 * (1 - 1e-9)
# Above this atanh |r|, two of Owen's T take fewer nodes than the integral over the angle.
LONG = 3
LN2 = log(2)
# Four signs without thresholds go to `plackett` for smaller 1 - c^2, where c is the largest canonical correlation.
NEARLY_SINGULAR = 1e-6
TOO_MUCH = "integrals for signs at thresholds take more work than is allowed"

Integrand = Callable[[arb], arb]
Table = dict[tuple[int, int], arb]


def _bits() -> int:
    return max(ctx.prec - GUARD, LEAST_BITS)


def _sum(
    integrand: Integrand, end: arb, strip: float, most: arb, effort: Effort, bits: int, price: float = PRICE
) -> arb:
    """Return int_0^end of a function whose absolute value is at most `most` for |Im| <= `strip`; `end` may be a ball.

    The remainder is at most about 2^-bits.
    """
    length = abs(end).upper()
    if not length.is_finite():
        return arb("nan")
    half = max(float(length) / 2, 1e-9)
    rate = asinh(strip / half)
    count = ceil((bits * LN2 + log(8 * float(most.upper()) / rate) + 4) / (2 * rate) + 1)
    step = max(1, count // FINENESS)
    count = step * -(-count // step)
    if count * price > effort.affordable():
        raise NotCertified(TOO_MUCH)
    effort.spend(count * price)
    total = arb(0)
    for x, w in legendre(count, ctx.prec):
        total += w * integrand(end * x)
        if not total.is_finite():
            return arb("nan")
    axis = arb(strip) / arb.max(length / 2, arb(1e-9))
    rho = axis + (1 + axis * axis).sqrt()
    bound = 4 * length * most * rho ** (1 - 2 * count) / (rho - 1)
    return total * end + arb(0, 1) * bound.upper()


def two_signs(
    r: arb,
    one_minus_square: arb | None = None,
    thresholds: tuple[arb, arb] | None = None,
    effort: Effort | None = None,
) -> arb:
    """E[sign(z1 + h1) sign(z2 + h2)] at the working precision, for a correlation |r| <= 1 (1 - r^2 may be given).

    Without thresholds (h1, h2), or where both are exactly 0, it is (2/pi) asin r. The radius follows the working
    precision in absolute terms. A ball r that contains +-1 but other numbers too leaves half of the digits. Raises
    ValueError for |r| > 1.

    >>> from flint import arb, fmpq
    >>> (3 * two_signs(arb(fmpq(1, 2)))).contains(1)
    True
    """
    gap = (1 - r) * (1 + r) if one_minus_square is None else one_minus_square
    h1, h2 = thresholds or (arb(0), arb(0))
    return _pair(h1, h2, r, gap, effort or Effort())


def _pair(h1: arb, h2: arb, r: arb, gap: arb, effort: Effort, bits: int | None = None) -> arb:
    bits = _bits() if bits is None else bits
    _check(r)
    if h1.is_zero() and h2.is_zero():
        return 2 * arb.atan2(r, nonnegative(gap).sqrt()) / arb.pi()
    e1, e2 = _erf(h1), _erf(h2)
    if abs(r) == 1:
        return r * (1 - abs(e1 - r * e2))
    end = (_square(1 + abs(r)) / gap).log() / 2 if gap > 0 else arb("nan")
    if end > LONG and not (h1.contains(0) or h2.contains(0)):
        return _by_owen(h1, h2, r, gap.sqrt(), effort)
    rest, longest = arb(0), arb(int(LONGEST_PER_BIT * bits) + 2)
    if not end < longest:
        # The correlations from x to 1 add at most 1 - (2/pi) asin(x) in absolute value.
        end = arb.min(abs(r).lower(), longest.tanh()).atanh().lower()
        rest = arb(0, 1) * (1 - 2 / arb.pi() * end.tanh().asin()).upper()
    end = end if r >= 0 else -end if r < 0 else end.union(-end)
    p, q = _square(h1 - h2) / 8, _square(h1 + h2) / 8

    def integrand(v: arb) -> arb:
        grown = v.exp()
        square = grown * grown
        return (-(p * (1 + square) + q * (1 + 1 / square))).exp() * (2 * grown) / (square + 1)

    return e1 * e2 + 2 / arb.pi() * _sum(integrand, end, ANGLE_STRIP, arb(2).sqrt(), effort, bits) + rest


def _check(r: arb) -> None:
    if abs(r) > 1:
        raise ValueError(f"correlations must lie in [-1, 1]; found {r.str(10)}.")


def _by_owen(h1: arb, h2: arb, r: arb, root: arb, effort: Effort) -> arb:
    """Return sign h1 sign h2 - 4 T(h1, k1/h1) - 4 T(h2, k2/h2), k1 = (h2 - r h1)/sqrt(1 - r^2), for nonzero h1, h2."""
    effort.spend(ctx.prec * PRICE)
    if effort.left < 0:
        raise NotCertified(TOO_MUCH)
    first = owens_t(h1, (h2 - r * h1) / (h1 * root))
    second = owens_t(h2, (h1 - r * h2) / (h2 * root))
    return (1 if (h1 > 0) == (h2 > 0) else -1) - 4 * (first + second)


def three_signs(r12: arb, r13: arb, r23: arb, thresholds: tuple[arb, arb, arb], effort: Effort | None = None) -> arb:
    """E[s1 s2 s3], s_k = sign(z_k + h_k), at the working precision, for a positive semidefinite correlation matrix.

    The two variables with the largest |r| form one block. Variables with r = 1 or -1 exactly are merged. Raises
    NotCertified where the allowed work does not suffice, and ValueError where the matrix is certainly indefinite.

    Independent signs have E sign(z + h) = erf(h/sqrt 2) each:

    >>> from flint import arb
    >>> zero, one = arb(0), arb(1)
    >>> (three_signs(zero, zero, zero, (one, one, one)) - (one / arb(2).sqrt()).erf() ** 3).contains(0)
    True
    """
    return _several(list(thresholds), [r12, r13, r23], effort or Effort())


def four_signs(
    r12: arb,
    r13: arb,
    r14: arb,
    r23: arb,
    r24: arb,
    r34: arb,
    thresholds: tuple[arb, arb, arb, arb] | None = None,
    effort: Effort | None = None,
) -> arb:
    """E[s1 s2 s3 s4], s_k = sign(z_k + h_k), as in `three_signs`; the thresholds are 0 unless given.

    >>> from flint import arb
    >>> (5 * four_signs(*[arb(1) / 2] * 6)).contains(1)
    True
    """
    h = list(thresholds or [arb(0)] * 4)
    return _several(h, [r12, r13, r14, r23, r24, r34], effort or Effort())


def _square(x: arb) -> arb:
    """Return x^2 as a product, because the power of a ball that contains 0 is not finite."""
    return x * x


def _erf(h: arb) -> arb:
    return (h / arb(2).sqrt()).erf()


def _several(h: list[arb], r: list[arb], effort: Effort) -> arb:
    """Return E of the product of 0 to 4 signs."""
    m = len(h)
    if m == 0:
        return arb(1)
    if m == 1:
        return _erf(h[0])
    if m == 2:
        return two_signs(*r, thresholds=tuple(h), effort=effort)
    for x in r:
        _check(x)
    if m == 3 and all(x.is_zero() for x in h):
        return arb(0)
    pairs = list(combinations(range(m), 2))
    i, j = max(pairs, key=lambda pair: float(abs(r[pairs.index(pair)]).mid()))
    table = {(b, a): x for (a, b), x in zip(pairs, r, strict=True)} | dict(zip(pairs, r, strict=True))
    order = [*(k for k in range(m) if k not in (i, j)), i, j]
    h = [h[k] for k in order]
    table = {(a, b): table[order[a], order[b]] for a in range(m) for b in range(m) if a != b}
    if abs(table[m - 2, m - 1]) == 1:
        return _fused(h, table, effort)
    return _integrated(h, table, effort)


def _fused(h: list[arb], r: Table, effort: Effort) -> arb:
    """Merge the last two variables, equal up to a sign f: their signs are f (1 - sign(z + max) + sign(z + min))."""
    *others, i, j = range(len(h))
    f = r[i, j]
    for k in others:
        if not (r[k, j] - f * r[k, i]).contains(0):
            raise ValueError("two variables are equal up to their sign, but their correlations with another differ.")
    first = [h[k] for k in others]
    low_pairs, pairs = combinations(others, 2), combinations((*others, i), 2)
    other = _several(first, [r[pair] for pair in low_pairs], effort)
    one, two, rows = h[i], f * h[j], [r[pair] for pair in pairs]
    if one == two:
        return f * other
    high, low = arb.max(one, two), arb.min(one, two)
    return f * (other - _several([*first, high], rows, effort) + _several([*first, low], rows, effort))


class _Cross:
    """Thresholds and correlations of a cross pair (a, b) and of the residuals y_c, y_d of the others in their blocks.

    z_c = r_ac z_a + sqrt(1 - r_ac^2) y_c, and given z_a = -h_a, sign(z_c + h_c) = sign(y_c + eta_c); likewise for d, b.
    """

    def __init__(self, h: list[arb], r: Table, a: int, b: int, c: int | None, d: int) -> None:
        self.h_a, self.h_b, self.k_ab = h[a], h[b], r[a, b]
        root = (1 - r[b, d] * r[b, d]).sqrt()
        self.k_ad, self.eta_d = (r[a, d] - r[b, d] * r[a, b]) / root, (h[d] - r[b, d] * h[b]) / root
        self.k_cb = self.k_cd = self.eta_c = arb(0)
        if c is not None:
            root_c = (1 - r[a, c] * r[a, c]).sqrt()
            q = r[c, b] - r[a, c] * r[a, b]
            self.k_cb, self.eta_c = q / root_c, (h[c] - r[a, c] * h[a]) / root_c
            self.k_cd = (r[c, d] - r[a, c] * r[a, d] - r[b, d] * q) / (root * root_c)


def _integrated(h: list[arb], r: Table, effort: Effort) -> arb:
    """Return E[A] E[B] plus the integral, for blocks A (the first variables) and B (the last two)."""
    m = len(h)
    *first, i, j = range(m)
    with precision(SPARE_PRECISION * ctx.prec):
        if m == 3:
            crosses = [_Cross(h, r, 0, b, None, 3 - b) for b in (1, 2)]
            square = _square(crosses[0].k_ab) + _square(crosses[0].k_ad)
            squares = (square, arb(0))
        else:
            crosses = [_Cross(h, r, a, b, 1 - a, 5 - b) for a in (0, 1) for b in (2, 3)]
            squares = canonical_squares(*(r[pair] for pair in combinations(range(4), 2)))
        if squares[0] > 1:
            raise ValueError(
                f"the correlations of {m} variables are not positive semidefinite: a canonical correlation has the "
                f"square {squares[0].str(10)} > 1. Nothing is clipped for you."
            )
    if not squares[0].is_finite():
        return arb("nan")
    if m == 4 and all(x.is_zero() for x in h) and not squares[0] < 1 - NEARLY_SINGULAR:
        return plackett(*(r[pair] for pair in combinations(range(4), 2)), effort)
    end, scale = path(squares[0], _bits())
    with precision(SPARE_PRECISION * ctx.prec):
        last = end.tanh() * scale
        cross = [r[a, b] for a in first for b in (i, j)]
        rest = sum((abs(_asin(x) - _asin(last * x)) for x in cross), arb(0)) * 2 / arb.pi()
        integrand = _Integrand(crosses, squares, scale, effort if m == 4 else None)
    strip = arb.pi() / 4
    most = 1 / ((1 - SHARE) * strip * (1 - arb(1e-9)))
    price = PRICE_WITHOUT_THRESHOLDS if integrand.without_thresholds else PRICE
    total = _sum(integrand, end, SHARE * pi / 4, most, effort, _bits(), price)
    front = _several([h[k] for k in first], [r[pair] for pair in combinations(first, 2)], effort)
    return front * two_signs(r[i, j], thresholds=(h[i], h[j]), effort=effort) + total + arb(0, 1) * rest.upper()


def _asin(x: arb) -> arb:
    value = x.asin()
    return value if value.is_finite() else arb(0, 2)


class _Integrand:
    """The sum over the cross pairs, as a function of u, times dt/du."""

    def __init__(self, crosses: list[_Cross], squares: tuple[arb, arb], scale: arb, effort: Effort | None) -> None:
        self.crosses, self.scale, self.effort = crosses, scale, effort
        self.square = scale * scale
        self.without_thresholds = all(h.is_zero() for x in crosses for h in (x.h_a, x.h_b, x.eta_c, x.eta_d))
        self.gaps = [self._below(x) for x in squares]
        self.linear = [
            tuple(self._below(_square(x.k_ab) + more) for more in (arb(0), _square(x.k_ad), _square(x.k_cb)))
            for x in crosses
        ]

    def _below(self, x: arb) -> tuple[arb, arb]:
        """Return constant and slope of 1 - t^2 x = constant + slope sech(u)^2; the constant is not negative."""
        return nonnegative(1 - x * self.square), x * self.square

    def __call__(self, u: arb) -> arb:
        sech = _square(u.sech())
        t = u.tanh() * self.scale
        (c1, s1), (c2, s2) = self.gaps
        gap = (c1 + s1 * sech) * (c2 + s2 * sech)
        total = arb(0)
        for x, linear in zip(self.crosses, self.linear, strict=True):
            f, v_d, v_c = (constant + slope * sech for constant, slope in linear)
            c = t * (x.k_cd * f + t * t * x.k_cb * x.k_ad * x.k_ab)
            if self.without_thresholds:
                total += x.k_ab * arb.atan2(c, (f * gap).sqrt()) / f.sqrt()
                continue
            r = t * x.k_ab
            exponent = -(_square(x.h_a) + _square(x.h_b) - 2 * r * x.h_a * x.h_b) / (2 * f)
            density = 2 / arb.pi() * exponent.exp() / f.sqrt() * x.k_ab
            n_d = x.eta_d * f + t * x.k_ad * (r * x.h_b - x.h_a)
            if self.effort is None:
                inner = _erf(n_d / (f * v_d).sqrt())
            else:
                n_c = x.eta_c * f + t * x.k_cb * (r * x.h_a - x.h_b)
                inner = self._pair(n_c, n_d, v_c, v_d, c, f, gap, abs(density * sech))
            total += density * (inner if inner.is_finite() else arb(0, 1))
        if self.without_thresholds:
            total *= 4 / (arb.pi() * arb.pi())
        return total * sech * self.scale

    def _pair(self, n_c: arb, n_d: arb, v_c: arb, v_d: arb, c: arb, f: arb, gap: arb, weight: arb) -> arb:
        """Return E of two conditional signs, from thresholds, variances and covariance times f.

        A small weight needs fewer bits.
        """
        both = v_c * v_d
        if not both > 0 or not weight.is_finite():
            return arb("nan")
        r = c / both.sqrt()
        if not abs(r) < 1:
            return arb("nan")
        spare = -log(max(float(weight.upper()), MOST_SPARE)) / LN2
        bits = max(_bits() - max(int(spare), 0), LEAST_BITS)
        return _pair(n_c / (f * v_c).sqrt(), n_d / (f * v_d).sqrt(), r, f * gap / both, self.effort, bits)
