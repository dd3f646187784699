"""Signs at thresholds as balls: they contain the reference values, agree with float64, and say when they give up."""

import json
from fractions import Fraction
from itertools import combinations

import mpmath
import numpy as np
import pytest
import sympy
from flint import acb, arb, ctx, fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

from tests import tolerances
from tests.paths import ORACLES
from tests.theory.gaussian.reference_order import thresholds_first
from theory.expressions.balls.closed_form import NotCertified, ball, enclose
from theory.expressions.balls.owens_t import legendre, owens_t
from theory.expressions.balls.precision import precision
from theory.expressions.functions import OwensT, Phi
from theory.gaussian.certified.effort import Effort
from theory.gaussian.certified.signs import four_signs, three_signs, two_signs
from theory.gaussian.float64 import signs as float64_signs
from theory.gaussian.float64 import two_signs as float64_two_signs

FILE = ORACLES / "gaussian_thresholds.json"
ORACLE = json.loads(FILE.read_text(encoding="utf-8"))


shifted_pair, shifted_triple, shifted_quad = (
    thresholds_first(signs, m) for m, signs in ((2, two_signs), (3, three_signs), (4, four_signs))
)
FLOAT64 = {
    "pair": thresholds_first(float64_two_signs.two_signs, 2),
    "triple": thresholds_first(float64_signs.three_signs, 3),
    "quad": thresholds_first(float64_signs.four_signs, 4),
}


FUNCTIONS = {"owens_t": owens_t, "pair": shifted_pair, "triple": shifted_triple, "quad": shifted_quad}
DIGITS = 25
SINGULAR_DIGITS = 10
half = sympy.Rational(1, 2)
t = sympy.Symbol("t", nonnegative=True)
x = sympy.Symbol("x", real=True)


def exact(text):
    """A fraction as a ball at the working precision."""
    fraction = Fraction(text)
    return arb(fmpq(fraction.numerator, fraction.denominator))


def digits(row):
    """Fewer where four variables span two dimensions: all but a few seconds of the work is for the other digits."""
    if row["kind"] != "quad":
        return DIGITS
    r = dict(zip(combinations(range(4), 2), map(sympy.Rational, row["args"][4:]), strict=True))
    matrix = sympy.Matrix(4, 4, lambda i, j: 1 if i == j else r[min(i, j), max(i, j)])
    return DIGITS if matrix.det() else SINGULAR_DIGITS


@pytest.mark.parametrize("row", ORACLE, ids=lambda row: f"{row['kind']} {' '.join(row['args'])[:40]}")
def test_the_definition_is_enclosed(row):
    middle, radius = enclose(lambda: FUNCTIONS[row["kind"]](*map(exact, row["args"])), digits(row))
    stored = Fraction(row["value"])
    size = abs(stored) if row["kind"] == "owens_t" else 1
    assert abs(middle - stored) <= radius + size * Fraction(tolerances.THRESHOLD_STORED)


@settings(max_examples=12)
@given(st.integers(2, 4), st.integers(0, 10**6), st.sampled_from([0.01, 1.0, 6.0]), st.sampled_from([1.0, 1e-3]))
def test_balls_are_where_float64_is(m, seed, size, flat):
    rng = np.random.default_rng(seed)
    vectors = rng.normal(size=(m, m)) * ([1.0] * (m - 1) + [flat])
    vectors /= np.linalg.norm(vectors, axis=1)[:, None]
    arguments = [*(size * rng.normal(size=m)), *(float(vectors[i] @ vectors[j]) for i, j in combinations(range(m), 2))]
    name = ("pair", "triple", "quad")[m - 2]
    with ctx.workprec(120):
        value = FUNCTIONS[name](*map(arb, map(float, arguments)))
    twin = float(FLOAT64[name](*arguments))
    assert abs(float(value.mid()) - twin) < tolerances.THRESHOLD_SIGNS
    assert value.rad() < tolerances.UNIT_ROUNDOFF


