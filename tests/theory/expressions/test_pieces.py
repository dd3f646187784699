"""The points in the pieces of a domain: one in each, also in slivers; none where the expression is not real."""

from fractions import Fraction

import sympy
from sympy import Abs, Interval, atan2, log, sqrt

from theory.expressions.functions import Phi2
from theory.expressions.pieces import Kind, decisive, polynomial_on_line
from theory.expressions.refute import solved_points

x, y = sympy.symbols("x y", real=True)
UNIT = Interval.open(0, 1)
HALF = Fraction(1, 2)


def signs(expr, functions, domains):
    """The patterns of signs that the functions have at the points."""
    points = solved_points(expr, domains)
    return {
        tuple(
            int(sympy.sign(f.xreplace({s: sympy.Rational(v.numerator, v.denominator) for s, v in point.items()})))
            for f in functions
        )
        for point in points
    }


def test_each_piece_of_a_line_is_met():
    near = [x - sympy.Rational(9999, 10000), x - sympy.Rational(99999999, 100000000), x**2 - x / 10**6]
    met = signs(sum(map(Abs, near)), near, {x: UNIT})
    assert met == {(-1, -1, -1), (-1, -1, 1), (1, -1, 1), (1, 1, 1)}


def test_each_piece_of_a_plane_is_met():
    circle, line = (x - HALF) ** 2 + (y - HALF) ** 2 - sympy.Rational(1, 10**8), x - y
    met = signs(Abs(circle) + Abs(line), [circle, line], {x: UNIT, y: UNIT})
    assert met >= {(a, b) for a in (-1, 1) for b in (-1, 1)}


def test_only_points_where_all_is_real():
    points = list(solved_points(sqrt(1 - x**2) + Abs(x), {}))
    assert {abs(point[x]) < 1 for point in points} == {True}
    assert {point[x] > 0 for point in points} == {True, False}


def test_zeros_are_isolated_of_rational_polynomials_alone():
    assert polynomial_on_line(x**2 - 2, x, {}) == sympy.Poly(x**2 - 2)
    for other in (x - sympy.pi, sympy.exp(x), x**1000 - x, sympy.Integer(0)):
        assert polynomial_on_line(other, x, {}) is None, other


def test_either_side_of_the_zero_of_a_logarithm_is_met():
    points = list(solved_points(Abs(log(x)), {x: Interval.open(0, 1 + sympy.Rational(1, 1000))}))
    assert {point[x] > 1 for point in points} == {True, False}


def test_what_decides_where_an_expression_is_analytic():
    cases = (
        (1 / (x - 1), {(x - 1, Kind.POLE)}),
        (sqrt(x), {(x, Kind.REAL)}),
        (sympy.asin(x), {(1 - x**2, Kind.REAL)}),
        (Phi2(0, 1, x), {(1 - x**2, Kind.REAL)}),
        (sympy.tan(x), {(sympy.cos(x), Kind.POLE)}),
        (atan2(y, x), {(x, Kind.JUMP), (y, Kind.JUMP)}),
        (Abs(x), {(x, Kind.KINK)}),
        (x**2 + sympy.exp(x) + sympy.erf(x), set()),
    )
    assert [expr for expr, expected in cases if set(decisive(expr)) != expected] == []
