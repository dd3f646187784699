"""Kernels of convolutional networks against enumerated paths in fractions, and against Jacobians of the network."""

from fractions import Fraction

import pytest
import torch

from sim.kernels import convolution_gates_of, convolution_path_kernel, convolution_tangent_kernel
from sim.networks.deep import at_start
from tests.deep_cases import CLOSED, DATA, problem_of
from tests.sim.kernels.networks import jacobian, kernel, learnable
from tests.tolerances_of_empirical_kernels import CONVOLUTION_KERNEL
from theory.paths import convolution, evaluated
from theory.paths.convolution import ConvolutionalNetwork
from theory.problem import InputError, OwnGates

N = 4  # positions
# Channels of x and of each convolution, windows, outputs.
SHAPES = {
    "one channel": ((1, 1), (2,), 1),
    "two convolutions": ((1, 2, 3), (2, 3), 1),
    "three channels of x": ((3, 2), (4,), 1),
    "several outputs": ((2, 3, 1, 2), (1, 3, 2), 3),
}


def drawn(shape, seed=0, networks=()):
    """Whole numbers from -2 to 2 as weights, so that sums in float64 are exact."""
    channels, windows, outputs = SHAPES[shape]
    generator = torch.Generator().manual_seed(seed)
    sizes = [(after, before, k) for before, after, k in zip(channels, channels[1:], windows, strict=False)]
    sizes.append((outputs, channels[-1]))
    return [torch.randint(-2, 3, (*networks, *size), generator=generator).double() for size in sizes]


def images(rows, channels, seed=1):
    return torch.randint(-3, 4, (rows, channels, N), generator=torch.Generator().manual_seed(seed)).double()


def hard(rows, shape, seed=2, networks=()):
    generator = torch.Generator().manual_seed(seed)
    return [torch.rand(*networks, rows, c, N, generator=generator) < 2 / 3 for c in SHAPES[shape][0][1:]]


def exactly(weights, x, gates):
    """The same network in fractions; `theory` follows single paths, node by node."""
    levels = [[[Fraction(float(g)) for g in row.flatten()] for row in level] for level in gates]
    kernels = [[[list(map(Fraction, row)) for row in c] for c in each.tolist()] for each in weights[:-1]]
    inputs = [list(map(Fraction, row.flatten().tolist())) for row in x]
    return ConvolutionalNetwork(inputs, levels, kernels, weights[-1][0].tolist(), x.shape[1])


def padded(weights, x, gates=None, activation=None):
    """One image through torch's own convolution of the image continued around the ring, (outputs)."""
    z = x[None]
    for number, each in enumerate(weights[:-1]):
        around = torch.nn.functional.pad(z, (0, each.shape[-1] - 1), mode="circular")
        q = torch.nn.functional.conv1d(around, each)
        z = activation(q) if gates is None else q * gates[number]
    return (z.mean(-1) @ weights[-1].T)[0]


def apart(found, expected):
    return float((found - expected).abs().max()) / float(expected.abs().max())


@pytest.mark.parametrize("soft", [False, True], ids=["hard", "soft"])
@pytest.mark.parametrize("shape", SHAPES)
def test_the_path_kernel_is_the_sum_over_enumerated_paths(shape, soft):
    windows, x = SHAPES[shape][1], images(4, SHAPES[shape][0][0])
    gates = [0.25 + 0.5 * g.double() if soft else g for g in hard(4, shape)]
    net = exactly(drawn(shape), x, gates)
    phi = [convolution.features(net, s) for s in range(4)]
    expected = [[float(sum(a * b for a, b in zip(one, two, strict=True))) for two in phi] for one in phi]
    assert convolution_path_kernel(x, gates, windows).tolist() == expected
    scaled = convolution_path_kernel(x, gates, windows, layer_scale=0.5)
    assert scaled.tolist() == [[value / 2 ** len(windows) for value in row] for row in expected]
    others = convolution_path_kernel(x[:3], [g[:3] for g in gates], windows, x[3:], [g[3:] for g in gates])
    assert others.tolist() == [row[3:] for row in expected[:3]]
    if windows != (1,):
        fewer = (windows[0] - 1 or 2, *windows[1:])
        assert convolution_path_kernel(x, gates, fewer).tolist() != expected


