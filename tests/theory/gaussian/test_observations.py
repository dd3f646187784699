"""Linear observations: conditional laws and expectations against the density, their mean, and what is refused."""

import json

import numpy as np
import pytest
import sympy
from hypothesis import given as drawn
from hypothesis import settings
from hypothesis import strategies as st
from scipy.special import erf
from sympy import Rational as Q

from derivations.cli import main
from tests.theory.gaussian.nodes import average, on_the_line
from tests.tolerances_of_observations import NODES
from theory.expressions.algebra import prove_equal
from theory.expressions.symbols import z
from theory.gaussian import conditional_law, expect, limit
from theory.gaussian.expectation import Expectation, GivenExpectation
from theory.gaussian.float64.closed_form import evaluate
from theory.proof.derivation import RULES, Step, StepError

z1, z2, z3 = map(z, (1, 2, 3))
PAIR = "[[1, r], [r, 1]]"
THREE = [[1, Q(1, 2), Q(1, 5)], [Q(1, 2), 2, Q(-1, 3)], [Q(1, 5), Q(-1, 3), 1]]
MEAN = [Q(1, 3), Q(-1, 2), Q(1, 4)]


def relu(x):
    return np.maximum(x, 0)


# Integrands, the same as functions of numbers, observations with the value b, their forms, and where f has kinks.
CASES = [
    ("relu(z1)*relu(z2)", lambda x, y: relu(x) * relu(y), "z1 + z2 = b", [1, 1], [[1, 0], [0, 1]]),
    ("Heaviside(z1)*erf(z2)", lambda x, y: (x > 0) * erf(y), "z1 - 2*z2 = b", [1, -2], [[1, 0]]),
    ("exp(z1)*cos(z2)", lambda x, y: np.exp(x) * np.cos(y), "z1 - z2 = b", [1, -1], []),
    ("abs(z1)*Heaviside(z1 + 2*z2)", lambda x, y: abs(x) * (x + 2 * y > 0), "z2 = b", [0, 1], [[1, 0], [1, 2]]),
]
POINTS = [(0.4, -0.3, 0.7, 0.6), (-0.2, 0.5, -1.1, -0.8)]


@pytest.mark.parametrize(("text", "f", "observation", "form", "kinks"), CASES)
def test_the_value_is_the_average_over_the_line(text, f, observation, form, kinks):
    """The density of z along the line A z = b, divided by its integral."""
    moment = expect(text, PAIR, "[m1, m2]", "-1<r<1", observation)
    assert [check.error for check in moment.derivation.check() if not check.passed] == []
    used = {symbol.name for symbol in moment.parameters}
    for m1, m2, b, r in POINTS:
        cov = np.array([[1, r], [r, 1]])
        wanted = on_the_line(f, np.array([m1, m2]), cov, np.array([form]), np.array([b]), kinks)
        point = {name: x for name, x in {"m1": m1, "m2": m2, "b": b, "r": r}.items() if name in used}
        assert abs(float(moment.evaluate(16, **point).value) - wanted) <= NODES
        assert abs(float(moment.numeric(**point)) - wanted) <= NODES


def test_fractions_with_sums_below_them():
    """The conditional law has the denominator 2 r + 3."""
    moment = expect("erf(z1)*erf(z2)", "[[2, r], [r, 1]]", "[m, 0]", "-1<r<1", "z1 + z2 = b")
    assert [check.error for check in moment.derivation.check() if not check.passed] == []
    cov = np.array([[2, -0.4], [-0.4, 1]])
    wanted = on_the_line(lambda x, y: erf(x) * erf(y), np.array([0.3, 0]), cov, np.array([[1, 1]]), np.array([0.7]), [])
    assert abs(float(moment.evaluate(16, m=0.3, r=-0.4, b=0.7).value) - wanted) <= NODES


def test_two_observations_of_three_variables():
    moment = expect("relu(z1)*z2", THREE, MEAN, given=[(z1 + z2, Q(1, 2)), (z3, -1)])
    assert [check.error for check in moment.derivation.check() if not check.passed] == []
    A, b = np.array([[1.0, 1, 0], [0, 0, 1]]), np.array([0.5, -1])
    mean, cov = np.array(MEAN, dtype=float), np.array(THREE, dtype=float)
    wanted = on_the_line(lambda x, y, w: relu(x) * y, mean, cov, A, b, [[1, 0, 0]])
    assert abs(float(moment.evaluate(16).value) - wanted) <= NODES


