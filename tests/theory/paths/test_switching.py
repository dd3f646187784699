"""Switching instants: changes of features against all paths, and descent of a ReLU network in exact steps."""

from fractions import Fraction

import pytest

from tests.theory.paths import enumerated
from tests.theory.paths.enumerated import SHAPES, drawn
from theory.paths import (
    feature_change,
    features,
    output,
    relu_network,
    switching_instants,
    tangent_kernel,
    weighted,
)
from theory.problem import InputError


@pytest.mark.parametrize(("d_in", "widths"), SHAPES)
@pytest.mark.parametrize("soft", [False, True])
def test_the_change_is_that_of_all_paths(d_in, widths, soft):
    one, other = (drawn(d_in, widths, seed, soft=soft) for seed in (1, 2))
    other = weighted(one.inputs, [level.rows for level in other.gated.levels], other.weights)
    for number in range(3):
        moved = [(b - a) ** 2 for a, b in zip(features(one, number), features(other, number), strict=True)]
        assert feature_change(one, other, number) == sum(moved)


def test_a_gate_that_switches_before_a_closed_level_changes_no_feature():
    nets = [weighted([[1, 1]], [[[1, own]], [[0, 0]]], [[[1, 1]] * 2, [[1, 1]] * 2, [[1, 1]]]) for own in (0, 1)]
    assert nets[0].gates(0) != nets[1].gates(0)
    assert feature_change(*nets, 0) == 0
    assert switching_instants((0, 1), nets) == (0,)


def descent(steps, rate):
    """A ReLU network on two inputs with the labels 1 and -1, by gradient descent; slopes by differences, gates held."""
    inputs, labels = [[2, 1], [1, 2]], (1, -1)
    net = relu_network(inputs, [[[1, 1], [1, -1]], [[1, -1]]], at_zero=0)
    nets = [net]
    for _ in range(steps):
        slopes = [enumerated.slopes(net, s) for s in range(2)]
        errors = [output(net, s) - labels[s] for s in range(2)]
        flat = [w for layer in net.weights for row in layer for w in row]
        downhill = [sum(e * row[k] for e, row in zip(errors, slopes, strict=True)) for k in range(len(flat))]
        flat = [w - rate * slope for w, slope in zip(flat, downhill, strict=True)]
        net = relu_network(inputs, [[flat[:2], flat[2:4]], [flat[4:]]], at_zero=0)
        nets.append(net)
    return nets


def test_descent_switches_where_gates_on_open_paths_do():
    nets = descent(5, Fraction(1, 10))
    found = switching_instants(range(6), nets)
    gates = [[net.gates(s) for s in range(2)] for net in nets]
    # One hidden level and inputs other than 0: every switch of a gate changes a feature.
    assert found == (0, *(t for t in range(1, 6) if gates[t] != gates[t - 1]))
    assert len(found) > 1
    for before, after, time in zip(nets, nets[1:], range(1, 6), strict=False):
        assert tangent_kernel(before) != tangent_kernel(after), "the weights move, also where no gate does"
        assert (time in found) == any(features(before, s) != features(after, s) for s in range(2))


def test_bad_questions_are_named():
    nets = descent(1, Fraction(1, 10))
    with pytest.raises(InputError, match="1 times are given for 2 networks"):
        switching_instants((0,), nets)
    with pytest.raises(InputError, match="do not increase"):
        switching_instants((1, 1), nets)
    with pytest.raises(InputError, match=r"widths \(2, 2\) and \(1, 1\)"):
        feature_change(nets[0], drawn(1, (1,), 0), 0)
