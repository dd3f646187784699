"""Gates from pre-activations: a ReLU network and linear gating, against networks evaluated node by node."""

import itertools
import random

import pytest

from theory.paths import linear_gates, linearly_gated, output, output_over_paths, relu_gates, relu_network
from theory.problem import InputError

SHAPES = ((3, (2, 3)), (2, (3, 1, 2)))


def layers(rng, d_in, widths):
    sizes = (d_in, *widths, 1)
    return [[[rng.randint(-3, 3) for _ in range(a)] for _ in range(b)] for a, b in itertools.pairwise(sizes)]


def relu(weights, x):
    for number, layer in enumerate(weights):
        x = [sum(w * z for w, z in zip(row, x, strict=True)) for row in layer]
        x = [max(z, 0) for z in x] if number < len(weights) - 1 else x
    return x[0]


def gated(weights, gating, x, seen, at_zero):
    eta, h = list(x), list(seen)
    for number, (layer, gating_layer) in enumerate(zip(weights, gating, strict=True)):
        eta = [sum(w * z for w, z in zip(row, eta, strict=True)) for row in gating_layer]
        h = [sum(w * z for w, z in zip(row, h, strict=True)) for row in layer]
        if number < len(weights) - 1:
            h = [z if q > 0 or (at_zero and q == 0) else 0 for z, q in zip(h, eta, strict=True)]
    return h[0]


@pytest.mark.parametrize(("d_in", "widths"), SHAPES)
@pytest.mark.parametrize("at_zero", [0, 1])
def test_gated_networks_are_sums_over_their_active_paths(d_in, widths, at_zero):
    rng = random.Random(f"{d_in} {widths}")
    for _ in range(8):
        weights, gating = layers(rng, d_in, widths), layers(rng, d_in, widths)
        x = [rng.randint(-4, 4) for _ in range(d_in)]
        net = relu_network([x], weights, at_zero)
        assert output_over_paths(net, 0) == output(net, 0) == relu(weights, x)
        for value_input, seen in (("x", x), ("ones", [1] * d_in)):
            net = linearly_gated([x], weights, gating, at_zero, value_input)
            assert output_over_paths(net, 0) == output(net, 0) == gated(weights, gating, x, seen, at_zero)


def test_bad_questions_are_named():
    weights = [[[1, 1]], [[1]]]
    with pytest.raises(InputError, match="at_zero = 2 is no gate"):
        relu_gates([[1, 2]], weights, at_zero=2)
    with pytest.raises(InputError, match=r"Layer 1 has rows of \[2\] weights, and the level before has 3 nodes"):
        linear_gates([[1, 2, 3]], weights, at_zero=0)
    with pytest.raises(InputError, match="value_input = 'z' is unknown"):
        linearly_gated([[1, 2]], weights, weights, at_zero=1, value_input="z")
