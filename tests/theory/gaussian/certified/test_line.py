"""Averages over one and two variables beyond the engine, against the defining integral by mpmath and closed forms."""

from fractions import Fraction

import mpmath
import pytest
import sympy
from flint import arb, fmpq

from theory.expressions.balls.growth import Growth
from theory.expressions.balls.precision import precision
from theory.expressions.functions import Phi, Relu
from theory.expressions.language import Names, parse
from theory.expressions.symbols import z
from theory.gaussian import expect
from theory.gaussian.certified.pair import pair
from theory.problem.errors import OutOfReachError

x = z(1)
HALF = sympy.Rational(1, 2)
# Digits of the reference, of which the last ones are lost to rounding.
WORKING, TRUSTED = 45, 38


def normal(u):
    return mpmath.erfc(-u / mpmath.sqrt(2)) / 2


with mpmath.workdps(WORKING):
    THIRD = mpmath.mpf(1) / 3
    CUBE_ROOT = mpmath.mpf(2) ** THIRD
    ANGLES = [side * mpmath.sqrt(1 + mpmath.tan(mpmath.pi - 3)) for side in (-1, 1)]
# The integrand as text and as a function, the variance, the mean, and where the function turns.
LINES = [
    ("Phi(z1)**5", lambda u: normal(u) ** 5, 1, "1/3", []),
    ("tanh(1000*z1-3000)", lambda u: mpmath.tanh(1000 * u - 3000), 1, "1/7", ["2.99", "2.999", 3, "3.001", "3.01"]),
    ("exp(9*z1)*tanh(z1)", lambda u: mpmath.exp(9 * u) * mpmath.tanh(u), 1, 0, []),
    ("relu(abs(z1)-1)*sigmoid(z1)", lambda u: max(abs(u) - 1, 0) / (1 + mpmath.exp(-u)), 4, 0, [-1, 1]),
    ("swish(z1)*step(z1+2)", lambda u: u / (1 + mpmath.exp(-u)) * (u > -2), 1, -1, [-2]),
    ("softplus(z1)", lambda u: mpmath.log1p(mpmath.exp(u)), "1/1000000", -10, []),
    # singular at zeros of polynomials, bounded at poles, touching at 0, at the end of a domain, with a jump of an angle
    ("log(2*abs(z1**3-2)**(1/3))", lambda u: mpmath.log(2 * abs(u**3 - 2) ** THIRD), 1, 0, [CUBE_ROOT]),
    ("tanh(1/z1+1)*min(1/abs(z1),2)", lambda u: mpmath.tanh(1 / u + 1) * min(1 / abs(u), 2), 1, 0, [-0.5, 0, 0.5]),
    ("max(1/(2+cos(z1)),1/3)", lambda u: 1 / (2 + mpmath.cos(u)), 1, "1/2", []),
    ("acos(tanh(z1**2))", lambda u: mpmath.acos(mpmath.tanh(u * u)), 1, 0, []),
    ("abs(atan2(z1**2-1,-1)-3)", lambda u: abs(mpmath.atan2(u * u - 1, -1) - 3), 1, 0, [-1, 1, *ANGLES]),
]


@pytest.mark.parametrize("case", LINES, ids=lambda case: case[0])
def test_balls_contain_the_defining_integral(case):
    text, function, variance, mean, turns = case
    moment = expect(text, f"[[{variance}]]", f"[{mean}]")
    assert [check.error for check in moment.derivation.check() if not check.passed] == []
    with mpmath.workdps(WORKING):
        middle, width = (
            mpmath.mpf(Fraction(number).numerator) / Fraction(number).denominator for number in (mean, variance)
        )
        width = mpmath.sqrt(width)
        turns = [(mpmath.mpf(turn) - middle) / width for turn in turns]
        ends = sorted({*map(mpmath.mpf, range(-33, 34, 3)), *(turn for turn in turns if abs(turn) < 33)})
        density = 1 / mpmath.sqrt(2 * mpmath.pi)
        truth = mpmath.quad(lambda u: function(middle + width * u) * mpmath.exp(-u * u / 2) * density, ends)
        for digits in (6, 30):
            value = moment.evaluate(digits)
            assert value.digits == digits
            allowed = mpmath.mpf(value.radius) + abs(truth) * mpmath.mpf(10) ** -TRUSTED
            assert abs(mpmath.mpf(value.value) - truth) <= allowed, value


