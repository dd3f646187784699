"""The decision procedure proves identities, refutes what fails somewhere, and never calls the undecided true."""

import sympy
from sympy import Rational as Q
from sympy import acos, asin, atan, cosh, erf, exp, log, sinh, sqrt

from theory.expressions.algebra import Region, is_zero, prove_equal, proved_zero
from theory.expressions.refute import real_points

r, q, x = sympy.symbols("r q x", real=True)
g, h = sympy.symbols("g h", positive=True)
f = sympy.Function("f")


def arctan_of_sine(sine):
    """asin(sine) written as an arctangent."""
    return atan(sine / sqrt(1 - sine**2))


TRUE = [
    (asin(r), arctan_of_sine(r)),
    (sqrt((1 + r) * (1 - r)), sqrt(1 - r**2)),
    (sqrt(3 + 2 * sqrt(2)), 1 + sqrt(2)),
    (sqrt(g + 1 + 2 * sqrt(g)), 1 + sqrt(g)),
    (sqrt(6) * sqrt(g * h), sqrt(2 * g) * sqrt(3 * h)),
    (asin(sqrt(2) * g * r / sqrt(1 + 2 * g**2)), atan(r / sqrt(1 / (2 * g**2) + 1 - r**2))),
    (asin(r) * asin(q), arctan_of_sine(r) * arctan_of_sine(q)),
    (asin(r) + acos(r), sympy.pi / 2),
    (4 * atan(Q(1, 5)) - atan(Q(1, 239)), sympy.pi / 4),
    (atan(sqrt(5) / 5), asin(sqrt(6) / 6)),
    (10 * exp(4) - exp(3), (10 * sympy.E - 1) * exp(3)),
    (exp(1 / (4 * (1 / (1 + g**2) + h))), exp((1 + g**2) / (4 * (1 + h * (1 + g**2))))),
    (cosh(g) ** 2 - sinh(g) ** 2, sympy.Integer(1)),
    (log(sympy.Integer(6)) / 2, log(sqrt(2)) + log(sqrt(3))),
    (x * asin(x) + x * acos(x), x * sympy.pi / 2),
    (sympy.Max(q, r), (q + r + sympy.Abs(q - r)) / 2),
    (sqrt(1 + sqrt(2)) * sqrt(sqrt(2) - 1), sympy.Integer(1)),
    (3 * atan(g), atan((3 * g - g**3) / (1 - 3 * g**2)) + (1 - sympy.sign(1 - 3 * g**2)) * sympy.pi / 2),
    (sympy.cos(x + 1) * sympy.cos(1 - x), (sympy.cos(2) + sympy.cos(2 * x)) / 2),
    (sympy.sin(sympy.Rational(4, 3)), 2 * sympy.sin(sympy.Rational(2, 3)) * sympy.cos(sympy.Rational(2, 3))),
    (exp(100) ** 2 + x * exp(50), exp(200) + x * exp(25) ** 2),
    (f(x) * (x + 1) ** 2, f(x) * (x**2 + 2 * x + 1)),
]
FALSE = [
    (sqrt(x**2), x),
    (sqrt(1 - r**2), 1 - r**2 / 2),
    (sqrt(g + 1 - 2 * sqrt(g)), 1 - sqrt(g)),
    (asin(r) * asin(q), -arctan_of_sine(r) * arctan_of_sine(q)),
    (2 * atan(g), atan(2 * g / (1 - g**2))),
    (erf(g), erf(h)),
    (exp(4) - exp(3), (sympy.E - 2) * exp(3)),
    (f(x) * exp(x), f(x)),
    (asin(r), arctan_of_sine(r) + Q(1, 10**20)),
]


def test_identities_are_proved():
    assert [(a, b) for a, b in TRUE if prove_equal(a, b) is not True] == []


def test_what_fails_somewhere_is_refuted():
    assert [(a, b) for a, b in FALSE if prove_equal(a, b) is not False] == []


def test_mutants_of_identities_are_not_proved():
    assert [(a, m) for a, b in TRUE for m in (-1, Q(1001, 1000)) if prove_equal(a, m * b) is True] == []


