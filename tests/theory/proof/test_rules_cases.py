"""Rules by cases, by telescoping and on Gaussian integrals accept what follows and refuse planted faults."""

import sympy
from sympy import Eq, Integral, Max, Piecewise, Rational, Sum, Tuple, erf, exp, oo, pi, sqrt

import theory.gaussian.derive.rules.gaussian_integrals
import theory.proof.rules.cases
import theory.proof.rules.quadratic
import theory.proof.rules.sums  # noqa: F401 - they register the rules
from theory.expressions.symbols import z
from theory.gaussian.expectation import Expectation
from theory.proof.derivation import RULES, Step, StepError

h, f, u, s, m = sympy.symbols("h f u s m", real=True)
g, v = sympy.symbols("g v", positive=True)
k, n = sympy.symbols("k n", integer=True, positive=True)
OPEN = Piecewise((1, h >= 0), (0, True))
AJAR = Piecewise((1, h > 0), (0, True))
LINE = (u, -oo, oo)
WEIGHT = exp(-(u**2) / 2) / sqrt(2 * pi)
MEAN = Expectation(erf(g * z(1)), sympy.Matrix([[v]]))
DENSITY = exp(-(u**2) / (2 * v)) / sqrt(2 * pi * v)
SMOOTH = Integral(erf(g * (m + u)) * WEIGHT, LINE)
AT_ZERO = Integral(erf(g * u) * WEIGHT, LINE)
RATE = (erf(g * (m + u)) * WEIGHT).diff(m).xreplace({m: s})
RUNNING = AT_ZERO + Integral(Integral(RATE, LINE), (s, 0, m))
BELL = Integral(3 * exp(-(u**2) / v + 2 * u * m + m), LINE)
BELL_VALUE = 3 * sqrt(pi * v) * exp(m + v * m**2)
SERIES = Sum(k, (k, 1, n))
x = sympy.IndexedBase("x")
j = sympy.symbols("j", integer=True, positive=True)
q, a = sympy.symbols("q a", real=True)
w = sympy.Symbol("w")
# Equal at size 2, where no three indices differ.
CUBE = Sum(x[k], (k, 1, n)) ** 3
WITHOUT_TRIPLES = 3 * Sum(x[k] ** 2, (k, 1, n)) * Sum(x[k], (k, 1, n)) - 2 * Sum(x[k] ** 3, (k, 1, n))
UPSIDE_DOWN = Eq(q, 1 - (f - 3) ** 2, evaluate=False)


def step(rule, expr, *using):
    """A step with its reason left out."""
    return Step(expr, "because", rule, using)


def by(rule, old, new, *more):
    """The step that replaces `old` by `new` in `old`."""
    return old, step(rule, new, Tuple(old, new), *more)


