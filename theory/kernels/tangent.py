"""Exact moments of the neural tangent kernel of a gated network at initialisation, at finite width.

    K0(x, x') = sum_theta dy(x)/dtheta dy(x')/dtheta = sum_l sum_(edges e of layer l) sum_(paths p, p' through e)
                x_p A(x, p) x'_p' A(x', p') prod_(k != l) theta_k(p) theta_k(p')

where A is the product of a path's gates. A product of r kernels is a sum over one marked layer l and two paths for each
kernel: 2r path slots. Weights are independent and symmetric, so a term has a nonzero mean only if each weight occurs an
even number of times. Which slots share a weight of a layer follows from which of them share a node at its two ends.
So the state at a level is the partition of the slots by their nodes. Its blocks are even: two slots that are marked are
on the same edge, and the others share their edges in even groups. For two kernels four states are left: 12|34, 13|24,
14|23 and 1234. An unmarked layer leads from a state to itself and from or to the state 1234; a layer that is marked by
one kernel or both allows 12|34 and 1234 alone. The sum over paths is then a product of matrices, one for each layer,
with the sums over different nodes as weights of the states. The layers at which marks stand are summed by the same
product, which carries the set of kernels already marked. States that differ only in the names of slots with the same
inputs have the same sum, which is formed once. The number of operations is proportional to the depth and does not
depend on the width, except for the sums over given gates.

All numbers are fractions in units of s^(2(d-1)) for each kernel, s^2 the variance of a weight. Source: Theorem 2.3 and
its proof in Theorem 7.3 of the paper on deep gated networks; its mean holds, its bound of the variance does not.
"""

from collections.abc import Sequence
from fractions import Fraction
from math import comb, lcm, log2

from theory.kernels.levels import node_sum
from theory.kernels.network import AllOn, GatedNetwork, Level
from theory.kernels.partitions import Chain, chain, renamings
from theory.problem.errors import InputError, OutOfReachError
from theory.problem.numbers import whole

Pair = tuple[int, int]  # the numbers of two inputs
MOST_KERNELS = 4  # five kernels have 6,556 states
MOST_BITS = 10**6  # of the exact result

_OUTPUT = AllOn(1)


def moment(network: GatedNetwork, pairs: Sequence[Pair], variances: Sequence[Fraction] | None = None) -> Fraction:
    """Return E prod_f K0(x_s, x_t) over the pairs (s, t) of inputs, in units of s^(2(d-1)) for each pair.

    The mean is over weights and over random gates. Weights of layer l have the variance `variances[l - 1]` s^2, by
    default s^2: a term of a kernel has the factor of each layer but the marked one. Raises InputError for an input that
    the network does not have and another number of variances, and OutOfReachError for more than MOST_KERNELS pairs or a
    result of more than MOST_BITS bits.

    >>> from theory.kernels import AllOn, GatedNetwork
    >>> net = GatedNetwork([[1]], (AllOn(2), AllOn(2)))
    >>> moment(net, [(0, 0)]), moment(net, [(0, 0)] * 2)  # 3 x 2^2, and its square plus the variance 16
    (Fraction(12, 1), Fraction(160, 1))
    """
    checked(network, pairs)
    if variances is not None and len(variances) != network.depth:
        raise InputError(
            f"variances has {len(variances)} numbers; the network has {network.depth} layers.",
            "Give the variance of the weights of each layer.",
        )
    ordered = sorted(tuple(sorted(pair)) for pair in pairs)  # K0 is symmetric
    inputs = tuple(number for pair in ordered for number in pair)
    steps = chain(len(pairs), renamings(ordered), network.weights.even_moments)
    sums: dict[Level, tuple[list[int], int]] = {}

    def at(level: Level) -> tuple[list[int], int]:
        """Return the sums over the nodes for each orbit as integers, and their common denominator."""
        if level not in sums:
            by_state = {state: Fraction(node_sum(level, state, inputs)) for state in set(steps.states)}
            values = [by_state[state] for state in steps.states]
            scale = lcm(*(value.denominator for value in values))
            sums[level] = [int(value * scale) for value in values], scale
        return sums[level]

    first, denominator = at(network.inputs)
    vector = [0 if marks else value for marks, value in zip(steps.marks, first, strict=True)]
    for number, level in enumerate((*network.levels, _OUTPUT)):
        weights, scale = at(level)
        denominator *= scale
        sources = steps.sources
        if variances is not None:
            sources, scale = _with_variance(steps, Fraction(variances[number]), len(pairs))
            denominator *= scale
        vector = [
            weight and weight * sum(value * vector[before] for before, value in row)
            for weight, row in zip(weights, sources, strict=True)
        ]
    everything = (1 << len(pairs)) - 1
    ends = zip(steps.marks, steps.sizes, vector, strict=True)
    return Fraction(sum(size * value for marks, size, value in ends if marks == everything), denominator)


