"""Every rule of the engine refuses planted faults: the checker recomputes, it does not trust."""

import pytest
import sympy
from sympy import DiracDelta, Heaviside, Integral, Tuple, asin, atan, erf, exp, pi, sign, sqrt
from sympy import Rational as Q

import theory.gaussian.derive.rules  # noqa: F401 - registers the rules
from theory.expressions.functions import OwensT, Phi, Phi2, Relu
from theory.expressions.symbols import path, z
from theory.gaussian import Expectation
from theory.gaussian.expectation import Quadrature
from theory.proof.derivation import RULES, Step, StepError

z1, z2, z3, z4 = map(z, (1, 2, 3, 4))
g = sympy.Symbol("g", positive=True)
r, a, b, c = sympy.symbols("r a b c", real=True)
h, k = sympy.symbols("h k", positive=True)
PAIR = sympy.Matrix([[1, r], [r, 1]])
APART = sympy.eye(2)
THREE = sympy.Matrix([[1, a, b], [a, 1, c], [b, c, 1]])


def pair_at(x):
    return sympy.Matrix([[1, x], [x, 1]])


SIGNS = Expectation(sign(z1) * sign(z2), PAIR)
POINT = Expectation(DiracDelta(z1) * DiracDelta(z2), pair_at(r * path))
NOISY = sympy.Matrix([[1, sqrt(2) * g * r], [sqrt(2) * g * r, 1 + 2 * g**2]])
WAVE = exp(-(h**2) / 2)  # E cos(h z1)
STEP_ERF = Expectation(sign(z1) * erf(g * z2), PAIR)
NOISY_WITH_FACTOR = sympy.Matrix(
    [[1, sqrt(2) * g * r, r], [sqrt(2) * g * r, 1 + 2 * g**2, sqrt(2) * g], [r, sqrt(2) * g, 1]]
)
HELD = Expectation(DiracDelta(z1) * z2 * z3, THREE)
ONE = Expectation(sign(z1), sympy.eye(1))
SIGN_AT, JUMP_AT = (Expectation(f(z1 + k), sympy.eye(1)) for f in (sign, DiracDelta))
TWO_AT, DELTA_1, DELTA_2, DELTAS = (
    Expectation(f(z1 + h) * other(z2 + k), PAIR)
    for f, other in ((sign, sign), (DiracDelta, sign), (sign, DiracDelta), (DiracDelta, DiracDelta))
)

