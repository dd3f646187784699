"""Moments of the tangent kernel at finite width equal the enumeration of all weights and gates, without tolerance."""

from fractions import Fraction

import pytest

from tests.theory.kernels import enumeration
from theory.kernels import (
    GAUSSIAN,
    BernoulliGates,
    GatedNetwork,
    GivenValues,
    WeightLaw,
    alike,
    covariance,
    cumulant,
    mean,
    moment,
    variance,
)
from theory.kernels.levels import node_sum
from theory.problem import InputError, OutOfReachError

THREE_POINT = WeightLaw("three-point", (1, 1, 3, 9, 27))  # 0, or +-sqrt(3) s with probability 1/6 each
PAIRS = (((0, 0),), ((0, 1),), ((0, 0), (0, 0)), ((0, 1), (0, 1)), ((0, 0), (1, 1)), ((0, 1), (1, 1)))
# Inputs, and for each input its gates level by level: all on, hard, soft, unequal widths, closed levels.
NETS = {
    "one layer": ([[2, -1], [1, 3]], [[], []]),
    "all on": ([[1], [2]], [[[1, 1], [1, 1]]] * 2),
    "hard": ([[1, 2], [1, 1]], [[[1, 1, 0], [1, 1]], [[0, 1, 1], [1, 0]]]),
    "soft": ([[1], [3]], [[[1, -2], [2, 1]], [[3, 1], [1, 1]]]),
    "unequal widths": ([[1], [1]], [[[1, 1, 1], [1], [1, 1, 1]]] * 2),
    "four layers": ([[1], [1]], [[[1, 1], [1, 1], [1, 0]], [[1, 1], [0, 1], [1, 1]]]),
}


def network(inputs, gates, weights=None):
    levels = [GivenValues(rows) for rows in zip(*gates, strict=True)]
    return GatedNetwork(inputs, levels) if weights is None else GatedNetwork(inputs, levels, weights)


@pytest.mark.parametrize("name", NETS)
def test_signs(name):
    inputs, gates = NETS[name]
    net, counted = network(inputs, gates), {pairs: enumeration.moment(inputs, gates, pairs) for pairs in PAIRS}
    assert {pairs: moment(net, pairs) for pairs in PAIRS} == counted
    assert covariance(net, (0, 1), (0, 1)) == counted[(0, 1), (0, 1)] - counted[((0, 1),)] ** 2


@pytest.mark.parametrize("name", ["one layer", "hard"])
def test_layers_with_variances_of_their_own(name):
    """Weights of the layers times 2, 1, 3, ..."""
    inputs, gates = NETS[name]
    net = network(inputs, gates)
    factors = [2, 1, 3, 1][: net.depth]
    variances = [Fraction(factor) ** 2 for factor in factors]
    for pairs in (*PAIRS[1:4], [(0, 0), (0, 1), (1, 1)]):
        expected = enumeration.moment(inputs, gates, pairs, factors=factors)
        assert moment(net, pairs, variances) == expected
        assert moment(net, pairs, [value / 7 for value in variances]) * 7 ** ((net.depth - 1) * len(pairs)) == expected
    with pytest.raises(InputError, match=f"has {net.depth + 1} numbers"):
        moment(net, PAIRS[0], [*variances, 1])


def test_mean_and_variance_of_layers_with_variances_of_their_own():
    net = alike(3, 3)
    variances = [Fraction(4), Fraction(1), Fraction(1, 9)]
    second = moment(net, [(0, 0)] * 2, variances)
    assert moment(net, [(0, 0)] * 2, [variances[1], variances[0], variances[2]]) != second, "layers are told apart"
    assert mean(net, (0, 0), variances) == 9 * (Fraction(1, 9) + Fraction(4, 9) + 4)
    assert variance(net, (0, 0), variances) == second - mean(net, (0, 0), variances) ** 2


@pytest.mark.parametrize(("name", "order"), [("soft", 3), ("soft", 4)])
def test_higher_moments(name, order):
    inputs, gates = NETS[name]
    pairs = [(0, 0), (0, 1), (1, 1), (0, 1)][:order]
    assert moment(network(inputs, gates), pairs) == enumeration.moment(inputs, gates, pairs)


@pytest.mark.parametrize(("gates", "order"), [([[1, 1]], 4), ([[1, 1], [1]], 3)])
def test_three_values_of_weights(gates, order):
    """K0 is homogeneous of degree 2(d - 1) in the weights, so that sqrt(3) leaves the sums as a power of 3."""
    depth = len(gates) + 1
    counted = enumeration.moment([[1]], [gates], [(0, 0)] * order, {0: 4, 1: 1, -1: 1})
    expected = Fraction(3) ** ((depth - 1) * order) * counted
    assert moment(network([[1]], [gates], THREE_POINT), [(0, 0)] * order) == expected


@pytest.mark.parametrize(("widths", "mu"), [((3,), Fraction(0)), ((2, 1), Fraction(1, 3)), ((1, 1, 1), Fraction(3, 4))])
def test_random_gates(widths, mu):
    levels = [BernoulliGates(width, mu) for width in widths]
    for inputs, pairs in (([[2]], [(0, 0)] * 2), ([[1], [3]], [(0, 1)] * 2), ([[1], [3]], [(0, 0), (0, 1)])):
        value = moment(GatedNetwork(inputs, levels), pairs)
        assert value == enumeration.with_random_gates(inputs, widths, mu, pairs)


def test_cumulants_of_gaussian_weights():
    """Two layers and one input: K0 = |Theta_1|^2 + |Theta_2|^2, chi squared with 2w degrees of freedom."""
    for width in (1, 3):
        chi = [2 ** (n - 1) * [1, 1, 2, 6][n - 1] * 2 * width for n in (1, 2, 3, 4)]
        assert [cumulant(alike(width, 2, weights=GAUSSIAN), n) for n in (1, 2, 3, 4)] == chi


def test_refusals():
    with pytest.raises(InputError, match="names an input that does not exist"):
        moment(alike(3, 3), [(0, 2)])
    with pytest.raises(OutOfReachError, match="A moment of 5 kernels"):
        moment(alike(3, 3), [(0, 0)] * 5)
    with pytest.raises(OutOfReachError, match="Depth 100000 is too large"):
        variance(alike(10**4, 10**5))
    with pytest.raises(InputError, match="is more than 1000000"):
        alike(3, 10**12)
    with pytest.raises(InputError, match="rows of gates for 1 inputs"):
        GatedNetwork([[1]], [GivenValues([[1], [1]])])
    with pytest.raises(InputError, match="must have one length"):
        GivenValues([[1, 2], [1]])
    with pytest.raises(InputError, match="no probability"):
        BernoulliGates(3, Fraction(3, 2))
    with pytest.raises(InputError, match="even moments"):
        WeightLaw("none", (1, 2, 3, 4, 5))
    for order, message in ((0, "order = 0 must be at least 1"), (5, "order = 5 is more than 4")):
        with pytest.raises(InputError, match=message):
            cumulant(alike(3, 3), order)
    with pytest.raises(InputError, match="Level 1 is 3"):
        GatedNetwork([[1]], [3])
    with pytest.raises(TypeError, match="is no level"):
        node_sum(3, (0b11,), (0, 0))
