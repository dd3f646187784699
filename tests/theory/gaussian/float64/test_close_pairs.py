"""Signs of variables that are equal, opposite or nearly so, against the integral over the variable that they share.

z_i = x, z_j = r x + sqrt(1 - r^2) e_j and z_k = a_k x + sqrt(1 - a_k^2) e_k for the others, so that
E = int phi(x) sign(x + h_i) E[sign(z_j + h_j) | x] prod_k erf((h_k + a_k x)/sqrt(2 (1 - a_k^2))) dx.
"""

from itertools import combinations, product

import numpy as np
from flint import acb, arb
from scipy.special import erf

from tests.tolerances import CERTIFIED_PAIR, CLOSE_SIGNS
from theory.expressions.balls.precision import precision
from theory.gaussian.certified import signs as certified
from theory.gaussian.float64 import signs
from theory.gaussian.float64.conditioned import error_bound
from theory.gaussian.float64.two_signs import two_signs

DIGITS = 30
FLOATS = {
    2: lambda h, r: two_signs(*r, thresholds=h),
    3: lambda h, r: signs.three_signs(*r, thresholds=h),
    4: lambda h, r: signs.four_signs(*r, thresholds=h),
}
BALLS = {
    2: lambda h, r: certified.two_signs(*r, thresholds=h),
    3: lambda h, r: certified.three_signs(*r, h),
    4: lambda h, r: certified.four_signs(*r, h),
}
LOADINGS = (0.5, -0.75)
# Thresholds of i, j and the others: apart, equal, and opposite, which are equal again at r = -1.
THRESHOLDS = [(0.25, 0.75, 0.5, -0.25), (0.25, 0.25, 0.5, -0.25), (0.25, -0.25, 0.0, 0.5), (-0.5, 0.125, 0.0, 0.0)]


def steps_of(h_j, r, width):
    """Where the second factor rises, in widths."""
    return [(-h_j + k * width) / r for k in (-14, -9, -5, -2, 0, 2, 5, 9, 14)]


def expected(h, r, width):
    """The integral in float64, for thresholds (h_i, h_j, ...), the correlation r of i and j, and sqrt(1 - r^2)."""
    h_i, h_j, *others = h
    nodes, weights = np.polynomial.legendre.leggauss(40)
    ends = np.array(sorted({*range(-9, 10), -h_i, *steps_of(h_j, r, width)}))
    middle, half = (ends[1:] + ends[:-1]) / 2, (ends[1:] - ends[:-1]) / 2
    x = (middle[:, None] + half[:, None] * nodes).ravel()
    level = h_j + r * x
    value = np.exp(-x * x / 2) / np.sqrt(2 * np.pi) * np.sign(x + h_i)
    value = value * (erf(level / (np.sqrt(2) * width)) if width else np.sign(level))
    for h_k, a in zip(others, LOADINGS, strict=False):
        value = value * erf((h_k + a * x) / np.sqrt(2 * (1 - a * a)))
    return float((value * (half[:, None] * weights).ravel()).sum())


def expected_to_digits(h, r, width):
    """The same by Arb, to DIGITS digits."""
    h_i, h_j, *others = map(arb, h)
    with precision(digits=DIGITS + 10):

        def density(x, _):
            value = (-x * x / 2).exp() * ((h_j + r * x) / (arb(2).sqrt() * width)).erf()
            for h_k, a in zip(others, map(arb, LOADINGS), strict=False):
                value *= ((h_k + a * x) / (2 * (1 - a * a)).sqrt()).erf()
            return value

        below, above = (acb.integral(density, *ends).real for ends in ((-13, -h_i), (-h_i, 13)))
        return (above - below) / (2 * arb.pi()).sqrt()


def arranged(h, r, order):
    """Thresholds and correlations r12, r13, ... of the variables i, j, ... in another order."""
    m = len(order)
    loading = [1, r, *LOADINGS][:m]
    table = {frozenset(pair): loading[pair[0]] * loading[pair[1]] for pair in combinations(range(m), 2)}
    return [h[k] for k in order], [table[frozenset((order[a], order[b]))] for a, b in combinations(range(m), 2)]


CASES = list(product((2, 3, 4), THRESHOLDS, (1, -1)))


def orders(m):
    """Orders of the variables that have the first two at every pair of places."""
    rest = list(range(2, m))
    for first, second in combinations(range(m), 2):
        left = iter(rest)
        yield tuple(0 if k == first else 1 if k == second else next(left) for k in range(m))


def test_equal_and_opposite_variables():
    """In every order of the variables: the sign of the pair is that of both factors."""
    for m, h, side in CASES:
        value, bound = expected(h[:m], side, 0.0), error_bound([np.array(1.0)] * 6)
        for order in orders(m):
            thresholds, r = arranged(h, side, order)
            assert abs(float(FLOATS[m](thresholds, r)) - value) <= bound, (order, h, side)
            with precision(64):
                ball = BALLS[m](tuple(map(arb, thresholds)), list(map(arb, r)))
            assert abs(float(ball.mid()) - value) <= bound, (order, h, side)


def test_nearly_equal_variables_are_not_taken_for_equal():
    """|r| = 1 - 2^-power, as a float64 holds it; the second order has the close pair apart."""
    for (m, h, side), power in product(CASES, (28, 40, 50)):
        r = side * (1 - 2.0**-power)
        gap = (1 - r) * (1 + r)
        value = expected(h[:m], r, np.sqrt(gap))
        bound = error_bound([np.array(gap), *[np.array(0.4)] * 5])
        for order in (tuple(range(m)), (*range(1, m), 0)):
            thresholds, rows = arranged(h, r, order)
            assert abs(float(FLOATS[m](thresholds, rows)) - value) <= bound, (order, h, side, power)


def test_balls_of_nearly_equal_variables():
    for m, h, side in ((2, THRESHOLDS[0], -1), (3, THRESHOLDS[1], 1)):
        with precision(128):
            r = side * (1 - arb(2) ** -60)
            thresholds, rows = arranged(list(map(arb, h)), r, tuple(range(m)))
            ball = BALLS[m](tuple(thresholds), [arb(row) for row in rows])
        with precision(digits=DIGITS + 20):
            value = expected_to_digits(h[:m], r, ((1 - r) * (1 + r)).sqrt())
            assert value.rad() < arb(10) ** -DIGITS
            assert abs(ball - value) < CERTIFIED_PAIR


def nearly_dependent(m, small, rng):
    """Correlations of m variables in m - 1 dimensions, up to `small`."""
    rows = np.hstack([rng.normal(size=(m, m - 1)), small * rng.normal(size=(m, 1))])
    unit = rows / np.linalg.norm(rows, axis=1)[:, None]
    return [float((unit[i] * unit[j]).sum()) for i, j in combinations(range(m), 2)]


def test_nearly_singular_matrices_whose_pairs_lie_apart():
    """1 - c^2 is about small^2: the path of the quadrature goes on to t = 1, where what is left counts."""
    for m, shifted, small in ((3, True, 1e-5), (4, True, 1e-3), (4, False, 1e-4), (4, False, 1e-5)):
        rng = np.random.default_rng(m)
        r = nearly_dependent(m, small, rng)
        h = tuple(rng.normal(size=m) / 2) if shifted else None
        with precision(100):
            ball = BALLS[m](h and tuple(map(arb, h)), list(map(arb, r)))
        assert abs(arb(float(FLOATS[m](h, r))) - ball) < CLOSE_SIGNS / small
