"""Conditions under which a matrix is a covariance, and signs of numbers that no finite number of digits decides."""

from fractions import Fraction
from itertools import combinations, product

import pytest
import sympy
from sympy import Rational, exp, sqrt

from theory.expressions.balls.known_sign import known_sign
from theory.expressions.domains import parse_domains
from theory.expressions.functions import Phi2
from theory.gaussian.admissible import admissible
from theory.gaussian.covariance import covariance, is_psd, sign
from theory.problem.errors import OutOfReachError

GRID = [Fraction(k, 3) for k in (-6, -3, -1, 0, 3, 5)]


def determinant(rows):
    """By permutations, in fractions."""
    if not rows:
        return Fraction(1)
    rest = [[row[j] for j in range(len(rows)) if j] for row in rows]
    minors = ([r for i, r in enumerate(rest) if i != k] for k in range(len(rows)))
    return sum((-1) ** k * row[0] * determinant(minor) for k, (row, minor) in enumerate(zip(rows, minors, strict=True)))


def semidefinite(rows):
    """No principal minor is negative."""
    size = range(len(rows))
    blocks = [block for count in size for block in combinations(size, count + 1)]
    return all(determinant([[rows[i][j] for j in block] for i in block]) >= 0 for block in blocks)


MATRICES = {
    "pair": ("-2<=a<=2", lambda a: [[1, a], [a, 1]]),
    "general": ("-2<=a<=2, -2<=b<=2, -2<=c<=2", lambda a, b, c: [[a, c], [c, b]]),
    "triple": ("-2<=a<=2, -2<=b<=2", lambda a, b: [[1, a, b], [a, 1, Rational(1, 2)], [b, Rational(1, 2), 1]]),
    "shifted": ("-2<=a<=2", lambda a: [[2 - a, a], [a, 1]]),
    "conditioned": ("-2<=a<=2, -2<=b<=2, a<b", lambda a, b: [[1, a], [a, b]]),
}


@pytest.mark.parametrize("name", MATRICES)
def test_the_stated_domain_is_where_the_matrix_is_semidefinite(name):
    """On a grid, bounds and conditions hold exactly where those of the request do and no minor is negative."""
    where, matrix = MATRICES[name]
    domain = parse_domains(where)
    symbols = list(domain.intervals)
    answer = admissible(domain, sympy.Matrix(matrix(*symbols)))
    inside = outside = 0
    for at in product(GRID, repeat=len(symbols)):
        rows = [[Fraction(int(x.p), int(x.q)) for x in row] for row in sympy.Matrix(matrix(*map(exact, at))).tolist()]
        point = dict(zip(symbols, at, strict=True))
        wanted = all(condition.holds(point) for condition in domain.conditions) and semidefinite(rows)
        new = {symbol: point[old] for symbol, old in zip(answer.domain.intervals, symbols, strict=True)}
        stated = all(interval.contains(exact(new[s])) == sympy.true for s, interval in answer.domain.intervals.items())
        stated = stated and all(c.holds(new) for c in (*answer.domain.conditions, *answer.conditions))
        assert stated == wanted, at
        inside, outside = inside + stated, outside + (not stated)
    assert inside
    assert outside


def exact(x):
    return Rational(x.numerator, x.denominator)


# Numbers whose sign shows late, or never, in their digits.
SIGNS = [
    (sqrt(2) + sqrt(3) - sqrt(5 + 2 * sqrt(6)), 0),
    (sqrt(10**400 + 1) - 10**200, 1),
    (10**200 - sqrt(10**400 + 1), -1),
    (exp(-2000), 1),
    (1 + exp(-2000) - 1 - 2 * exp(-2000), -1),
    (sympy.Max(sqrt(2), sympy.pi - 1 - sqrt(3) / 10) - sqrt(2), 1),
    (sympy.atan2(sqrt(2), -sympy.pi) - sympy.pi, -1),
    (sympy.tan(1) * exp(-300), 1),
]


def test_the_sign_of_a_number_is_certified():
    assert [number for number, expected in SIGNS if sign(number) != expected] == []


def test_a_number_without_a_ball_has_no_sign():
    number = Phi2(1, 2, Rational(1, 3)) - Rational(1, 10**60)
    assert known_sign(number) is None
    with pytest.raises(OutOfReachError, match="not decided"):
        sign(number)
    with pytest.raises(OutOfReachError, match="not decided"):
        covariance([[number]])


def test_semidefinite_to_the_last_digit():
    tiny = Rational(1, 10**300)
    assert is_psd(sympy.Matrix([[1, 1 - tiny], [1 - tiny, 1]]))
    assert not is_psd(sympy.Matrix([[1, 1 + tiny], [1 + tiny, 1]]))
    root = sqrt(2)
    assert is_psd(sympy.Matrix([[root, 2], [2, 2 * root]]))
    assert not is_psd(sympy.Matrix([[root, 2 + exp(-900)], [2 + exp(-900), 2 * root]]))
