"""The rules that check moments of polynomials: Mehler's formula and Isserlis' theorem, both by counting pairings."""

from itertools import product
from math import comb, factorial, lcm, prod

import numpy as np
import sympy

from theory.expressions.symbols import z
from theory.gaussian.derive.rules.replacements import equal, expectation_rule
from theory.gaussian.expectation import Expectation, variables
from theory.proof.derivation import StepError


@expectation_rule("mehler")
def mehler(old: Expectation, new: sympy.Expr) -> None:
    """Monomial by monomial: E z_a^i z_b^j = sum_m i! j! c^m v^p w^q/(m! p! q! 2^(p+q)), m + 2p = i, m + 2q = j.

    >>> r = sympy.Symbol("r", real=True)
    >>> mehler(Expectation(z(1) ** 3 * z(2) ** 3, sympy.Matrix([[1, r], [r, 1]])), 6 * r**3 + 9 * r)
    """
    used = variables(old.integrand)
    if len(used) != 2:
        raise StepError("two variables are expected")
    a, b = (index - 1 for index in used)
    total = sympy.Integer(0)
    for (i, j), coefficient in sympy.Poly(sympy.expand(old.integrand), z(a + 1), z(b + 1)).terms():
        if (i + j) % 2:
            continue
        for m in range(i % 2, min(i, j) + 1, 2):
            p, q = (i - m) // 2, (j - m) // 2
            ways = sympy.Rational(
                factorial(i) * factorial(j), factorial(m) * factorial(p) * factorial(q) * 2 ** (p + q)
            )
            total += coefficient * ways * old.cov[a, b] ** m * old.cov[a, a] ** p * old.cov[b, b] ** q
    equal(sympy.expand(total), sympy.expand(new), "the sum over monomials")


@expectation_rule("isserlis")
def isserlis(old: Expectation, new: sympy.Expr) -> None:
    """The sum over all tables of pair counts n_ij: prod p_i!/prod(n_ij! 2^n_ii) prod c_ij^n_ij.

    For rational covariances, where the tables may be too many to list, `polarised` gives the value instead.

    >>> isserlis(Expectation(z(1) ** 6, sympy.eye(1)), sympy.Integer(5 * 3 * 1))
    """
    powers = old.integrand.as_powers_dict()
    if not all(base.is_Symbol and exponent.is_Integer and exponent > 0 for base, exponent in powers.items()):
        raise StepError(f"{old.integrand} is not a monomial")
    rows = [variables(base)[0] - 1 for base in powers]
    exponents = [int(exponent) for exponent in powers.values()]
    cov = old.cov.extract(rows, rows)
    if all(entry.is_Rational for entry in cov):
        equal(polarised(tuple(exponents), cov), new, "the sum over signs")
        return
    total = sympy.Integer(0)
    for pairs_formed in pairings(tuple(exponents)):
        ways, product_ = sympy.Rational(1), sympy.Integer(1)
        for exponent in exponents:
            ways *= factorial(exponent)
        for (i, j), count in pairs_formed.items():
            ways /= factorial(count) * (2**count if i == j else 1)
            product_ *= old.cov[rows[i], rows[j]] ** count
        total += ways * product_
    equal(sympy.expand(total), sympy.expand(new), "the sum over pairings")


def polarised(powers: tuple[int, ...], cov: sympy.MatrixBase) -> sympy.Expr:
    """Return E prod z_i^p_i by polarisation: 1/m! sum_nu prod (-1)^nu_i C(p_i, nu_i) (h C h / 8)^m, h = p - 2 nu.

    nu runs over all 0 <= nu_i <= p_i and 2m is the sum of the powers (Kan 2008, Proposition 1); C is rational.

    >>> polarised((2, 1, 1), sympy.Matrix([[1, 0, 0], [0, 1, sympy.Rational(1, 2)], [0, sympy.Rational(1, 2), 1]]))
    1/2
    """
    if sum(powers) % 2:
        return sympy.Integer(0)
    m, half = sum(powers) // 2, len(powers) // 2
    denominator = lcm(*(int(entry.q) for entry in cov))
    scaled = [[int(entry * denominator) for entry in row] for row in cov.tolist()]
    largest = max((abs(entry) for row in scaled for entry in row), default=0) * sum(powers) ** 2
    small = largest < 2**62 and sum(powers) < 62  # then every sum below fits in 64 bits
    entries = np.array(scaled, dtype=np.int64 if small else object)
    (h, first), (k, second) = (_signed(part, entries.dtype) for part in (powers[:half], powers[half:]))
    within = [((x @ block) * x).sum(axis=1) for x, block in ((h, entries[:half, :half]), (k, entries[half:, half:]))]
    squares = within[0][:, None] + within[1][None, :] + 2 * (h @ entries[:half, half:] @ k.T)
    values, place = np.unique(squares.ravel(), return_inverse=True)
    weights = np.zeros(len(values), dtype=entries.dtype)
    np.add.at(weights, place.ravel(), np.outer(first, second).ravel())
    total = sum(int(weight) * int(value) ** m for weight, value in zip(weights, values, strict=True))
    return sympy.Rational(total, factorial(m) * (8 * denominator) ** m)


def _signed(powers: tuple[int, ...], dtype: np.dtype) -> tuple[np.ndarray, np.ndarray]:
    """Return every p - 2 nu, (N n), and its weight prod (-1)^nu_i C(p_i, nu_i), (N)."""
    counts = list(product(*(range(power + 1) for power in powers)))
    h = [[power - 2 * nu for power, nu in zip(powers, row, strict=True)] for row in counts]
    weights = [prod((-1) ** nu * comb(power, nu) for power, nu in zip(powers, row, strict=True)) for row in counts]
    return np.array(h, dtype=dtype).reshape(len(counts), len(powers)), np.array(weights, dtype=dtype)


def pairings(left: tuple[int, ...], first: int = 0) -> list[dict[tuple[int, int], int]]:
    """Return every table of pair counts n_ij, i <= j, in which variable i occurs left[i] times.

    z1^2 z2^2 pairs as (11)(22) or twice as (12):

    >>> pairings((2, 2))
    [{(0, 0): 1, (1, 1): 1}, {(0, 1): 2}]
    """
    if first == len(left):
        return [{}]
    tables = []
    partners = range(first + 1, len(left))
    for taken in product(*(range(min(left[first], left[j]) + 1) for j in partners)):
        alone = left[first] - sum(taken)
        if alone < 0 or alone % 2:
            continue
        rest = list(left)
        for j, count in zip(partners, taken, strict=True):
            rest[j] -= count
        counts = {(first, j): count for j, count in zip(partners, taken, strict=True) if count}
        counts |= {(first, first): alone // 2} if alone else {}
        tables += [{**counts, **table} for table in pairings(tuple(rest), first + 1)]
    return tables