def test_equal_thresholds_of_two_conditional_variables():
    """Both variances are 1 - r**2 and the covariance r - r**2; their ratio loses the factor 1 - r of either sign."""
    equal = [["1", "r", "r"], ["r", "1", "r"], ["r", "r", "1"]]
    text = "[" + ", ".join(f"[{', '.join(row)}]" for row in equal) + "]"
    moment = expect("relu(z1)*relu(z2)", text, where="-1/2<r<1", given="z3 = b")
    assert [check.error for check in moment.derivation.check() if not check.passed] == []
    for r, b in ((0.6, 0.7), (0.3, -1.2)):
        rest = [[1 - r * r, r - r * r], [r - r * r, 1 - r * r]]
        wanted = average(lambda x, y: relu(x) * relu(y), [b * r, b * r], rest)
        assert abs(float(evaluate(moment.closed_form, {"r": r, "b": b})) - wanted) <= NODES


# --- the law ---------------------------------------------------------------------------------------------------------

small = st.integers(-3, 3)


@drawn(
    root=st.lists(st.lists(small, min_size=3, max_size=3), min_size=3, max_size=3),
    rows=st.lists(st.lists(small, min_size=3, max_size=3).filter(any), min_size=1, max_size=3),
    seen=st.lists(small, min_size=3, max_size=3),
    mean=st.lists(small, min_size=3, max_size=3),
)
@settings(max_examples=12)
def test_the_law_has_the_observed_values_and_an_uncorrelated_residual(root, rows, seen, mean):
    """For every covariance, singular ones included, and observations of a value that occurs, dependent ones included.

    The law of the residual z - E[z | A z] is determined by: E[z | A z = b] is affine in b, and the residual is
    uncorrelated with A z. With C = R R^T the values A (m + R x) occur.
    """
    R, A, m = sympy.Matrix(root), sympy.Matrix(rows), sympy.Matrix(mean)
    C = R * R.T
    names = sympy.Matrix([z1, z2, z3])

    def law(x):
        values = A * (m + R * x)
        return conditional_law([((A.row(k) * names)[0], values[k]) for k in range(A.rows)], C, mean)

    units = [sympy.eye(3)[:, k] for k in range(3)]
    start, cov = law(sympy.zeros(3, 1))
    assert start == m  # the mean is what is expected where the mean is observed
    # E[z | A z] as a linear map of x, so that Cov(z, A z) = R (A R)^T must be that of the regression with A z.
    slopes = sympy.Matrix.hstack(*(law(x)[0] - start for x in units))
    assert slopes * (A * R).T == R * (A * R).T
    assert A * slopes == A * R
    residual = R - slopes
    assert cov == residual * residual.T
    assert law(sympy.Matrix(seen))[0] == start + slopes * sympy.Matrix(seen)


def test_an_independent_variable_changes_nothing():
    seen = expect("exp(z1)*z1**2", "[[v, 0], [0, 1]]", "[m, 0]", "v>0", "z2 = 5")
    assert prove_equal(seen.closed_form, expect("exp(z1)*z1**2", "[[v]]", "[m]", "v>0").closed_form) is True


def test_an_observation_that_says_nothing_new_is_left_out():
    """Twice the same equation, and one that a singular covariance implies."""
    once = expect("relu(z1)", PAIR, where="-1<r<1", given="z1 + z2 = b").closed_form
    assert expect("relu(z1)", PAIR, where="-1<r<1", given="z1 + z2 = b, 2*z1 + 2*z2 = 2*b").closed_form == once
    assert expect("z1", "[[1, 2], [2, 4]]", given="z1 = b, z2 = 2*b").closed_form == sympy.Symbol("b", real=True)


