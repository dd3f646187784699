"""Sines and cosines of affine forms: against sums over a grid, step by step, and what is refused."""

import mpmath
import pytest
import sympy
from sympy import Rational, cos, erf, exp, sign, sin

from tests.tolerances_of_infinite_width import TRAPEZOID, TRAPEZOID_REACH, TRAPEZOID_STEP, WAVES
from theory.expressions.algebra import prove_equal
from theory.expressions.functions import Relu
from theory.expressions.symbols import z
from theory.gaussian import Expectation, expect
from theory.problem.errors import OutOfReachError
from theory.proof.derivation import RULES, Step, StepError

z1, z2 = map(z, (1, 2))
g, p, q = sympy.symbols("g p q", positive=True)
c, h = sympy.symbols("c h", real=True)
PAIR = sympy.Matrix([[p, c], [c, q]])
POINT = {"p": Rational(7, 5), "q": Rational(3, 4), "c": Rational(-2, 5), "g": Rational(6, 5), "h": Rational(1, 3)}

with mpmath.workdps(40):
    G, H = (mpmath.mpf(int(POINT[name].p)) / int(POINT[name].q) for name in "gh")
NODES = range(-int(TRAPEZOID_REACH / TRAPEZOID_STEP), int(TRAPEZOID_REACH / TRAPEZOID_STEP) + 1)

# Integrands, and the same as functions of numbers.
SMOOTH = [
    (sin(z1) ** 2 * cos(z2) ** 3, lambda x, y: mpmath.sin(x) ** 2 * mpmath.cos(y) ** 3),
    (sin(g * z1 + h) * z1**3 * z2**2, lambda x, y: mpmath.sin(G * x + H) * x**3 * y**2),
    (cos(z1 - 2 * z2 - h) * z2, lambda x, y: mpmath.cos(x - 2 * y - H) * y),
    (exp(z1) * cos(g * z2) * z1, lambda x, y: mpmath.exp(x) * mpmath.cos(G * y) * x),
]


def on_a_grid(function, cov):
    """E[f(z)] of two variables by a trapezoidal sum: z = L (x, y) with independent x, y."""
    step = mpmath.mpf(TRAPEZOID_STEP)
    a, b, d = (mpmath.mpf(int(entry.p)) / int(entry.q) for entry in (cov[0, 0], cov[0, 1], cov[1, 1]))
    first = mpmath.sqrt(a)
    slope, rest = b / first, mpmath.sqrt(d - b * b / a)
    weights = [(k * step, step * mpmath.npdf(k * step)) for k in NODES]
    return mpmath.fsum(wx * wy * function(first * x, slope * x + rest * y) for x, wx in weights for y, wy in weights)


@pytest.mark.parametrize(("integrand", "function"), SMOOTH)
def test_the_value_is_the_sum_over_a_grid(integrand, function):
    """Certified digits at a point, float64, and the proof with parameters."""
    moment = expect(integrand, PAIR)
    assert [check.error for check in moment.derivation.check() if not check.passed] == []
    point = {s.name: POINT[s.name] for s in moment.parameters}
    with mpmath.workdps(35):
        wanted = on_a_grid(function, PAIR.xreplace({s: POINT[s.name] for s in (p, q, c)}))
        value = mpmath.mpf(moment.evaluate(30, **point).value)
        assert abs(value - wanted) <= TRAPEZOID
    numeric = float(moment.numeric(**{name: float(number) for name, number in point.items()}))
    assert abs(numeric - float(wanted)) <= WAVES


IDENTITIES = [
    (sin(z1) ** 2 + cos(z1) ** 2, [[p]], sympy.Integer(1)),
    (cos(z1) * Relu(z2), [[p, 0], [0, q]], exp(-p / 2) * sympy.sqrt(q / (2 * sympy.pi))),
    (cos(z1 - z2), [[1, 1], [1, 1]], sympy.Integer(1)),
    (sin(z1) * sign(z2), PAIR, None),
    (cos(z1) * erf(z2), PAIR, sympy.Integer(0)),
]


def test_known_forms_and_refusals():
    """A step beside a wave must not correlate with it, unless the product is odd; the error names both."""
    for integrand, cov, form in IDENTITIES:
        if form is None:
            with pytest.raises(OutOfReachError, match="correlated"):
                expect(integrand, cov)
            continue
        moment = expect(integrand, cov)
        assert prove_equal(moment.closed_form, form) is True
        assert [check.error for check in moment.derivation.check() if not check.passed] == []


def test_long_products_are_refused_by_name():
    for integrand, word in ((sin(z1 * z2), "linear"), (sympy.tan(z1), "tan")):
        with pytest.raises(OutOfReachError, match=word):
            expect(integrand, PAIR)


def test_the_rule_rejects_a_correlated_sign():
    """It would leave the sign as it is, which is wrong."""
    before = Expectation(cos(z1) * sign(z2), sympy.Matrix([[1, Rational(1, 2)], [Rational(1, 2), 1]]))
    wrong = exp(-Rational(1, 2)) * Expectation(sign(z2), before.cov)
    with pytest.raises(StepError, match="covariance"):
        RULES["characteristic-function"](
            before, Step(wrong, "", "characteristic-function", (sympy.Tuple(before, wrong),))
        )
