"""The shared rules and those on cases, sums and Gaussian integrals accept what follows and refuse planted faults."""

import sympy
from sympy import Eq, Integral, Max, Piecewise, Rational, Sum, Tuple, erf, exp, oo, pi, sqrt

import theory.gaussian.derive.rules.gaussian_integrals
import theory.proof.rules.cases
import theory.proof.rules.quadratic
import theory.proof.rules.shared
import theory.proof.rules.sums  # noqa: F401 - they register the rules
from tests.theory.proof.steps import refusal
from theory.expressions.symbols import z
from theory.gaussian.expectation import Expectation
from theory.proof.derivation import Step

x, a = sympy.symbols("x a", real=True)
t = sympy.Symbol("t", nonnegative=True)
AREA = sympy.Integral(3 * x**2, (x, 0, a))
AREA_FROM_1 = sympy.Integral(3 * x**2, (x, 1, a))
POLE = sympy.Integral(1 / (1 + x**2), (x, 0, 2))
HYPERBOLA = sympy.Integral(1 / x**2, (x, -1, 1))
SHELF = sympy.Integral(-1 / (1 + x**2), (x, -1, 0))
ARC = sympy.Integral(1 / sympy.sqrt(1 - t**2 * x**2), (x, 0, 1))
LAW = sympy.Eq(sympy.sin(2 * x), 2 * sympy.sin(x) * sympy.cos(x), evaluate=False)
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
X = sympy.IndexedBase("X")
q = sympy.Symbol("q", real=True)
w = sympy.Symbol("w")
# Equal at size 2, where no three indices differ.
CUBE = Sum(X[k], (k, 1, n)) ** 3
WITHOUT_TRIPLES = 3 * Sum(X[k] ** 2, (k, 1, n)) * Sum(X[k], (k, 1, n)) - 2 * Sum(X[k] ** 3, (k, 1, n))
UPSIDE_DOWN = Eq(q, 1 - (f - 3) ** 2, evaluate=False)
SYSTEM = Tuple(Eq(h + f, 3), Eq(h - f, 1))


def step(rule, expr, *using, cites=()):
    """A step with its reason left out."""
    return Step(expr, "because", rule, using, cites)


def by(rule, old, new, *more):
    """The step that replaces `old` by `new` in `old`."""
    return old, step(rule, new, Tuple(old, new), *more)