GROWING = [
    *("tanh(z1)-2", "z1**3*exp(-abs(z1))", "softplus(3*z1)**2", "1/(1+exp(-z1))", "log(Phi(z1-1))", "max(z1,z1**2,-3)"),
    *("exp(z1**2/3-z1)", "exp(-z1**4+3*z1**2)", "1/(z1**2+z1+1)", "sqrt(abs(z1-1/3))", "2**z1*cosh(z1)", "erfc(z1/2)"),
    *("exp(1-abs(z1)-2*z1**2)", "1/(2+sin(z1))", "log(1/(1+exp(-z1)))", "relu(z1-1)**2*atan(z1)", "1/max(1,z1)"),
]


@pytest.mark.parametrize("text", GROWING)
def test_bounds_hold_near_and_far(text):
    f, growth = parse(text, Names(variables=1)), Growth(x)
    plain = f.replace(Phi, lambda u: sympy.erfc(-u / sympy.sqrt(2)) / 2)
    bounds = {"size": growth.size(f)}
    for name in ("least", "above"):
        try:
            bounds[name] = getattr(growth, name)(f)
        except OutOfReachError:
            continue
    with mpmath.workdps(60):
        for place in (0, "1e-3", "0.4", 1, 2, 7, 30, 100):
            for side in (1, -1):
                t = mpmath.mpf(place)
                value = mpmath.mpf(str(plain.xreplace({x: sympy.Rational(str(place)) * side}).evalf(60, maxn=2000)))
                sums = {
                    name: sum(mpmath.mpf(str(float(part))) * t**k for k, part in enumerate(parts))
                    for name, parts in bounds.items()
                }
                room = 1e-12 * (1 + t * t)
                assert abs(value) <= mpmath.exp(sums["size"] + room), (place, side)
                if "least" in sums:
                    assert abs(value) >= mpmath.exp(-sums["least"] - room), (place, side)
                if "above" in sums:
                    assert value <= sums["above"] + room * (1 + abs(sums["above"])), (place, side)


@pytest.mark.parametrize("name", ["relu", "step", "erf"])
def test_mehlers_series_is_the_closed_form(name):
    """With kinks and jumps, and for balls of the scale that are no points."""
    f = {"relu": Relu(x), "step": sympy.Heaviside(x - HALF), "erf": Phi(3 * x)}[name]
    text = {"relu": "relu({})", "step": "Heaviside({}-1/2)", "erf": "Phi(3*{})"}[name]
    closed = expect("*".join(text.format(variable) for variable in ("z1", "z2")), "[[1, -3/5], [-3/5, 1]]")
    certified = closed.evaluate(30)
    with precision(120):
        value = pair(f, f, x, arb(fmpq(-3, 5)), {}, {})
        assert value.rel_accuracy_bits() > 80
        assert value.overlaps(arb(certified.value, float(certified.radius)))


# Integrable singularities, and quotients whose zeros cancel.
SINGULAR = [
    ("log(abs(z1))", lambda: -(mpmath.euler + mpmath.log(2)) / 2),
    ("log(z1**2)*sign(z1)**2", lambda: -(mpmath.euler + mpmath.log(2))),
    ("abs(z1)**(-1/2)", lambda: mpmath.gamma(0.25) / mpmath.sqrt(mpmath.pi) / mpmath.mpf(2) ** 0.25),
    ("sin(z1)/z1", lambda: mpmath.sqrt(mpmath.pi / 2) * mpmath.erf(1 / mpmath.sqrt(2))),
    ("z1*log(abs(z1))", lambda: mpmath.mpf(0)),
    ("log(2*abs(z1))", lambda: (mpmath.log(2) - mpmath.euler) / 2),
    (
        "abs(z1)**(1/3)",
        lambda: mpmath.mpf(2) ** (mpmath.mpf(1) / 6) * mpmath.gamma(mpmath.mpf(2) / 3) / mpmath.sqrt(mpmath.pi),
    ),
]


@pytest.mark.parametrize("case", SINGULAR, ids=lambda case: case[0])
def test_integrable_singularities(case):
    text, exact = case
    value = expect(text, "[[1]]").evaluate(30)
    with mpmath.workdps(WORKING):
        assert abs(mpmath.mpf(value.value) - exact()) <= mpmath.mpf(value.radius)
    assert value.digits == 30


def test_a_jump_does_not_cancel_a_pole():
    """The angle is pi at 0, and near -pi just below."""
    with pytest.raises(OutOfReachError, match="not integrable"):
        expect("(atan2(z1,-1)-pi)/z1", "[[1]]")
