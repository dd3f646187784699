"""Values known by hand, and the programs that the oracles of several claims share."""

from fractions import Fraction
from itertools import product

import mpmath
import pytest
from flint import acb, arb
from sympy import Rational

from tests.tolerances import CLAIM_DIGITS, CLAIM_PRECISE
from theory.claims import catalog, finite_data
from theory.claims.areas.pulse import optimum
from theory.claims.finite_data import Sample
from theory.claims.quadrature import probability
from theory.expressions.balls.precision import precision

HALF = Rational(1, 2)
# Parameters without a number are 0.
# Two single lit sites of six differ with probability 2/36.
RATIONAL = (
    ("ising.grid.neighbours", {"r": HALF, "s": HALF}, "5/17"),
    ("pulse.half_space.single", {"n": 40, "a": 3, "b": 4, "d": 2}, "3/80"),
    ("pulse.half_space.union", {"n": 6, "a": 1, "b": 1, "N": 2, "d": 3}, "1/18"),
    ("pulse.half_space.bars", {"n": 4, "a": 2, "b": 2, "p": 1}, "1/8"),
    ("pulse.smooth.neighbours", {"n": 4, "N": 2, "h": 1}, "1"),
    ("pulse.optimum.half_spaces", {"p": HALF}, "19/846"),  # 1/36 - 1/188
)


def test_rational_values():
    for name, where, value in RATIONAL:
        claim = catalog()[name]
        point = {param.symbol: Rational(where.get(param.symbol.name, 0)) for param in claim.params}
        assert claim.exact(point) == Fraction(value), name
        assert claim.statement.rhs.xreplace(point) == Rational(value), name


def test_the_alternating_mode_of_a_ring_changes_its_sign_at_the_stated_length():
    """Of exp(-d^2/xi^2), within half of the last digit that `localization.ring.first_failure` states."""

    def mode(sites, xi):
        return mpmath.fsum((-1) ** d * mpmath.exp(-((min(d, sites - d) / xi) ** 2)) for d in range(sites))

    with mpmath.workdps(60):
        half = mpmath.mpf(1) / 2000
        for sites, text in ((8, "1.721"), (20, "2.618"), (40, "3.644"), (100, "5.698")):
            xi = mpmath.mpf(text)
            assert mode(sites, xi - half) > 0 > mode(sites, xi + half)
            assert text in catalog()["localization.ring.first_failure"].sentence


def test_the_half_spaces_of_three_bits():
    """There are 104 threshold functions of three variables; each set of the seven nonzero inputs has one or two."""
    sets = {
        tuple(sum(a * b for a, b in zip(v, x, strict=True)) >= theta for x in product((0, 1), repeat=3))
        for v in product(range(-2, 3), repeat=3)
        for theta in range(-7, 8)
    }
    assert len(sets) == 104
    assert len({cut[1:] for cut in sets}) == len(optimum._half_spaces())


def test_one_basis_keeps_still_what_the_data_do_not_see():
    """Two redundant units, K = 2, x = 1, y = 3: w(oo) = K A^+ b + (I - A A^+) w(0)."""
    loss = finite_data.half_mse([Sample(mpmath.mpf(1), (1, 1), (mpmath.mpf(1),), mpmath.mpf(3))], mpmath.mpf(1) / 2)
    first, second = finite_data.flow_limit(loss, [mpmath.mpf(5), mpmath.mpf(1)], CLAIM_DIGITS)
    with mpmath.workdps(CLAIM_DIGITS):
        assert abs(first - 5) < CLAIM_PRECISE  # K b/(2 A_11) = 3, and half the difference of 5 and 1
        assert abs(second - 1) < CLAIM_PRECISE


def test_a_loss_without_a_minimum_is_refused():
    with pytest.raises(ArithmeticError, match="has no minimum"):
        finite_data.flow_limit(lambda w: w[0] - w[1] ** 2, [mpmath.mpf(1), mpmath.mpf(1)], CLAIM_DIGITS)


def test_square_root_of_a_matrix():
    first, second = finite_data.square_root(mpmath.mpf(4), mpmath.mpf(2), mpmath.mpf(10))
    assert [first[0] ** 2, first[0] * first[1], first[1] ** 2 + second[1] ** 2, second[0]] == [4, 2, 10, 0]


@pytest.mark.parametrize("x", [0.375, -9])
def test_phi_is_the_integral_of_the_density(x):
    """For all arguments: an error that is the same for all adds a multiple of an integral that vanishes."""
    with precision(digits=CLAIM_DIGITS + 15), mpmath.workdps(CLAIM_DIGITS + 15):
        expected = mpmath.quad(mpmath.npdf, [x - 24, x - 12, x - 6, x - 3, x - 1, x - mpmath.mpf(1) / 2, x])
        value = probability(arb(x))
        assert abs(mpmath.mpf(value.str(CLAIM_DIGITS + 5, radius=False)) / expected - 1) < CLAIM_PRECISE


def test_phi_off_the_real_line():
    """Arb's integrals evaluate the integrand there; the density has no singularity, so any path from 0 will do."""
    x = -2 + 0.5j
    with precision(digits=CLAIM_DIGITS + 15), mpmath.workdps(CLAIM_DIGITS + 15):
        path = mpmath.quad(lambda t: x * mpmath.exp(-((x * t) ** 2) / 2), [0, 1]) / mpmath.sqrt(2 * mpmath.pi)
        expected = mpmath.mpf(1) / 2 + path
        value = probability(acb(x))
        parts = [mpmath.mpf(part.str(CLAIM_DIGITS + 5, radius=False)) for part in (value.real, value.imag)]
        assert abs(mpmath.mpc(*parts) / expected - 1) < CLAIM_PRECISE
