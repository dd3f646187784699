"""Saturated factors: digits where they do not matter, a named error at once where nothing else is left."""

from decimal import Decimal
from fractions import Fraction

import mpmath
import pytest
import sympy
from flint import arb, ctx, fmpq
from sympy import Heaviside, erf, erfc, exp
from sympy import Rational as Q

from tests.tolerances import QUADRANT_BY_QUADRATURE, QUADRANT_RADIUS
from theory.expressions.functions import Relu
from theory.expressions.symbols import z
from theory.gaussian import expect
from theory.gaussian.certified import digits as certified
from theory.gaussian.certified import saturation
from theory.gaussian.certified.quadrant import corner, quadrant
from theory.problem.errors import InputError, OutOfReachError

z1, z2, z3 = map(z, (1, 2, 3))
TINY = Q(1, 10**9)
HUGE = 10**20


def pair(r):
    return sympy.Matrix([[1, r], [r, 1]])


def distance(answer, true):
    """|value - true| as a fraction."""
    return abs(Fraction(answer.value) - Fraction(Decimal(mpmath.nstr(true, 60))))


def test_a_saturated_erf_is_one_within_its_radius():
    for digits in (30, 1000):
        answer = expect(erf(z1 + HUGE), [[1]]).evaluate(digits)
        assert (answer.value, answer.digits) == ("1", digits)
        assert answer.radius == "3.37E-2172"  # exp(-5000), rounded up


def test_what_is_left_beside_saturated_functions():
    """E[z^2] + 0 = 1, E[exp(z) (1 - 0)] = sqrt e, P(z2 > 0) = 1/2."""
    assert expect(z1**2 + exp(z1 - 10**6) * erf(z1), [[1]]).evaluate(30).value == "1"
    root = expect(exp(z1) * erf(z1 + HUGE), [[1]]).evaluate(30)
    with mpmath.workdps(60):
        assert distance(root, mpmath.exp(0.5)) <= Fraction(root.radius)
    assert expect(Heaviside(z1 + 1000) * Heaviside(z2), pair(Q(1, 2))).evaluate(30).value == "0.5"


@pytest.mark.parametrize(
    ("integrand", "r"),
    [
        (erfc(z1 + HUGE), 0),
        (exp(z1 - 10**6) * erf(z1), 0),
        (exp(z1 + 10**6) * erf(z1) + z1**2, 0),
        (Heaviside(z1 - 1000) * Heaviside(z2), Q(1, 2)),
        (Heaviside(z1 - 1) * Heaviside(z2 - 1), TINY - 1),
        (Heaviside(z1 - Q(1, 2)) * Heaviside(z2 - Q(1, 2)) * erf(z2) * erf(z1), TINY - 1),
    ],
)
def test_nothing_else_is_left(monkeypatch, integrand, r):
    def never(*_):
        raise AssertionError("an integral was requested")

    moment = expect(integrand, pair(r))
    monkeypatch.setattr(certified, "_enclosed", never)
    with pytest.raises(OutOfReachError) as refused:
        moment.evaluate(30)
    assert "lies too far out" in refused.value.message


@pytest.mark.parametrize(("low", "high"), [(Q(1, 2), 1), (Q(-1, 4), 3)])
def test_nearly_opposite_variables(low, high):
    """z2 = -z1 up to 1e-9: z1 < low and z2 < -high together are hardly ever seen, which leaves P(low < z1 < high)."""
    with mpmath.workdps(60):
        at = [mpmath.mpf(x.numerator) / x.denominator for x in map(Fraction, (str(low), str(high)))]
        true = mpmath.ncdf(at[1]) - mpmath.ncdf(at[0])
    moment = Heaviside(z1 - low) * Heaviside(z2 + high)
    near, singular = (expect(moment, pair(r)).evaluate(30) for r in (TINY - 1, -1))
    assert distance(singular, true) <= Fraction(singular.radius)
    assert distance(near, true) <= Fraction(near.radius)
    third = expect(moment * Heaviside(z3), sympy.diag(pair(TINY - 1), 1)).evaluate(30)
    assert abs(2 * Fraction(third.value) - Fraction(near.value)) <= 2 * Fraction(third.radius) + Fraction(near.radius)


def orthant(x, y, r):
    """P(z1 > x, z2 > y) by a quadrature of the conditional tail."""
    with mpmath.workdps(60):
        r = mpmath.mpf(r.numerator) / r.denominator
        root = mpmath.sqrt(2 * (1 - r**2))
        return mpmath.quad(
            lambda s: mpmath.npdf(s) * mpmath.erfc((y - r * s) / root) / 2,
            mpmath.linspace(x, x + 16, 17),
            method="gauss-legendre",
        )


CORNERS = [(1, 2, -1, 2), (3, -1, -9, 10), (0, 3, -9, 10), (5, 4, 1, 2)]


