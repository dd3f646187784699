"""Every refusal of the shared rules, by its reason: a step that only this check refuses, some of them nearly true."""

import re

import sympy
from sympy import Eq, Integer, Sum, Tuple, exp, oo, symbols

import theory.proof.rules.cases
import theory.proof.rules.components
import theory.proof.rules.modes
import theory.proof.rules.quadratic
import theory.proof.rules.recursion
import theory.proof.rules.ring
import theory.proof.rules.shared
import theory.proof.rules.sums  # noqa: F401 - they register the rules
from tests.theory.proof.steps import refusal
from theory.expressions.symbols import t, tau

x, y, c, L, M, start = symbols("x y c L M start", real=True)
a = sympy.Symbol("a", positive=True)
k, m, n, P = symbols("k m n P", integer=True, positive=True)
count, eta = sympy.Symbol("count", integer=True, nonnegative=True), sympy.Symbol("eta", positive=True)
X, W = sympy.IndexedBase("X"), sympy.IndexedBase("W")
u, v = sympy.Function("u"), sympy.Function("v")
A, A_plus, b, b_row, q, q_row, w = symbols("A A_plus b b_row q q_row w", commutative=False)
NAMES = (Tuple(A, A_plus), Tuple(b, b_row), Tuple(q, q_row))
SINGULAR = sympy.ImmutableMatrix([[1, 1], [1, 1]])
ENTRIES = (*NAMES[:2], Tuple(SINGULAR, SINGULAR / 4), sympy.ImmutableMatrix([c, c]))
SQUARE = (q_row - b_row * A_plus) * A * (q - A_plus * b)
DECAY = Eq(u(t).diff(t), -u(t))
GROWTH = Eq(u(count + 1), a * u(count))
SQUARES = Sum(X[k] ** 2, (k, 1, P))
AREA = sympy.Integral(1 / x, (x, 0, 1))


def equal(left, right):
    return Eq(left, right, evaluate=False)


def derivative(loss, by):
    return equal(y, -sympy.Derivative(loss, by, evaluate=False))


