"""The expectation of four signs: its elementary form for singular covariances, and a key that equal ones share."""

from fractions import Fraction
from itertools import combinations, permutations, product

import sympy

from theory.expressions.algebra import is_zero
from theory.expressions.exact import rational
from theory.expressions.symbols import z
from theory.gaussian.covariance import sign
from theory.gaussian.expectation import Expectation, marginal

ALL = (0, 1, 2, 3)
PAIRS = tuple(combinations(ALL, 2))
FOUR_SIGNS = sympy.Mul(*(sympy.sign(z(k + 1)) for k in ALL))
# The relabellings z_i -> f_i z_p(i). Flipping all four signs changes nothing: f_1 = 1, eight choices a permutation.
RELABELLINGS = tuple((p, (1, *f)) for p in permutations(ALL) for f in product((1, -1), repeat=3))


def is_four_signs(e: Expectation) -> bool:
    """Whether this is E[sign(z1) sign(z2) sign(z3) sign(z4)].

    >>> [is_four_signs(Expectation(integrand, sympy.eye(4))) for integrand in (FOUR_SIGNS, FOUR_SIGNS * z(1))]
    [True, False]
    """
    return e.cov.rows == len(ALL) and e.integrand == FOUR_SIGNS


def dependence(e: Expectation) -> sympy.Expr | None:
    """Reduce four signs of linearly dependent variables to pairs; None without a relation as below.

    Let sum_i n_i z_i = 0 for three or four of the variables, with all n_i nonzero and f_i the sign of n_i. Then the
    signs s_i agree neither all with f_i nor all with -f_i, so that
    prod (1 + f_i s_i) = prod (1 - f_i s_i) = 0. For four variables the sum of these products gives
    s1 s2 s3 s4 = -f1 f2 f3 f4 (1 + sum_(i<j) f_i f_j s_i s_j), and for three variables their difference gives
    s1 s2 s3 = -f1 f2 f3 (f1 s1 + f2 s2 + f3 s3).

    >>> third = sympy.Matrix(4, 4, lambda i, j: 1 if i == j else -sympy.Rational(1, 3))  # z1 + ... + z4 = 0
    >>> print(len(dependence(Expectation(FOUR_SIGNS, third)).atoms(Expectation)))
    1
    """
    if not is_four_signs(e):
        return None
    for rows in (*combinations(ALL, 3), ALL):
        block = e.cov.extract(rows, rows)
        if is_zero(sympy.expand(block.det(method="berkowitz"))) is not True:
            continue
        # The adjugate is a positive multiple of n n^T: its first row has the signs of n up to a common sign.
        f = [sign(sympy.expand(block.cofactor(0, k, method="berkowitz"))) for k in range(len(rows))]
        if 0 in f:
            continue
        signs = [sympy.sign(z(row + 1)) for row in rows]
        front = -sympy.prod(f)
        if len(rows) == len(ALL):
            pairs = (f[i] * f[j] * marginal(signs[i] * signs[j], e.cov) for i, j in PAIRS)
            return front * (1 + sum(pairs, sympy.Integer(0)))
        (other,) = set(ALL) - set(rows)
        last = sympy.sign(z(other + 1))
        return front * sum((f[i] * marginal(signs[i] * last, e.cov) for i in range(3)), sympy.Integer(0))
    return None


def _signed_squares(cov: sympy.MatrixBase) -> dict[tuple[int, int], Fraction] | None:
    """Return r |r| for the six correlations r, or None unless all are rational."""
    table = {}
    for i, j in PAIRS:
        square = sympy.expand(cov[i, j] ** 2) / sympy.expand(cov[i, i] * cov[j, j])
        if not square.is_Rational:
            return None
        table[i, j] = table[j, i] = sign(cov[i, j]) * rational(square)
    return table


def representative(e: Expectation) -> tuple[int, tuple]:
    """Return a sign and a key: E[s1 s2 s3 s4] is the sign times a number that depends on the key alone.

    Renaming the variables leaves the expectation unchanged; flipping an odd number of them flips its sign. If some
    such relabelling keeps all correlations but flips the sign, the expectation is exactly zero, and so is the sign.

    Flipping z1 flips the sign of the expectation:

    >>> r = sympy.Matrix(4, 4, lambda i, j: 1 if i == j else sympy.Rational(i + j, 10))
    >>> flip = sympy.diag(-1, 1, 1, 1)
    >>> (sign, key), (other, same) = (representative(Expectation(FOUR_SIGNS, cov)) for cov in (r, flip * r * flip))
    >>> sign == -other, key == same
    (True, True)
    """
    r = _signed_squares(e.cov)
    if r is None:
        return 1, (e.cov,)
    images = sorted((tuple(f[i] * f[j] * r[p[i], p[j]] for i, j in PAIRS), f[1] * f[2] * f[3]) for p, f in RELABELLINGS)
    first = [parity for key, parity in images if key == images[0][0]]
    return (0 if len(set(first)) > 1 else first[0]), images[0][0]
