"""Paths of a circular convolutional network with global average pooling, in fractions: their weights are shared.

With i + k modulo n, and x of one or more channels, the levels and the output are

    z_0 = x,  z_l(c, i) = G_l(c, i) sum_c' sum_(k < window) Theta_l(c, c', k) z_(l-1)(c', i + k),
    y = sum_c Theta_d(c) (1/n) sum_i z_(d-1)(c, i).

A path starts at a position of a channel of x and passes one node, a channel at a position, of each level. The paths
with equal channels and equal shifts k form a bundle: n paths of one value. Sums over paths go through the nodes that
are connected, so H is no product of two matrices here, as it is between fully connected levels. Source: deep gated
networks, section 4.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import prod

from theory.kernels.network import GivenValues
from theory.paths.enumeration import MOST_PATHS
from theory.paths.network import Rows, inner
from theory.problem.errors import InputError, OutOfReachError
from theory.problem.numbers import whole

Kernel = tuple[Rows, ...]  # of a level: (channels, channels before, window)
Path = tuple[int, ...]  # the node c n + i of x, channel c at position i, then that of each hidden level
_ONE, _ZERO = Fraction(1), Fraction(0)


@dataclass(frozen=True)
class ConvolutionalNetwork:
    """Inputs and gates of each level as rows of channels times n numbers, kernels and readout.

    A node of x or of a level is c n + i, channel c at position i; x has `channels` channels. Raises InputError where
    shapes do not fit each other.

    >>> net = ConvolutionalNetwork([[1, 2, 0]], [[[1, 1, 0]]], [[[[3, 1]]]], [6])
    >>> net.number_of_paths, int(output(net, 0))  # q = (3 + 2, 6, 1), and 6/3 (5 + 6)
    (6, 22)
    """

    inputs: Rows
    levels: tuple[Rows, ...]
    kernels: tuple[Kernel, ...]
    readout: tuple[Fraction, ...]
    channels: int = 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "inputs", GivenValues(self.inputs).rows)
        object.__setattr__(self, "levels", tuple(GivenValues(level).rows for level in self.levels))
        kernels = tuple(tuple(GivenValues(channel).rows for channel in kernel) for kernel in self.kernels)
        object.__setattr__(self, "kernels", kernels)
        object.__setattr__(self, "readout", tuple(map(Fraction, self.readout)))
        whole(self.channels, "channels", least=1)
        if len(self.inputs[0]) % self.channels:
            raise InputError(
                f"Inputs of {len(self.inputs[0])} numbers are not {self.channels} channels of one length.",
                "Give each input channel by channel, all positions of the first channel first.",
            )
        n, before = self.n, self.channels
        if len(kernels) != len(self.levels) or len(self.readout) != len(kernels[-1]):
            raise InputError(
                f"{len(kernels)} kernels, {len(self.levels)} levels of gates and {len(self.readout)} weights of the "
                "output do not fit.",
                "Give a kernel and gates for each level, and a weight of the output for each of the last channels.",
            )
        for number, (kernel, level) in enumerate(zip(kernels, self.levels, strict=True), 1):
            gates, needed = len(level[0]), len(kernel) * n
            sources, windows = ({len(rows) for rows in kernel}, {len(row) for rows in kernel for row in rows})
            if gates != needed or len(level) != len(self.inputs) or sources != {before} or max(windows) > n:
                raise InputError(
                    f"Level {number} has {len(level)} rows of {gates} gates and kernels of {sorted(sources)} channels "
                    f"with windows of {sorted(windows)}.",
                    f"It needs {len(self.inputs)} rows of {needed} gates, {before} channels and windows up to {n}.",
                )
            before = len(kernel)

    @property
    def n(self) -> int:
        """The number of positions."""
        return len(self.inputs[0]) // self.channels

    @property
    def depth(self) -> int:
        """The number d of layers of weights."""
        return len(self.kernels) + 1

    @property
    def widths(self) -> tuple[int, ...]:
        """The number of input nodes, then of the nodes of each hidden level."""
        return (len(self.inputs[0]), *(len(kernel) * self.n for kernel in self.kernels))

    @property
    def number_of_paths(self) -> int:
        """P = n times the channels of x times prod_l (window times channels)."""
        return len(self.inputs[0]) * prod(len(kernel) * len(kernel[0][0]) for kernel in self.kernels)

    def gates(self, number: int) -> Rows:
        """Return the gates of one input, a row for each hidden level."""
        return tuple(level[number] for level in self.levels)


def paths(network: ConvolutionalNetwork) -> tuple[Path, ...]:
    """Return all paths. Raises OutOfReachError for more than MOST_PATHS.

    >>> paths(ConvolutionalNetwork([[1, 2, 0]], [[[1, 1, 0]]], [[[[3, 1]]]], [6]))  # node i sees i and i + 1
    ((0, 0), (0, 2), (1, 1), (1, 0), (2, 2), (2, 1))
    """
    if network.number_of_paths > MOST_PATHS:
        raise OutOfReachError(
            f"The network has {network.number_of_paths} paths, and at most {MOST_PATHS} are enumerated.",
            "Take fewer levels, channels or a smaller window; numbers of paths, outputs and kernels need none.",
        )
    n = network.n
    prefixes: list[Path] = [(node,) for node in range(network.widths[0])]
    for kernel in network.kernels:
        steps = list(product(range(len(kernel)), range(len(kernel[0][0]))))
        prefixes = [(*path, channel * n + (path[-1] - shift) % n) for path in prefixes for channel, shift in steps]
    return tuple(prefixes)


def active_paths(network: ConvolutionalNetwork, number: int) -> tuple[Path, ...]:
    """Return the paths whose gates are all other than 0 for one input.

    >>> active_paths(ConvolutionalNetwork([[1, 2, 0]], [[[1, 1, 0]]], [[[[3, 1]]]], [6]), 0)
    ((0, 0), (1, 1), (1, 0), (2, 1))
    """
    gates = network.gates(number)
    return tuple(
        path for path in paths(network) if all(level[node] for level, node in zip(gates, path[1:], strict=True))
    )


def features(network: ConvolutionalNetwork, number: int) -> tuple[Fraction, ...]:
    """Return phi(x, p) = x(p(0)) prod_l G_l(x, p(l)) of each path for one input.

    >>> net = ConvolutionalNetwork([[1, 2, 0]], [[[1, 1, 0]]], [[[[3, 1]]]], [6])
    >>> [int(phi) for phi in features(net, 0)]
    [1, 0, 2, 2, 0, 0]
    """
    x, gates = network.inputs[number], network.gates(number)
    return tuple(
        x[path[0]] * prod((level[node] for level, node in zip(gates, path[1:], strict=True)), start=_ONE)
        for path in paths(network)
    )


def values(network: ConvolutionalNetwork) -> tuple[Fraction, ...]:
    """Return the value of each path: the product of its weights and of the 1/n of the mean.

    >>> net = ConvolutionalNetwork([[1, 2, 0]], [[[1, 1, 0]]], [[[[3, 1]]]], [6])
    >>> [int(v) for v in values(net)]
    [6, 2, 6, 2, 6, 2]
    """
    n = network.n
    products = []
    for path in paths(network):
        value, before = _ONE, path[0]
        for kernel, node in zip(network.kernels, path[1:], strict=True):
            value *= kernel[node // n][before // n][(before - node) % n]
            before = node
        products.append(value * network.readout[before // n] / n)
    return tuple(products)


def output_over_paths(network: ConvolutionalNetwork, number: int) -> Fraction:
    """Return y(x) = <phi(x), v>, the sum over all paths. Raises OutOfReachError for more than MOST_PATHS.

    >>> net = ConvolutionalNetwork([[1, 2, 0]], [[[1, 1, 0]]], [[[[3, 1]]]], [6])
    >>> output_over_paths(net, 0) == output(net, 0)
    True
    """
    return inner(features(network, number), values(network))


def forward(network: ConvolutionalNetwork, number: int) -> tuple[tuple[Fraction, ...], ...]:
    """Return z_0 = x, ..., z_(d-1), then the output, of one input.

    >>> net = ConvolutionalNetwork([[1, 2, 0]], [[[1, 1, 0]]], [[[[3, 1]]]], [6])
    >>> [[int(z) for z in level] for level in forward(net, 0)]
    [[1, 2, 0], [5, 6, 0], [22]]
    """
    levels = [network.inputs[number]]
    for kernel, gates in zip(network.kernels, network.gates(number), strict=True):
        levels.append(tuple(g * q for g, q in zip(gates, convolved(kernel, levels[-1]), strict=True)))
    return (*levels, (inner(network.readout, _means(network, levels[-1])),))


def convolved(kernel: Kernel, z: Sequence[Fraction]) -> tuple[Fraction, ...]:
    """Return q(c, i) = sum_c' sum_k Theta(c, c', k) z(c', i + k), the positions modulo n; z is channel by channel.

    >>> [int(q) for q in convolved((((3, 1),),), (1, 2, 0))]
    [5, 6, 1]
    """
    n = len(z) // len(kernel[0])
    return tuple(
        sum(
            (weight * z[c * n + (i + k) % n] for c, row in enumerate(rows) for k, weight in enumerate(row)), start=_ZERO
        )
        for rows in kernel
        for i in range(n)
    )


def output(network: ConvolutionalNetwork, number: int) -> Fraction:
    """Return y(x) level by level, without paths.

    >>> int(output(ConvolutionalNetwork([[1, 2, 0]], [[[1, 1, 1]]], [[[[3, 1]]]], [6]), 0))  # 6/3 (5 + 6 + 1)
    24
    """
    return forward(network, number)[-1][0]


def number_active(network: ConvolutionalNetwork, number: int) -> int:
    """Return the number of paths whose gates are all other than 0 for one input, without enumeration.

    >>> number_active(ConvolutionalNetwork([[1, 2, 0]], [[[1, 1, 0]]], [[[[3, 1]]]], [6]), 0)
    4
    """
    return number_common(network, number, number)


def number_common(network: ConvolutionalNetwork, s: int, t: int) -> int:
    """Return the number of paths that are active for both inputs, without enumeration.

    >>> net = ConvolutionalNetwork([[1, 2, 0], [0, 0, 1]], [[[1, 1, 0], [0, 1, 1]]], [[[[3, 1]]]], [6])
    >>> number_common(net, 0, 1)
    2
    """
    return int(_over_paths(network, s, t, lambda g, h: Fraction(g != 0 and h != 0), (_ONE,) * network.widths[0]))


def path_kernel(network: ConvolutionalNetwork) -> Rows:
    """Return H(s, t) = <phi(x_s), phi(x_t)>, a sum over paths that is taken level by level.

    >>> net = ConvolutionalNetwork([[1, 2, 0], [0, 1, 1]], [[[1, 1, 0], [0, 1, 1]]], [[[[3, 1]]]], [6])
    >>> path_kernel(net)[0][1] == sum(a * b for a, b in zip(features(net, 0), features(net, 1)))
    True
    """

    def entry(s: int, t: int) -> Fraction:
        both = tuple(a * b for a, b in zip(network.inputs[s], network.inputs[t], strict=True))
        return _over_paths(network, s, t, lambda g, h: g * h, both)

    return _symmetric(entry, len(network.inputs))


def bundle_kernel(network: ConvolutionalNetwork) -> Rows:
    """Return B(s, t) = (1/n^2) sum over bundles of (sum_(p in b) phi(x_s, p)) (sum_(p in b) phi(x_t, p)).

    s^(2 d) B is the expectation of y(x_s) y(x_t) for independent weights of mean 0 and variance s^2 that do not depend
    on the gates: the paths of a bundle share their value. Source: deep gated networks, Lemma 4.1.

    >>> net = ConvolutionalNetwork([[1, 2, 0], [0, 1, 2]], [[[1, 1, 1], [1, 1, 1]]], [[[[3, 1]]]], [6])
    >>> [[int(value) for value in row] for row in bundle_kernel(net)]  # two bundles of (1 + 2)/3: rotations are alike
    [[2, 2], [2, 2]]
    """
    n = network.n

    def entry(s: int, t: int) -> Fraction:
        x, other = network.inputs[s], network.inputs[t]
        pairs = list(product(range(n), repeat=2))
        before = {(i, j): inner(x[i::n], other[j::n]) for i, j in pairs}  # summed over channels
        for kernel, gates, other_gates in zip(network.kernels, network.gates(s), network.gates(t), strict=True):
            shifts = range(len(kernel[0][0]))
            after = dict.fromkeys(pairs, _ZERO)
            for i, j in pairs:
                reached = sum((before[(i + k) % n, (j + k) % n] for k in shifts), start=_ZERO)
                opened = (gates[c * n + i] * other_gates[c * n + j] for c in range(len(kernel)))
                after[i, j] = reached * sum(opened, start=_ZERO)
            before = after
        return sum(before.values(), start=_ZERO) / n**2

    return _symmetric(entry, len(network.inputs))


def tangent_kernel(network: ConvolutionalNetwork) -> Rows:
    """Return K(s, t), the inner product of the gradients of y(x_s) and y(x_t) in the shared weights, gates fixed.

    >>> [[int(k) for k in row] for row in tangent_kernel(ConvolutionalNetwork([[3]], [[[1]]], [[[[5]]]], [2]))]
    [[261]]
    """
    slopes = [_gradient(network, number) for number in range(len(network.inputs))]
    return _symmetric(lambda s, t: inner(slopes[s], slopes[t]), len(slopes))


def _gradient(network: ConvolutionalNetwork, number: int) -> tuple[Fraction, ...]:
    """Return the derivatives of y(x) by all weights: those of the output, then of the kernels from the last on."""
    n, levels, gates = network.n, forward(network, number)[:-1], network.gates(number)
    derivatives = list(_means(network, levels[-1]))
    back = [a / n for a in network.readout for _ in range(n)]
    for index in reversed(range(len(network.kernels))):
        kernel, z = network.kernels[index], levels[index]
        back = [g * b for g, b in zip(gates[index], back, strict=True)]
        shifts, sources = range(len(kernel[0][0])), range(len(kernel[0]))
        for c, source, k in product(range(len(kernel)), sources, shifts):
            moved = (z[source * n + (i + k) % n] for i in range(n))
            derivatives.append(inner(back[c * n : (c + 1) * n], moved))
        back = [
            sum(
                (kernel[c][source][k] * back[c * n + (j - k) % n] for c in range(len(kernel)) for k in shifts),
                start=_ZERO,
            )
            for source in sources
            for j in range(n)
        ]
    return tuple(derivatives)


def _means(network: ConvolutionalNetwork, z: Sequence[Fraction]) -> tuple[Fraction, ...]:
    """Return the mean over positions of each channel."""
    n = network.n
    return tuple(sum(z[c * n : (c + 1) * n], start=_ZERO) / n for c in range(len(z) // n))


def _over_paths(
    network: ConvolutionalNetwork,
    s: int,
    t: int,
    weight: Callable[[Fraction, Fraction], Fraction],
    start: Sequence[Fraction],
) -> Fraction:
    """Return the sum over paths of start(p(0)) times the `weight` of the gates of both inputs at each of its nodes."""
    n = network.n
    before = tuple(sum(start[i::n], start=_ZERO) for i in range(n))  # every channel sees all of the level before
    for kernel, gates, other in zip(network.kernels, network.gates(s), network.gates(t), strict=True):
        shifts = range(len(kernel[0][0]))
        reached = [sum((before[(i + k) % n] for k in shifts), start=_ZERO) for i in range(n)]
        passed = [weight(g, h) * reached[node % n] for node, (g, h) in enumerate(zip(gates, other, strict=True))]
        before = tuple(sum(passed[i::n], start=_ZERO) for i in range(n))
    return sum(before, start=_ZERO)


def _symmetric(entry: Callable[[int, int], Fraction], size: int) -> Rows:
    below = [[entry(s, t) for t in range(s + 1)] for s in range(size)]
    return tuple(tuple(below[max(s, t)][min(s, t)] for t in range(size)) for s in range(size))
