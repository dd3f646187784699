"""Means that are parameters: closed forms against sums of their definition at numbers, and what has no closed form."""

import json

import numpy as np
import pytest
import sympy
from scipy.special import erf

from derivations.cli import main
from tests.theory.gaussian.nodes import average
from tests.tolerances_of_observations import NODES
from theory.expressions.algebra import prove_equal
from theory.expressions.symbols import z
from theory.gaussian import Expectation, expect
from theory.problem.errors import InputError, OutOfReachError
from theory.proof.derivation import RULES, Step, StepError

PAIR, SAME, OPPOSITE = "[[1, r], [r, 1]]", "[[1, 1], [1, 1]]", "[[1, -2], [-2, 4]]"
WHERE = "-1<r<1"


def relu(x):
    return np.maximum(x, 0)


# Integrands, covariances, the same as functions of numbers, and the kinks in z2 where they are not 0 and z1.
CASES = [
    ("Heaviside(z1)*Heaviside(z2)", PAIR, lambda x, y: (x > 0) * (y > 0.0)),
    ("erf(z1)*erf(2*z2)*z1", PAIR, lambda x, y: erf(x) * erf(2 * y) * x),
    ("max(z1, z2)", PAIR, lambda x, y: np.maximum(x, y)),
    ("exp(z1 - z2)*relu(z2)", PAIR, lambda x, y: np.exp(x - y) * relu(y)),
    ("sin(z1)*cos(z2)*z1", PAIR, lambda x, y: np.sin(x) * np.cos(y) * x),
    ("Heaviside(z1)*Heaviside(z2 - z1)*z2", PAIR, lambda x, y: (x > 0) * (y > x) * y),
    # On one line the order of the thresholds is that of the means, which the answer has as a sign.
    ("relu(z1)*sign(z2)", OPPOSITE, lambda x, y: relu(x) * np.sign(y)),
    ("erf(z1)*Heaviside(z1)*Heaviside(z2)", SAME, lambda x, y: erf(x) * (x > 0) * (y > 0.0)),
]
# Given z1 + z2 at its threshold, the signs of z1 and z2 are on one line.
DEAR = ("Heaviside(z1)*Heaviside(z2)*relu(z1 + z2)", PAIR, lambda x, y: (x > 0) * (y > 0) * (x + y))
POINTS = [(0.3, -0.7, -0.6), (-1.2, 0.4, 0.2)]
NUMBERS = {SAME: [[1, 1], [1, 1]], OPPOSITE: [[1, -2], [-2, 4]]}


def test_the_closed_form_is_the_defining_integral():
    for case in CASES:
        check_case(*case)


@pytest.mark.slow
def test_signs_on_one_line_given_the_threshold_of_their_sum():
    check_case(*DEAR)


def check_case(text, cov, function):
    """Compare certified digits and float64 with the defining integral, and check the proof."""
    moment = expect(text, cov, "[m1, m2]", WHERE)
    assert [check.error for check in moment.derivation.check() if not check.passed] == [], text
    used = {symbol.name for symbol in moment.parameters}
    for m1, m2, r in POINTS:
        point = {name: x for name, x in {"m1": m1, "m2": m2, "r": r}.items() if name in used}
        wanted = average(function, [m1, m2], NUMBERS.get(cov, [[1, r], [r, 1]]))
        assert abs(float(moment.evaluate(16, **point).value) - wanted) <= NODES, text
        assert abs(float(moment.numeric(**point)) - wanted) <= NODES, text


def test_a_mean_that_depends_on_a_parameter():
    """E relu(z) at the mean g m and variance g^2 is g E relu(z) at the mean m and variance 1."""
    scaled = expect("relu(z1)", "[[g**2]]", "[g*m]", "g>0").closed_form
    g = sympy.Symbol("g", positive=True)
    assert prove_equal(scaled, g * expect("relu(z1)", "[[1]]", "[m]").closed_form) is True


# --- two signs on one line whose order is not known ------------------------------------------------------------------

z1, z2 = map(z, (1, 2))
a, b, s = sympy.symbols("a b s", real=True)
ONE = sympy.Matrix([[1, 1], [1, 1]])
BEFORE = Expectation(sympy.sign(z1 + a) * sympy.sign(z2 + b), ONE)
FIRST, SECOND = (Expectation(sympy.sign(z1 + c), sympy.eye(1)) for c in (a, b))
RIGHT = 1 - sympy.sign(a - b) * (FIRST - SECOND)
WRONG = [
    1 + sympy.sign(a - b) * (FIRST - SECOND),
    1 - sympy.sign(a + b) * (FIRST - SECOND),
    1 - sympy.sign(a - b) * (FIRST + SECOND),
    1 - (FIRST - SECOND),
    -RIGHT,
]


def collinear(old, new):
    RULES["collinear-signs"](old, Step(new, "", "collinear-signs", (sympy.Tuple(old, new),)))


def test_the_rule_accepts_both_orders_at_once_and_no_wrong_form():
    collinear(BEFORE, RIGHT)
    for wrong in WRONG:
        with pytest.raises(StepError):
            collinear(BEFORE, wrong)


def test_a_slope_of_unknown_sign_is_refused_not_divided_by_zero():
    with pytest.raises(OutOfReachError, match="one argument up to a factor"):
        expect(sympy.sign(z1 + 1) * sympy.sign(z2), [[1, s], [s, s**2]])


# --- names without a domain, and what is refused ---------------------------------------------------------------------


def test_a_name_in_a_mean_is_real_and_one_in_a_covariance_has_the_domain_of_the_matrix(capsys):
    assert main(["moment", "relu(z1)", "--cov", "[[1]]", "--mean", "[m]", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["domain"]["bounds"] == ["m real"]
    assert answer["expr"] == "(m*erf(sqrt(2)*m/2) + m + sqrt(2)*exp(-m**2/2)/sqrt(pi))/2"
    assert main(["moment", "z1", "--cov", "[[v]]", "--mean", "[m]", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["domain"]["bounds"] == ["v >= 0", "m real"]


def test_code_of_a_form_with_means(capsys):
    """A function of the means, run in NumPy and compared with the defining integral."""
    arguments = ["relu(z1)*Heaviside(z2)", "--cov", PAIR, "--mean", "[m1, m2]", "--where", WHERE]
    assert main(["moment", *arguments, "--export", "numpy"]) == 0
    names = {}
    exec(capsys.readouterr().out, names)  # noqa: S102 - the code that was just written
    wanted = average(lambda x, y: relu(x) * (y > 0), [0.3, -0.7], [[1, -0.6], [-0.6, 1]])
    assert abs(float(names["expectation"](0.3, -0.7, -0.6)) - wanted) <= NODES


def test_means_that_are_refused(capsys):
    for mean, word in (
        ("[m, n]", "2 entries for 1 variables"),
        ("[z1]", "z1"),
        ("[oo]", "not a real number"),
        ("[sqrt(-1)]", "not real"),
        ("[erf]", "is a function"),
        ("m", "not a list"),
    ):
        assert main(["moment", "z1", "--cov", "[[1]]", "--mean", mean]) == 2, mean
        output = capsys.readouterr()
        assert output.out == ""
        assert word in output.err
        assert "Traceback" not in output.err


def test_a_mean_that_is_not_declared_real_is_refused():
    with pytest.raises(InputError, match="not a real number"):
        expect(z1, [[1]], [sympy.Symbol("m")])
