"""Claims at points whose numbers are known by hand, and what their sources print there."""

from fractions import Fraction
from itertools import product

import mpmath
import pytest
import sympy
from sympy import Integer, Rational

from tests.theory.claims.stored import table
from tests.tolerances import CLAIM_DIGITS, CLAIM_PRECISE
from theory.claims import catalog, finite_data
from theory.claims.areas.ols import _gated_quadrature
from theory.claims.areas.pulse import optimum
from theory.claims.evaluate import NotANumber, evaluate
from theory.claims.finite_data import Sample

HALF, E1 = Rational(1, 2), sympy.exp(-1)
# Forty sites, pulses of three or four: the inputs of the public code's default widths.
NARROW = {"n": 40, "a": 3, "b": 4}
# Two single lit sites of six differ with probability 2/36.
LIT = {"n": 6, "a": 1, "b": 1, "N": 2, "d": 3}
# The example of the page on paths: a ReLU network of eight paths on (2, 1) and (1, 2).
LAYERS = {"u11": 1, "u12": 1, "u21": 1, "u22": -1, "w11": 1, "w12": 1, "w21": 1, "w22": -4, "r1": 2, "r2": -1}
ON_X = {"x1": 2, "x2": 1, "g1": 1, "g2": 1, "h1": 1, "h2": 0}
ON_OTHER = {"y1": 1, "y2": 2, "p1": 1, "p2": 0, "q1": 1, "q2": 1}
# One open hidden node, two inputs along different axes, all weights 1.
ONE_NODE = {"x1": 1, "y2": 1, "g1": 1, "p1": 1, "u11": 1, "u12": 1, "u21": 1, "u22": 1, "r1": 1, "r2": 1}

RATIONAL = (
    ("model.relu.gating", {"h": 0}, "0"),
    ("gate.small_bump.complement", {"x_i": -1}, "1"),
    ("gate.small_bump.both_open", NARROW, "9125/10000"),
    # One unit open of two: half of w_1.x.
    ("model.gated.forms", {"g1": 1, "w11": 1, "w12": 2, "w21": 5, "w22": 7, "x1": 3, "x2": 4}, "11/2"),
    ("model.relu.as_gated", {"w11": 1, "w12": 2, "w21": -1, "x1": 3, "x2": 4}, "11/2"),
    # a = 1/2, b = 2: the best pair of exclusive gates loses (1/6) 1/41, overlapping ones nothing.
    ("ols.gates.overlap_wins", {"a": HALF, "b": 2}, "1/246"),
    ("ising.line.pair", {"r": HALF, "n": 5, "i": 1, "d": 3}, "1/8"),
    ("ising.ring.pair", {"r": HALF, "d": 1, "e": 2}, "2/3"),
    ("ising.ring.four", {"r": HALF, "a": 1, "b": 1, "c": 1, "e": 1}, "8/17"),
    ("ising.half_space.yx", {"r": HALF, "d": 1, "e": 2}, "1/3"),
    ("ising.half_space.xx", {"r": HALF, "a": 1, "e": 2}, "5/12"),  # P(x_i = x_j = 1) = (1 + 2/3)/4
    ("ising.grid.neighbours", {"r": HALF, "s": HALF}, "5/17"),
    ("pulse.sites.pair", NARROW | {"d": 2}, "3/80"),
    ("pulse.sites.triple", NARROW | {"p": 1, "q": 2}, "3/80"),
    ("pulse.plus_minus.second", NARROW | {"d": 20}, "13/20"),
    ("pulse.half_space.single", NARROW | {"d": 2}, "3/80"),
    ("pulse.zero_one.complement", NARROW, "1/2"),
    ("pulse.sign_flip.xx", NARROW | {"p": 5}, "1/2"),
    ("pulse.sign_flip.yx", NARROW, "1/2"),
    # Far from the gate's site every pulse that covers k is seen by both gates.
    ("pulse.small_bump.cross", NARROW | {"p": 20, "q": 20}, "7/80"),
    ("pulse.several.union", LIT, "1/18"),
    ("pulse.several.sum", LIT, "1/18"),
    ("pulse.several.line", {"n": 5, "W": 2, "i": 2}, "1/2"),
    ("pulse.half_space.union", LIT, "1/18"),
    ("pulse.half_space.bars", {"n": 4, "a": 2, "b": 2, "p": 1}, "1/8"),
    ("pulse.smooth.neighbours", {"n": 4, "N": 2, "h": 1}, "1"),
    ("pulse.bars.pair", {"n": 4, "a": 2, "b": 2, "p": 1}, "1/8"),
    ("pulse.optimum.half_spaces", {"p": HALF}, "19/846"),  # 1/36 - 1/188
    ("path.output.sum", LAYERS | ON_X, "8"),
    ("path.experts.relu", LAYERS | {"x1": 2, "x2": 1}, "8"),
    ("path.output.homogeneous", LAYERS | {"x1": 2, "x2": 1, "c": 3}, "24"),
    ("path.overlap.product", ON_X | ON_OTHER, "1"),
    ("path.overlap.hadamard", ON_X | ON_OTHER, "4"),
    ("path.overlap.relu", LAYERS | {"x1": 2, "x2": 1, "y1": 1, "y2": 2}, "1"),
    ("path.kernel.signal_wire", ONE_NODE, "1"),
    ("path.overlap.decay", {"k": 1, "r": 2, "d": 3}, "1/4"),
    ("path.output.count", {"d_in": 2, "w": 3, "d": 3}, "18"),
)


