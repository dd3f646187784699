"""The engine's closed forms: their shape, their proofs, their values against oracles, and what it refuses."""

import json
from fractions import Fraction

import pytest
import sympy
from sympy import Heaviside, asin, erf, pi, sign, sqrt
from sympy import Rational as Q

from tests.paths import ORACLES
from theory.expressions.language import Names, parse, parse_rows
from theory.expressions.symbols import z
from theory.gaussian import Expectation, expect
from theory.problem.errors import InputError, OutOfReachError

ORACLE = json.loads((ORACLES / "gaussian_moments.json").read_text(encoding="utf-8"))
z1, z2, z3, z4 = map(z, (1, 2, 3, 4))
g, h, v = sympy.symbols("g h v", positive=True)
rho = sympy.Symbol("rho", real=True)
KAPPA_RHO = sqrt(2) * g * rho / sqrt(2 * g**2 + 1)


def full(size):
    """A symbolic correlation matrix r12, r13, ..."""
    return sympy.Matrix(
        size, size, lambda i, j: 1 if i == j else sympy.Symbol(f"r{min(i, j) + 1}{max(i, j) + 1}", real=True)
    )


def r(i, j):
    return sympy.Symbol(f"r{i}{j}", real=True)


PAIR = [[1, rho], [rho, 1]]
FORMS = [
    (Heaviside(z1) * erf(g * z2), PAIR, asin(KAPPA_RHO) / pi),
    (sign(z1) * sign(z2), PAIR, 2 * asin(rho) / pi),
    (Heaviside(z1) * Heaviside(z2), PAIR, asin(rho) / (2 * pi) + Q(1, 4)),
    (erf(g * z1) * erf(h * z2), PAIR, 2 * asin(2 * g * h * rho / (sqrt(2 * g**2 + 1) * sqrt(2 * h**2 + 1))) / pi),
    (erf(g * z1) ** 2, [[1]], 2 * asin(2 * g**2 / (2 * g**2 + 1)) / pi),
    (Heaviside(z1) * erf(g * z2) * erf(g * z3), full(3), asin(2 * g**2 * r(2, 3) / (2 * g**2 + 1)) / pi),
    (sign(z1) * sign(z2), [[v, rho], [rho, 4 * v]], 2 * asin(rho / (2 * v)) / pi),
    (z1 * sign(z1), [[v]], sqrt(2 * v / pi)),
    (z1**2 * z2**2, PAIR, 1 + 2 * rho**2),
    (z1 * erf(-g * z2), PAIR, -2 * g * rho / (sqrt(pi) * sqrt(2 * g**2 + 1))),
    (Heaviside(z1) ** 2, [[1]], Q(1, 2)),
    (sign(z1) ** 2, [[1]], sympy.Integer(1)),
    (Heaviside(z1) * Heaviside(-z1), [[1]], sympy.Integer(0)),
    (Heaviside(-z1) * erf(-g * z2), PAIR, asin(KAPPA_RHO) / pi),
    (Heaviside(z1) * Heaviside(z2), [[1, 1], [1, 1]], Q(1, 2)),
    (Heaviside(z1) * Heaviside(z2), [[1, -1], [-1, 1]], sympy.Integer(0)),
    (Heaviside(z1) * z2 * z3, full(3), r(2, 3) / 2),
    (erf(g * z1) ** 3, [[1]], sympy.Integer(0)),
    (3 * z1**2 - 2, [[v]], 3 * v - 2),
    (sympy.Integer(1), [[v]], sympy.Integer(1)),
    (sympy.exp(Heaviside(z1)), [[1]], (1 + sympy.E) / 2),
]


def test_closed_forms():
    for integrand, cov, form in FORMS:
        moment = expect(integrand, cov)
        assert sympy.expand(moment.closed_form - form) == 0, integrand
        assert (moment.kind, moment.dimension) == ("elementary", 0)
        check_steps(moment)


def check_steps(moment):
    """Check every step of both derivations."""
    for proof in filter(None, (moment.derivation, moment.arctan_derivation)):
        assert [check.error for check in proof.check() if not check.passed] == [], moment.expr


DERIVED = [
    (sign(z1) * sign(z2) * sign(z3) * z4, full(4)),
    (sign(z1) * sign(z2) * sign(z3) * sign(z1 + z2 + z3), sympy.eye(3)),
    (
        sign(z1) * sign(z2) * sign(z3) * sign(z4),
        sympy.diag(sympy.Matrix(PAIR), sympy.Matrix([[1, Q(1, 3)], [Q(1, 3), 1]])),
    ),
    (Heaviside(z1 - z2) * z1, PAIR),
]


def test_every_step_is_checked():
    for integrand, cov in DERIVED:
        check_steps(expect(integrand, cov))


@pytest.mark.slow
def test_every_step_of_four_factors_with_parameters_is_checked():
    check_steps(expect(Heaviside(z1) * Heaviside(z2) * erf(g * z3) * erf(g * z4), full(4)))


