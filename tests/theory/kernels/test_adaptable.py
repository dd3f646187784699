"""Means of K0^w and K0^a beside the enumeration of all weights, with gates that are polynomials of their weights."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from tests.theory.kernels.enumeration import every_weight, gradient
from theory.kernels import AllOn, GatedNetwork, GivenValues, adaptable_mean, sensitivity
from theory.problem import InputError

INPUTS = [[1, 2], [3, -1]]


def drawn(widths, weights, seed):
    """Return gates and slopes in integers: gates[level][input][node], slopes[level][input][node][weight]."""
    rng = np.random.default_rng(seed)
    gates = [rng.integers(-2, 3, (2, width)).tolist() for width in widths]
    return gates, [rng.integers(-2, 3, (2, width, weights)).tolist() for width in widths]


def enumerated(widths, gates, slopes, pair):
    """Return the means of <dy/dtheta, dy'/dtheta> and <dy/dm, dy'/dm> over all signs of the weights."""
    sizes = [2, *widths, 1]
    weights = every_weight([(b, a) for a, b in pairwise(sizes)], (1, -1))
    by_weights = [gradient(weights, INPUTS[s], [level[s] for level in gates]) for s in pair]
    strengths = sum(Fraction(int((a * b).sum())) for a, b in zip(*by_weights, strict=True))
    by_gates = []
    for s in pair:
        rows = []
        for m in range(len(slopes[0][0][0])):
            value = np.zeros(len(weights[0]), dtype=np.int64)
            for changed in range(len(widths)):
                nodes = np.tile(np.array(INPUTS[s]), (len(value), 1))
                for number, layer in enumerate(weights):
                    nodes = np.einsum("coi,ci->co", layer, nodes)
                    if number < len(widths):
                        factors = [node[m] for node in slopes[number][s]] if number == changed else gates[number][s]
                        nodes = nodes * np.array(factors)
                value = value + nodes[:, 0]
            rows.append(value)
        by_gates.append(np.array(rows))
    activations = Fraction(int((by_gates[0] * by_gates[1]).sum()))
    return strengths / len(weights[0]), activations / len(weights[0])


@pytest.mark.parametrize("widths", [(2,), (3, 1)], ids=str)
def test_means_are_those_of_all_weights(widths):
    gates, slopes = drawn(widths, 3, seed=1)
    network = GatedNetwork(INPUTS, [GivenValues(level) for level in gates])
    for pair in ((0, 0), (0, 1)):
        assert adaptable_mean(network, slopes, pair) == enumerated(widths, gates, slopes, pair)


def test_refusals():
    one = GivenValues([[1, 2]])
    with pytest.raises(InputError, match="whose gates have no slopes"):
        sensitivity(GatedNetwork([[1]], [AllOn(2)]), [[[[1], [1]]]])
    for slopes in ([], [[[[1]]]], [[[[1], [1, 2]]]], [[[[1], [1]], [[1], [1]]]]):
        with pytest.raises(InputError, match="have another shape than its gates"):
            sensitivity(GatedNetwork([[1]], [one]), slopes)
