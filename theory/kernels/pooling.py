r"""Circular convolutions at initialisation, before and after global average pooling: means over shared weights.

Each of n_c layers has one kernel of k weights: z_l(i) = G_l(i) sum_j theta_l(j) z_(l-1)(i + j), indices modulo d_in.
A path chooses a weight in each layer. The d_in paths with the same choices, one for each end, are a bundle of one
strength; paths of different bundles differ in a weight. So with R_l(i, i') the sum over bundles of the products of the
activities and inputs of the path that ends at i for x and of the path that ends at i' for x',

    R_0(i, i') = x_i x'_i',   R_l(i, i') = G_l(i) G'_l(i') sum_j R_(l-1)(i + j, i' + j),

and in units of s^(2 n_c), with y the pooled output,

    E <z_n(x), z_n(x')> = sum_i R_n(i, i),   E y(x) y(x') = d_in^-2 sum_(i, i') R_n(i, i').

Source: Lemma 4.1 and equation (7) of the paper on deep gated networks. The pooled mean does not change if x' is rotated
and its gates with it: rotations of i' then permute the terms. Gates that are convolutions of x' themselves do so; gates
that stay at their positions do not. The mean before pooling changes in both cases.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from theory.problem.errors import InputError, OutOfReachError
from theory.problem.numbers import exact, whole

Numbers = Sequence[Fraction | int | str]
MOST_OPERATIONS = 10**7


@dataclass(frozen=True)
class CircularMeans:
    """The means E <z_n(x), z_n(x')> before pooling and E y(x) y(x') after it, in units of s^(2 n_c).

    >>> CircularMeans(before=Fraction(4), pooled=Fraction(4, 3)).before
    Fraction(4, 1)
    """

    before: Fraction
    pooled: Fraction


def circular_means(
    x: Numbers, other: Numbers, gates: Sequence[Numbers], other_gates: Sequence[Numbers], kernel: int
) -> CircularMeans:
    """Return the means for the inputs x and x', their gates layer by layer, and kernels of `kernel` weights.

    Each row has d_in entries. Raises InputError for rows of other lengths and kernels longer than the input, and
    OutOfReachError for more than MOST_OPERATIONS multiplications.

    >>> circular_means([1, 0, 0], [0, 1, 0], [[1, 1, 1]], [[1, 1, 1]], 2)  # the pooled output is (theta1 + theta2)/3
    CircularMeans(before=Fraction(0, 1), pooled=Fraction(2, 9))
    """
    size = len(x)
    whole(kernel, "kernel", least=1, most=size, why="a kernel is no longer than the input")
    rows = [x, other, *gates, *other_gates]
    if len(gates) != len(other_gates) or any(len(row) != size for row in rows):
        raise InputError(
            f"Inputs and gates must have {size} entries, and both inputs the same number of layers.",
            "Give both inputs a row of gates for each layer.",
        )
    if (work := len(gates) * kernel * size**2) > MOST_OPERATIONS:
        raise OutOfReachError(
            f"{len(gates)} layers of {kernel} weights on {size} entries need {work:.2g} multiplications, more than "
            f"{MOST_OPERATIONS:.0g}.",
            "Take fewer layers or entries.",
        )
    first, second, *more = ([exact(value, "an input or a gate") for value in row] for row in rows)
    sums = [[a * b for b in second] for a in first]
    for layer, other_layer in zip(more[: len(gates)], more[len(gates) :], strict=True):
        sums = [
            [
                layer[i] * other_layer[j] * sum(sums[(i + step) % size][(j + step) % size] for step in range(kernel))
                for j in range(size)
            ]
            for i in range(size)
        ]
    before = sum((sums[i][i] for i in range(size)), Fraction(0))
    return CircularMeans(before, sum((sum(row) for row in sums), Fraction(0)) / size**2)