@pytest.mark.parametrize(("x", "y", "p", "q"), CORNERS)
def test_quadrants_seen_from_afar(x, y, p, q):
    r = arb(fmpq(p, q))
    assert corner(arb(x), arb(y), r)
    true = orthant(x, y, Fraction(p, q))
    with ctx.workprec(160):
        value = quadrant(arb(x), arb(y), arb(fmpq(p, q)))
        assert value.rad() < QUADRANT_RADIUS * value
        assert abs(value - arb(mpmath.nstr(true, 50))) < QUADRANT_BY_QUADRATURE * value


def test_a_side_may_be_nearest():
    assert not corner(arb(3), arb(1), arb(0.5))
    assert not corner(arb(-1), arb(-1), arb(0.5))


@pytest.mark.parametrize("k", [50, 400, 4000])
def test_two_signs_with_a_rare_quadrant(monkeypatch, k):
    """P(z1 > 1, z2 > 1) at r = -1 + 1/k, between the bounds that 1 - x.M x/2 <= exp(-x.M x/2) <= 1 gives (Savage)."""
    steps = expect(Heaviside(z1 - 1) * Heaviside(z2 - 1), pair(-1 + Q(1, k)))
    answer = steps.evaluate(30)
    if k < 100:  # the two ways agree where both are fast
        monkeypatch.setattr(saturation, "LEAST_EXPONENT", saturation.LARGEST_EXPONENT)
        other = steps.evaluate(30)
        assert abs(Fraction(answer.value) - Fraction(other.value)) <= Fraction(answer.radius) + Fraction(other.radius)
    with mpmath.workdps(30):
        r = mpmath.mpf(1) / k - 1
        # z = (1, 1) + x has the density exp(-k - (x1 + x2)/(1 + r) - x.M x/2), M the inverse of the covariance.
        front = mpmath.exp(-k) / (2 * mpmath.pi * mpmath.sqrt(1 - r**2))
        above = front * (1 + r) ** 2
        below = above * (1 - (2 - r) * (1 + r) ** 2 / (1 - r**2))
        assert below < mpmath.mpf(answer.value) < above


def test_numbers_of_which_hundreds_of_digits_cancel():
    """With m = sqrt(10^(2p) + 1) - 10^p = 10^-p/2: E[erf(z + m)] = 2 m/sqrt(3 pi), P(-m < z < 0) = m/sqrt(2 pi)."""
    power = 180
    m = sympy.sqrt(10 ** (2 * power) + 1) - 10**power
    with mpmath.workdps(60):
        size = mpmath.mpf(10) ** -power / 2
        slope, density = 2 * size / mpmath.sqrt(3 * mpmath.pi), size / mpmath.sqrt(2 * mpmath.pi)
    for integrand, true in ((erf(z1 + m), slope), (Heaviside(-z1) * Heaviside(z1 + m), density)):
        answer = expect(integrand, [[1]]).evaluate(20)
        assert distance(answer, true) <= Fraction(answer.radius)
    assert expect(Heaviside(z1) * Heaviside(-z1 - m), [[1]]).closed_form == 0
    assert Fraction(expect(Relu(z1) ** 2, [[m]]).evaluate(20).value) * 4 * 10**power == 1
    with pytest.raises(InputError):
        expect(Relu(z1), [[-m]])


@pytest.mark.parametrize("apart", [True, False])
def test_precision_is_raised_beyond_that_of_a_quadrant(apart, monkeypatch):
    """The tails 1 - erf around a quadrant of size exp(-330) take 1,000 bits as digits, the quadrant itself does not.

    Where their nines cancel exactly, no precision is raised.
    """
    precisions = []
    if not apart:
        monkeypatch.setattr(certified, "without_nines", lambda form: (form, {}))

    def seen(*place):
        precisions.append(ctx.prec)
        return quadrant(*place)

    monkeypatch.setattr(saturation, "QUADRANT_BITS", 2**8)
    monkeypatch.setattr("theory.gaussian.certified.quadrant.quadrant", seen)
    answer = expect((z1 + 1) * Heaviside(z1 - Q(1, 2)) * Heaviside(z2 - 20), pair(Q(-3, 5))).evaluate(20)
    with mpmath.workdps(60):
        root, large = mpmath.mpf(4) / 5, mpmath.mpf(10) ** 144  # quad stops at an absolute error
        true = mpmath.quad(
            lambda x: large * (x + 1) * mpmath.npdf(x) * mpmath.erfc((20 + 3 * x / 5) / root / mpmath.sqrt(2)) / 2,
            [mpmath.mpf(1) / 2 + k for k in range(9)],
            method="gauss-legendre",
        )
        assert abs(large * mpmath.mpf(answer.value) / true - 1) < mpmath.mpf(10) ** (1 - answer.digits)
    assert answer.digits == 20
    assert max(precisions) < 2**8 if apart else max(precisions) == 2**8