GOOD = [
    (SYSTEM, step("solve-linear", Eq(f, 1, evaluate=False), Tuple(h, sympy.Integer(2)), Tuple(f, sympy.Integer(1)))),
    (Max(h, 0), step("cases", OPEN * h, h)),
    (Max(h, 0), step("cases", AJAR * h, h)),
    (Max(h, 0) + Max(f, 0), step("cases", OPEN * h + Max(f, 0), h, f)),
    (Eq(f, Max(h, 0), evaluate=False), step("cases", Eq(f, OPEN * h, evaluate=False), h)),
    (SERIES, step("telescope", n * (n + 1) / 2, Tuple(SERIES, k * (k - 1) / 2))),
    by("as-integral", MEAN, Integral(erf(g * u) * DENSITY, LINE)),
    by("under-the-integral", SMOOTH, RUNNING, m),
    by("odd-integrand", AT_ZERO, sympy.S.Zero),
    by("gaussian-integral", BELL, BELL_VALUE),
    (
        Integral(BELL, (m, 0, 1)),
        step("gaussian-integral", Integral(BELL_VALUE, (m, 0, 1)), Tuple(BELL, BELL_VALUE)),
    ),
    ((x + 1) ** 2, step("identity", x**2 + 2 * x + 1)),
    (sympy.Eq(x, a, evaluate=False), step("identity", sympy.Eq(2 * x, a + x, evaluate=False))),
    (AREA + 1, step("integrate", a**3 + 1, sympy.Tuple(AREA, x**3))),
    (AREA_FROM_1, step("integrate", a**3 - 1, sympy.Tuple(AREA_FROM_1, x**3 + 5))),
    # The root is real up to x = 1 because it is there.
    (ARC * t, step("integrate", sympy.asin(t), sympy.Tuple(ARC, sympy.asin(t * x) / t))),
    (sympy.Eq(x + a, 2 * a, evaluate=False), step("substitute", sympy.Eq(x + 1, 2), sympy.Tuple(a, sympy.Integer(1)))),
    (sympy.sin(2 * x) + 1, step("cite", 2 * sympy.sin(x) * sympy.cos(x) + 1, LAW, cites=("trigonometry.double",))),
]
BAD = [
    (
        Eq(q, CUBE, evaluate=False),
        step("average", Eq(q, WITHOUT_TRIPLES, evaluate=False), Tuple(a, Sum(X[k], (k, 1, n)))),
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
    (Max(h, 0), step("cases", OPEN * h)),
    ((h + 1) ** 2, step("cases", h**2 + 2 * h + 1)),  # true, and about no sign
    ((w + 1) ** 2, step("cases", w**2 + 2 * w + 1, w)),  # true, and about the sign of a complex number
    ((h + 1) ** 2, step("cases", h**2 + 2 * h + 1, h + 1)),  # nor is a sum a symbol
    (Max(h, 0) + Max(f, 0), step("cases", OPEN * h + f, h, f)),
    (SERIES, step("telescope", n * (n - 1) / 2, Tuple(SERIES, k * (k - 1) / 2))),
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
    by("gaussian-integral", BELL, BELL_VALUE / 3),
    by("gaussian-integral", BELL, 3 * sqrt(pi * v) * exp(m + v * m**2 / 4)),
    by("gaussian-integral", Integral(exp(m * u**2), LINE), sqrt(-pi / m)),  # the sign of m is open
    by("gaussian-integral", Integral(u**2 * exp(-(u**2)), LINE), sqrt(pi)),
    by("gaussian-integral", Integral(exp(-(u**2)), (u, 0, oo)), sqrt(pi)),
    (
        Integral(BELL, (m, 0, 1)),
        step("gaussian-integral", Integral(BELL_VALUE * Rational(1, 2), (m, 0, 1)), Tuple(BELL, BELL_VALUE)),
    ),
    ((x + 1) ** 2, step("identity", x**2 + 1)),
    (sympy.Eq(x, a, evaluate=False), step("identity", x - a)),
    (AREA, step("integrate", a**3, sympy.Tuple(AREA, x**2))),
    (AREA, step("integrate", a**3)),
    (AREA, step("integrate", a**3 + 1, sympy.Tuple(AREA, x**3))),
    # An antiderivative that jumps by -pi/2 at x = 1.
    (
        POLE,
        step("integrate", sympy.atan(4 / sympy.Integer(-3)) / 2, sympy.Tuple(POLE, sympy.atan(2 * x / (1 - x**2)) / 2)),
    ),
    # A pole between the ends, in the integrand too.
    (HYPERBOLA, step("integrate", sympy.Integer(-2), sympy.Tuple(HYPERBOLA, -1 / x))),
    # An antiderivative that jumps at an end: atan2(x, -1) from -pi to pi at x = 0.
    (
        SHELF,
        step("integrate", 7 * sympy.pi / 4, sympy.Tuple(SHELF, sympy.atan2(x, -1))),
    ),
    # A pole near either end.
    *(
        (area, step("integrate", -1 / (1 - place) + 1 / (-1 - place), sympy.Tuple(area, -1 / (x - place))))
        for place in (sympy.Rational(-3, 4), sympy.Rational(3, 4))
        for area in (sympy.Integral(1 / (x - place) ** 2, (x, -1, 1)),)
    ),
    # An antiderivative with a step at a number that no sample meets.
    (
        AREA,
        step(
            "integrate",
            a**3 + sympy.Heaviside(a - sympy.Rational(1, 7000001)),
            sympy.Tuple(AREA, x**3 + sympy.Heaviside(x - sympy.Rational(1, 7000001))),
        ),
    ),
    (sympy.sin(2 * x), step("cite", 2 * sympy.sin(x) * sympy.cos(x), LAW)),
    (sympy.sin(2 * x), step("cite", sympy.sin(x) * sympy.cos(x), LAW, cites=("trigonometry.double",))),
    (sympy.sin(2 * x), step("cite", 2 * sympy.sin(x) * sympy.cos(x), LAW, cites=("trigonometry.double", "another"))),
]


def accepted(before, after):
    """Whether its rule accepts the step."""
    return not refusal(after.rule, before, after.expr, after.using, after.cites)


def test_what_follows_is_accepted():
    assert [after for before, after in GOOD if not accepted(before, after)] == []


def test_what_does_not_follow_is_refused():
    assert [after for before, after in BAD if accepted(before, after)] == []
