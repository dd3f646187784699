"""Every bounded remainder is in its ball: truncated coarsely, a ball has the true value only by its remainder.

At an ordinary precision the bounds are far below the rounding and hide behind it. Here each truncation alone is made
coarse, its bound with it, while everything else stays at the working precision: without the remainder the ball would
miss the value, which comes from the definition by another quadrature.
"""

from fractions import Fraction
from itertools import combinations
from math import prod

import mpmath
import pytest
import sympy
from flint import acb, arb
from mpmath import mpf

from tests.tolerances import BOUND_IS_SHARP, COARSE_ERROR
from theory.expressions.balls import owens_t as owens
from theory.expressions.balls.precision import precision
from theory.expressions.symbols import z
from theory.gaussian import expect
from theory.gaussian.certified import digits, plackett, price_path, quadrant, signs
from theory.gaussian.certified.effort import Effort

BITS = 160  # the working precision
DIGITS = 40  # of the true values


@pytest.fixture(autouse=True)
def working_precision():
    with precision(BITS):
        yield


def expected(h, loadings):
    """E[prod sign(z_i + h_i)], z_i = a_i x + sqrt(1 - a_i^2) e_i: int phi(x) prod erf((h_i + a_i x)/...) dx, by Arb."""
    with precision(digits=DIGITS + 10):
        a, h = ([arb(x) for x in numbers] for numbers in (loadings, h))
        widths = [(2 * (1 - x * x)).sqrt() for x in a]

        def density(x, _):
            factors = (((b + c * x) / w).erf() for b, c, w in zip(h, a, widths, strict=True))
            return prod(factors, start=(-x * x / 2).exp())

        return acb.integral(density, -15, 15).real / (2 * arb.pi()).sqrt()


def true(value):
    """A true value as a ball that is thinner than everything here."""
    return value if isinstance(value, arb) else arb(mpmath.nstr(value, DIGITS))


def correlations(loadings):
    """The correlations of one-factor variables in the order r12, r13, ..."""
    return [arb(a) * arb(b) for a, b in combinations(loadings, 2)]


def assert_in_the_ball_by_its_remainder(ball, value):
    """The ball has the value, and its midpoint is farther off than rounding: what has it is the remainder."""
    assert ball.contains(true(value)), ball
    assert abs(ball.mid() - true(value)) > COARSE_ERROR


# --- Gauss-Legendre sums ---------------------------------------------------------------------------------------------


def chebyshev(degree, x):
    """T_degree by its recurrence, which needs no function of a ball."""
    before, now = arb(1), x
    for _ in range(degree - 1):
        before, now = now, 2 * x * now - before
    return now


@pytest.mark.parametrize("strip", [0.3, 0.7])
def test_the_bound_of_a_sum_holds_and_is_sharp(strip):
    """T_m on [0, 1] is at most (rho^m + rho^-m)/2 in the ellipse, and n nodes are worst at m = 2 n."""
    ratios = []
    axis = arb(strip) * 2
    rho = axis + (1 + axis * axis).sqrt()
    for degree in range(2, 40, 2):
        most = (rho**degree + rho**-degree) / 2
        integral = arb(1) / (1 - degree * degree)
        for bits in range(-70, 10, 2):
            ball = signs._sum(lambda u, m=degree: chebyshev(m, 2 * u - 1), arb(1), strip, most, Effort(), bits)
            assert ball.contains(integral)
            ratios.append(float(abs(ball.mid() - integral) / ball.rad()))
    assert max(ratios) > BOUND_IS_SHARP


SUMS = {
    "two": (("0.3", "-0.5"), ("0.8", "0.6")),
    "three": (("0.3", "-0.5", "0.8"), ("0.8", "0.6", "-0.7")),
    "four": (("0.3", "-0.5", "0.8", "0.2"), ("0.8", "0.6", "-0.7", "0.5")),
    "four without thresholds": (("0", "0", "0", "0"), ("0.8", "0.6", "-0.7", "0.5")),
}


def certified(h, loadings):
    """The ball of the product of two to four signs."""
    r, thresholds = correlations(loadings), tuple(map(arb, h))
    if len(h) == 2:
        return signs.two_signs(*r, thresholds=thresholds)
    return (signs.three_signs if len(h) == 3 else signs.four_signs)(*r, thresholds)