def _with_variance(steps: Chain, variance: Fraction, kernels: int) -> tuple[list[list[tuple[int, int]]], int]:
    """Return the steps into a level, each times v^(kernels that are not marked at its layer), and what divides them.

    v = p/q has the factor p^k q^(r - k) over q^r, for r kernels of which k are not marked here.
    """
    p, q = variance.numerator, variance.denominator
    rows = []
    for marks, row in zip(steps.marks, steps.sources, strict=True):
        scaled = []
        for before, value in row:
            here = marks.bit_count() - steps.marks[before].bit_count()  # names of kernels may differ
            scaled.append((before, value * p ** (kernels - here) * q**here))
        rows.append(scaled)
    return rows, q**kernels


def mean(network: GatedNetwork, pair: Pair = (0, 0), variances: Sequence[Fraction] | None = None) -> Fraction:
    """Return E K0(x_s, x_t) = d <x_s, x_t> prod_l E<G_l(x_s), G_l(x_t)>, in units of s^(2(d-1)).

    With `variances` v_l s^2 of the layers, the sum over l of the products of the other v_k is in the place of d.

    >>> from theory.kernels import alike
    >>> mean(alike(10, 4)) == 4 * 10**3
    True
    """
    return moment(network, (pair,), variances)


def covariance(network: GatedNetwork, one: Pair, other: Pair, variances: Sequence[Fraction] | None = None) -> Fraction:
    """Return the covariance of two entries of the kernel, over weights and random gates, in units of s^(4(d-1)).

    `variances` are those of `moment`.

    >>> from theory.kernels import alike
    >>> covariance(alike(10, 2, "1/2"), (0, 0), (1, 1))  # the gates of two inputs are independent
    Fraction(0, 1)
    """
    product = mean(network, one, variances) * mean(network, other, variances)
    return moment(network, (one, other), variances) - product


def variance(network: GatedNetwork, pair: Pair = (0, 0), variances: Sequence[Fraction] | None = None) -> Fraction:
    """Return the variance of K0(x_s, x_t) over weights and random gates, in units of s^(4(d-1)).

    `variances` are those of `moment`.

    >>> from theory.kernels import alike
    >>> variance(alike(10, 3)) == 4 * 10**2 * 9  # 4 w^2 (w - 1) at the depth 3
    True
    """
    return covariance(network, pair, pair, variances)


def cumulant(network: GatedNetwork, order: int, pair: Pair = (0, 0)) -> Fraction:
    """Return the cumulant of K0(x_s, x_t) of this order, 1 to MOST_KERNELS, in units of s^(2(d-1) order).

    >>> from theory.kernels import alike
    >>> net = alike(4, 3)
    >>> cumulant(net, 2) == variance(net), cumulant(net, 3) > 0
    (True, True)
    """
    whole(order, "order", least=1, most=MOST_KERNELS, why="the states of the transfer matrix grow with it")
    moments = [moment(network, (pair,) * count) for count in range(order + 1)]
    cumulants: list[Fraction] = []
    for n in range(1, order + 1):
        lower = sum(comb(n - 1, k) * value * moments[n - 1 - k] for k, value in enumerate(cumulants))
        cumulants.append(moments[n] - lower)
    return cumulants[-1]


def checked(network: GatedNetwork, pairs: Sequence[Pair]) -> None:
    """Refuse inputs that the network does not have, too many pairs, and results that are too long."""
    number = len(network.inputs.rows)
    if any(not 0 <= index < number for pair in pairs for index in pair):
        raise InputError(f"{list(pairs)} names an input that does not exist.", f"Inputs are 0 to {number - 1}.")
    if len(pairs) > MOST_KERNELS:
        raise OutOfReachError(
            f"A moment of {len(pairs)} kernels is beyond {MOST_KERNELS}: the states of the transfer matrix are the "
            f"partitions of {2 * len(pairs)} path slots.",
            "Ask for a lower moment.",
        )
    bits = 2 * len(pairs) * sum(log2(level.width) + 1 for level in network.levels)
    if bits > MOST_BITS:
        raise OutOfReachError(
            f"Depth {network.depth} is too large: the exact result has {bits:.2g} bits, more than {MOST_BITS:.0g}.",
            "Take fewer layers, or the bound (1 + 2/w)^(d-1) - 1 of the relative variance for equal layers.",
        )
