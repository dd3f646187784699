"""Balls contain the value, also where integrands have branch points, and say so when they cannot."""

from fractions import Fraction

import pytest
import sympy
from flint import acb, arb
from sympy import asin, atan, sqrt

from theory.expressions.balls import closed_form
from theory.expressions.balls.closed_form import NotCertified, ball, enclose

t = sympy.Symbol("t", nonnegative=True)
EXACT = [
    (sqrt(1 - t), Fraction(2, 3)),
    ((asin(t) + 1) * 2 / sympy.pi, Fraction(1)),
    ((atan(t) + sympy.log(2) / 2) * 4 / sympy.pi, Fraction(1)),
]


def test_integrals_with_branch_points():
    for integrand, value in EXACT:
        middle, radius = enclose(lambda f=integrand: ball(sympy.Integral(f, (t, 0, 1)), {}), 25)
        assert abs(middle - value) <= radius, integrand
        assert radius * 10**25 <= middle


def test_integrals_between_other_limits():
    for low, high, value in ((2, 6, Fraction(16, 3)), (6, 2, Fraction(-16, 3))):
        middle, radius = enclose(lambda ends=(low, high): ball(sympy.Integral(sqrt(t - 2), (t, *ends)), {}), 25)
        assert abs(middle - value) <= radius


def test_other_integrals_are_refused():
    for limits in (((t, 0, sympy.oo),), ((t, 0, 1), (t, 0, 1)), ((t,),)):
        with pytest.raises(NotCertified):
            ball(sympy.Integral(sympy.exp(-t), *limits), {})


def test_a_ball_across_a_cut_is_not_analytic():
    across = acb(arb(0, 3), arb(0, 3))
    for function in (closed_form._asin, closed_form._atan):
        assert not function(across, True).is_finite()
        assert function(acb(arb("0.5")), True).is_finite()


def test_a_root_of_a_negative_number_is_refused():
    with pytest.raises(NotCertified):
        ball(sqrt(-sympy.pi), {})


def test_an_unknown_function_is_refused():
    with pytest.raises(NotCertified):
        ball(sympy.gamma(sympy.pi), {})
    with pytest.raises(NotCertified):
        ball(sympy.Integral(sympy.gamma(t + 1), (t, 0, 1)), {})


def test_precision_follows_the_size_of_the_value():
    """(sqrt(1 + q))^2 - 1 = q at q = exp(-300), 130 digits below its terms."""
    q = sympy.exp(-300)
    middle, radius = enclose(lambda: ball(sqrt(1 + q), {}) ** 2 - 1, 20)
    exact, slack = enclose(lambda: ball(q, {}), 30)
    assert radius * 10**20 < middle
    assert abs(middle - exact) <= radius + slack


def test_what_looks_like_zero_is_not_certified_and_says_what_was_reached():
    with pytest.raises(NotCertified) as caught:
        enclose(lambda: arb.pi() - arb.pi(), 20, 400)
    middle, radius = caught.value.reached
    assert abs(middle) <= radius < Fraction(1, 10**20)


class Once:
    """Classes and objects whose attributes are looked up for the first time, which clears a pending exception."""

    def __init__(self, count: int) -> None:
        self.left = [type(f"Once{k}", (), {})() for k in range(count)]
        for one in self.left:
            one.value = acb(1)

    def value(self) -> acb:
        return self.left.pop().value


@pytest.mark.parametrize("error", [KeyboardInterrupt, NotCertified], ids=lambda error: error.__name__)
def test_no_exception_of_an_integrand_is_lost(error):
    """Arb goes on after it; the integral would miss a value."""
    ones, calls = Once(2000), iter([False, True, *[False] * 2000])

    def integrand(x: acb, _analytic: bool) -> acb:
        one = ones.value()
        if next(calls):
            raise error("missed")
        return x.sin() * one + x.cosh() * one

    with pytest.raises(error):
        closed_form.quadrature(integrand, acb(0), acb(3), 10)
