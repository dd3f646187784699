"""Gates that learn: the tangent kernel of the activations, and the sensitivity of path activities.

With weights theta^g of its own for the gates, the gradient of y has two parts, and the tangent kernel is K^w + K^a:

    K^w(s, t) = sum over the weights of paths of dy(x_s) dy(x_t), gates fixed        `tangent_kernel`
    K^a(s, t) = sum_m <v, dphi(x_s)/dtheta^g(m)> <v, dphi(x_t)/dtheta^g(m)>          `adaptation_kernel`
    delta(s, t) = sum_m sum_(p from one input node) dA(x_s, p)/dtheta^g(m) dA(x_t, p)/dtheta^g(m)

The gates enter by their values and their slopes dG_l(x, i)/dtheta^g(m), which the caller gives: input, weight m, hidden
level, node. Source: deep gated networks, section 3, Definition 3.1; neural path kernel, Proposition 4.1.
"""

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

from theory.paths.enumeration import forward
from theory.paths.network import Rows, WeightedNetwork, inner
from theory.problem.errors import InputError
from theory.problem.numbers import exact

Slopes = Sequence[Sequence[Sequence[Sequence[Fraction | int]]]]  # input, weight of the gates, level, node


def adaptation_kernel(network: WeightedNetwork, slopes: Slopes) -> Rows:
    """Return K^a(s, t), the sum over the weights m of the gates of dy(x_s)/dtheta^g(m) dy(x_t)/dtheta^g(m).

    `slopes` has dG/dtheta^g(m) for each input, weight, hidden level and node. Raises InputError for another shape.

    >>> from theory.paths.network import weighted
    >>> net = weighted([[2]], [[["1/2"]]], [[[3]], [[5]]])  # y = 5 G 3 x
    >>> adaptation_kernel(net, [[[[1]]]])[0][0] == (5 * 3 * 2) ** 2
    True
    """
    rows = _checked(network, slopes)
    moved = [[_moved(network, number, slope) for slope in row] for number, row in enumerate(rows)]
    return tuple(tuple(inner(one, other) for other in moved) for one in moved)


def sensitivity_overlap(network: WeightedNetwork, slopes: Slopes) -> Rows:
    """Return delta(s, t), the overlap of the slopes of the path activities, level by level.

    The product over the levels of sum_i (G + a dG)(G' + b dG') has delta as the coefficient of a b. `slopes` as in
    `adaptation_kernel`.

    >>> from theory.paths.network import weighted
    >>> net = weighted([[1]], [[["1/2", 1]]], [[[1], [1]], [[1, 1]]])
    >>> int(sensitivity_overlap(net, [[[[3, 4]]]])[0][0])  # 3^2 + 4^2
    25
    """
    rows = _checked(network, slopes)
    gates = [network.gates(number) for number in range(len(network.inputs))]
    numbers = range(len(gates))
    return tuple(
        tuple(
            sum(
                (_coefficient(gates[s], gates[t], one, other) for one, other in zip(rows[s], rows[t], strict=True)),
                start=Fraction(0),
            )
            for t in numbers
        )
        for s in numbers
    )


def _coefficient(one: Rows, other: Rows, slope: Rows, other_slope: Rows) -> Fraction:
    """Return the coefficient of a b of the product over the levels: both slopes on one level, or on two."""
    neither, first, second, both = Fraction(1), Fraction(0), Fraction(0), Fraction(0)
    for g, h, dg, dh in zip(one, other, slope, other_slope, strict=True):
        c, m, n, d = (inner(left, right) for left, right in ((g, h), (dg, h), (g, dh), (dg, dh)))
        both = both * c + first * n + second * m + neither * d
        first, second, neither = first * c + neither * m, second * c + neither * n, neither * c
    return both


def _moved(network: WeightedNetwork, number: int, slope: Rows) -> Fraction:
    """Return dy/dtheta^g(m): the derivative of the values of the levels, carried forward beside them."""
    gates = (*network.gates(number), (Fraction(1),))
    turning = (*slope, (Fraction(0),))
    levels = forward(network, number)
    change: tuple[Fraction, ...] = (Fraction(0),) * len(levels[0])
    for (before, _), layer, level_gates, turn in zip(pairwise(levels), network.weights, gates, turning, strict=True):
        change = tuple(
            turned * inner(row, before) + gate * inner(row, change)
            for turned, gate, row in zip(turn, level_gates, layer, strict=True)
        )
    return change[0]


def _checked(network: WeightedNetwork, slopes: Slopes) -> list[list[Rows]]:
    """Return the slopes as fractions, after a check of their shape."""
    widths = list(network.widths[1:])
    count = len(slopes[0]) if slopes else 0
    if len(slopes) != len(network.inputs) or any(len(row) != count for row in slopes):
        raise InputError(
            f"The slopes of the gates are for {len(slopes)} inputs, with {[len(row) for row in slopes]} weights each.",
            f"Give {len(network.inputs)} inputs the slopes by the same weights of the gates.",
        )
    for row in slopes:
        for levels in row:
            if [len(level) for level in levels] != widths:
                raise InputError(
                    f"The slopes of the gates have levels of {[len(level) for level in levels]} nodes, not {widths}.",
                    "Give a slope for each node of each hidden level.",
                )
    return [
        [tuple(tuple(exact(value, "a slope of a gate") for value in level) for level in levels) for levels in row]
        for row in slopes
    ]