# rule, what it rewrites, the right answer, wrong answers
CASES = [
    (
        "one-form",
        Expectation(sympy.tanh(z1 + 2 * z2) ** 2, APART),
        Expectation(sympy.tanh(z1) ** 2, sympy.Matrix([[5]])),
        [
            Expectation(sympy.tanh(z1) ** 2, sympy.Matrix([[3]])),
            Expectation(sympy.tanh(z1), sympy.Matrix([[5]])),
            2 * Expectation(sympy.tanh(z1) ** 2, sympy.Matrix([[5]])),
        ],
    ),
    ("symmetry", Expectation(1 / (1 + exp(-g * z1)), pair_at(0)), Q(1, 2), [Q(1, 3), sympy.Integer(0), g]),
    (
        "quadrature",
        Expectation(3 * sympy.tanh(z1) ** 2, sympy.eye(1)),
        3 * Quadrature(sympy.tanh(z1) ** 2, sympy.eye(1)),
        [
            Quadrature(sympy.tanh(z1) ** 2, sympy.eye(1)),
            3 * Quadrature(sympy.tanh(z1), sympy.eye(1)),
            3 * Quadrature(sympy.tanh(z1) ** 2, 2 * sympy.eye(1)),
        ],
    ),
    (
        "linearity",
        Expectation(Heaviside(z1) * Heaviside(-z2), PAIR),
        (1 + Expectation(sign(z1), PAIR) - Expectation(sign(z2), PAIR) - SIGNS) / 4,
        [(1 + Expectation(sign(z1), PAIR) - Expectation(sign(z2), PAIR) + SIGNS) / 4, SIGNS / 4, sympy.Integer(0)],
    ),
    (
        "linearity",
        Expectation(Relu(z1 - h) * sympy.Max(z1, z2) * Phi(z2), PAIR),
        sum(
            side * weight * Expectation(factor * part, PAIR)
            for factor, weight in ((z1, 1), (-h, 1), (z1 * sign(z1 - h), 1), (-h * sign(z1 - h), 1))
            for part, side in (
                (z1, Q(1, 8)),
                (z2, Q(1, 8)),
                ((z1 - z2) * sign(z1 - z2), Q(1, 8)),
                (z1 * erf(z2 / sqrt(2)), Q(1, 8)),
                (z2 * erf(z2 / sqrt(2)), Q(1, 8)),
                ((z1 - z2) * sign(z1 - z2) * erf(z2 / sqrt(2)), Q(1, 8)),
            )
        ),
        [Expectation(z1 * z2, PAIR) / 8],
    ),
    ("marginal", Expectation(z2**2, PAIR), Expectation(z1**2, sympy.eye(1)), [Expectation(z1, sympy.eye(1))]),
    ("mehler", Expectation(z1**3 * (z2**3 - z2), PAIR), 6 * r**3 + 6 * r, [6 * r**3, 6 * r**3 + 9 * r]),
    (
        "isserlis",
        Expectation(z1**2 * z2 * z3, THREE),
        c + 2 * a * b,
        [c + a * b, c - 2 * a * b, 2 * a * b, c + 2 * a * b + 1],
    ),
    (
        "exponential-tilt",
        Expectation(exp(h * z1) * sign(z2 - k), PAIR),
        exp(h**2 / 2) * Expectation(sign(z2 + r * h - k), PAIR),
        [
            exp(h**2) * Expectation(sign(z2 + r * h - k), PAIR),
            exp(h**2 / 2) * Expectation(sign(z2 - r * h - k), PAIR),
            exp(h**2 / 2) * Expectation(sign(z2 + h - k), PAIR),
        ],
    ),
    (
        "characteristic-function",
        Expectation(sympy.sin(h * z1 + k) * z2, PAIR),
        WAVE * sympy.sin(k) * Expectation(z2, PAIR) + WAVE * sympy.cos(k) * r * h,
        [
            WAVE**2 * sympy.sin(k) * Expectation(z2, PAIR) + WAVE**2 * sympy.cos(k) * r * h,
            WAVE * sympy.cos(k) * Expectation(z2, PAIR) + WAVE * sympy.sin(k) * r * h,
            WAVE * sympy.sin(k) * Expectation(z2, PAIR) - WAVE * sympy.cos(k) * r * h,
            WAVE * sympy.sin(k) * Expectation(z2, PAIR) + WAVE * sympy.cos(k) * h,
        ],
    ),
    (
        "quadratic-tilt",
        Expectation(exp(-(z1**2) + z2) * sign(z1 + 1), APART),
        Expectation(exp(z2) * sign(z1 + 1), sympy.diag(Q(1, 3), 1)) / sqrt(3),
        [
            Expectation(exp(z2) * sign(z1 + 1), sympy.diag(Q(1, 3), 1)) * sqrt(3),
            -Expectation(exp(z2) * sign(z1 + 1), sympy.diag(Q(1, 3), 1)) / sqrt(3),
            Expectation(exp(z2) * sign(z1 + 1), sympy.diag(Q(1, 2), 1)) / sqrt(3),
            Expectation(exp(-(z1**2) + z2) * sign(z1 + 1), sympy.diag(Q(1, 3), 1)) / sqrt(3),
            Expectation(sign(z1 + 1), sympy.diag(Q(1, 3))) / sqrt(3),
        ],
    ),
    ("quadratic-tilt", Expectation(exp(-(z1**2)), sympy.eye(1)), 1 / sqrt(3), [-1 / sqrt(3), sympy.Integer(1)]),
    (
        "common-factor",
        Expectation(sign(z1) * sign(z2) * sign(z3) * sign(z4), sympy.eye(4) + sympy.ones(4, 4)),
        Q(1, 5),
        [Q(1, 4), Q(1, 16), sympy.Integer(0), -Q(1, 5)],
    ),
    ("common-factor", Expectation(sign(z1) * sign(z2) * sign(z3), sympy.eye(3) + sympy.ones(3, 3)), 0 * z1, [Q(1, 4)]),
    ("parity", ONE, sympy.Integer(0), [sympy.Integer(1), ONE / 2]),
    (
        "noisy-sign",
        STEP_ERF,
        Expectation(sign(z1) * sign(z2), NOISY),
        [
            Expectation(sign(z1) * sign(z2), PAIR),
            Expectation(sign(z1) * sign(z2), NOISY + sympy.diag(0, 1)),
            Expectation(sign(z1) * z2, NOISY),
        ],
    ),
    (
        "noisy-sign",
        Expectation(z1 * sign(z2 - h), PAIR),
        Expectation(sign(z1 - h) * z2, PAIR),
        [Expectation(sign(z1) * sign(z2 - h), PAIR), Expectation(z1 * z2, PAIR), Expectation(sign(z1) * z2, PAIR)],
    ),
    (
        "noisy-sign",
        Expectation(sign(z1 - h) * erf(g * z2 + k) * z2**2, PAIR),
        Expectation(sign(z1 - h) * sign(z2 + sqrt(2) * k) * z3**2, NOISY_WITH_FACTOR),
        [
            Expectation(sign(z1 - h) * sign(z2 + k) * z3**2, NOISY_WITH_FACTOR),
            Expectation(sign(z1 + h) * sign(z2 + sqrt(2) * k) * z3**2, NOISY_WITH_FACTOR),
            Expectation(sign(z1 - h) * sign(z2 + sqrt(2) * k) * z3, NOISY_WITH_FACTOR),
        ],
    ),
    (
        "collinear-signs",
        Expectation(sign(z1 + h) * sign(z2 - h - k), pair_at(-1)),
        -1 - Expectation(sign(z1 + h), sympy.eye(1)) + Expectation(sign(z1 + h + k), sympy.eye(1)),
        [1 + Expectation(sign(z1 + h), sympy.eye(1)) - Expectation(sign(z1 + h + k), sympy.eye(1))],
    ),
    (
        "collinear-signs",
        Expectation(sign(z1 + h) * sign(z2 + h + k), pair_at(1)),
        1 + Expectation(sign(z1 + h), sympy.eye(1)) - Expectation(sign(z1 + h + k), sympy.eye(1)),
        [
            1 - Expectation(sign(z1 + h), sympy.eye(1)) + Expectation(sign(z1 + h + k), sympy.eye(1)),
            sympy.Integer(1),
        ],
    ),
    (
        "collinear-signs",
        Expectation(sign(z1) * sign(z2) * z2**2, pair_at(-1)),
        -Expectation(z1**2, sympy.eye(1)),
        [Expectation(z1**2, sympy.eye(1)), sympy.Integer(-1)],
    ),
    (
        "independence",
        Expectation(sign(z1) * sign(z2), APART),
        Expectation(sign(z1), sympy.eye(1)) ** 2,
        [Expectation(sign(z1), sympy.eye(1)), sympy.Integer(1)],
    ),
    (
        "stein",
        Expectation(z1 * sign(z2), PAIR),
        2 * r * Expectation(DiracDelta(z1), sympy.eye(1)),
        [r * Expectation(DiracDelta(z1), sympy.eye(1)), 2 * Expectation(DiracDelta(z1), sympy.eye(1))],
    ),
    (  # Mehler's formula: 15 erf(k/sqrt 2) and twice the density times Hermite polynomials in k
        "sign-powers",
        Expectation(z1**6 * sign(z2 + k), PAIR),
        15 * SIGN_AT + 2 * (-45 * k * r**2 - 15 * (k**3 - 3 * k) * r**4 - (k**5 - 10 * k**3 + 15 * k) * r**6) * JUMP_AT,
        [
            15 * SIGN_AT,
            15 * SIGN_AT
            + 2 * (45 * k * r**2 - 15 * (k**3 - 3 * k) * r**4 - (k**5 - 10 * k**3 + 15 * k) * r**6) * JUMP_AT,
            15 * SIGN_AT
            + 2 * (-45 * k * r**2 - 15 * (k**3 - 3 * k) * r**4 - (k**5 - 10 * k**3 + 14 * k) * r**6) * JUMP_AT,
            15 * SIGN_AT + JUMP_AT,
            15,
        ],
    ),
    (  # E z1 z2 of N(0, [[1, r], [r, 1]]) where both exceed thresholds: r P + (1 + r^2)-weighted densities
        "sign-powers",
        Expectation(z1**2 * sign(z1 + h) * sign(z2 + k), PAIR),
        TWO_AT - 2 * h * DELTA_1 - 2 * k * r**2 * DELTA_2 + 4 * r * (1 - r**2) * DELTAS,
        [
            TWO_AT - 2 * h * DELTA_1 - 2 * k * r**2 * DELTA_2 + 4 * r * DELTAS,
            TWO_AT - 2 * h * DELTA_1 - 2 * k * r * DELTA_2 + 4 * r * (1 - r**2) * DELTAS,
            TWO_AT + 2 * h * DELTA_1 - 2 * k * r**2 * DELTA_2 + 4 * r * (1 - r**2) * DELTAS,
            r**2 * TWO_AT - 2 * h * DELTA_1 - 2 * k * r**2 * DELTA_2 + 4 * r * (1 - r**2) * DELTAS,
            TWO_AT - 2 * h * DELTA_1 + 4 * r * (1 - r**2) * DELTAS,
        ],
    ),
    (
        "density",
        Expectation(DiracDelta(z1 - h) * sign(z2 + k), PAIR),
        exp(-(h**2) / 2) / sqrt(2 * pi) * Expectation(sign(z1 + k + r * h), sympy.Matrix([[1 - r**2]])),
        [
            exp(-(h**2) / 2) / sqrt(2 * pi) * Expectation(sign(z1 + k - r * h), sympy.Matrix([[1 - r**2]])),
            exp(-(h**2)) / sqrt(2 * pi) * Expectation(sign(z1 + k + r * h), sympy.Matrix([[1 - r**2]])),
            exp(-(h**2) / 2) / sqrt(2 * pi) * Expectation(sign(z1 + k + r * h), sympy.eye(1)),
            1 / sqrt(2 * pi) * Expectation(sign(z1 + k + r * h), sympy.Matrix([[1 - r**2]])),
        ],
    ),
    (
        "density",
        HELD,
        Expectation(z1 * z2, sympy.Matrix([[1 - a**2, c - a * b], [c - a * b, 1 - b**2]])) / sqrt(2 * pi),
        [
            Expectation(z1 * z2, sympy.Matrix([[1 - a**2, c], [c, 1 - b**2]])) / sqrt(2 * pi),
            Expectation(z1 * z2, sympy.Matrix([[1 - a**2, c - a * b], [c - a * b, 1 - b**2]])) / (2 * pi),
            Expectation(z1 * z2, sympy.Matrix([[1 - b**2, c - a * b], [c - a * b, 1 - a**2]])) / sqrt(2 * pi),
        ],
    ),
    (
        "price",
        SIGNS,
        Expectation(sign(z1) * sign(z2), APART) + Integral(4 * r * POINT, (path, 0, 1)),
        [
            Expectation(sign(z1) * sign(z2), APART) + Integral(2 * r * POINT, (path, 0, 1)),
            Expectation(sign(z1) * sign(z2), APART) + Integral(4 * POINT, (path, 0, 1)),
            Expectation(sign(z1) * sign(z2), APART) + Integral(4 * r * POINT, (path, 0, 2)),
            Expectation(sign(z1) * sign(z2), pair_at(r / 2)) + Integral(4 * r * POINT, (path, 0, 1)),
        ],
    ),
    (
        "one-sign",
        Expectation(sign(z1 - h), sympy.Matrix([[k]])),
        -erf(h / sqrt(2 * k)),
        [erf(h / sqrt(2 * k)), -erf(h / sqrt(k)), -erf(h / (2 * k)), sympy.Integer(0)],
    ),
    (
        "two-signs",
        Expectation(sign(z1 - h) * sign(z2), PAIR),
        4 * OwensT(h, r / sqrt(1 - r**2)),
        [
            2 * OwensT(h, r / sqrt(1 - r**2)),
            -4 * OwensT(h, r / sqrt(1 - r**2)),
            4 * OwensT(h, r),
            4 * OwensT(h / 2, r / sqrt(1 - r**2)),
        ],
    ),
    (
        "two-signs",
        Expectation(sign(z1 - h) * sign(z2 + k), PAIR),
        -1 - 4 * OwensT(h, -(k / h + r) / sqrt(1 - r**2)) - 4 * OwensT(k, -(h / k + r) / sqrt(1 - r**2)),
        [
            1 - 4 * OwensT(h, -(k / h + r) / sqrt(1 - r**2)) - 4 * OwensT(k, -(h / k + r) / sqrt(1 - r**2)),
            -1 - 4 * OwensT(h, (k / h - r) / sqrt(1 - r**2)) - 4 * OwensT(k, (h / k - r) / sqrt(1 - r**2)),
            -1 - 4 * OwensT(h, -(k / h + r) / sqrt(1 - r**2)),
        ],
    ),
    (
        "two-signs",
        Expectation(sign(z1 + a) * sign(z2 + b), PAIR),
        4 * Phi2(a, b, r) - 1 - erf(a / sqrt(2)) - erf(b / sqrt(2)),
        [
            4 * Phi2(a, b, -r) - 1 - erf(a / sqrt(2)) - erf(b / sqrt(2)),
            4 * Phi2(a, b, r) - 1 + erf(a / sqrt(2)) - erf(b / sqrt(2)),
            2 * Phi2(a, b, r) - 1 - erf(a / sqrt(2)) - erf(b / sqrt(2)),
        ],
    ),
    ("arcsine", SIGNS, 2 * asin(r) / pi, [asin(r) / pi, -2 * asin(r) / pi, 2 * r / pi, 2 * asin(r**2) / pi]),
    ("arctan", asin(r), atan(r / sqrt(1 - r**2)), [atan(r), -atan(r / sqrt(1 - r**2)), 2 * atan(r / sqrt(1 - r**2))]),
]
# What holds of other covariances: independence of variables that are not, one variable of two that are not, and
# covariances that a rule may not change.
PARTLY = sympy.Matrix([[1, 0, Q(1, 2)], [0, 1, 0], [Q(1, 2), 0, 1]])
SQUARE = Expectation(z1**2, sympy.eye(1))
UNEARNED = [
    ("independence", Expectation(z1**2 * z2**2, pair_at(Q(1, 2))), SQUARE**2),
    ("independence", Expectation(z1**2 * z2**2, PAIR), SQUARE**2),
    (
        "independence",
        Expectation(sign(z1 + h) * erf(z2), pair_at(Q(1, 10**9))),
        Expectation(sign(z1 + h), sympy.eye(1)) * Expectation(erf(z1), sympy.eye(1)),
    ),
    ("independence", Expectation(z1**2 * z2**2 * z3**2, PARTLY), SQUARE**3),
    ("independence", Expectation(z1**2 * z2**2 * z3**2, PARTLY), SQUARE * Expectation(z1**2 * z2**2, APART)),
    ("collinear-signs", Expectation(sign(z1) * sign(z2), pair_at(1 - Q(1, 10**9))), sympy.Integer(1)),
    ("collinear-signs", Expectation(sign(z1) * sign(z2), PAIR), sympy.Integer(-1)),
    ("collinear-signs", Expectation(sign(z1) * sign(z2), pair_at(-1)), sympy.Integer(1)),
    (
        "linearity",
        Expectation(Heaviside(z1) * z2**2, PAIR),
        (Expectation(z2**2, APART) + Expectation(z2**2 * sign(z1), APART)) / 2,
    ),
    (
        "exponential-tilt",
        Expectation(exp(h * z1) * sign(z2 - k), PAIR),
        exp(h**2 / 2) * Expectation(sign(z2 + r * h - k), APART),
    ),
    ("common-factor", Expectation(sign(z1) * sign(z2) * sign(z3) * sign(z4), sympy.eye(4)), Q(1, 5)),
    (
        "characteristic-function",
        Expectation(sympy.cos(h * z1) * z2**2, PAIR),
        exp(-(h**2) / 2) * Expectation(z2**2 - r**2 * h**2, APART),
    ),
    ("marginal", Expectation(z2**2, sympy.diag(1, 3)), SQUARE),
]


