"""Signs at thresholds as balls: they contain the reference values, agree with float64, and say when they give up."""

import json
from fractions import Fraction
from itertools import combinations

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
from theory.expressions.balls.owens_t import owens_t
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


def test_the_definition_is_enclosed():
    for row in ORACLE:
        middle, radius = enclose(lambda row=row: FUNCTIONS[row["kind"]](*map(exact, row["args"])), digits(row))
        stored = Fraction(row["value"])
        size = abs(stored) if row["kind"] == "owens_t" else 1
        assert abs(middle - stored) <= radius + size * Fraction(tolerances.THRESHOLD_STORED), row


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


def test_work_is_limited():
    effort = Effort()
    effort.left = 1.0
    with ctx.workprec(160), pytest.raises(NotCertified, match="work"):
        shifted_quad(*map(arb, (0.1, 0.2, 0.3, 0.4, 0.5, 0.3, -0.2, 0.4, 0.1, 0.6)), effort=effort)


def test_what_is_no_correlation_matrix_is_refused():
    for r in ((0.9, 0.9, -0.9), (0.5, 2.0, 0.5)):
        with pytest.raises(ValueError, match="correlations"):
            shifted_triple(arb(1), arb(0), arb(0), *map(arb, r))


# --- in closed forms -------------------------------------------------------------------------------------------------


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
        assert ball(sympy.sign(x), {x: acb(arb(0, 1))}).real.contains(arb(0, 1))
        assert not ball(sympy.sign(x), {x: acb(arb(0, 1))}, True).is_finite()
        assert not ball(abs(x), {x: acb(arb(0, 1), arb(0, 1))}, True).is_finite()
