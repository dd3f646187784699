"""The shared rules accept what follows and refuse planted faults, every one."""

import sympy

import theory.proof.rules.shared  # noqa: F401 - registers the rules
from theory.proof.derivation import RULES, Step, StepError

x, a = sympy.symbols("x a", real=True)
t = sympy.Symbol("t", nonnegative=True)
AREA = sympy.Integral(3 * x**2, (x, 0, a))
AREA_FROM_1 = sympy.Integral(3 * x**2, (x, 1, a))
POLE = sympy.Integral(1 / (1 + x**2), (x, 0, 2))
HYPERBOLA = sympy.Integral(1 / x**2, (x, -1, 1))
ARC = sympy.Integral(1 / sympy.sqrt(1 - t**2 * x**2), (x, 0, 1))
LAW = sympy.Eq(sympy.sin(2 * x), 2 * sympy.sin(x) * sympy.cos(x), evaluate=False)


def step(rule, expr, *using, cites=()):
    """A step with its reason left out."""
    return Step(expr, "because", rule, using, cites)


GOOD = [
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
    ((x + 1) ** 2, step("identity", x**2 + 1)),
    (sympy.Eq(x, a, evaluate=False), step("identity", x - a)),
    (AREA, step("integrate", a**3, sympy.Tuple(AREA, x**2))),
    (AREA, step("integrate", a**3 + 1, sympy.Tuple(AREA, x**3))),
    (AREA, step("integrate", a**3)),
    # An antiderivative that jumps by -pi/2 at x = 1.
    (
        POLE,
        step("integrate", sympy.atan(4 / sympy.Integer(-3)) / 2, sympy.Tuple(POLE, sympy.atan(2 * x / (1 - x**2)) / 2)),
    ),
    # A pole between the ends, in the integrand too.
    (HYPERBOLA, step("integrate", sympy.Integer(-2), sympy.Tuple(HYPERBOLA, -1 / x))),
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
    (x + a, step("substitute", x + 1, sympy.Tuple(a, sympy.Integer(1)))),
    (sympy.sin(2 * x), step("cite", 2 * sympy.sin(x) * sympy.cos(x), LAW)),
    (sympy.sin(2 * x), step("cite", sympy.sin(x) * sympy.cos(x), LAW, cites=("trigonometry.double",))),
    (sympy.sin(2 * x), step("cite", 2 * sympy.sin(x) * sympy.cos(x), LAW, cites=("trigonometry.double", "another"))),
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