def at(name, where):
    """A point by the names of the parameters; what is not named is 0."""
    return {param.symbol: Rational(where.get(param.symbol.name, 0)) for param in catalog()[name].params}


def test_rational_values():
    for name, where, value in RATIONAL:
        claim, point = catalog()[name], at(name, where)
        assert claim.exact(point) == Fraction(value), name
        assert claim.statement.rhs.xreplace(point) == Rational(value), name


# claim, label, point, the true value, the printed value
PRINTED = (
    ("flow.gradient.entry", "(5)", {"K": 2, "tau": 1, "b_ki": 1, "h_ki": 1}, Rational(1, 4), Integer(0)),
    ("flow.gradient.entry", "(8)", {"K": 3, "tau": 1, "h_ki": 9}, Integer(-1), Integer(-3)),
    ("flow.gradient.entry", "(27)", {"K": 2, "tau": HALF, "h_ki": 1}, -HALF, Integer(-1)),
    ("flow.gradient.small_bump", "(4)", {"tau": 1, "b_ki": 1, "h_ki": 1}, Rational(1, 4), Integer(0)),
    # a mode at rest in force, K = 2: it decays at lam/4, printed at lam/2
    ("flow.mode.solution", "(9)", {"K": 2, "tau": 1, "lambda": 4, "t": 1, "u0": 1}, E1, E1**2),
    ("flow.exclusive.mode", "(25)", {"K": 2, "tau": 1, "lambda": 4, "t": 1, "u10": 1}, E1, E1**2),
    ("flow.fixed_point.mode", "after (11)", {"K": 3, "lambda": 1, "c": 1}, Integer(3), Integer(1)),
    ("flow.exclusive.fixed_point", "(26)", {"K": 3, "a11": 2, "a22": 1, "b1": 1}, Rational(3, 2), HALF),
    # two units that share a gate, only the first moved: half of it stays, half decays at twice the rate of one unit
    (
        "flow.redundant.first_in_sum",
        "(31)",
        {"K": 2, "tau": 1, "lambda": 2, "t": 1, "u10": 1},
        HALF + HALF * E1**2,
        E1**2,
    ),
    (
        "flow.redundant.second_in_sum",
        "(32)",
        {"K": 2, "tau": 1, "lambda": 2, "t": 1, "u10": 1},
        HALF * E1**2 - HALF,
        E1**2 - 1,
    ),
    # and right as printed where both start alike
    (
        "flow.redundant.first_in_sum",
        "(31)",
        {"K": 2, "tau": 1, "lambda": 2, "t": 1, "u10": 1, "u20": 1},
        E1**2,
        E1**2,
    ),
    # labels 1 and 1 leave no class to tell apart, and still a loss: the gated input has no constant
    (
        "ols.loss.labels",
        "after (16)",
        {"s11": 5, "s22": 6, "y1": 1, "y0": 1, "m11": 1},
        Rational(9, 10),
        Integer(0),
    ),
    # z_k says nothing of z_l beyond z_i: (10) is the coefficient of z_i, and (9), that of z_k, is 0.
    ("conditional.slope.gate_site", "(10)", {"rho_il": HALF, "g": 1}, *[sympy.sqrt(Rational(1, 10))] * 2),
    ("conditional.slope.other_site", "(9)", {"rho_il": HALF, "g": 1}, Integer(0), Integer(0)),
    ("conditional.variance.value", "(12)", dict.fromkeys(("rho_ik", "rho_il", "rho_kl"), HALF), *[Rational(2, 3)] * 2),
    # A regression with A = 2 I: b_1/2, which is A^-1 b as printed, for any number of units.
    ("ols.gated_input.regression", "(12)", {"K": 3, "a11": 2, "a22": 2, "b1": HALF}, *[Rational(1, 4)] * 2),
    # the terms of one input node miss those of paths from different inputs, and d - 1 levels have gates
    ("path.kernel.signal_wire", "(9)", ONE_NODE, Integer(1), Integer(0)),
    ("path.overlap.decay", None, {"k": 1, "r": 2, "d": 3}, Rational(1, 4), Rational(1, 8)),
)