def test_noise_is_a_further_variable():
    """E[z1 | z1 + noise = b] = b v/(v + s), the shrinkage of Gaussian regression."""
    v, s = sympy.symbols("v s", positive=True)
    b = sympy.Symbol("b", real=True)
    mean, cov = conditional_law([(z1 + z2, b)], [[v, 0], [0, s]])
    assert sympy.cancel(mean[0] - b * v / (v + s)) == 0
    assert sympy.cancel(cov[0, 0] - v * s / (v + s)) == 0


def test_total_expectation_of_polynomials_is_exact():
    b = sympy.Symbol("b", real=True)
    r = sympy.Symbol("r", real=True)
    cov = sympy.Matrix([[2, r], [r, 1]])
    inner = expect(z1**4 * z2**2, cov, given=[(z1 - z2, b)]).closed_form
    outer = expect(inner.subs(b, z1), [[3 - 2 * r]]).closed_form
    assert prove_equal(outer, expect(z1**4 * z2**2, cov).closed_form) is True


def test_a_limit_keeps_the_observation():
    smooth = expect("erf(g*z1)*z2", "[[1, r], [r, 1]]", where="g>0, -1<r<1", given="z1 + z2 = 1")
    sharp = limit(smooth, "g", sympy.oo)
    assert [check.error for check in sharp.derivation.check() if not check.passed] == []
    assert sharp.evaluate(20, r="1/3") == expect("sign(z1)*z2", "[[1, 1/3], [1/3, 1]]", given="z1 + z2 = 1").evaluate(
        20
    )
    assert str(sharp.derivation.steps[0].expr).startswith("Limit(E[z2*erf(g*z1) | z1 + z2 = 1")


# --- the rule --------------------------------------------------------------------------------------------------------

REQUEST = GivenExpectation(
    sympy.sign(z1) * z2, sympy.Matrix([[1, 0], [0, 3]]), sympy.Matrix([[1, 1]]), sympy.Matrix([2])
)
LAW = sympy.ImmutableDenseMatrix([[Q(3, 4), Q(-3, 4)], [Q(-3, 4), Q(3, 4)]])
AFTER = Expectation(sympy.sign(z1 + Q(1, 2)) * (Q(3, 2) - z1), LAW)
Y, W, RELATED = sympy.ImmutableDenseMatrix([[Q(1, 2)]]), sympy.ImmutableDenseMatrix([[Q(1, 4)]]), ((z2, -z1),)
ALMOST = sympy.ImmutableDenseMatrix([[Q(3, 4), Q(-3, 4)], [Q(-3, 4), 1]])


def observe(old, new, y=Y, weights=W, related=RELATED, before=None):
    pairs = sympy.Tuple(*(sympy.Tuple(*pair) for pair in related))
    step = Step(new, "", "observations", (sympy.Tuple(old, new), y, weights, pairs))
    RULES["observations"](before or old, step)


def test_the_rule_accepts_the_conditional_law():
    observe(REQUEST, AFTER)


def test_the_rule_rejects_a_wrong_law():
    for arguments in (
        (REQUEST, Expectation(sympy.sign(z1 + Q(1, 2)) * (Q(3, 2) + z1), LAW)),
        (REQUEST, Expectation(sympy.sign(z1 - Q(1, 2)) * (Q(3, 2) - z1), LAW)),
        (REQUEST, Expectation(sympy.sign(z1 + Q(1, 2)) * (1 - z1), LAW)),
        (REQUEST, Expectation(AFTER.integrand, ALMOST)),
        (REQUEST, Expectation(AFTER.integrand, sympy.diag(1, 3))),
        (REQUEST, AFTER, 2 * Y),
        (REQUEST, AFTER, Y, 2 * W),
        (REQUEST, AFTER, Y, W, ((z2, z1),)),
        (REQUEST, AFTER, Y, W, ((z2, -z1), (z1, sympy.Integer(0)))),
        (REQUEST, AFTER, Y, W, ((z2, -(z1**2)),)),
        (REQUEST, AFTER, Y, W, ()),
        (REQUEST, AFTER, Y, W, RELATED, sympy.Integer(1)),
        (Expectation(z1, sympy.eye(2)), AFTER),
        (GivenExpectation(REQUEST.integrand, REQUEST.cov, REQUEST.A, sympy.Matrix([3])), AFTER),
        (GivenExpectation(REQUEST.integrand, REQUEST.cov, sympy.Matrix([[1, 2]]), REQUEST.values), AFTER),
    ):
        with pytest.raises(StepError):
            observe(*arguments)


