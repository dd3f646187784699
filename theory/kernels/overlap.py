r"""The overlap of the active sub-networks of two inputs: the number of paths from an input node that both open.

    lambda_0(x, x') = sum_p A(x, p) A(x', p) = prod_l sum_i G_l,i(x) G_l,i(x')

Levels are independent, so that the mean of a product of overlaps is a product over the levels. At a level each overlap
has a node; which of them are the same is a set partition, and `node_sum` adds up the nodes of its blocks. Source: Lemma
2.4 of the paper on deep gated networks, which has the two means for Bernoulli gates, and not the variance.
"""

from collections.abc import Sequence
from fractions import Fraction
from math import prod

from theory.kernels.levels import node_sum, slots_of
from theory.kernels.network import GatedNetwork, Level
from theory.kernels.partitions import partitions
from theory.kernels.tangent import Pair, checked


def overlap_moment(network: GatedNetwork, pairs: Sequence[Pair]) -> Fraction:
    """Return E prod_f lambda_0(x_s, x_t) over the pairs (s, t) of inputs, a number of paths to the power of the pairs.

    The mean is over random gates. Raises InputError for an input that the network does not have, and OutOfReachError
    for more than four pairs or a result that is too long.

    >>> from theory.kernels import alike
    >>> net = alike(10, 3, "1/2")
    >>> overlap_moment(net, [(0, 0)]), overlap_moment(net, [(0, 1)])  # (mu w)^(d-1) and (mu^2 w)^(d-1)
    (Fraction(25, 1), Fraction(25, 4))
    """
    checked(network, pairs)
    inputs = tuple(number for pair in pairs for number in pair)
    slot_partitions = [
        tuple(sum(3 << 2 * kernel for kernel in slots_of(group)) for group in groups)
        for groups in partitions((1 << len(pairs)) - 1)
    ]
    sums: dict[Level, Fraction] = {}
    for level in network.levels:
        if level not in sums:
            sums[level] = sum((Fraction(node_sum(level, blocks, inputs)) for blocks in slot_partitions), Fraction(0))
    return prod((sums[level] for level in network.levels), start=Fraction(1))


def overlap_variance(network: GatedNetwork, pair: Pair = (0, 0)) -> Fraction:
    """Return the variance of lambda_0(x_s, x_t) over random gates.

    >>> from theory.kernels import alike
    >>> overlap_variance(alike(10, 2, "1/2"))  # w mu (1 - mu), a binomial number of open gates
    Fraction(5, 2)
    """
    return overlap_moment(network, (pair, pair)) - overlap_moment(network, (pair,)) ** 2
