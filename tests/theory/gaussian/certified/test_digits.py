"""Certified digits of four signs: near and at singular covariances, exact zeros, and refusals instead of shortfalls."""

import json
from fractions import Fraction

import mpmath
import pytest
import sympy
from flint import ctx
from sympy import Heaviside, erf, sign
from sympy import Rational as Q

from tests import tolerances
from tests.paths import ORACLES
from theory.expressions.balls.closed_form import ball
from theory.expressions.language import parse_rows
from theory.expressions.symbols import z
from theory.gaussian import expect
from theory.gaussian.certified import digits as certified
from theory.gaussian.certified import effort
from theory.gaussian.certified.digits import rounded
from theory.gaussian.derive import four_signs
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
    [(40, 1, False), (40, 5, True), (40, 30, False), (60, 30, True), (80, 30, False)],
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


@pytest.mark.parametrize("row", ORACLE, ids=lambda row: row["cov"][:20])
def test_nearly_singular_matrices_agree_with_another_rule(row):
    answer = expect(SIGNS, parse_rows(row["cov"])).evaluate(40)
    assert (answer.method, answer.digits) == ("arb", 40)
    assert within(answer, row["value"], Fraction(1, 10 ** row["digits"]))


def test_the_oracle_has_the_digits_it_should():
    assert min(row["digits"] for row in ORACLE) >= 45


DEPENDENT = [
    ("four in three dimensions", gram((1, 0, 0), (1, 2, 0), (-1, 1, 3), (2, -1, 1))),
    ("three in two dimensions", gram((1, 0, 0), (1, 2, 0), (-3, 1, 0), (2, -1, 1))),
    ("four in two dimensions", gram((1, 0), (1, 2), (-3, 1), (2, -1))),
]


@pytest.mark.parametrize("cov", [cov for _, cov in DEPENDENT], ids=[name for name, _ in DEPENDENT])
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


def test_relabelled_expectations_have_one_representative():
    e = Expectation(SIGNS, gram((1, 0, 0, 0), (1, 2, 0, 0), (-3, 1, 1, 0), (2, -1, 1, 1)))
    order, flip = [2, 0, 3, 1], sympy.diag(1, -1, 1, 1)
    moved = Expectation(SIGNS, flip * e.cov.extract(order, order) * flip)
    (side, key), (opposite, same) = four_signs.representative(e), four_signs.representative(moved)
    assert (key, side) == (same, -opposite)


def test_the_printed_integral_has_the_certified_value():
    """The closed form, integrated as it stands, and the well-conditioned integral that gives the digits."""
    cov = [[1, Q(1, 2), Q(1, 3), Q(1, 4)], [Q(1, 2), 1, Q(1, 5), Q(-1, 6)]]
    cov += [[Q(1, 3), Q(1, 5), 1, Q(2, 7)], [Q(1, 4), Q(-1, 6), Q(2, 7), 1]]
    moment = expect(Heaviside(z1) * sign(z2) * erf(2 * z3) * erf(z4) + STEPS, cov)
    answer = moment.evaluate(25)
    with ctx.workprec(120):
        printed = ball(open_angles(moment.closed_form), {}).real
    middle, radius = Fraction(printed.mid().str(40, radius=False)), Fraction(printed.rad().str(5, radius=False))
    assert abs(Fraction(answer.value) - middle) <= Fraction(answer.radius) + 2 * radius


def open_angles(form: sympy.Expr) -> sympy.Expr:
    """asin(n / d) inside integrals without cancellation near |n| = d: r = sqrt(d^2 - n^2), its polynomial factored.

    asin(n / d) = 2 atan(n / (d + r)); where n vanishes at the end-point t = 1 with d and r, asin(n / d) = atan(n / r)
    with the common factor cancelled.
    """
    replacements = {}
    for integral in form.atoms(sympy.Integral):
        t = integral.limits[0][0]
        for angle in integral.function.atoms(sympy.asin):
            numerator, denominator = sympy.fraction(angle.args[0])
            square = sympy.expand(denominator**2 - numerator**2)
            if not square.is_polynomial(t) or not numerator.is_polynomial(t):
                continue
            top, bottom = _factors(numerator, t), _factors(square, t)
            roots = sympy.Mul(*(sympy.sqrt(f) for f, k in bottom if k % 2))
            whole = sympy.Mul(*(f ** (k // 2) for f, k in bottom))
            if any(f.xreplace({t: sympy.Integer(1)}) == 0 for f, _ in top):
                replacements[angle] = sympy.atan(sympy.Mul(*(f**k for f, k in top)) / whole / roots)
            else:
                replacements[angle] = 2 * sympy.atan(numerator / (denominator + whole * roots))
    return form.xreplace(replacements)


def _factors(polynomial: sympy.Expr, t: sympy.Symbol) -> list[tuple[sympy.Expr, int]]:
    """Factors of a polynomial in t, those with t positive in the middle of [0, 1]."""
    lead = sympy.Poly(polynomial, t).LC()
    number, factors = sympy.factor_list(sympy.expand(polynomial / lead), t)
    front, result = lead * number, []
    for factor, power in factors:
        positive = factor.xreplace({t: sympy.Rational(1, 2)}).evalf(30) > 0
        result.append((factor if positive else -factor, power))
        front *= 1 if positive else (-1) ** power
    return [(front, 1), *result]


def test_irrational_correlations():
    r = sympy.sqrt(3) / 4
    answer = expect(SIGNS, equal(r)).evaluate(20)
    near = expect(SIGNS, equal(Q(Fraction(float(r)).numerator, Fraction(float(r)).denominator))).evaluate(20)
    assert abs(Fraction(answer.value) - Fraction(near.value)) < tolerances.ORTHANT_QUAD


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


def test_a_refusal_says_what_was_reached():
    cut = certified._advice((Fraction(1, 3), Fraction(1, 10**9)))
    assert "0.333333333" in cut
    assert "cannot be separated from zero" in certified._advice((Fraction(0), Fraction(1, 10**9)))
    assert "fewer digits" in certified._advice(None)


def test_what_has_no_rule_is_refused():
    with pytest.raises(OutOfReachError):
        expect(sign(z1) * sign(z2), [[1, 1 / sympy.gamma(sympy.pi)], [1 / sympy.gamma(sympy.pi), 1]]).evaluate(20)


def test_a_value_that_looks_like_zero_has_an_absolute_bound():
    answer = rounded(Fraction(0), Fraction(1, 10**40), 30, "arb")
    assert (answer.value, answer.digits) == ("0", 0)
    assert Fraction(answer.radius) >= Fraction(1, 10**40)


@pytest.mark.parametrize("order", [(0, 2, 1, 3)])
def test_rank_two_up_to_little(order):
    """Two small canonical gaps at once; the order of the variables does not matter."""
    cov = gram((1, 0, 0, 0), (3, 2, Q(1, 10**4), 0), (-3, 1, 0, Q(1, 10**4)), (2, -1, 0, 0)) + sympy.eye(4) / 10**12
    answer = expect(SIGNS, cov.extract(order, order)).evaluate(20)
    assert within(answer, Fraction(expect(SIGNS, cov).evaluate(30).value), Fraction(1, 10**20))