# rule, before, after, using, words of the refusal
REFUSED = [
    ("rescale", equal(x, y), equal(c * x, c * y), (c,), "may vanish"),
    ("rescale", Tuple(equal(x, y), equal(y, c)), equal(2 * x, 2 * y), (Integer(2),), "2 equations became 1"),
    ("rescale", x, equal(x, y), (Integer(1),), "relates equations"),
    ("stack", equal(x, y), Tuple(equal(c, 1), equal(L, 1)), (Tuple((x, c), (y, 1)),), "once for each new equation"),
    ("project", equal(w, b), equal(x, y), (A, Tuple(A, c), Tuple(w, x)), "names no component"),
    ("block", equal(w, b), equal(w, b), (A,), "does not occur"),
    ("change-of-unknowns", equal(u(t).diff(t) + v(t).diff(t), 0), equal(x, 0), (Tuple(x, u(t)),), "one unknown"),
    ("select", Tuple(equal(x, 1), equal(y, 2)), equal(y, 1), (), "not among"),
    ("solve-ode", DECAY, equal(u(t), x * exp(-t)), (t,), "its own unknown"),
    ("solve-ode", DECAY, equal(v(t), x * exp(-t)), (t, Tuple(u(t), x)), "does not solve"),
    ("solve-ode", DECAY, equal(u(t), u(t) + 0 * x), (t, Tuple(u(t), u(0))), "does not solve"),
    # True, but of an equation that may have other solutions as far as the rule knows.
    ("solve-ode", Eq(u(t).diff(t), -(u(t) ** 2)), equal(u(t), a / (1 + a * t)), (t, Tuple(u(t), a)), "not affine"),
    ("limit", equal(u(t), 1 - exp(-a * t)), equal(v(oo), 1), (t,), "not the limit"),
    ("limit", equal(u(t), 1 + 1 / t), equal(u(oo), 1), (t,), "does not settle"),
    # exp(-1/a) has the positive rate 1/a^2 and goes to 1.
    ("limit", equal(u(a), exp(-1 / a)), equal(u(oo), 0), (a,), "need not decay"),
    ("limit", equal(u(t), exp(-c * t)), equal(u(oo), 0), (t,), "need not decay"),
    ("components", equal(L, b_row * w), equal(L, 2 * c**2), ENTRIES, "has no entries"),
    ("components", equal(L, A * b), equal(L, 2 * c), ENTRIES, "is not a scalar"),
    ("components", equal(L, b_row * A_plus * b), equal(M, c**2), ENTRIES, "is about M, not about L"),
    ("solve-linear", equal(x + y, 3), equal(y, 1), (Tuple(x, 2), Tuple(y, 1)), "does not determine"),
    ("rest", equal(-u(t).diff(t), -a * u(t)), equal(0, -a * x), (Tuple(u(t), x),), "positive coefficient"),
    (
        "rest",
        Tuple(equal(u(t).diff(t), -a * u(t) - v(t)), equal(v(t).diff(t), -a * v(t))),
        Tuple(equal(0, -a * x - y), equal(0, -a * y)),
        (Tuple(u(t), x), Tuple(v(t), y)),
        "not symmetric",
    ),
    ("rest", equal(u(t).diff(t), 1 - c * u(t)), equal(0, 1 - c * x), (Tuple(u(t), x),), "need not be positive"),
    # The gradient vanishes, and the curvature is positive: no quadratic all the same.
    ("least-squares", equal(L, (x - 3) ** 4 + (x - 3) ** 2), equal(M, 0), (Tuple(x, 3),), "not a regular quadratic"),
    ("least-squares", equal(L, (x - y) ** 2), equal(M, 0), (Tuple(x, 0), Tuple(y, 0)), "not a regular quadratic"),
    ("least-squares", equal(L, -((x - 3) ** 2)), equal(M, 0), (Tuple(x, 3),), "no mean of squares"),
    ("complete-square", equal(L, q_row * A * q), equal(M, q_row * A * q), NAMES, "not complete"),
    ("minimum", equal(L, SQUARE), equal(M, 1), NAMES, "not the stated minimum"),
    ("minimum", equal(L, SQUARE + q_row * q), equal(M, q_row * q), NAMES, "still depends"),
    ("euler-step", equal(u(t), x), equal(u(count + 1), x), (count, eta), "not the ODE of one unknown"),
    ("euler-step", DECAY, equal(u(count), (1 - tau * eta) * u(count)), (count, eta), "an Euler step of the ODE"),
    ("induction", GROWTH, equal(u(count), start * a**count), (count, Tuple(v(0), start)), "the start is given as"),
    ("induction", GROWTH, equal(u(count), 2 * start * a**count), (count, Tuple(u(0), start)), "at 0 the formula is"),
    ("induction", GROWTH, equal(u(count), start), (count, Tuple(u(0), start)), "does not map the formula"),
    ("half-spaces", equal(b, A * w), equal(b, A * w), (A, A_plus, q, b, b_row), "with both blocks"),
    ("average", equal(y, SQUARES**5), equal(y, x**5), (Tuple(x, SQUARES),), "the limit is 4"),
    ("average", equal(y, Sum(X[k], (k, 2, P))), equal(y, x), (Tuple(x, Sum(X[k], (k, 2, P))),), "a full range"),
    ("average", equal(y, Sum(c, (k, 1, P))), equal(y, x), (Tuple(x, Sum(c, (k, 1, P))),), "does not depend on k"),
    ("average", equal(y, c * SQUARES), equal(y, x), (Tuple(x, SQUARES),), "give another equation"),
    ("gradient", equal(y, SQUARES), equal(y, 2 * X[m]), (X[m],), "one derivative of a loss"),
    ("gradient", derivative(SQUARES, X[m]), equal(x, -2 * X[m]), (X[m],), "the left sides must be equal"),
    ("gradient", derivative(SQUARES, X[m]), equal(y, -2 * X[n]), (X[n],), "the derivative is by"),
    ("gradient", derivative(SQUARES, X[m]), equal(y, -X[m]), (X[m],), "differs"),
    ("name", equal(y, x + 1), equal(y, c), (Tuple(x + 2, c),), "does not occur"),
    ("name", equal(y, x + 1), equal(y, y), (Tuple(x + 1, y),), "already taken"),
    ("name", equal(y, x + 1), equal(y, 2 * c), (Tuple(x + 1, c),), "differs from the previous one"),
    ("substitute", x + y, c, (), "must list the replacements"),
    ("substitute", x + y, c, (Tuple(x, y, c),), "is not a pair"),
    ("substitute", x + y, 2 * y, (Tuple(x, y),), "substitution: x = y is false"),
    ("integrate", x, y, (Tuple(x, y),), "not a definite integral"),
    ("integrate", AREA, oo, (Tuple(AREA, sympy.log(x)),), "no finite values"),
    ("identity", x, equal(x, y), (), "an equation and an expression"),
    ("substitute", equal(x + y, c), equal(2 * c, c), (Tuple(x + y, 2 * c),), "substitution: x \\+ y = 2\\*c is false"),
    ("cite", x, y, (equal(x, y),), "one claim for each equation"),
    ("telescope", Sum(k, (k, 1, n), (m, 1, n)), x, (Tuple(Sum(k, (k, 1, n), (m, 1, n)), x),), "over one index"),
    ("telescope", x, y, (Tuple(Sum(k, (k, 1, n)), k * (k - 1) / 2),), "does not occur"),
]


def test_a_step_is_refused_for_its_reason():
    assert [row for row in REFUSED if not re.search(row[-1], refusal(*row[:-1]))] == []
