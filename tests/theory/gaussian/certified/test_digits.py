"""Certified digits of four signs: near and at singular covariances, exact zeros, and refusals instead of shortfalls."""

import json
from fractions import Fraction

import mpmath
import pytest
import sympy
from sympy import Heaviside, sign
from sympy import Rational as Q

from tests import tolerances
from tests.paths import ORACLES
from theory.expressions.language import parse_rows
from theory.expressions.symbols import z
from theory.gaussian import expect
from theory.gaussian.certified import digits as certified
from theory.gaussian.certified import effort
from theory.gaussian.certified.digits import rounded
from theory.gaussian.derive.engine import value_form
from theory.gaussian.expectation import Expectation
from theory.problem.errors import OutOfReachError

ORACLE = json.loads((ORACLES / "gaussian_signs.json").read_text(encoding="utf-8"))
z1, z2, z3, z4 = map(z, (1, 2, 3, 4))
STEPS = Heaviside(z1) * Heaviside(z2) * Heaviside(z3) * Heaviside(z4)
SIGNS = sign(z1) * sign(z2) * sign(z3) * sign(z4)
rho = sympy.Symbol("rho", real=True)


def equal(r):
    """All correlations the same."""
    return sympy.Matrix(4, 4, lambda i, j: 1 if i == j else r)


def gram(*vectors):
    """Covariances of linear forms in independent variables."""
    rows = sympy.Matrix(vectors)
    return rows * rows.T


def within(answer, reference, relative):
    """Whether a certified decimal is the reference up to its own radius and the reference's relative error."""
    reference = Fraction(reference)
    return abs(Fraction(answer.value) - reference) <= Fraction(answer.radius) + abs(reference) * Fraction(relative)


@pytest.mark.parametrize(
    ("exponent", "digits", "symbolic"),
    [(40, 5, True), (50, 12, False)],
)
def test_small_orthants_obey_their_scaling_law(exponent, digits, symbolic):
    """At correlations -1/3 + d the sum of the four has variance 12 d.

    P = int_(z > 0) exp(-(z1 + ... + z4)^2/(24 d)) dz / (4 pi^2 sqrt((4/3)^3 3 d)) to leading order.
    """
    r = Q(-1, 3) + Q(1, 10**exponent)
    answer = expect(STEPS, equal(rho)).evaluate(digits, rho=r) if symbolic else expect(STEPS, equal(r)).evaluate(digits)
    with mpmath.workdps(60):
        law = Fraction(mpmath.nstr(9 / (2 * mpmath.pi**2), 50)) / 10 ** (3 * exponent // 2)
    assert (answer.method, answer.digits) == ("arb", digits)
    assert within(answer, law, tolerances.ORTHANT_SCALING)
    assert Fraction(answer.radius) * 10**digits <= law


def test_nearly_singular_matrices_agree_with_another_rule():
    for row in ORACLE:
        answer = expect(SIGNS, parse_rows(row["cov"])).evaluate(40)
        assert (answer.method, answer.digits) == ("arb", 40)
        assert within(answer, row["value"], Fraction(1, 10 ** row["digits"])), row


# Four variables in three dimensions, and in two.
DEPENDENT = [gram((1, 0, 0), (1, 2, 0), (-1, 1, 3), (2, -1, 1)), gram((1, 0), (1, 2), (-3, 1), (2, -1))]


@pytest.mark.parametrize("cov", DEPENDENT)
def test_dependent_variables_reduce_to_pairs(cov):
    """The limit of nearly dependent ones, whose value differs by less than the perturbation's root."""
    form = value_form(SIGNS, cov)
    assert not form.has(sympy.Integral, Expectation)
    exact = expect(SIGNS, cov).evaluate(30)
    near = expect(SIGNS, cov + sympy.eye(4) / sympy.Integer(10) ** 24).evaluate(15)
    assert abs(Fraction(exact.value) - Fraction(near.value)) < tolerances.ORTHANT_LIMIT


def test_an_impossible_orthant_is_exactly_zero():
    answers = [expect(STEPS, equal(Q(-1, 3))).evaluate(30), expect(STEPS, equal(rho)).evaluate(30, rho="-1/3")]
    assert [(answer.value, answer.radius, answer.method) for answer in answers] == [("0", "0", "exact")] * 2


def test_equicorrelated_orthant():
    answer = expect(STEPS, equal(Q(1, 2))).evaluate(40)
    assert within(answer, Fraction(1, 5), 0)
    assert within(certified.certified(SIGNS, equal(Q(1, 2)), 30), Fraction(1, 5), 0)


def test_a_symmetry_that_changes_the_sign_makes_zero():
    """z -> (z2, z3, z4, -z1) keeps the law and changes the sign of s1 s2 s3 s4."""
    a = Q(2, 5)
    answer = expect(SIGNS, [[1, a, 0, -a], [a, 1, a, 0], [0, a, 1, a], [-a, 0, a, 1]]).evaluate(30)
    assert (answer.value, answer.method) == ("0", "exact")


def test_equal_expectations_cancel():
    cov = [[1, Q(1, 2), 0, Q(1, 5)], [Q(1, 2), 1, Q(1, 3), 0], [0, Q(1, 3), 1, Q(1, 4)], [Q(1, 5), 0, Q(1, 4), 1]]
    whole = sympy.diag(sympy.Matrix(cov), sympy.Matrix(cov).extract([2, 0, 3, 1], [2, 0, 3, 1]))
    other = sign(z(5)) * sign(z(6)) * sign(z(7)) * sign(z(8))
    assert expect(SIGNS - other, whole).evaluate(20).method == "exact"


def test_too_little_work_is_a_named_refusal(monkeypatch):
    monkeypatch.setattr(effort, "MOST_EVALUATIONS", 2000)
    with pytest.raises(OutOfReachError) as caught:
        expect(STEPS, equal(Q(-1, 3) + Q(1, 10**40))).evaluate(30)
    assert "30 certified digits" in caught.value.message
    cov = parse_rows(ORACLE[1]["cov"])
    monkeypatch.setattr(effort, "MOST_EVALUATIONS", 5000)
    with pytest.raises(OutOfReachError) as caught:
        expect(SIGNS, cov).evaluate(200)
    assert caught.value.exit_code == 4


def test_what_has_no_rule_is_refused():
    with pytest.raises(OutOfReachError):
        expect(sign(z1) * sign(z2), [[1, 1 / sympy.gamma(sympy.pi)], [1 / sympy.gamma(sympy.pi), 1]]).evaluate(20)


def test_a_value_that_looks_like_zero_has_an_absolute_bound():
    answer = rounded(Fraction(0), Fraction(1, 10**40), 30, "arb")
    assert (answer.value, answer.digits) == ("0", 0)
    assert Fraction(answer.radius) >= Fraction(1, 10**40)
