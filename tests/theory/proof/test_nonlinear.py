"""The rules for nonlinear equations accept what follows and refuse what does not, each for its reason."""

import re

import sympy
from sympy import Eq, Tuple, exp, sqrt, symbols

import theory.proof.rules.nonlinear  # noqa: F401 - it registers the rules
from tests.theory.proof.steps import refusal
from theory.expressions.relaxation import phi1
from theory.expressions.symbols import t, tau

a0, s = symbols("a0 s", positive=True)
c = sympy.Symbol("c", real=True)
a, b, p, q = (sympy.Function(name, positive=True)(t) for name in "abpq")


def equal(left, right):
    return Eq(left, right, evaluate=False)


LOGISTIC = equal(tau * a.diff(t), 2 * a * (s - a))
SIGMOID = a0 / (exp(-2 * s * t / tau) + 2 * a0 * t / tau * phi1(2 * s * t / tau))
START = (t, Tuple(a, a0))
PAIR = Tuple(equal(p.diff(t), q * (s - p * q)), equal(q.diff(t), p * (s - p * q)))
RADICAL = equal(a.diff(t), -a * sqrt(1 + c**2))
# rule, before, after, using
ACCEPTED = [
    ("initial-value", LOGISTIC, equal(a, SIGMOID), START),
    ("initial-value", RADICAL, equal(a, a0 * exp(-sqrt(1 + c**2) * t)), START),
    ("change-of-unknowns", PAIR, equal(b.diff(t), 0), (Tuple(b, q**2 - p**2),)),
    ("change-of-unknowns", PAIR, equal(b.diff(t), (p**2 + q**2) * (s - p * q)), (Tuple(b, p * q),)),
    ("change-of-unknowns", equal(b, t + a0), equal(a, 1 / (t + a0)), (Tuple(a, 1 / b),)),
]
# rule, before, after, using, words of the refusal
REFUSED = [
    ("initial-value", LOGISTIC, equal(a, SIGMOID.subs(t, 2 * t)), START, "is not satisfied"),
    ("initial-value", LOGISTIC, equal(a, SIGMOID.subs(a0, 2 * a0)), START, "the initial value of .* is wrong"),
    ("initial-value", LOGISTIC, equal(a, SIGMOID), (t,), "its own unknown"),
    ("initial-value", LOGISTIC, equal(a, SIGMOID + 0 * t + b), START, "does not solve"),
    ("initial-value", equal(b.diff(t), -a), equal(a, a0 * exp(-t)), START, "not an equation for the derivative"),
    # Two solutions pass through 0: t^2/4 and 0.
    ("initial-value", equal(a.diff(t), sqrt(a)), equal(a, t**2 / 4), (t, Tuple(a, 0)), "not a polynomial"),
    (
        "initial-value",
        equal(a.diff(t), -a),
        equal(a, a0 * exp(-t) + exp(-c * t) - exp(-s * t)),
        START,
        "are not rational multiples of one",
    ),
    # The other root.
    ("initial-value", RADICAL, equal(a, a0 * exp(sqrt(1 + c**2) * t)), START, "is not satisfied"),
    ("change-of-unknowns", PAIR, equal(b.diff(t), 0), (Tuple(b, q**2 + p**2),), "does not follow"),
    ("change-of-unknowns", equal(a * b, 1), equal(a, 1), (Tuple(a, b),), "multiple of one unknown"),
]


def test_what_follows_is_accepted():
    assert [step for step in ACCEPTED if refusal(*step)] == []


def test_a_step_is_refused_for_its_reason():
    assert [row for row in REFUSED if not re.search(row[-1], refusal(*row[:-1]))] == []
