"""Switching instants, and changes of features against all paths."""

import pytest

from tests.theory.paths.enumerated import SHAPES, drawn
from theory.paths import (
    feature_change,
    features,
    switching_instants,
    weighted,
)
from theory.problem import InputError


@pytest.mark.parametrize(("d_in", "widths"), SHAPES[:2])
def test_the_change_is_that_of_all_paths(d_in, widths):
    one, other = (drawn(d_in, widths, seed, soft=True) for seed in (1, 2))
    other = weighted(one.inputs, [level.rows for level in other.gated.levels], other.weights)
    for number in range(3):
        moved = [(b - a) ** 2 for a, b in zip(features(one, number), features(other, number), strict=True)]
        assert feature_change(one, other, number) == sum(moved)


def with_gates(first, second):
    """A network of two levels of two nodes with these gates."""
    return weighted([[1, 1]], [[first], [second]], [[[1, 1]] * 2, [[1, 1]] * 2, [[1, 1]]])


def test_only_gates_on_open_paths_count_as_switches():
    """The last switch is before a closed level, where it changes no feature."""
    nets = [with_gates(*gates) for gates in (([0, 1], [1, 0]), ([0, 1], [1, 0]), ([1, 1], [0, 0]), ([1, 0], [0, 0]))]
    assert switching_instants((0, 2, 5, 7), nets) == (0, 5)
    assert feature_change(*nets[2:], 0) == 0


def test_bad_questions_are_named():
    nets = [with_gates([1, 1], [1, 1])] * 2
    with pytest.raises(InputError, match="1 times are given for 2 networks"):
        switching_instants((0,), nets)
    with pytest.raises(InputError, match="do not increase"):
        switching_instants((1, 1), nets)
    with pytest.raises(InputError, match=r"widths \(2, 2, 2\) and \(1, 1\)"):
        feature_change(nets[0], drawn(1, (1,), 0), 0)