def test_an_opaque_difference_is_undecided():
    integral = sympy.Integral(sympy.sin(x**2), (x, 0, 1))
    assert is_zero(integral - Q(31, 100)) is None


def test_a_domain_decides_the_sign():
    below = {x: sympy.Interval(-1, 0)}
    assert prove_equal(sqrt(x**2), -x, below) is True
    assert prove_equal(sqrt(x**2), x, below) is False


UNIT, C = sympy.Interval.open(0, 1), Q(9999, 10000)
y = sympy.Symbol("y", real=True)
# Each holds at all random points of its domain and fails in a corner of it.
SLIVERS = [
    (sqrt((x - C) ** 2) - (C - x), {x: UNIT}),
    (atan(x) + atan(1 / x) - sympy.pi / 2, {x: sympy.Interval.open(Q(-1, 10**4), 1)}),
    ((atan(x) + atan(1 / x) - sympy.pi / 2) / 10**50, {x: sympy.Interval.open(Q(-1, 10**4), 1)}),
    (2 * atan(x) - atan(2 * x / (1 - x**2)), {x: sympy.Interval.open(0, 1 + Q(1, 10**6))}),
    (atan(sympy.tan(x)) - x, {x: sympy.Interval.open(0, Q(15709, 10**4))}),
    (sqrt((sqrt(x) - C) ** 2) - (C - sqrt(x)), {x: UNIT}),
    (sympy.atan2(y, x) - atan(y / x), {x: sympy.Interval.open(Q(-1, 10**5), 1), y: UNIT}),
    (sympy.Abs(x - y) - (y - x), {x: UNIT, y: sympy.Interval.open(Q(99999, 100000), 2)}),
    (
        sympy.Abs(1 - 10**6 * ((x - Q(1, 3)) ** 2 + (y - Q(1, 3)) ** 2))
        + (1 - 10**6 * ((x - Q(1, 3)) ** 2 + (y - Q(1, 3)) ** 2)),
        {x: UNIT, y: UNIT},
    ),
    (sympy.Abs(x - y + h) - (y - x - h), {x: UNIT, y: sympy.Interval.open(1, 2), h: sympy.Interval.open(0, Q(1, 10))}),
]


def test_what_fails_in_a_corner_of_the_domain_is_refuted():
    assert [difference for difference, domains in SLIVERS if is_zero(difference, domains) is not False] == []


def test_a_small_number_beside_an_identity_is_refuted():
    for a, b in ((asin(r), arctan_of_sine(r)), (asin(r) + acos(r), sympy.pi / 2), (log(2 * g), log(g) + log(2))):
        assert prove_equal(a, b + Q(1, 10**200)) is False


def test_agreement_at_the_sample_points_proves_nothing():
    through = sympy.prod([x - Q(p[x].numerator, p[x].denominator) for p in real_points(x, {x: UNIT})])
    assert is_zero(through, {x: UNIT}) is not True
    assert is_zero(erf(x + through) - erf(x), {x: UNIT}) is not True
    assert is_zero(asin(x + through / 10**9) - asin(x), {x: UNIT}) is False


def test_the_kernel_proves_no_identity_with_a_small_fault():
    """Numbers take no part: the kernel alone, without a point to look at."""
    for a, b in TRUE:
        region = {symbol: sympy.Interval.open(0, 1) for symbol in (a - b).free_symbols}
        assert proved_zero(a - b + exp(-200), Region(region), []).verdict == "open", a


def test_a_factor_that_is_zero_everywhere_has_no_sign():
    hidden = sqrt(g + 2 + sqrt((g + 2) ** 2 - g**2)) * sqrt(2) - sqrt(2 * g + 2) - sqrt(2)
    assert is_zero(sympy.sign(hidden) ** 2 - 1) is not True
    assert is_zero(sympy.sign(hidden**2) - 1) is not True


def test_each_side_of_a_sign_is_a_case_of_its_own():
    assert prove_equal(sqrt(x**2) * sqrt(x**4), sqrt(x**6)) is True
    assert prove_equal(sqrt(x**2 * (x - 1) ** 2), sqrt(x**2) * sqrt((x - 1) ** 2)) is True
    assert prove_equal(sqrt(x**2 * (x - 1) ** 2), x * (x - 1)) is False