def test_what_another_covariance_would_give_is_refused():
    assert [step for step in UNEARNED if accepted(*step)] == []


def test_independence_of_groups_is_accepted():
    """z2 has no covariance with z1 and z3, which are correlated."""
    apply(
        "independence",
        Expectation(z1**2 * z2**2 * z3**2, PARTLY),
        SQUARE * Expectation(z1**2 * z2**2, pair_at(Q(1, 2))),
    )


def apply(rule, old, new, remainder=1):
    RULES[rule](3 * old + 1, Step(3 * new + remainder, "because", rule, (Tuple(old, new),)))


def accepted(*step):
    """Whether the rule accepts the step."""
    try:
        apply(*step)
    except StepError:
        return False
    return True


def test_the_right_step_passes():
    assert [case for case in CASES if not accepted(*case[:3])] == []


def test_a_planted_fault_is_refused():
    assert [
        (rule, old, wrong) for rule, old, _, wrongs in CASES for wrong in wrongs if accepted(rule, old, wrong)
    ] == []


def test_a_right_replacement_with_a_wrong_result_is_refused():
    assert [case for case in CASES if accepted(*case[:3], 2)] == []


def test_signs_given_a_fixed_variable_may_stand_in_three_units():
    """Given z1 = 0 of variance 4, z2 has the variance 3 - 2^2/4 = 2; signs allow the units 1, sqrt(4) and 4."""
    old = Expectation(DiracDelta(z1) * sign(z2 + h), sympy.Matrix([[4, 2], [2, 3]]))
    front = 1 / sqrt(8 * pi)
    for unit in (1, 2, 4):
        apply("density", old, front * Expectation(sign(z1 + unit * h), sympy.Matrix([[2 * unit**2]])))
        for offset, variance in ((unit, 2 * unit**2 + 1), (unit, 4 * unit**2), (unit + 4, 2 * unit**2)):
            assert not accepted("density", old, front * Expectation(sign(z1 + offset * h), sympy.Matrix([[variance]])))


def test_collecting_terms_changes_no_value():
    for before, after in ((sympy.Integer(0), g), (g, sympy.Integer(0)), (g, g + 1)):
        with pytest.raises(StepError):
            RULES["collect"](before, Step(after, "because", "collect"))


def test_the_law_of_two_signs_wants_one_sign_of_each_variable():
    for integrand in (sign(z1 + 1) * sign(z1 - 1), sign(z1) * sign(z2 + z1), sign(z1) * erf(z2)):
        assert not accepted("two-signs", Expectation(integrand, PAIR), sympy.Integer(0)), integrand


def test_every_rule_of_the_engine_has_a_case():
    from theory.gaussian.derive.engine import WHY

    if without := sorted(set(WHY) - {case[0] for case in CASES}):
        pytest.fail(f"Rules without a case in CASES: {', '.join(without)}.")