@pytest.mark.parametrize("case", range(3))
def test_definitions_and_printed_forms_have_these_values(case):
    for name, label, where, true, printed in PRINTED[case::3]:
        claim, point = catalog()[name], at(name, where)
        source = next(source for source in claim.sources if label in (None, source.label))
        values = claim.oracle(point, CLAIM_DIGITS), evaluate(source.printed, point, CLAIM_DIGITS)
        with mpmath.workdps(CLAIM_DIGITS):
            for value, formula in zip(values, (true, printed), strict=True):
                assert abs(value - evaluate(formula, {}, CLAIM_DIGITS)) < CLAIM_PRECISE, (name, label)


def test_gates_at_zero_are_the_condition_of_the_printed_overlap():
    """A pre-activation of exactly 0 is open in (2) and closed in the product of section 3.2."""
    name = "path.overlap.relu"
    point, other = (
        at(name, LAYERS | more) for more in ({"x1": 1, "x2": 1, "y1": 1, "y2": 1}, {"x1": 2, "x2": 1, "y1": 1, "y2": 2})
    )
    (source,) = catalog()[name].sources
    assert (catalog()[name].exact(point), source.printed.xreplace(point)) == (4, 2)
    assert [source.readings[0].admits(one) for one in (point, other)] == [False, True]


def test_no_matrix_of_two_outer_products_has_an_inverse_beyond_two_components():
    """(18) for three gated inputs has no value anywhere; with second moments in their place it has."""
    (source,) = catalog()["ols.gates.three_gates"].sources
    for row in table("ols.gates.three_gates"):
        with pytest.raises(NotANumber):
            evaluate(source.printed, row.point, CLAIM_DIGITS)
        assert 0 < row.oracle < 1


def test_the_constant_of_a_mode_by_its_readings():
    """lambda = 2: from 1 above the fixed point e^C = 2; from 1 below there is no real C; from the fixed point, none."""
    name = "flow.mode.constant"
    source = next(source for source in catalog()[name].sources if source.label == "(9)")
    values = {}
    for start, form in product((1, -1, 0), (source.printed, *(reading.printed for reading in source.readings))):
        try:
            value = int(evaluate(form, at(name, {"lambda": 2, "d": start}), CLAIM_DIGITS))
        except NotANumber:
            value = None
        values.setdefault(start, []).append(value)
    assert values == {1: [2, 2], -1: [None, -2], 0: [None, 0]}
    (reading,) = source.readings
    assert [reading.admits(at(name, {"lambda": 2, "d": start})) for start in (1, -1, 0)] == [True, True, False]


def test_the_smoothed_erf_at_its_ends():
    """No spread: the erf itself. Mean 0: nothing is left of an odd function."""
    claim = catalog()["gaussian.erf.smoothing"]
    assert claim.oracle(at(claim.id, {"sigma": 3, "g": 2}), CLAIM_DIGITS) == 0
    with mpmath.workdps(CLAIM_DIGITS):
        still = claim.oracle(at(claim.id, {"m": 1, "g": 2}), CLAIM_DIGITS)
        assert abs(still - mpmath.erf(2)) < CLAIM_PRECISE


def test_the_half_spaces_of_three_bits():
    """There are 104 threshold functions of three variables; each set of the seven nonzero inputs has one or two."""
    sets = {
        tuple(sum(a * b for a, b in zip(v, x, strict=True)) >= theta for x in product((0, 1), repeat=3))
        for v in product(range(-2, 3), repeat=3)
        for theta in range(-7, 8)
    }
    assert len(sets) == 104
    assert len({cut[1:] for cut in sets}) == len(optimum._half_spaces())


def test_four_signs_of_known_correlations():
    with mpmath.workdps(CLAIM_DIGITS):
        half, third, zero = mpmath.mpf(1) / 2, mpmath.mpf(1) / 3, mpmath.mpf(0)
        # The orthant of four Gaussians of correlation 1/2 has probability 1/5 = (1 + 6 (2/pi) asin(1/2) + E)/16.
        assert abs(_gated_quadrature.four_signs([half] * 6) - mpmath.mpf(1) / 5) < CLAIM_PRECISE
        pairs = _gated_quadrature.four_signs([half, zero, zero, zero, zero, third])
        assert abs(pairs - 4 / mpmath.pi**2 * mpmath.asin(half) * mpmath.asin(third)) < CLAIM_PRECISE


def test_two_equal_gates_are_refused():
    with pytest.raises(ValueError, match="singular"):
        _gated_quadrature.least_loss(2, (Fraction(2), Fraction(1)), ((0, 1), (0, 1)), 10)


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
