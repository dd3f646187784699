"""The rule that checks powers times one sign: by the derivative in the threshold c and the limits c -> +-oo.

The derivative of E[P sign(z_b + c)] is 2 f(c) m(-c), f the density N(0, w) and m(x) = E[P | z_b = x] a polynomial.
That of A erf(c/sqrt(2 w)) + 2 B(c) f(c) is 2 f(c) (A + B' - c B/w), which gives the coefficients of B from the highest
down, and then A. Each of the two functions tends to opposite limits at the two ends, so they differ by no constant.
"""

from itertools import product
from math import comb, factorial, prod

import sympy
from sympy.polys.rings import PolyElement

from theory.gaussian.derive.polynomial_ring import Entries
from theory.gaussian.derive.rules.polynomials import pairings
from theory.gaussian.derive.rules.replacements import equal, expectation_rule, offset_of
from theory.gaussian.expectation import Expectation, variables
from theory.proof.derivation import StepError


@expectation_rule("one-sign-powers")
def one_sign_powers(old: Expectation, new: sympy.Expr) -> None:
    """A erf(c/sqrt(2 w)) + 2 B(c) f(c), where A + B' - c B/w is the mean of the powers given the sign's variable.

    E |z|^3 = 2 sqrt(2/pi):

    >>> from theory.expressions.symbols import z
    >>> one_sign_powers(Expectation(z(1) ** 3 * sympy.sign(z(1)), sympy.eye(1)), 2 * sympy.sqrt(2 / sympy.pi))
    """
    factors = sympy.Mul.make_args(old.integrand)
    signs = [f for f in factors if isinstance(f, sympy.sign)]
    powers = [f.as_base_exp() for f in factors if not isinstance(f, sympy.sign)]
    if len(signs) != 1 or not all(base.is_Symbol and n.is_Integer and n > 0 for base, n in powers):
        raise StepError(f"{old.integrand} is not a product of powers and one sign")
    row, c = offset_of(signs[0])
    w = old.cov[row, row]
    entries = Entries(old.cov, row, c)
    mean = _given(entries, row, {variables(base)[0] - 1: int(n) for base, n in powers})
    front, polynomial = _integrated(entries, entries.cov[row][row], mean)
    density = sympy.exp(-(c**2) / (2 * w)) / sympy.sqrt(2 * sympy.pi * w)
    expected = entries.expr(front) * sympy.erf(c / sympy.sqrt(2 * w)) + 2 * density * entries.expr(polynomial)
    if new != expected:
        equal(sympy.expand(new - expected), sympy.Integer(0), "the integral over thresholds")


def _given(entries: Entries, row: int, exponents: dict[int, int]) -> dict[int, PolyElement]:
    """Return the coefficients of x^k in E[prod z_i^n_i | z_row = x]: z_i = c_i x/w + remainder, remainders paired."""
    own = exponents.get(row, 0)
    rows = [i for i in exponents if i != row]
    degrees = [exponents[i] for i in rows]
    slopes = [entries.cov[i][row] * entries.inverse for i in rows]
    left_over = [[entries.cov[i][j] - s * entries.cov[row][j] for j in rows] for i, s in zip(rows, slopes, strict=True)]
    mean: dict[int, PolyElement] = {}
    for taken in product(*(range(n + 1) for n in degrees)):
        left = [n - m for n, m in zip(degrees, taken, strict=True)]
        powers = (comb(n, m) * (s**m if m else 1) for n, m, s in zip(degrees, taken, slopes, strict=True))
        front = prod(powers, start=entries.ring.one)
        if sum(left) % 2 == 0 and front:
            rest = entries.ring.zero
            for formed in pairings(tuple(left)):
                ways = prod(map(factorial, left))
                for (i, j), count in formed.items():
                    ways //= factorial(count) * (2**count if i == j else 1)
                rest += ways * prod((left_over[i][j] ** k for (i, j), k in formed.items()), start=entries.ring.one)
            mean[own + sum(taken)] = mean.get(own + sum(taken), entries.ring.zero) + front * rest
    return mean


def _integrated(entries: Entries, w: PolyElement, mean: dict[int, PolyElement]) -> tuple[PolyElement, PolyElement]:
    """Return A and B(c), where m(-c) = A + B' - c B/w for m(x) = sum_k mean_k x^k."""
    zero = entries.ring.zero
    b: dict[int, PolyElement] = {}
    for j in range(max(mean, default=0) - 1, -1, -1):
        b[j] = w * ((j + 2) * b.get(j + 2, zero) - (-1) ** (j + 1) * mean.get(j + 1, zero))
    polynomial = sum((coefficient * (entries.offset**j if j else 1) for j, coefficient in b.items()), zero)
    return mean.get(0, zero) - b.get(1, zero), polynomial
