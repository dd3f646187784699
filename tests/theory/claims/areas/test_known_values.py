"""Claims that follow from the definitions, at points whose numbers are known by hand."""

from fractions import Fraction

import mpmath
import pytest
from sympy import Integer, Rational

from tests.tolerances import CLAIM_DIGITS, CLAIM_PRECISE
from theory.claims import catalog
from theory.claims.evaluate import evaluate

HALF = Rational(1, 2)


def at(claim, **values):
    """A point by the names of the parameters."""
    return {param.symbol: Rational(values[param.symbol.name]) for param in claim.params}


@pytest.mark.parametrize(
    ("name", "where", "value"),
    [
        ("model.relu.gating", {"h": 0}, Fraction(0)),
        ("model.relu.gating", {"h": -3}, Fraction(0)),
        ("gate.small_bump.complement", {"x_i": 0}, Fraction(2)),
        ("gate.small_bump.complement", {"x_i": -1}, Fraction(1)),
        # Forty sites, pulses of three or four: the inputs of the public code's default widths.
        ("gate.small_bump.both_open", {"n": 40, "a": 3, "b": 4}, Fraction(9125, 10000)),
        # One unit open of two: half of w_1.x.
        (
            "model.gated.forms",
            {"g1": 1, "g2": 0, "w11": 1, "w12": 2, "w21": 5, "w22": 7, "x1": 3, "x2": 4},
            Fraction(11, 2),
        ),
        ("model.relu.as_gated", {"w11": 1, "w12": 2, "w21": -1, "w22": 0, "x1": 3, "x2": 4}, Fraction(11, 2)),
    ],
)
def test_rational_values(name, where, value):
    claim = catalog()[name]
    point = at(claim, **where)
    assert claim.exact(point) == value
    with mpmath.workdps(CLAIM_DIGITS):
        difference = evaluate(claim.statement.rhs, point, CLAIM_DIGITS) - claim.oracle(point, CLAIM_DIGITS)
    assert abs(difference) < CLAIM_PRECISE


# claim, label, point, the true value, the printed value
NUMBERS = [
    # z_k says nothing of z_l beyond z_i: (10) is the coefficient of z_i, and (9), that of z_k, is 0.
    (
        "conditional.slope.gate_site",
        "(10)",
        {"rho_ik": 0, "rho_il": HALF, "rho_kl": 0, "g": 1},
        "sqrt(1/10)",
        "sqrt(1/10)",
    ),
    ("conditional.slope.other_site", "(9)", {"rho_ik": 0, "rho_il": HALF, "rho_kl": 0, "g": 1}, "0", "0"),
    ("conditional.variance.value", "(12)", {"rho_ik": HALF, "rho_il": HALF, "rho_kl": HALF}, "2/3", "2/3"),
    ("conditional.variance.determinant", "(13)", {"rho_ik": HALF, "rho_il": HALF, "rho_kl": HALF}, "2/3", "2/3"),
    # A regression with A = 2 I: b_1/2, which is A^-1 b as printed, for any number of units.
    (
        "ols.gated_input.regression",
        "(12)",
        {"K": 3, "a11": 2, "a12": 0, "a22": 2, "b1": HALF, "b2": 0},
        "1/4",
        "1/4",
    ),
]


@pytest.mark.parametrize(("name", "label", "where", "true", "printed"), NUMBERS)
def test_printed_forms_by_numbers(name, label, where, true, printed):
    claim = catalog()[name]
    (source,) = (source for source in claim.sources if source.label == label)
    point = at(claim, **where)
    with mpmath.workdps(CLAIM_DIGITS):
        found = (claim.oracle(point, CLAIM_DIGITS), evaluate(source.printed, point, CLAIM_DIGITS))
        for value, expected in zip(found, (true, printed), strict=True):
            assert abs(value - _number(expected)) < CLAIM_PRECISE


def _number(text: str) -> mpmath.mpf:
    """A fraction or the square root of one."""
    inner = text.removeprefix("sqrt(").removesuffix(")")
    value = mpmath.mpf(Fraction(inner).numerator) / Fraction(inner).denominator
    return mpmath.sqrt(value) if inner != text else value


def test_both_conditional_variances_are_one_function():
    """(12) and (13), and both printed forms, at a point of no symmetry."""
    first, second = (catalog()[f"conditional.variance.{name}"] for name in ("value", "determinant"))
    point = at(first, rho_ik=Rational(1, 3), rho_il=Rational(-1, 4), rho_kl=Rational(1, 5))
    values = {evaluate(form, point, CLAIM_DIGITS) for form in (first.statement.rhs, second.statement.rhs)}
    with mpmath.workdps(CLAIM_DIGITS):
        assert max(values) - min(values) < CLAIM_PRECISE
    assert [claim.sources[0].label for claim in (first, second)] == ["(12)", "(13)"]


def test_the_smoothed_erf_at_its_ends():
    """No spread: the erf itself. Mean 0: nothing is left of an odd function."""
    claim = catalog()["gaussian.erf.smoothing"]
    assert claim.oracle(at(claim, m=0, sigma=3, g=2), CLAIM_DIGITS) == 0
    with mpmath.workdps(CLAIM_DIGITS):
        still = claim.oracle(at(claim, m=Integer(1), sigma=0, g=2), CLAIM_DIGITS)
        assert abs(still - mpmath.erf(2)) < CLAIM_PRECISE