@pytest.mark.parametrize("name", SUMS)
def test_a_sum_of_few_nodes_is_in_its_ball(name, monkeypatch):
    monkeypatch.setattr(signs, "_bits", lambda: 8)
    assert_in_the_ball_by_its_remainder(certified(*SUMS[name]), expected(*SUMS[name]))


# --- paths that end before t = 1 -------------------------------------------------------------------------------------

CLOSE = {
    "three": (("0.3", "-0.2", "0.1"), ("0.99", "0.995", "-0.99")),
    "four": (("0.3", "-0.2", "0.1", "0.2"), ("0.99", "0.995", "-0.99", "0.98")),
    "four without thresholds": (("0", "0", "0", "0"), ("0.99", "0.995", "-0.99", "0.98")),
}


@pytest.mark.parametrize(("h", "r"), [(("0", "0.01"), "0.98"), (("0.2", "-0.1"), "-0.98")])
def test_the_rest_of_the_angle_of_two_signs(h, r, monkeypatch):
    """The path of the angle ends at 2 < atanh(0.98), before Owen's T is taken."""
    monkeypatch.setattr(signs, "LONGEST_PER_BIT", 0)
    root = arb(r[-4:]).sqrt()
    value = expected(h, [mpf(1) * mpmath.sqrt(mpf("0.98")), (1 if r[0] != "-" else -1) * mpmath.sqrt(mpf("0.98"))])
    ball = signs.two_signs(root * root * (1 if r[0] != "-" else -1), thresholds=tuple(map(arb, h)))
    assert_in_the_ball_by_its_remainder(ball, value)


@pytest.mark.parametrize("side", [1, -1])
def test_a_ball_of_correlations_up_to_one_has_the_values_of_all(side):
    """r between 0.999 and 1: the path ends at the smallest, and the rest has all the others."""
    h = ("0", "0.01")
    ball = signs.two_signs(side * arb("0.9995", "0.0005"), thresholds=tuple(map(arb, h)))
    with mpmath.workdps(DIGITS + 10):
        first, second = (mpmath.erf(mpf(x) / mpmath.sqrt(2)) for x in h)
        loading = mpmath.sqrt(mpf("0.999"))
        fused = side * (1 - abs(first - side * second))
    for value in (fused, expected(h, (loading, side * loading))):
        assert ball.contains(true(value))


@pytest.mark.parametrize("name", CLOSE)
def test_the_rest_of_a_path_of_several_signs(name, monkeypatch):
    """The path ends at tanh(2) = 0.96, below the canonical correlations."""
    monkeypatch.setattr(price_path, "HALF_LOG_2", 0)
    assert_in_the_ball_by_its_remainder(certified(*CLOSE[name]), expected(*CLOSE[name]))


def test_the_rest_of_plackett_s_path(monkeypatch):
    monkeypatch.setattr(price_path, "HALF_LOG_2", 0)
    h, loadings = CLOSE["four without thresholds"]
    ball = plackett.plackett(*correlations(loadings), Effort())
    assert_in_the_ball_by_its_remainder(ball, expected(h, loadings))


# --- Owen's T and the quadrant ---------------------------------------------------------------------------------------


def owens_by_definition(h, a):
    """T(h, a) = (1/2 pi) int_0^a exp(-h^2 (1 + x^2)/2)/(1 + x^2) dx."""
    with mpmath.workdps(DIGITS + 10):
        h, a = mpmath.mpmathify(h), mpmath.mpmathify(a)
        value = mpmath.quad(
            lambda x: mpmath.exp(-h * h * (1 + x * x * a * a) / 2) / (1 + x * x * a * a), mpmath.linspace(0, 1, 9)
        )
        return a * value / (2 * mpmath.pi)


# The sum of few nodes; an integral that ends before a, because exp(-h^2 x^2/2) is small there; and both beyond a = 1.
@pytest.mark.parametrize(("h", "a"), [("1", "0.9"), ("0.3", "-0.75"), ("10", "0.9"), ("2", "3"), ("8", "1.5")])
def test_owens_t_of_few_nodes_is_in_its_ball(h, a, monkeypatch):
    monkeypatch.setattr(owens, "SPARE", 8 - BITS)
    ball, value = owens.owens_t(arb(h), arb(a)), owens_by_definition(h, a)
    assert ball.contains(true(value))
    assert abs(ball.mid() - true(value)) > COARSE_ERROR * value


