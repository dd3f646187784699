"""Moments of monomials of Gaussian variables by Isserlis' theorem, as a recursion over the remaining powers."""

from collections.abc import Callable, Iterable
from math import lcm, prod
from typing import TypeVar

import sympy

from theory.problem.errors import OutOfReachError

N = TypeVar("N", int, sympy.Expr)

# The recursion stores a moment for each divisor of the monomial: the most where these are numbers, or polynomials.
MOST_NUMBERS, MOST_POLYNOMIALS = 2**21, 2**12
_FEWER = "Use fewer factors or lower powers, or expectations of their parts."


def monomial_moment(powers: tuple[int, ...], cov: sympy.MatrixBase) -> sympy.Expr:
    """Return E prod_i z_i^powers[i] for z ~ N(0, cov): E z_i f = sum_j cov_ij E df/dz_j, each moment computed once.

    Raises OutOfReachError where the recursion has too many moments to keep.

    >>> monomial_moment((2, 2), sympy.Matrix([[1, sympy.Rational(1, 2)], [sympy.Rational(1, 2), 1]]))
    3/2
    """
    number = all(entry.is_Rational for entry in cov)
    most = MOST_NUMBERS if number else MOST_POLYNOMIALS
    if (parts := prod(power + 1 for power in powers) // 2) > most:
        raise OutOfReachError(
            f"The moment of {len(powers)} variables and degree {sum(powers)} takes {parts} moments of its divisors; "
            f"the limit is {most} for {'numbers' if number else 'covariances with parameters'}.",
            _FEWER,
        )
    if sum(powers) % 2:
        return sympy.Integer(0)
    if not number:
        return _paired(powers, cov.tolist(), sympy.Integer(1), _summed)
    # Integers over one denominator are many times faster than fractions.
    denominator = lcm(*(int(entry.q) for entry in cov))
    scaled = [[int(entry * denominator) for entry in row] for row in cov.tolist()]
    return sympy.Rational(_paired(powers, scaled, 1, sum), denominator ** (sum(powers) // 2))


def _summed(terms: Iterable[sympy.Expr]) -> sympy.Expr:
    return sympy.expand(sympy.Add(*terms))


def _paired(powers: tuple[int, ...], cov: list[list[N]], one: N, summed: Callable[[Iterable[N]], N]) -> N:
    """Run the recursion; the key of a monomial is the number whose digits, in mixed radix, are its powers."""
    size = len(powers)
    place = [prod(power + 1 for power in powers[:k]) for k in range(size)]
    known = {0: one}

    def moment(left: list[int], key: int) -> N:
        if key not in known:
            first = next(k for k, power in enumerate(left) if power)
            left[first] -= 1
            terms = []
            for j in range(first, size):
                if left[j] and cov[first][j] != 0:
                    count = left[j]
                    left[j] -= 1
                    terms.append(count * cov[first][j] * moment(left, key - place[first] - place[j]))
                    left[j] += 1
            left[first] += 1
            known[key] = summed(terms)
        return known[key]

    return moment(list(powers), sum(power * step for power, step in zip(powers, place, strict=True)))
