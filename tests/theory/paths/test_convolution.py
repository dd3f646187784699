"""Shared weights: paths, kernels and gradients against enumeration, differences and averages over all signs."""

from fractions import Fraction
from itertools import product
from math import prod

import pytest

from tests.deep_cases import DATA, FIXED, GATINGS, problem_of
from theory.paths import convolution, evaluated
from theory.paths.convolution import ConvolutionalNetwork
from theory.problem import InputError, OutOfReachError

NETWORKS = {
    name: evaluated(problem_of("shared", gating)) for name, gating in {**GATINGS, "fixed": FIXED["shared"]}.items()
}
# Two channels of x of 3 positions, levels of 2 and 3 channels, four inputs.
COLOURED = ConvolutionalNetwork(
    [[1, 2, -1, 3, 0, 1], [0, -1, 3, 1, 1, -2], [Fraction(1, 2), 1, 1, 0, 2, 0], [1, 0, 0, -1, -1, 5]],
    FIXED["shared"].values,
    [[[[1, -1], [2, 3]], [[Fraction(1, 2), 2], [0, -1]]], NETWORKS["fixed"].kernels[1]],
    [1, -2, 3],
    channels=2,
)
NETWORKS["two channels of x"] = COLOURED


def connected(net):
    """All sequences of nodes in which each node lies in the window of the one before."""
    n, levels = net.n, [range(len(net.inputs[0])), *(range(len(kernel) * net.n) for kernel in net.kernels)]
    windows = [len(kernel[0][0]) for kernel in net.kernels]
    for nodes in product(*levels):
        steps = zip(nodes, nodes[1:], windows, strict=False)
        if all(any((after % n + k) % n == before % n for k in range(window)) for before, after, window in steps):
            yield nodes


def feature(net, nodes, s):
    return net.inputs[s][nodes[0]] * prod(level[node] for level, node in zip(net.gates(s), nodes[1:], strict=True))


def test_paths_are_the_connected_sequences_of_nodes_and_kernels_sums_over_them():
    for name, net in NETWORKS.items():
        nodes = list(connected(net))
        assert sorted(convolution.paths(net)) == sorted(nodes)
        assert len(nodes) == net.number_of_paths == 3 * net.channels * (2 * 2) * (2 * 3)
        assert net.widths == (3 * net.channels, 6, 9)
        opened = [
            [all(level[node] for level, node in zip(net.gates(s), path[1:], strict=True)) for path in nodes]
            for s in range(len(DATA.x))
        ]
        features = [[feature(net, path, s) for path in nodes] for s in range(len(DATA.x))]
        kernel = convolution.path_kernel(net)
        for s, t in product(range(len(DATA.x)), repeat=2):
            both = sum(a and b for a, b in zip(opened[s], opened[t], strict=True))
            assert convolution.number_common(net, s, t) == both, name
            assert kernel[s][t] == sum(a * b for a, b in zip(features[s], features[t], strict=True)), name
        for s in range(len(DATA.x)):
            assert convolution.number_active(net, s) == sum(opened[s]), name
            assert convolution.features(net, s) == tuple(feature(net, path, s) for path in convolution.paths(net))
            assert convolution.output_over_paths(net, s) == convolution.output(net, s), name


def moved(net, kernel=None, readout=None):
    return ConvolutionalNetwork(net.inputs, net.levels, kernel or net.kernels, readout or net.readout, net.channels)


def slopes(net, s):
    """The derivatives of the output, which is linear in each shared weight: differences are exact."""
    y = convolution.output(net, s)
    for c in range(len(net.readout)):
        yield convolution.output(moved(net, readout=[w + (i == c) for i, w in enumerate(net.readout)]), s) - y
    for level, kernel in enumerate(net.kernels):
        for c, source, k in product(range(len(kernel)), range(len(kernel[0])), range(len(kernel[0][0]))):
            changed = [[list(row) for row in channel] for channel in kernel]
            changed[c][source][k] += 1
            kernels = [changed if index == level else other for index, other in enumerate(net.kernels)]
            yield convolution.output(moved(net, kernel=kernels), s) - y


