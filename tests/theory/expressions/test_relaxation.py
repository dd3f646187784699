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


@pytest.mark.parametrize("point", POINTS)
def test_value_is_the_integral_of_the_decay(point):
    """phi(z) = int_0^1 exp(-z r) dr."""
    value = sympy.N(phi1(point), 45)
    with mpmath.workdps(50):
        ends = [0, 1] if abs(point) < 100 else [0, 0.01, 0.1, 1]
        integral = mpmath.quad(lambda r: mpmath.exp(-mpmath.mpf(point.p) / point.q * r), ends)
        assert abs(mpmath.mpf(value._mpf_) / integral - 1) < CLAIM_PRECISE


@pytest.mark.parametrize("point", [*POINTS, Integer(0)])
def test_a_ball_has_the_same_value(point):
    with precision(digits=80):
        found = enclose(phi1(z), {z: point})
    with precision(digits=60):
        assert abs(found - arb(str(sympy.N(phi1(point), 50)))) < CLAIM_PRECISE * found


def test_a_ball_around_zero_decides_nothing():
    with pytest.raises(Undecided):
        enclose(phi1(z), {z: arb(0, 1)})


@pytest.mark.parametrize("point", [Rational(1, 3), Integer(2), Integer(-5)])
def test_derivative(point):
    with mpmath.workdps(50):
        step = Rational(1, 10**15)
        slope = (sympy.N(phi1(point + step), 50) - sympy.N(phi1(point - step), 50)) / (2 * step)
        error = sympy.N(phi1(z).diff(z).subs(z, point), 50) / slope - 1
        assert abs(float(error)) < PHI_DERIVATIVE


def test_limits():
    assert phi1(0) == 1
    assert phi1(sympy.oo) == 0
    assert sympy.limit(phi1(z).rewrite(sympy.exp).args[0][0], z, 0) == 1


def test_no_point_divides_by_zero():
    assert phi1(z).rewrite(sympy.exp).subs(z, 0) == 1


def test_assumptions():
    assert phi1(z).is_positive
    assert phi1(z).is_real
    assert phi1(sympy.Symbol("w")).is_real is None


def test_latex():
    assert sympy.latex(phi1(z) ** 2) == r"\varphi^{2}\left(z\right)"
