"""Limits in a gain: known values, agreement with small and large gains, planted faults, refusals."""

import pytest
import sympy
from sympy import Heaviside, Tuple, erf, oo, sign, sqrt

from tests import tolerances
from theory.expressions.symbols import z
from theory.gaussian import Expectation, expect
from theory.gaussian.limits import limit
from theory.problem.errors import InputError, OutOfReachError
from theory.proof.derivation import RULES, Step, StepError

z1, z2, z3, z4 = map(z, (1, 2, 3, 4))
g, h = sympy.symbols("g h", positive=True)
rho = sympy.Symbol("rho", real=True)
PAIR = sympy.Matrix([[1, rho], [rho, 1]])
ZERO = sympy.S.Zero
FOUR = sympy.Matrix(4, 4, lambda i, j: 1 if i == j else sympy.Rational(1, 2 + i + j))

CASES = [
    (Heaviside(z1) * erf(g * z2), PAIR, oo, sympy.asin(rho) / sympy.pi),
    (Heaviside(z1) * erf(g * z2) / g, PAIR, ZERO, sqrt(2) * rho / sympy.pi),
    (erf(g * z1 + h), PAIR, ZERO, erf(h)),
    (erf(g * z1 + h) * z1, PAIR, oo, sqrt(2 / sympy.pi)),
    (sympy.exp(z1) * erf(g * z2 - g * z1), PAIR, oo, sympy.exp(sympy.Rational(1, 2)) * erf(sqrt(1 - rho) * -1 / 2)),
]


def test_limits():
    for integrand, cov, to, form in CASES:
        moment = limit(expect(integrand, cov), "g", to)
        assert sympy.expand(moment.closed_form - form) == 0, integrand
        assert [check.error for check in moment.derivation.check() if not check.passed] == []
        assert moment.derivation.proves.lhs == sympy.Limit(Expectation(integrand, cov), g, to)


def test_the_limit_is_that_of_the_numbers():
    integrand = Heaviside(z1) * Heaviside(z2) * erf(g * z3) * erf(g * z4)
    for to, gain, moment in ((oo, 10**6, expect(integrand, FOUR)), (ZERO, 1e-6, expect(integrand / g**2, FOUR))):
        value = float(limit(moment, "g", to).evaluate(20).value)
        assert abs(float(moment.numeric(g=gain)) - value) < tolerances.GAIN_LIMIT


def refused(old, new, to, words=None):
    step = Step(new, "because", "dominated-convergence", (Tuple(old, new), g, to))
    with pytest.raises(StepError, match=words):
        RULES["dominated-convergence"](sympy.Limit(old, g, to), step)


def test_a_planted_fault_is_refused():
    for new, to in (
        (Expectation(sign(z2), PAIR), ZERO),
        (Expectation(2 * z2 / sqrt(sympy.pi), PAIR), oo),
        (Expectation(-sign(z2), PAIR), oo),
        (Expectation(z2 / sqrt(sympy.pi), PAIR), ZERO),
        (Expectation(sign(z1), PAIR), oo),
    ):
        refused(Expectation(erf(g * z2) / (1 if to == oo else g), PAIR), new, to)


def test_the_rule_refuses_an_infinite_limit_and_an_integrand_without_an_erf_of_the_gain():
    growing = Expectation(g * erf(g * z2) * z2, PAIR)
    refused(growing, Expectation(oo * sign(z2) * z2, PAIR), oo, "no finite limit")
    without = Expectation(sign(z1) * z2 / g, PAIR)
    refused(without, Expectation(ZERO, PAIR), oo, "no finite limit")


def test_what_has_no_limit_here_is_refused():
    for integrand, name, to, error in (
        (erf(g * z1), "q", oo, InputError),
        (erf(g * z1), "g", sympy.Integer(1), InputError),
        (erf(rho * z1) * z1, "rho", oo, InputError),
        (erf(g * z1) * z1 / g**2, "g", ZERO, OutOfReachError),
        (g * erf(g * z1) * z1, "g", oo, OutOfReachError),
        (erf(g**2 * z1), "g", oo, OutOfReachError),
        (sign(z1 - g), "g", oo, OutOfReachError),
        (erf(z1 + g), "g", oo, OutOfReachError),
    ):
        with pytest.raises(error):
            limit(expect(integrand, [[1, 0], [0, 1]]), name, to)
