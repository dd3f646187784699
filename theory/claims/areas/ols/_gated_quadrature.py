"""The least loss of two site gates on the nonlinear Gaussian process, from integrals and a linear solve in mpmath.

An oracle: it shares no code with `theory.moments` or `theory.flow`. One- and two-factor moments are quadratures of
their definitions. E[s_i s_j erf_k erf_l] is E of four signs of correlation r, as erf(g z) = E sign(sqrt(2) g z + N),
taken along the straight path R(t) = I + t (R - I) from independence, where Price's theorem gives
d/dt E[s_1 s_2 s_3 s_4] = sum over pairs of (2/pi) r_ab / sqrt(1 - t^2 r_ab^2) E[s_c s_d | z_a = z_b = 0].
"""

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations

import mpmath
import sympy
from mpmath import mpf

from theory.claims import quadrature

Gate = tuple[int, int]  # (site, side): 1[side z_site >= 0]


def least_loss(
    n: int, lengths: tuple[Fraction, Fraction], gates: tuple[Gate, Gate], digits: int, gain: Fraction = Fraction(1)
) -> mpf:
    """Return min <(y - yhat)^2> on an open line: labels 1 and 0, unit variance, <y^2> - b^T A^-1 b."""
    slope = sympy.Rational(gain.numerator, gain.denominator)
    with mpmath.workdps(digits + 15):
        square = quadrature.erf_erf(sympy.Integer(1), slope, digits + 5)
        same = [[_mixed(length, slope, lag, digits) / square for lag in range(n)] for length in lengths]
        half = [[(same[0][abs(k - l)] + same[1][abs(k - l)]) / 4 for l in range(n)] for k in range(n)]
        cross = _cross(n, lengths, gates, gain, square)
        size = range(n)
        A = mpmath.matrix(2 * n, 2 * n)
        b = mpmath.matrix(2 * n, 1)
        for k in size:
            for unit, (site, side) in enumerate(gates):
                rho = _correlation(lengths[0], k - site)
                b[unit * n + k] = side * quadrature.step_erf(rho, slope, digits + 5) / (2 * mpmath.sqrt(square))
            for l in size:
                A[k, l] = A[n + k, n + l] = half[k][l]
                A[k, n + l] = A[n + l, k] = cross[k][l]
        return mpf(1) / 2 - (b.T * mpmath.lu_solve(A, b))[0]


def _mixed(length: Fraction, gain: sympy.Rational, lag: int, digits: int) -> mpf:
    return quadrature.erf_erf(_correlation(length, lag), gain, digits + 5)


def _correlation(length: Fraction, lag: int) -> sympy.Expr:
    return sympy.exp(-sympy.Rational(lag**2 * length.denominator**2, length.numerator**2))


def _cross(
    n: int, lengths: tuple[Fraction, Fraction], gates: tuple[Gate, Gate], gain: Fraction, square: mpf
) -> list[list[mpf]]:
    """<g_1 g_2 x x^T>; one site with opposite sides is never open twice."""
    (i, side_i), (j, side_j) = gates
    if i == j:
        if side_i == side_j:
            raise ValueError(f"both gates are 1[{side_i} z_{i} >= 0]: A is singular and has no inverse")
        return [[mpf(0)] * n for _ in range(n)]
    slope = mpf(gain.numerator) / gain.denominator
    kappa = mpmath.sqrt(2) * slope / mpmath.sqrt(1 + 2 * slope**2)
    rows = [[mpf(0)] * n for _ in range(n)]
    for k in range(n):
        for l in range(k + 1):
            for length in lengths:
                rho = _exponential(length)
                plain = 2 / mpmath.pi * mpmath.asin(kappa**2 * rho(k - l))
                pairs = (rho(i - j), kappa * rho(i - k), kappa * rho(i - l))
                pairs += (kappa * rho(j - k), kappa * rho(j - l), kappa**2 * rho(k - l))
                rows[k][l] += (plain + side_i * side_j * four_signs(pairs)) / (8 * square)
            rows[l][k] = rows[k][l]
    return rows


def _exponential(length: Fraction):
    square = mpf(length.numerator) ** 2 / mpf(length.denominator) ** 2
    return lambda lag: mpmath.exp(-(mpf(lag) ** 2) / square)


def four_signs(correlations: Sequence[mpf]) -> mpf:
    """Return E[s_1 s_2 s_3 s_4] for unit Gaussians of correlations r12, r13, r14, r23, r24, r34."""
    r = dict(zip(combinations(range(4), 2), correlations, strict=True))

    slopes = mpmath.quad(
        lambda t: mpmath.fsum(_slope(r, t, pair) for pair in r if r[pair]),
        [0, mpf(1) / 2, 1],
        method="gauss-legendre",
    )
    return 4 / mpmath.pi**2 * slopes


def _slope(r: dict[tuple[int, int], mpf], t: mpf, pair: tuple[int, int]) -> mpf:
    """r_ab / sqrt(1 - t^2 r_ab^2) times the angle of the two other signs given that both of the pair are at 0."""
    at = {key: t * value for key, value in r.items()}
    left = 1 - at[pair] ** 2
    c, d = (index for index in range(4) if index not in pair)
    together, own_c, own_d = (_given(at, pair, p, q, left) for p, q in ((c, d), (c, c), (d, d)))
    return r[pair] / mpmath.sqrt(left) * mpmath.atan2(together, mpmath.sqrt(own_c * own_d - together**2))


def _given(at: dict[tuple[int, int], mpf], pair: tuple[int, int], p: int, q: int, left: mpf) -> mpf:
    """The covariance of z_p and z_q given the pair; left = 1 - r_ab^2."""
    pa, pb, qa, qb = (at[min(x, y), max(x, y)] for x in (p, q) for y in pair)
    own = mpf(1) if p == q else at[min(p, q), max(p, q)]
    return own - (pa * qa + pb * qb - at[pair] * (pa * qb + pb * qa)) / left