def test_the_rule_rejects_the_value_of_a_step_at_zero():
    request = GivenExpectation(sympy.Heaviside(z1), sympy.eye(1), sympy.Matrix([[1]]), sympy.Matrix([0]))
    one, after = sympy.ImmutableDenseMatrix([[1]]), Expectation(Q(1, 2), sympy.zeros(1, 1))
    with pytest.raises(StepError, match="convention"):
        observe(request, after, sympy.ImmutableDenseMatrix([[0]]), one, ((z1, sympy.Integer(0)),))


def test_no_rule_without_observations_applies_to_an_expectation_with_them():
    """E[z1 | z1 = 1] = 1, which is not 0 by parity."""
    old = GivenExpectation(z1, sympy.eye(1), sympy.Matrix([[1]]), sympy.Matrix([1]))
    with pytest.raises(StepError, match="not an expectation"):
        RULES["parity"](old, Step(sympy.Integer(0), "", "parity", (sympy.Tuple(old, sympy.Integer(0)),)))


# --- the command -----------------------------------------------------------------------------------------------------


def test_names_of_observed_values_are_real(capsys):
    arguments = ["moment", "z1**2", "--cov", "[[1, r], [r, 1]]", "--where", "-1<r<1", "--given", "z2 = b"]
    assert main([*arguments, "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["expr"] == "b**2*r**2 - r**2 + 1"
    assert answer["given"] == {"equations": "z2 = b", "mean": ["b*r", "b"], "cov": [["1 - r**2", "0"], ["0", "0"]]}
    assert answer["domain"]["bounds"] == ["-1 < r < 1", "b real"]


INDEPENDENT, EQUAL = "[[1, 0], [0, 1]]", "[[1, 1], [1, 1]]"


REFUSED = [
    (2, "z1", INDEPENDENT, "z1 + z2 = 1, 2*z1 + 2*z2 = 3", "2*z1 + 2*z2 is certainly 2 given z1 + z2 = 1"),
    (2, "z1", EQUAL, "z1 = 1, z2 = 2", "z2 is certainly 1 given z1 = 1"),
    (2, "z1", INDEPENDENT, "z1 = a, z1 = b", "only where"),
    (2, "z1", INDEPENDENT, "z3 = 1", "z3 occurs, but there are 2 variables"),
    (2, "z1", INDEPENDENT, "z1 - z1 = 1", "contains no Gaussian variable"),
    (2, "z1", INDEPENDENT, "z1 > 0", "Heaviside(z1)"),
    (2, "z1", INDEPENDENT, "z1 == 0", "== is not an equals sign"),
    (2, "z1", INDEPENDENT, "z1 = 1, z2", "no list of equations"),
    (2, "z1", INDEPENDENT, "", "is empty"),
    (2, "z1", INDEPENDENT, "z1 = 1; z2 = 2", "not allowed"),
    (2, "z1", INDEPENDENT, "z1 = oo", "not an equation of real numbers"),
    (2, "z1", INDEPENDENT, "z1 = sqrt(-1)", "not real"),
    (2, "z1", INDEPENDENT, "z1 = 1/0", "divides by zero"),
    (2, "z1", "[[1, 2], [2, 1]]", "z1 = 1", "not positive semidefinite"),
    (4, "z1", INDEPENDENT, "z1**2 = 1", "not linear"),
    (4, "z1", INDEPENDENT, "relu(z1) = 1", "not linear"),
    (4, "Heaviside(z1)", INDEPENDENT, "z1 = 0", "observed to be zero"),
]


def test_observations_that_are_refused(capsys):
    for code, expr, cov, observations, word in REFUSED:
        assert main(["moment", expr, "--cov", cov, "--given", observations]) == code, observations
        output = capsys.readouterr()
        assert output.out == ""
        assert word in output.err
        assert "Traceback" not in output.err


def test_observations_in_python_are_pairs():
    for observations in ([], [z1], [(z1, 1, 2)], 3, z1, {z1: 1}):
        with pytest.raises(ValueError, match="are no observations"):
            expect(z1, sympy.eye(2), given=observations)
