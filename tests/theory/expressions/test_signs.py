"""Signs certified on a box against values at points of the box, exact ones, and signs that must be found."""

import random
from fractions import Fraction

import sympy
from sympy import Interval, Rational, oo, sqrt

from theory.expressions.real_algebra import sign_on

x, y, z = SYMBOLS = sympy.symbols("x y z", real=True)
# Each with the function from (0, 1) onto it.
SIDES = {
    Interval(0, 1): lambda s: s,
    Interval.open(-1, Rational(1, 3)): lambda s: -1 + Fraction(4, 3) * s,
    Interval.open(0, oo): lambda s: s / (1 - s),
    Interval.open(Rational(5, 2), oo): lambda s: Fraction(5, 2) + s / (1 - s),
    Interval.open(-oo, 2): lambda s: 2 - s / (1 - s),
    Interval(-oo, oo): lambda s: 1 / (1 - s) - 1 / s,
}
SHARES = [Fraction(k, 997) for k in (1, 20, 150, 333, 500, 664, 850, 980, 996)]


def drawn(draw, root):
    """A polynomial of a few terms, the coefficients fractions or, with a root, in the field of sqrt(2)."""
    terms = []
    for _ in range(draw.randint(1, 3)):
        coefficient = Rational(draw.randint(-6, 6), draw.randint(1, 4)) * (
            sqrt(2) if root and draw.random() < 1 / 2 else 1
        )
        terms.append(coefficient * x ** draw.randint(0, 3) * y ** draw.randint(0, 2) * z ** draw.randint(0, 1))
    return sympy.expand(sum(terms) + draw.choice((-8, -3, 0, 3, 8)))


def test_a_certified_sign_is_that_of_every_value():
    draw = random.Random(1)
    signs = []
    for count in range(120):
        polynomial, box = drawn(draw, count % 4 == 0), {symbol: draw.choice([*SIDES]) for symbol in SYMBOLS}
        if not polynomial.free_symbols or not (sign := sign_on(polynomial, box)):
            continue
        signs.append(sign)
        for _ in range(4):
            point = {
                symbol: Rational(*SIDES[box[symbol]](draw.choice(SHARES)).as_integer_ratio()) for symbol in SYMBOLS
            }
            assert sign * polynomial.xreplace(point) > 0, (polynomial, box, point)
    assert min(signs.count(sign) for sign in (1, -1)) > 2


def test_signs_that_are_found():
    unit, ray = Interval.open(0, 1), Interval.open(0, oo)
    for polynomial, box, sign in (
        (x - x**2, {x: unit}, 1),
        (1 - x * y, {x: unit, y: unit}, 1),
        (x**2 - x + 1, {x: Interval(-oo, oo)}, 1),  # not by its coefficients, but on halves
        (x**2 - 3 * x + Rational(5, 2), {x: ray}, 1),
        (-(x**2) - y, {x: Interval.open(-oo, -1), y: ray}, -1),
        (x - 2 * y, {x: Interval.open(2, oo), y: Interval.open(-1, 1)}, 1),
        (x - y, {x: unit, y: unit}, 0),
        (x**2 - 2 * x + Rational(3, 4), {x: ray}, 0),
    ):
        assert [sign_on(factor * polynomial, box) for factor in (1, sqrt(2))] == [sign] * 2, polynomial
