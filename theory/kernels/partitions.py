"""The states of the transfer matrix: set partitions of path slots into even blocks, and the layers between them.

A partition is a tuple of bit masks; bit b stands for slot b. The kernel with index f has the slots 2f and 2f + 1.
"""

from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from math import prod

Partition = tuple[int, ...]


def partitions(slots: int) -> Iterator[Partition]:
    """Yield the set partitions of the slots in the mask `slots`.

    >>> sorted(partitions(0b111))
    [(1, 2, 4), (1, 6), (3, 4), (5, 2), (7,)]
    """
    if not slots:
        yield ()
        return
    first = slots & -slots
    rest = slots ^ first
    chosen = rest
    while True:  # every subset of the rest, together with the first slot
        for others in partitions(rest ^ chosen):
            yield (first | chosen, *others)
        if not chosen:
            return
        chosen = (chosen - 1) & rest


@cache
def even_partitions(kernels: int) -> tuple[Partition, ...]:
    """Return the partitions of the 2 `kernels` slots into blocks of even size.

    >>> [len(even_partitions(kernels)) for kernels in (1, 2, 3)]
    [1, 4, 31]
    """
    whole = (1 << 2 * kernels) - 1
    return tuple(sorted(own for own in partitions(whole) if all(block.bit_count() % 2 == 0 for block in own)))


@cache
def layer(
    kernels: int, marked: int, even_moments: tuple[int | Fraction, ...]
) -> tuple[tuple[int, int, int | Fraction], ...]:
    """Return the nonzero entries (before, after, value) of the transfer matrix of one layer of weights.

    `before` and `after` number the partitions of the two levels. Slots are on the same edge where they are in one
    block at both levels. The kernels in the mask `marked` are differentiated by a weight of this layer: their two slots
    are on the same edge and have no factor. An edge that 2r other slots share has the factor E theta^(2r) / s^(2r), and
    an odd number of them has the mean 0.

    >>> [len(layer(2, marked, (1, 1, 1))) for marked in (0b00, 0b01, 0b11)]
    [10, 4, 4]
    """
    states = even_partitions(kernels)
    pairs = [3 << 2 * kernel for kernel in range(kernels) if marked >> kernel & 1]
    free = ~sum(pairs)
    possible = [
        (number, state)
        for number, state in enumerate(states)
        if all(any(block & pair == pair for block in state) for pair in pairs)
    ]
    found = []
    for before, one in possible:
        for after, other in possible:
            counts = [(left & right & free).bit_count() for left in one for right in other]
            if not any(count % 2 for count in counts):
                found.append((before, after, prod(even_moments[count // 2] for count in counts)))
    return tuple(found)