SYSTEM = Tuple(Eq(h + f, 3), Eq(h - f, 1))
GOOD = [
    (SYSTEM, step("solve-linear", Eq(f, 1, evaluate=False), Tuple(h, sympy.Integer(2)), Tuple(f, sympy.Integer(1)))),
    (Max(h, 0), step("cases", OPEN * h, h)),
    (Max(h, 0), step("cases", AJAR * h, h)),
    (Max(h, 0) + Max(f, 0), step("cases", OPEN * h + Max(f, 0), h, f)),
    (Eq(f, Max(h, 0), evaluate=False), step("cases", Eq(f, OPEN * h, evaluate=False), h)),
    (SERIES, step("telescope", n * (n + 1) / 2, Tuple(SERIES, k * (k - 1) / 2))),
    (SERIES, step("telescope", n * (n + 1) / 2, Tuple(SERIES, k * (k - 1) / 2 + 5))),
    by("as-integral", MEAN, Integral(erf(g * u) * DENSITY, LINE)),
    by("under-the-integral", SMOOTH, RUNNING, m),
    by("odd-integrand", AT_ZERO, sympy.S.Zero),
    by("gaussian-integral", BELL, BELL_VALUE),
    (
        Integral(BELL, (m, 0, 1)),
        step("gaussian-integral", Integral(BELL_VALUE, (m, 0, 1)), Tuple(BELL, BELL_VALUE)),
    ),
]
BAD = [
    (
        Eq(q, CUBE, evaluate=False),
        step("average", Eq(q, WITHOUT_TRIPLES, evaluate=False), Tuple(a, Sum(x[k], (k, 1, n)))),
    ),
    (
        Eq(q, Sum(a, (k, 1, n)), evaluate=False),
        step("average", Eq(q, 2 * a, evaluate=False), Tuple(f, Sum(x[k], (k, 1, n)))),
    ),
    # Values that do not satisfy the system, stated as they are given; and a system that is satisfied by others too.
    (SYSTEM, step("solve-linear", Eq(f, 2, evaluate=False), Tuple(h, sympy.Integer(2)), Tuple(f, sympy.Integer(2)))),
    (
        Tuple(Eq(h + f, 3), Eq(2 * h + 2 * f, 6)),
        step("solve-linear", Eq(f, 1, evaluate=False), Tuple(h, sympy.Integer(2)), Tuple(f, sympy.Integer(1))),
    ),
    (UPSIDE_DOWN, step("least-squares", Eq(a, 1, evaluate=False), Tuple(f, sympy.Integer(3)))),
    (Max(h, 0), step("cases", AJAR * h + Piecewise((1, Eq(h, 0)), (0, True)), h)),  # wrong at h = 0 alone
    (OPEN, step("cases", AJAR, h)),
    (Max(h, 0), step("cases", h, h)),
    (Max(h, 0), step("cases", OPEN * h)),
    ((h + 1) ** 2, step("cases", h**2 + 2 * h + 1)),  # true, and about no sign
    ((w + 1) ** 2, step("cases", w**2 + 2 * w + 1, w)),  # true, and about the sign of a complex number
    ((h + 1) ** 2, step("cases", h**2 + 2 * h + 1, h + 1)),  # nor is a sum a symbol
    (Max(h, 0) + Max(f, 0), step("cases", OPEN * h + f, h, f)),
    (SERIES, step("telescope", n * (n - 1) / 2, Tuple(SERIES, k * (k - 1) / 2))),
    (SERIES, step("telescope", n * (n + 3) / 2, Tuple(SERIES, k * (k + 1) / 2))),
    (k, step("telescope", n, Tuple(k, n))),
    by("as-integral", MEAN, Integral(erf(g * u) * WEIGHT, LINE)),
    by("as-integral", MEAN, Integral(erf(g * u) * DENSITY, (u, 0, oo))),
    by("as-integral", MEAN, Integral(erf(2 * g * u) * DENSITY, LINE)),
    by("under-the-integral", SMOOTH, RUNNING - AT_ZERO, m),
    by("under-the-integral", SMOOTH, AT_ZERO + Integral(Integral(2 * RATE, LINE), (s, 0, m)), m),
    # a weight that depends on m, a weight that does not decay, and a slope that depends on u
    by("under-the-integral", Integral(erf(g * (m + u)) * exp(-(u**2) - u * m), LINE), RUNNING, m),
    by("under-the-integral", Integral(erf(g * (m + u)) * exp(u**2), LINE), RUNNING, m),
    by("under-the-integral", Integral(erf(g * m * u) * WEIGHT, LINE), RUNNING, m),
    by("odd-integrand", SMOOTH, sympy.S.Zero),
    by("odd-integrand", AT_ZERO, sympy.S.One),
    by("gaussian-integral", BELL, BELL_VALUE / 3),
    by("gaussian-integral", BELL, -BELL_VALUE),
    by("gaussian-integral", BELL, 3 * sqrt(pi * v) * exp(m + v * m**2 / 4)),
    by("gaussian-integral", BELL, 3 * sqrt(pi / v) * exp(m + v * m**2)),
    by("gaussian-integral", Integral(exp(m * u**2), LINE), sqrt(-pi / m)),  # the sign of m is open
    by("gaussian-integral", Integral(u**2 * exp(-(u**2)), LINE), sqrt(pi)),
    by("gaussian-integral", Integral(exp(-(u**2)), (u, 0, oo)), sqrt(pi)),
    (
        Integral(BELL, (m, 0, 1)),
        step("gaussian-integral", Integral(BELL_VALUE * Rational(1, 2), (m, 0, 1)), Tuple(BELL, BELL_VALUE)),
    ),
]


def accepted(before, after):
    """Whether its rule accepts the step."""
    try:
        RULES[after.rule](before, after)
    except StepError:
        return False
    return True


def test_what_follows_is_accepted():
    assert [after for before, after in GOOD if not accepted(before, after)] == []


def test_what_does_not_follow_is_refused():
    assert [after for before, after in BAD if accepted(before, after)] == []
