"""The rules that check moments of polynomials: Mehler's formula and Isserlis' theorem, both by counting pairings."""

from itertools import product
from math import factorial

import sympy

from theory.expressions.symbols import z
from theory.gaussian.derive.rules.replacements import equal, expectation_rule
from theory.gaussian.expectation import Expectation, variables
from theory.proof.derivation import StepError


@expectation_rule("mehler")
def mehler(old: Expectation, new: sympy.Expr) -> None:
    """Monomial by monomial: E z_a^i z_b^j = sum_m i! j! c^m v^p w^q/(m! p! q! 2^(p+q)), m + 2p = i, m + 2q = j."""
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
    """The sum over how many pairs n_ij the variables form: prod p_i!/prod(n_ij! 2^n_ii) prod c_ij^n_ij."""
    powers = old.integrand.as_powers_dict()
    if not all(base.is_Symbol and exponent.is_Integer and exponent > 0 for base, exponent in powers.items()):
        raise StepError(f"{old.integrand} is not a monomial")
    rows = [variables(base)[0] - 1 for base in powers]
    exponents = [int(exponent) for exponent in powers.values()]
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


def pairings(left: tuple[int, ...], first: int = 0) -> list[dict[tuple[int, int], int]]:
    """Every table of pair counts n_ij, i <= j, in which variable i occurs left[i] times."""
    if first == len(left):
        return [{}]
    found = []
    partners = range(first + 1, len(left))
    for taken in product(*(range(min(left[first], left[j]) + 1) for j in partners)):
        alone = left[first] - sum(taken)
        if alone < 0 or alone % 2:
            continue
        rest = list(left)
        for j, count in zip(partners, taken, strict=True):
            rest[j] -= count
        own = {(first, j): count for j, count in zip(partners, taken, strict=True) if count}
        own |= {(first, first): alone // 2} if alone else {}
        found += [{**own, **table} for table in pairings(tuple(rest), first + 1)]
    return found