def test_the_end_of_owens_t_is_in_its_ball(monkeypatch):
    """With all nodes but an end at exp(-h^2 x^2/2) = 2^-16, the remainder of the end alone has the value."""
    monkeypatch.setattr(owens, "SPARE", 8 - BITS)
    rule = owens.legendre
    monkeypatch.setattr(owens, "legendre", lambda count, bits: rule(200, bits))
    ball, value = owens.owens_t(arb(10), arb("0.9")), owens_by_definition("10", "0.9")
    assert ball.contains(true(value))
    assert abs(ball.mid() - true(value)) > COARSE_ERROR * value


@pytest.mark.parametrize("a", ["-0.6", "1.7"])
@pytest.mark.parametrize("moved", ["h", "a"])
@pytest.mark.parametrize("kind", ["real", "complex"])
def test_owens_t_of_wide_arguments_has_the_values_at_their_ends(a, moved, kind):
    """By the mean value theorem; real arguments, and a slope of 0.001 into the complex plane."""
    width, tilt = "0.001", "0.001" if kind == "complex" else "0"
    wide = {name: arb(0, width) if moved == name else arb(0) for name in ("h", "a")}
    h, slope = arb("0.8") + wide["h"], arb(a) + wide["a"]
    ball = owens.owens_t(h, slope) if kind == "real" else owens.owens_t(acb(h), acb(slope, arb(tilt)))
    for side in (-1, 1):
        shift = {name: side * mpf(width) * (moved == name) for name in wide}
        with mpmath.workdps(DIGITS + 10):
            value = owens_by_definition(mpf("0.8") + shift["h"] * 0.999, mpmath.mpc(mpf(a) + shift["a"] * 0.999, tilt))
        real = ball.real if kind == "complex" else ball
        assert real.contains(true(mpmath.re(value)))
        assert kind == "real" or ball.imag.contains(true(mpmath.im(value)))
    assert real.rad() > 0


def test_the_end_of_a_quadrant_is_in_its_ball(monkeypatch):
    """The integral over exp(-u) ends at u = 3."""
    monkeypatch.setattr(quadrant, "GUARD", 3 - int(0.7 * BITS))
    with mpmath.workdps(DIGITS + 10):
        density = lambda x: mpmath.npdf(x) * mpmath.erfc((2 - x / 2) / mpmath.sqrt(mpf(3) / 2)) / 2  # noqa: E731
        value = mpmath.quad(density, mpmath.linspace(mpf(3) / 2, 16, 59))
    ball = quadrant.quadrant(arb("1.5"), arb(2), arb("0.5"))
    assert_in_the_ball_by_its_remainder(ball, value)


# --- saturated factors and decimals ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("integrand", "cov"),
    [
        (sympy.sign(z(1) + 150), [[1]]),
        (sympy.sign(z(1) + 150) * sympy.sign(z(2) + 150), [[1, 0], [0, 1]]),
        (sympy.erf(z(1) + 200), [[1]]),
    ],
    ids=["a sign", "two signs", "an erf"],
)
def test_the_remainder_of_a_saturated_factor_has_what_is_left(integrand, cov):
    """E[1 - sign(z + 150)] = erfc(150/sqrt 2), E[1 - erf(z + 200)] = erfc(200/sqrt 3): about exp(-12000), not zero."""
    answer = expect(integrand, cov).evaluate(30)
    with mpmath.workdps(DIGITS):
        left = mpmath.erfc(200 / mpmath.sqrt(3)) if integrand.has(sympy.erf) else mpmath.erfc(150 / mpmath.sqrt(2))
        assert answer.value == "1"
        assert 0 < left <= mpf(answer.radius)
        assert Fraction(answer.radius) < Fraction(1, 10**2000)


def test_a_decimal_states_its_distance_from_both_ends_of_the_ball():
    middle = Fraction(2, 3)
    for radius in (Fraction(0), Fraction(1, 10**9), Fraction(1, 10**3), Fraction(1, 3)):
        for requested in (1, 6, 20):
            answer = digits.rounded(middle, radius, requested, "arb")
            farthest = max(abs(Fraction(answer.value) - end) for end in (middle - radius, middle + radius))
            assert farthest <= Fraction(answer.radius)
            assert Fraction(answer.radius) <= farthest * Fraction(102, 100)
            assert answer.digits <= requested
            assert answer.digits == 0 or farthest * 10**answer.digits <= middle