def test_four_factors_are_a_one_dimensional_integral_and_say_so():
    moment = expect(Heaviside(z1) * Heaviside(z2) * erf(g * z3) * erf(g * z4), full(4))
    assert (moment.kind, moment.dimension) == ("integral", 1)
    assert "No elementary form is known" in moment.remark
    assert r"\int" in moment.latex


def test_values_agree_with_the_defining_integrals():
    for row in ORACLE[::2]:
        rows = parse_rows(row["cov"])
        value = expect(parse(row["integrand"], Names(variables=len(rows))), rows).evaluate(35)
        reference = Fraction(row["value"])
        assert abs(Fraction(value.value) - reference) <= abs(reference) / 10 ** row["digits"], row
        assert (value.method, row["digits"] >= 25) == ("arb", True)


def test_digits_are_correct_digits():
    moment = expect(Heaviside(z1) * Heaviside(z2), PAIR)
    for digits in (1, 200):
        value = moment.evaluate(digits, rho=Q(1, 2))
        assert abs(Fraction(value.value) - Fraction(1, 3)) <= Fraction(value.radius)
        assert abs(Fraction(value.value) - Fraction(1, 3)) * 10**digits <= Fraction(1, 3)
        assert value.digits == digits


def test_corners():
    moment = expect(Heaviside(z1) * erf(g * z2), PAIR)
    for gain, corner in (("0.01", 1), (100, "-0.999999999999"), (1, -1)):
        value = moment.evaluate(30, g=gain, rho=corner)
        assert value.method == "arb"
        assert Fraction(value.radius) * 10**30 <= abs(Fraction(value.value))


def test_exact_values_are_exact():
    moment = expect(Heaviside(z1) * Heaviside(z2), PAIR)
    assert (moment.evaluate(rho=1).value, moment.evaluate(rho=1).radius) == ("0.5", "0")
    assert moment.evaluate(rho=-1).method == "exact"


OUT_OF_REACH = [
    (erf(z1 * z2), "linear"),
    (sympy.exp(z1**2), "infinite"),
    (sympy.tan(z1), "tan"),
    (sqrt(z1), "sqrt"),
    (1 / z1, "1/z1"),
    (sign(rho * z1 - 1), "sign of the coefficient"),
    (erf(z1) * erf(2 * z1) * erf(3 * z1) * erf(z2) * erf(2 * z2) * erf(3 * z2), "6 dependent steps"),
    (z1**65 * z2**65, "130 powers"),
    (erf(z1) ** 13 * erf(z2), "14 steps"),
]


def test_what_it_cannot_do_it_names():
    for integrand, word in OUT_OF_REACH:
        with pytest.raises(OutOfReachError) as caught:
            expect(integrand, PAIR)
        assert word in caught.value.message, integrand


def test_a_mean_shifts_the_variables():
    assert expect(z1, [[1]], [g]).closed_form == g
    assert expect(z1**2, [[v]], [g]).closed_form == g**2 + v
    shifted = expect(Heaviside(z1) * z2, PAIR, [g, 0])
    assert shifted.closed_form == expect(Heaviside(z1 + g) * z2, PAIR).closed_form
    for mean in ([1, 2], [sympy.I], [z1], [sympy.Symbol("c")], [sympy.oo]):
        with pytest.raises(InputError):
            expect(z1, [[1]], mean)


def test_bad_covariances():
    for cov, word in (
        ([[1, 2], [2, 1]], "positive semidefinite"),
        ([[1, Q(1, 2)], [Q(1, 3), 1]], "symmetric"),
        ([[1, sympy.I], [sympy.I, 1]], "real"),
        ([[1, sympy.Symbol("c")], [sympy.Symbol("c"), 1]], "declared real"),
        ([[1, 2]], "square"),
        ([[-1, rho], [rho, 1]], "positive semidefinite"),
        ([[1, Q(9, 10), 0], [Q(9, 10), 1, Q(9, 10)], [0, Q(9, 10), 1]], "positive semidefinite"),
        ([[1, z1], [z1, 1]], "Gaussian variable"),
        ("[[1]]", "matrix"),
        ([[float("nan")]], "finite"),
        ([[1]], "z2"),
    ):
        with pytest.raises(InputError) as caught:
            expect(z1 * z2, cov)
        assert word in caught.value.message, cov


def test_bad_values():
    moment, point = expect(Heaviside(z1) * erf(g * z2), PAIR), {"g": 1, "rho": 0.5}
    for values in ({}, {"g": 1}, point | {"rho": 2}, point | {"g": 0}, point | {"rho": "x"}, point | {"q": 1}):
        with pytest.raises(InputError):
            moment.evaluate(30, **values)


def test_the_expectation_binds_its_variables():
    e = Expectation(sign(z1) * g, sympy.Matrix([[rho]]))
    assert e.free_symbols == {g, rho}
    assert e.subs(z1, 2) == e
    assert r"\mathbb{E}" in sympy.latex(e)