@pytest.mark.parametrize("name", ["own, soft", "two channels of x"])
def test_the_tangent_kernel_is_that_of_the_shared_weights(name):
    net = NETWORKS[name]
    gradients = [list(slopes(net, s)) for s in range(len(DATA.x))]
    expected = tuple(
        tuple(sum(a * b for a, b in zip(one, other, strict=True)) for other in gradients) for one in gradients
    )
    assert convolution.tangent_kernel(net) == expected


def test_the_kernel_of_bundles_is_the_mean_over_independent_signs():
    """Deep gated networks, Lemma 4.1: all signs of the weights, gates that do not depend on them."""
    channels, x, shapes = 2, [[1, 2, -1, 0, 2, 1], [3, 0, 1, 1, -1, 1]], ((2, 2, 1), (1, 2, 2))
    count = sum(map(prod, shapes)) + 1
    gates = [[[1, 0, 1, 1, 1, 0], [1, 1, 0, 0, 1, 1]], [[1, 1, 0], [0, 1, 1]]]
    sums = [[Fraction(0)] * 2 for _ in range(2)]
    for signs in product((1, -1), repeat=count):
        draw = iter(signs)
        kernels = [[[[next(draw) for _ in range(k)] for _ in range(b)] for _ in range(a)] for a, b, k in shapes]
        net = ConvolutionalNetwork(x, gates, kernels, [next(draw)], channels)
        y = [convolution.output(net, s) for s in range(2)]
        for s, t in product(range(2), repeat=2):
            sums[s][t] += y[s] * y[t] / 2**count
    assert convolution.bundle_kernel(net) == tuple(map(tuple, sums))
    assert sums[0][1] != convolution.path_kernel(net)[0][1] / 9


def test_too_many_paths_are_counted_and_not_listed():
    widths = [10, 10, 10]
    gates = [[[1] * 40] for _ in widths]
    kernels = [[[[1, 1]] * before] * after for before, after in zip([1, *widths], widths, strict=False)]
    net = ConvolutionalNetwork([[1, 0, 0, 1]], gates, kernels, [1] * 10)
    assert convolution.number_active(net, 0) == net.number_of_paths == 4 * 20**3
    wide = ConvolutionalNetwork([[1, 0, 0, 1]], [*gates, gates[0]], [*kernels, kernels[-1]], [1] * 10)
    assert wide.number_of_paths == 4 * 20**4
    with pytest.raises(OutOfReachError, match="640000 paths"):
        convolution.paths(wide)
    assert int(convolution.path_kernel(wide)[0][0]) == 2 * 20**4


REFUSED = (
    ([[[1, 1]]], [[[[1]]]], [1, 1], 1, "2 weights of the output"),
    ([[[1, 1]]], [[[[1]]], [[[1]]]], [1], 1, "2 kernels, 1 levels"),
    ([[[1, 1, 1]]], [[[[1]]]], [1], 1, "1 rows of 3 gates"),
    ([[[1, 1], [1, 1]]], [[[[1]]]], [1], 1, "2 rows of 2 gates"),
    ([[[1, 1]]], [[[[1], [1]]]], [1], 1, r"kernels of \[2\] channels"),
    ([[[1, 1]]], [[[[1, 1, 1]]]], [1], 1, r"windows of \[3\]"),
    ([[[1, 1]]], [[[[1]]]], [1], 0, "channels = 0"),
    ([[[1, 1]]], [[[[1]]]], [1], 3, "2 numbers are not 3 channels"),
)


def test_shapes_that_do_not_fit_are_refused():
    for levels, kernels, readout, channels, said in REFUSED:
        with pytest.raises(InputError, match=said):
            ConvolutionalNetwork([[1, 2]], levels, kernels, readout, channels)
