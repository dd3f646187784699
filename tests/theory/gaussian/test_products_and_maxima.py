"""Signs of products, maxima, functions of signs, and exponentials of quadratic forms, against their integrals."""

from fractions import Fraction
from math import factorial

import numpy as np
import pytest
from scipy.special import erf

from tests.tolerances import KINKS_ON_A_GRID, MIDPOINT_OF_JUMPS
from theory.gaussian import expect
from theory.problem.errors import OutOfReachError

COV = np.array([[1.0, 0.3], [0.3, 2.0]])
ANGLES = 40_000
CASES = {
    "Abs(z1*z2)": lambda a, b: abs(a * b),
    "z1*z2*Heaviside(2*z1**2 - z1*z2 - z2**2)": lambda a, b: a * b * (2 * a * a - a * b - b * b > 0),
    "sign(z1**3*z2)": lambda a, b: np.sign(a * b),
    "max(z1**2, z2**2)": lambda a, b: np.maximum(a * a, b * b),
    "min(z1, z2, z1 - 2*z2)": lambda a, b: np.minimum(np.minimum(a, b), a - 2 * b),
    "max(Abs(z1), Abs(z2))*z1**2": lambda a, b: np.maximum(abs(a), abs(b)) * a * a,
    "exp(-z1**2 + z1*z2/5 + z2/2)*sign(z1 + z2)*z1": lambda a, b: (
        np.exp(-a * a + a * b / 5 + b / 2) * np.sign(a + b) * a
    ),
    "exp(z1**2/4 - Abs(z2))": lambda a, b: np.exp(a * a / 4 - abs(b)),
    "exp(max(z1, z2)/2)": lambda a, b: np.exp(np.maximum(a, b) / 2),
    "exp(-Abs(z1 - z2))*Heaviside(z1*z2)": lambda a, b: np.exp(-abs(a - b)) * (a * b > 0),
    "erf(relu(z1) - relu(-z2))": lambda a, b: erf(np.maximum(a, 0) - np.maximum(-b, 0)),
}


def polar(function):
    """E f(z) over the radius, by Gauss-Legendre nodes, and the angle, by midpoints: kinks and jumps lie on rays."""
    nodes, weights = np.polynomial.legendre.leggauss(60)
    radius, angle = 6 * (nodes + 1), (np.arange(ANGLES) + 0.5) * 2 * np.pi / ANGLES
    x, y = np.linalg.cholesky(COV) @ [np.cos(angle), np.sin(angle)]
    values = function(*(np.multiply.outer(radius, part) for part in (x, y)))
    return 6 * weights * radius * np.exp(-(radius**2) / 2) @ values.mean(axis=1)


def test_values_are_those_of_the_defining_integrals_and_every_step_is_checked():
    wrong = []
    for expr, function in CASES.items():
        moment = expect(expr, "[[1, 3/10], [3/10, 2]]")
        difference = float(moment.evaluate(12).value) - polar(function)
        errors = [check.error for check in moment.derivation.check() if not check.passed]
        wrong += [(expr, difference, errors)] if abs(difference) > MIDPOINT_OF_JUMPS / ANGLES or errors else []
    assert wrong == []


@pytest.mark.parametrize("text", ["relu(z1)**3*relu(z2)**3", "relu(z1)**4*relu(z2)**4", "relu(z1)*relu(z2)**5"])
def test_arc_cosine_kernels_hold_at_a_correlation_of_one(text):
    """Cho and Saul: polynomials times sqrt(1 - r^2) and an angle; no root divides, and r = 1 gives the one moment."""
    moment = expect(text, "[[1, r], [r, 1]]", where="-1<r<1")
    assert [check.error for check in moment.derivation.check() if not check.passed] == []
    (r,) = moment.closed_form.free_symbols
    assert moment.closed_form.subs(r, 1) == expect(text.replace("z2", "z1"), "[[1]]").closed_form


def test_a_function_of_nested_absolute_values():
    x = np.linspace(-10, 10, 20_001)
    wanted = np.exp(-abs(abs(x) - 1) - x * x / 2).sum() / 1000 / np.sqrt(2 * np.pi)
    assert abs(float(expect("exp(-Abs(Abs(z1) - 1))", "[[1]]").evaluate(12).value) - wanted) <= KINKS_ON_A_GRID


def test_powers_of_a_uniform_variable_are_fractions():
    """Phi(z) is uniform: E Phi^a (1 - Phi)^b = a! b!/(a + b + 1)!; four variables of correlations 1/2 are all positive
    once in five.
    """
    for a, b in ((2, 3), (5, 0), (4, 4), (12, 0)):
        moment = expect(f"Phi(z1)**{a}*Phi(-z1)**{b}", "[[1]]")
        assert moment.closed_form == Fraction(factorial(a) * factorial(b), factorial(a + b + 1))
        assert [check.error for check in moment.derivation.check() if not check.passed] == []
    orthant = expect("*".join(f"Heaviside(z{k})" for k in (1, 2, 3, 4)), (np.eye(4) + 1).astype(int).tolist())
    assert orthant.closed_form == Fraction(1, 5)


@pytest.mark.parametrize("expr", ["sign(z1**2 + z2**2 - 1)", "exp(z1*z2*z1)", "exp(sin(z1*z2))"])
def test_what_has_no_linear_factors_is_refused(expr):
    with pytest.raises(OutOfReachError, match="not linear"):
        expect(expr, "[[1, 0], [0, 1]]")


@pytest.mark.parametrize("expr", ["exp(z1**2/2)", "exp(z1*z2)", "exp(-z1**2 + 2*z2**2)"])
def test_infinite_means_are_refused(expr):
    with pytest.raises(OutOfReachError, match="infinite"):
        expect(expr, "[[1, 0], [0, 1]]")


def test_a_product_of_variance_zero_is_refused():
    with pytest.raises(OutOfReachError, match="variance zero"):
        expect("sign(z1*(z1 - z2))", "[[1, 1], [1, 1]]")
