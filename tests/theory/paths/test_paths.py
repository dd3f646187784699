"""Outputs and kernels as sums over paths equal those from the definition, exactly."""

from fractions import Fraction
from itertools import product
from math import prod

import pytest

from tests.theory.paths import enumerated
from tests.theory.paths.enumerated import SHAPES, drawn
from theory.kernels import BernoulliGates, GatedNetwork
from theory.paths import (
    MOST_PATHS,
    WeightedNetwork,
    active_paths,
    activities,
    features,
    input_gram,
    interaction,
    number_active,
    output,
    overlap,
    path_kernel,
    paths,
    tangent_kernel,
    tangent_kernel_over_paths,
    value_gradients,
    value_tangent_kernel,
    values,
    weighted,
)
from theory.paths.kernels import MOST_PAIRED
from theory.problem import InputError, OutOfReachError

every_shape = pytest.mark.parametrize(("d_in", "widths"), SHAPES[1:])
hard_and_soft = pytest.mark.parametrize("soft", [False, True])


def inner(one, other):
    return sum((a * b for a, b in zip(one, other, strict=True)), Fraction(0))


@every_shape
def test_paths_are_counted(d_in, widths):
    net = drawn(d_in, widths, 0)
    assert len(set(paths(net))) == len(paths(net)) == net.number_of_paths == d_in * prod(widths)
    for number in range(3):
        open_ = active_paths(net, number)
        assert len(open_) == number_active(net, number) == sum(a != 0 for a in activities(net, number))
        gates = net.gates(number)
        assert set(open_) == {p for p in paths(net) if all(gates[k][node] for k, node in enumerate(p[1:]))}


@every_shape
@hard_and_soft
def test_overlap_and_path_kernel(d_in, widths, soft):
    net = drawn(d_in, widths, 1, soft=soft)
    of = [activities(net, number) for number in range(3)]
    phi = [features(net, number) for number in range(3)]
    for s, t in product(range(3), repeat=2):
        assert overlap(net)[s][t] == inner(of[s], of[t]) / d_in
        assert path_kernel(net)[s][t] == inner(phi[s], phi[t])
        assert input_gram(net)[s][t] == inner(net.inputs[s], net.inputs[t])


@every_shape
def test_gradients_of_the_values_are_differences(d_in, widths):
    net = drawn(d_in, widths, 2)
    before, slopes = values(net), value_gradients(net)
    for k, layer in enumerate(net.weights):
        for i, j in product(range(len(layer)), range(len(layer[0]))):
            moved = [[list(row) for row in rows] for rows in net.weights]
            moved[k][i][j] += 1
            after = values(WeightedNetwork(net.gated, moved))
            assert [b - a for a, b in zip(before, after, strict=True)] == [s.get((k, i, j), 0) for s in slopes]


@every_shape
@hard_and_soft
def test_the_tangent_kernel(d_in, widths, soft):
    net = drawn(d_in, widths, 3, soft=soft)
    by_differences = tuple(map(tuple, enumerated.tangent(net)))
    assert tangent_kernel(net) == tangent_kernel_over_paths(net) == by_differences
    for s, t in product(range(3), repeat=2):
        kappa = interaction(net, s, t)
        x, other = net.inputs[s], net.inputs[t]
        assert sum(x[i] * other[j] * kappa[i][j] for i, j in product(range(d_in), repeat=2)) == by_differences[s][t]


def test_the_value_tangent_kernel_does_not_see_gates():
    net, other = drawn(2, (2, 2), 4), drawn(2, (2, 2), 5)
    regated = WeightedNetwork(other.gated, net.weights)
    assert value_tangent_kernel(net) == value_tangent_kernel(regated)
    assert tangent_kernel(net) != tangent_kernel(regated)


def test_sizes_are_refused_by_number():
    wide = weighted([[1]], [[[1] * 320]] * 2, [[[1]] * 320, [[1] * 320] * 320, [[1] * 320]])
    assert wide.number_of_paths == 102_400 > MOST_PATHS
    for question in (paths, values, lambda net: features(net, 0)):
        with pytest.raises(OutOfReachError, match="102400 paths, and at most 100000"):
            question(wide)
    assert number_active(wide, 0) == overlap(wide)[0][0] == 102_400
    middle = weighted([[1]], [[[1] * 40]] * 2, [[[1]] * 40, [[1] * 40] * 40, [[1] * 40]])
    assert middle.number_of_paths > MOST_PAIRED
    with pytest.raises(OutOfReachError, match="1600 paths, and pairs are formed of at most 1000"):
        tangent_kernel_over_paths(middle)
    with pytest.raises(OutOfReachError, match="1600 paths"):
        interaction(middle, 0, 0)
    assert tangent_kernel(middle)[0][0] == 64_000 + 1_600 + 64_000  # a layer each


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: WeightedNetwork(GatedNetwork([[1]], (BernoulliGates(2, "1/2"),)), ()), "Level 1 has random gates"),
        (lambda: weighted([[1, 2]], [[[1]]], [[[1, 2]]]), "1 layers of weights do not fit 1 hidden levels"),
        (lambda: weighted([[1, 2]], [[[1]]], [[[1]], [[1]]]), r"Layer 1, from 2 to 1 nodes, has 1 rows of \[1\]"),
        (lambda: weighted([[1]], [[[1]]], [[[1]], [[1], [1]]]), r"Layer 2, from 1 to 1 nodes, has 2 rows"),
        (lambda: weighted([[1]], [[[1]]], [[["nan"]], [[1]]]), "a weight of layer 1"),
        (lambda: drawn(1, (1,), 0).gates(3), "There is no input 3"),
        (lambda: output(drawn(1, (1,), 0), -1), "There is no input -1"),
    ],
)
def test_bad_networks_are_named(build, message):
    with pytest.raises(InputError, match=message):
        build()