@pytest.mark.parametrize("activation", [torch.relu, torch.tanh, None], ids=["relu", "tanh", "gates"])
@pytest.mark.parametrize("shape", SHAPES)
def test_the_tangent_kernel_is_that_of_jacobians_of_the_network(shape, activation):
    channels = SHAPES[shape][0][0]
    weights, x, y = drawn(shape, seed=3), images(5, channels), images(3, channels, seed=4)
    gates, others = (None, None) if activation else (hard(5, shape), hard(3, shape, seed=6))
    parameters = learnable(weights)

    def rows(inputs, own):
        def outputs(one, s):
            return padded(parameters, one, own and [g[s].double() for g in own], activation)

        return jacobian(outputs, parameters, inputs)

    first, second = rows(x, gates), rows(y, others)
    options = {"gates": gates} if gates else {"activation": activation}
    assert apart(convolution_tangent_kernel(weights, x, **options), kernel(first, first)) <= CONVOLUTION_KERNEL
    options |= {"other_gates": others} if gates else {}
    found = convolution_tangent_kernel(weights, x, y, block=2, **options)
    assert apart(found, kernel(first, second)) <= CONVOLUTION_KERNEL


def test_gates_of_a_relu_network_are_those_of_the_deep_network_of_problems():
    problem = problem_of("shared", OwnGates(CLOSED))
    *weights, readout = (torch.tensor(_floats(given), dtype=torch.float64) for _, given in problem.training.w0.starts)
    x = torch.tensor(_floats(DATA.x), dtype=torch.float64)[:, None]
    found = convolution_gates_of(weights, x, gate=lambda q: q > 0, activation=torch.relu)
    assert [g.flatten(1).tolist() for g in found] == [g.tolist() for g in at_start(problem).gates]
    expected = torch.tensor(_floats(convolution.tangent_kernel(evaluated(problem))), dtype=torch.float64)
    assert apart(convolution_tangent_kernel([*weights, readout], x, gates=found), expected) <= CONVOLUTION_KERNEL


def _floats(numbers):
    return list(map(_floats, numbers)) if isinstance(numbers, tuple) else float(numbers)


X, G, W = images(2, 1), [torch.ones(2, 2, N).double()], [torch.ones(2, 1, 2).double(), torch.ones(1, 2).double()]


def test_arguments_that_do_not_fit_are_refused():
    for asked, said in [
        (lambda: convolution_path_kernel(X[:, 0], G, [2]), r"inputs has shape \(2, 4\)"),
        (lambda: convolution_path_kernel(X, [G[0][:1]], [2]), r"gates\[0\] has shape \(1, 2, 4\)"),
        (lambda: convolution_path_kernel(X, [g.float() for g in G], [2]), r"gates\[0\] is torch.float32"),
        (lambda: convolution_path_kernel(X, G, [5]), r"windows\[0\] = 5"),
        (lambda: convolution_path_kernel(X, G, [2], layer_scale=0.0), "layer_scale = 0"),
        (lambda: convolution_path_kernel(X, G, [2], X), "belong together"),
        (lambda: convolution_path_kernel(X, G, [2], images(2, 3), G), r"other \(3, 4\)"),
        (lambda: convolution_tangent_kernel(W, X), "either `gates` or an `activation`"),
        (lambda: convolution_tangent_kernel(W[:1], X, gates=G), "weights has 1 layers"),
        (lambda: convolution_tangent_kernel(W, images(2, 3), gates=G), "takes 1 channels, but 3 feed it"),
        (lambda: convolution_tangent_kernel(W, X, gates=[G[0][:, :1]]), r"must be \(2, 2, 4\)"),
        (lambda: convolution_tangent_kernel(W, X, gates=G, block=0), "block = 0"),
        (lambda: convolution_gates_of([W[0][0]], X, gate=torch.sign, activation=torch.relu), r"weights\[0\]"),
    ]:
        with pytest.raises(InputError, match=said) as caught:
            asked()
        assert caught.value.hint
