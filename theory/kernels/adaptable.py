r"""The mean of K0 = K0^w + K0^a for gates that are learned with weights of their own (soft-GaLU networks).

    E K0^w(x, x') = d s^(2(d-1)) <x, x'> lambda(x, x'),   E K0^a(x, x') = s^(2d) <x, x'> delta(x, x'),
    delta(x, x') = sum_p sum_m dA(x, p)/dm dA(x', p)/dm  over the paths p from an input node,

over the weights of the paths, with the gates and their slopes given. Two different paths differ in a weight, so that a
mean other than 0 needs the same path twice. K0^w has a slope in each of its d weights, and in K0^a all d weights are
squared.

The activity A is a product over the levels. Replace G_l by G_l + a dG_l/dm for x and by G_l + b dG_l/dm for x', with
a^2 = b^2 = 0: delta is the sum over m of the coefficient of a b in prod_l sum_i G_l,i(x) G_l,i(x').

Source: Definition 3.1 and Lemma 3.1 of the paper on deep gated networks, where (ii) omits the factor d.
"""

from collections.abc import Sequence
from fractions import Fraction

from theory.kernels.network import GatedNetwork, GivenValues
from theory.kernels.tangent import Pair, checked, mean
from theory.problem.errors import InputError
from theory.problem.numbers import exact

Slopes = Sequence[Sequence[Sequence[Sequence[Fraction | int | str]]]]  # level, input, node, gate weight


def sensitivity(network: GatedNetwork, slopes: Slopes, pair: Pair = (0, 0)) -> Fraction:
    """Return delta(x_s, x_t) = sum_(p from an input node) sum_m dA(x_s, p)/dm dA(x_t, p)/dm.

    `slopes[l][s][i][m]` is the slope of the gate i of hidden level l at the input s by the gate weight m. Raises
    InputError where a level has no given gates, or slopes of another shape.

    >>> net = GatedNetwork([[1]], [GivenValues([[1, 2]])])
    >>> sensitivity(net, [[[[3, 0], [0, 5]]]])  # each gate has a weight of its own: 3^2 + 5^2
    Fraction(34, 1)
    """
    checked(network, (pair,))
    levels = [_level(network, number, slopes) for number in range(len(network.levels))]
    one, other = pair
    total = Fraction(0)
    for m in range(len(levels[0][1][0][0]) if levels else 0):
        product = (Fraction(1), Fraction(0), Fraction(0), Fraction(0))  # coefficients of 1, a, b, a b
        for gates, slope_rows in levels:
            first, second = gates[one], gates[other]
            left, right = ([node[m] for node in slope_rows[number]] for number in pair)
            level = _dot(first, second), _dot(left, second), _dot(first, right), _dot(left, right)
            product = _times(product, level)
        total += product[3]
    return total


def adaptable_mean(network: GatedNetwork, slopes: Slopes, pair: Pair = (0, 0)) -> tuple[Fraction, Fraction]:
    """Return E K0^w in units of s^(2(d-1)) and E K0^a in units of s^(2d): d <x, x'> lambda and <x, x'> delta.

    >>> net = GatedNetwork([[1]], [GivenValues([[1, 2]])])
    >>> adaptable_mean(net, [[[[3, 0], [0, 5]]]])  # 2 (1^2 + 2^2), and 3^2 + 5^2
    (Fraction(10, 1), Fraction(34, 1))
    """
    rows = network.inputs.rows
    return mean(network, pair), _dot(rows[pair[0]], rows[pair[1]]) * sensitivity(network, slopes, pair)


def _level(network: GatedNetwork, number: int, slopes: Slopes) -> tuple[tuple, list]:
    """Return gates and slopes of a level as fractions."""
    level = network.levels[number]
    if not isinstance(level, GivenValues):
        raise InputError(
            f"Level {number + 1} is {level!r}, whose gates have no slopes.",
            "Give its gates as GivenValues and their slopes by the gate weights.",
        )
    rows = slopes[number] if number < len(slopes) else ()
    sizes = {len(node) for row in rows for node in row}
    whole = len(rows) == len(level.rows) and all(len(row) == level.width for row in rows)
    if not whole or sizes != {len(slopes[0][0][0])}:
        raise InputError(
            f"The slopes of level {number + 1} have another shape than its gates: {len(level.rows)} inputs and "
            f"{level.width} nodes, with one number of gate weights at all levels.",
            "Give slopes[level][input][node][gate weight].",
        )
    return level.rows, [[[exact(value, "a slope of a gate") for value in node] for node in row] for row in rows]


def _dot(one: Sequence[Fraction], other: Sequence[Fraction]) -> Fraction:
    return sum((a * b for a, b in zip(one, other, strict=True)), Fraction(0))


def _times(p: tuple[Fraction, ...], q: tuple[Fraction, ...]) -> tuple[Fraction, ...]:
    return (
        p[0] * q[0],
        p[0] * q[1] + p[1] * q[0],
        p[0] * q[2] + p[2] * q[0],
        p[0] * q[3] + p[1] * q[2] + p[2] * q[1] + p[3] * q[0],
    )
