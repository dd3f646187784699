"""Powers times signs: against Hermite polynomials, truncated moments and the derivation power by power."""

from math import comb, prod

import pytest
import sympy
from sympy import Max, Rational, erf, pi, sign, sqrt

from tests.tolerances import TWO_FORMS
from theory.expressions.functions import Relu
from theory.expressions.symbols import z
from theory.gaussian import Expectation, expect
from theory.gaussian.derive import engine
from theory.proof.derivation import RULES, Step, StepError

z1, z2, z3 = map(z, (1, 2, 3))
rho = sympy.Symbol("rho", real=True)
s = sympy.Symbol("s", real=True)
g, v, w = sympy.symbols("g v w", positive=True)
a, b, c = sympy.symbols("a b c", real=True)
PAIR = sympy.Matrix([[1, rho], [rho, 1]])
THREE = sympy.Matrix([[v, a, b], [a, w, c], [b, c, 1]])
AT = {name: Rational(n, 10) for name, n in ((rho, 3), (s, 4), (g, 7), (v, 13), (w, 17), (a, 2), (b, -3), (c, 4))}


def odd_factorial(n):
    """1 * 3 * ... * n."""
    return prod(range(1, n + 1, 2))


def failed(moment):
    return [check.error for check in moment.derivation.check() if not check.passed]


@pytest.mark.parametrize("order", [8, 20])
def test_hermite_against_relu(order):
    """E[He_n(z1) f(z2)] = rho^n E[He_n f], and E[He_n relu] = He_(n-2)(0)/sqrt(2 pi) by parts."""
    moment = expect(sympy.hermite_prob(order, z1) * Relu(z2), PAIR)
    expected = (-1) ** (order // 2 - 1) * odd_factorial(order - 3) * rho**order / sqrt(2 * pi)
    assert sympy.expand(moment.closed_form - expected) == 0
    assert failed(moment) == []


@pytest.mark.parametrize(
    ("integrand", "cov"),
    [
        pytest.param(z1**3 * z2**3 * z3**2 * sign(z3 + s), THREE, marks=pytest.mark.slow),
        (z1**8 * erf(g * z1 + s), [[w]]),
        (z1**3 * z2**3 * sign(z1 - z2 - s), PAIR),
        pytest.param(z1**5 * z2 * sign(z1 + 1) * sign(z2 - s), PAIR, marks=pytest.mark.slow),
        (z1**6 * erf(z1 - 1) * sign(z2 + 2) * sign(z1 + z2), [[1, Rational(1, 2)], [Rational(1, 2), 3]]),
    ],
    ids=str,
)
def test_all_at_once_is_one_by_one(monkeypatch, integrand, cov):
    moment = expect(integrand, cov)
    assert "sign-powers" in [step.rule for step in moment.derivation.steps]
    assert failed(moment) == []
    monkeypatch.setattr(engine, "LEAST_POWERS", 100)
    longer = expect(integrand, cov)
    assert "sign-powers" not in [step.rule for step in longer.derivation.steps]
    difference = (moment.closed_form - longer.closed_form).subs(AT)
    assert sympy.expand(difference) == 0 or abs(difference.evalf(40)) < TWO_FORMS


def test_the_sixty_fourth_power_of_an_extreme():
    """max^64 + min^64 = z1^64 + z2^64, and the two are equal in the mean by the symmetry z -> -z."""
    moment = expect(Max(z1, z2) ** 64, PAIR)
    assert moment.closed_form == odd_factorial(63)
    assert failed(moment) == []


def test_a_fault_in_a_power_of_an_extreme_is_refused():
    old = Expectation(Max(z1, z2) ** 8, PAIR)
    right = [
        comb(8, k) * side * Expectation(z1**k * z2 ** (8 - k) * factor, PAIR) / 2
        for k in (0, 8)
        for factor, side in ((1, 1), (sign(z1 - z2), 1 if k else -1))
    ]

    def check(*terms):
        new = sympy.Add(*terms)
        RULES["linearity"](old, Step(new, "because", "linearity", (sympy.Tuple(old, new),)))

    check(*right)
    for k in range(len(right)):
        with pytest.raises(StepError):
            check(*right[:k], -right[k], *right[k + 1 :])