@settings(max_examples=4)
@given(st.integers(0, 10**6))
def test_order_and_reflections(seed):
    """Another order makes other blocks, so that the integrals differ; the values must not."""
    rng = np.random.default_rng(seed)
    vectors = rng.normal(size=(4, 4))
    vectors /= np.linalg.norm(vectors, axis=1)[:, None]
    h, r = rng.normal(size=4), vectors @ vectors.T
    order, flip = [2, 0, 3, 1], np.array([1, -1, 1, 1])
    with ctx.workprec(140):
        pairs = list(combinations(range(4), 2))
        value = shifted_quad(*map(arb, h.tolist()), *(arb(float(r[pair])) for pair in pairs))
        # `r` is symmetric up to rounding: the same float must be used for a pair and its reverse.
        again = [arb(float(r[min(order[i], order[j]), max(order[i], order[j])])) for i, j in pairs]
        assert value.overlaps(shifted_quad(*map(arb, h[order].tolist()), *again))
        flipped = [arb(float(r[i, j] * flip[i] * flip[j])) for i, j in pairs]
        assert (value + shifted_quad(*map(arb, (flip * h).tolist()), *flipped)).contains(0)


def test_balls_contain_the_values_of_what_they_contain():
    """A wide argument encloses the results of points in it."""
    with ctx.workprec(100):
        wide = [arb(x, 1e-6) for x in (0.3, -0.5, 1.0, 0.2, 0.5, 0.3, -0.2, 0.4, 0.1, 0.6)]
        whole = shifted_quad(*wide)
        assert whole.is_finite()
        for side in (1, -1):
            inside = [x.mid() + side * (-1) ** k * arb(1e-6) / 2 for k, x in enumerate(wide)]
            assert whole.contains(shifted_quad(*inside))
        assert owens_t(arb(0.3, 0.01), arb(2, 0.01)).contains(owens_t(arb(0.295), arb(2.005)))
        point = owens_t(acb(0.301, 0.502), acb(0.799, 2.001))
        assert owens_t(acb(arb(0.3, 0.01), arb(0.5, 0.01)), acb(arb(0.8, 0.01), arb(2, 0.01))).contains(point)


def test_exact_reductions():
    with ctx.workprec(100):
        h = list(map(arb, (0.25, -0.5, 1.0, 0.125)))
        zero, one = arb(0), arb(1)
        r = arb(0.5)
        value = shifted_triple(*h[:3], r, r, one)
        assert value.overlaps((h[0] / arb(2).sqrt()).erf() - shifted_pair(h[0], h[2], r) + shifted_pair(h[0], h[1], r))
        with pytest.raises(ValueError, match="differ"):
            shifted_triple(*h[:3], r, zero, one)
        block = shifted_quad(*h, r, zero, zero, zero, zero, -r)
        assert block.overlaps(shifted_pair(h[0], h[1], r) * shifted_pair(h[2], h[3], -r))
        four = [arb(x) for x in (0.5, 0.25, -0.25, 0.125, 0.5, 0.375)]
        tiny = arb(2) ** -200
        assert shifted_quad(*[tiny] * 4, *four).overlaps(four_signs(*four))
        assert shifted_triple(zero, zero, zero, *four[:3]).is_zero()


@pytest.mark.parametrize("h", [0.0, 8.0])
@pytest.mark.parametrize("gap", ["1e-3", "1e-6", "1e-12"])
def test_close_variables(h, gap):
    """Equal correlations r near 1 at all orders of 1 - r: as float64 says."""
    with ctx.workdps(45):
        r = 1 - arb(gap)
        value = shifted_quad(*[arb(h)] * 4, *[r] * 6)
        assert value.rad() < tolerances.UNIT_ROUNDOFF
        twin = float(FLOAT64["quad"](*[h] * 4, *[float(r)] * 6))
        assert abs(float(value) - twin) < tolerances.THRESHOLD_CLOSE


def test_a_singular_matrix_is_enclosed_or_refused():
    """z3 = 0.6 z1 + 0.8 z2."""
    middle, radius = enclose(lambda: shifted_triple(*map(exact, ("0.1", "0.2", "0.3", "0", "0.6", "0.8"))), 20)
    twin = float(FLOAT64["triple"](0.1, 0.2, 0.3, 0.0, 0.6, 0.8))
    assert abs(float(middle) - twin) < tolerances.THRESHOLD_SIGNS
    assert radius * 10**20 < abs(middle)


