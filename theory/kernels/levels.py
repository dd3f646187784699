"""The sum over the nodes of a level: different blocks of slots are at different nodes, a block at one node."""

from fractions import Fraction
from functools import singledispatch
from math import factorial, perm, prod

from theory.kernels.network import AllOn, BernoulliGates, GivenValues
from theory.kernels.partitions import Partition, partitions


@singledispatch
def node_sum(level: object, blocks: Partition, inputs: tuple[int, ...]) -> Fraction | int:
    """Return E sum prod_B prod_(j in B) G(i_B, input of slot j) over different nodes i_B of the blocks B.

    `inputs[j]` is the number of the input of slot j. The mean is over the gates, where they are random. Raises
    TypeError for a level of another kind.

    >>> node_sum(AllOn(5), (0b0011, 0b1100), (0, 0, 0, 0))  # 5 x 4 pairs of different nodes
    20
    """
    del blocks, inputs
    raise TypeError(f"{level!r} is no level of a network: use AllOn, BernoulliGates or GivenValues.")


@node_sum.register
def _all_on(level: AllOn, blocks: Partition, _inputs: tuple[int, ...]) -> int:
    return perm(level.width, len(blocks))


@node_sum.register
def _bernoulli(level: BernoulliGates, blocks: Partition, inputs: tuple[int, ...]) -> Fraction:
    """Gates are 0 or 1, so that each input of a block counts once."""
    factors = sum(len({inputs[slot] for slot in slots_of(block)}) for block in blocks)
    return perm(level.width, len(blocks)) * level.mu**factors


@node_sum.register
def _given(level: GivenValues, blocks: Partition, inputs: tuple[int, ...]) -> Fraction:
    """Moebius inversion over the partitions of the blocks: sum over all nodes, less those where blocks coincide."""
    total = Fraction(0)
    for merged in partitions((1 << len(blocks)) - 1):
        sign = prod((-1) ** (group.bit_count() - 1) * factorial(group.bit_count() - 1) for group in merged)
        total += sign * prod(
            _power_sum(level, sum(blocks[number] for number in slots_of(group)), inputs) for group in merged
        )
    return total


def _power_sum(level: GivenValues, slots: int, inputs: tuple[int, ...]) -> Fraction:
    rows = [level.rows[inputs[slot]] for slot in slots_of(slots)]
    return sum((prod(values) for values in zip(*rows, strict=True)), Fraction(0))


def slots_of(mask: int) -> list[int]:
    """Return the slots of a mask.

    >>> slots_of(0b1010)
    [1, 3]
    """
    return [slot for slot in range(mask.bit_length()) if mask >> slot & 1]
