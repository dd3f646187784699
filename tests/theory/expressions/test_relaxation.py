"""phi(z) = (1 - exp(-z))/z: values, derivative, limits."""

import mpmath
import pytest
import sympy
from flint import arb
from sympy import Integer, Rational

from tests.tolerances import CLAIM_PRECISE, PHI_DERIVATIVE
from theory.expressions.balls.precision import precision
from theory.expressions.balls.real import Undecided, enclose
from theory.expressions.relaxation import phi1

z = sympy.Symbol("z", real=True)
POINTS = (Rational(1, 2**130), Rational(-1, 2**30), Rational(1, 3), Integer(1), Integer(-7), Integer(1000))


def test_value_is_the_integral_of_the_decay():
    """phi(z) = int_0^1 exp(-z r) dr."""
    for point in POINTS:
        value = sympy.N(phi1(point), 45)
        with mpmath.workdps(50):
            ends = [0, 1] if abs(point) < 100 else [0, 0.01, 0.1, 1]
            number = mpmath.mpf(point.p) / point.q
            integral = mpmath.quad(lambda r, x=number: mpmath.exp(-x * r), ends)
            assert abs(mpmath.mpf(value._mpf_) / integral - 1) < CLAIM_PRECISE, point


def test_a_ball_has_the_same_value():
    for point in (*POINTS, Integer(0)):
        with precision(digits=80):
            ball = enclose(phi1(z), {z: point})
        with precision(digits=60):
            assert abs(ball - arb(str(sympy.N(phi1(point), 50)))) < CLAIM_PRECISE * ball, point


def test_a_ball_around_zero_decides_nothing():
    with pytest.raises(Undecided):
        enclose(phi1(z), {z: arb(0, 1)})


def test_derivative_is_the_slope():
    point = Rational(1, 3)
    with mpmath.workdps(50):
        step = Rational(1, 10**15)
        slope = (sympy.N(phi1(point + step), 50) - sympy.N(phi1(point - step), 50)) / (2 * step)
        error = sympy.N(phi1(z).diff(z).subs(z, point), 50) / slope - 1
        assert abs(float(error)) < PHI_DERIVATIVE


def test_limits():
    assert phi1(0) == 1
    assert phi1(sympy.oo) == 0
    assert sympy.limit(phi1(z).rewrite(sympy.exp).args[0][0], z, 0) == 1