def test_work_is_limited():
    effort = Effort()
    effort.left = 1.0
    with ctx.workprec(160), pytest.raises(NotCertified, match="work"):
        shifted_quad(*map(arb, (0.1, 0.2, 0.3, 0.4, 0.5, 0.3, -0.2, 0.4, 0.1, 0.6)), effort=effort)


@pytest.mark.parametrize("r", [(0.9, 0.9, -0.9), (0.5, 2.0, 0.5)])
def test_what_is_no_correlation_matrix_is_refused(r):
    with pytest.raises(ValueError, match="correlations"):
        shifted_triple(arb(1), arb(0), arb(0), *map(arb, r))


def test_legendre_rules_are_exact_on_polynomials():
    with ctx.workprec(200):
        for count in (1, 8, 13):
            moment = sum((w * x ** (2 * count - 1) for x, w in legendre(count, 200)), arb(0))
            assert moment.overlaps(arb(1) / (2 * count))


def test_far_tails_are_relatively_accurate():
    middle, radius = enclose(lambda: owens_t(arb(200), arb(0.5)), 30)
    q, slack = enclose(lambda: (arb(200) / arb(2).sqrt()).erfc() / 4, 40)
    # T(h, a) = Q(h)/2 up to exp(-h^2 a^2/2) of it.
    assert abs(middle / q - 1) < Fraction(1, 10**30)
    assert radius * 10**30 < middle
    assert slack < radius


# --- in closed forms -------------------------------------------------------------------------------------------------


def by_definition(h, a):
    """T(h, a) by its definition, enclosed by Arb, to mpmath's digits."""
    with precision(digits=mpmath.mp.dps + 10):
        half = arb(h) ** 2 / 2
        total = acb.integral(lambda x, _: (-half * (1 + x * x)).exp() / (1 + x * x), acb(0), acb(arb(a))).real
        return mpmath.mpf((total / (2 * arb.pi())).mid().str(mpmath.mp.dps + 10, radius=False))


NESTED = [
    (half + t, sympy.sqrt(1 + t), lambda s: (s + 0.5, mpmath.sqrt(1 + s))),
    (half, t / sympy.sqrt(1 - t**2 * sympy.Rational(3, 4)), lambda s: (0.5, s / mpmath.sqrt(1 - s * s * 0.75))),
    (t, t, lambda s: (s, s)),
]


@pytest.mark.parametrize(("h", "a", "numeric"), NESTED)
def test_owens_t_inside_an_integral(h, a, numeric):
    middle, radius = enclose(lambda: ball(sympy.Integral(OwensT(h, a), (t, 0, 1)), {}), 20)
    with mpmath.workdps(30):
        expected = mpmath.quad(lambda s: by_definition(*numeric(s)), [0, 0.5, 1])
        missed = abs(mpmath.mpf(middle.numerator) / middle.denominator - expected)
        assert missed < tolerances.THRESHOLD_NESTED + float(radius)
    assert radius * 10**20 < abs(middle)


def test_owens_t_knows_its_cut():
    across = acb(arb(0, 1), arb(2, 0.5))
    assert not owens_t(acb(1), across, True).is_finite()
    assert not owens_t(acb(1), across, False).is_finite()
    assert owens_t(acb(1), acb(arb(1, 0.01), arb(2, 0.01)), True).is_finite()
    assert not owens_t(arb(1), arb("inf")).is_finite()
    with pytest.raises(NotCertified, match="Infinity"):
        ball(OwensT(1, sympy.oo), {})


def test_further_functions():
    with ctx.workprec(100):
        assert ball(Phi(x), {x: acb(-30)}).overlaps(acb((arb(30) / arb(2).sqrt()).erfc() / 2))
        assert ball(abs(x) + sympy.sign(x), {x: acb(-2)}) == 1
        assert ball(abs(x), {x: acb(arb(0, 1))}).real.contains(1)
        assert not ball(sympy.sign(x), {x: acb(arb(0, 1))}).is_finite()
        assert not ball(abs(x), {x: acb(arb(0, 1), arb(0, 1))}, True).is_finite()
