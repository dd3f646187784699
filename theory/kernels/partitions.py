"""The states of the transfer matrix: set partitions of path slots into even blocks, and the layers between them.

A partition is a tuple of bit masks; bit b stands for slot b. The kernel with index f has the slots 2f and 2f + 1.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import prod

Partition = tuple[int, ...]
Renaming = tuple[int, ...]  # the slot that takes the place of each slot


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
    return tuple(sorted(blocks for blocks in partitions(whole) if all(block.bit_count() % 2 == 0 for block in blocks)))


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
    entries = []
    for before, one in possible:
        for after, other in possible:
            counts = [(left & right & free).bit_count() for left in one for right in other]
            if not any(count % 2 for count in counts):
                entries.append((before, after, prod(even_moments[count // 2] for count in counts)))
    return tuple(entries)


@dataclass(frozen=True)
class Chain:
    """The transfer matrix of a layer between orbits: states that renamings of the slots turn into each other.

    A state is a mask of the kernels that are marked up to a level, with the partition of the slots there. An orbit has
    the mask `marks`, the partition `state` and `size` members. `sources` are the entries of its row of the matrix: the
    orbit before the layer, and the sum of the values over that orbit's members.
    """

    marks: tuple[int, ...]
    states: tuple[Partition, ...]
    sizes: tuple[int, ...]
    sources: tuple[tuple[tuple[int, int | Fraction], ...], ...]


def renamings(pairs: Sequence[tuple[int, int]]) -> tuple[Renaming, ...]:
    """Return generators of the renamings of slots that leave the inputs of all kernels as they are.

    Two kernels of the same pair of inputs may be exchanged, and the two slots of a kernel of one input.

    >>> renamings([(0, 0), (0, 1), (0, 1)])
    ((1, 0, 2, 3, 4, 5), (0, 1, 4, 5, 2, 3))
    """
    generators = []
    for kernel, pair in enumerate(pairs):
        slots = list(range(2 * len(pairs)))
        if pair[0] == pair[1]:
            slots[2 * kernel : 2 * kernel + 2] = 2 * kernel + 1, 2 * kernel
            generators.append(tuple(slots))
        later = next((other for other in range(kernel + 1, len(pairs)) if pairs[other] == pair), None)
        if later is not None:
            slots = list(range(2 * len(pairs)))
            slots[2 * kernel : 2 * kernel + 2] = 2 * later, 2 * later + 1
            slots[2 * later : 2 * later + 2] = 2 * kernel, 2 * kernel + 1
            generators.append(tuple(slots))
    return tuple(generators)


@cache
def chain(kernels: int, allowed: tuple[Renaming, ...], even_moments: tuple[int | Fraction, ...]) -> Chain:
    """Return the transfer matrix between the orbits of the renamings that `allowed` generates.

    A renaming that leaves the inputs as they are leaves the matrix and the sums over nodes as they are, so that all
    members of an orbit have the same sum over paths.

    >>> [len(chain(4, allowed, (1, 1, 1, 1, 1)).states) for allowed in ((), renamings([(0, 0)] * 4))]
    [6064, 124]
    """
    states = even_partitions(kernels)
    numbers = {frozenset(state): number for number, state in enumerate(states)}
    moves = [
        (
            [_renamed(marks, slots[::2], 2) for marks in range(1 << kernels)],
            [numbers[frozenset(_renamed(block, slots) for block in state)] for state in states],
        )
        for slots in allowed
    ]
    orbit: dict[tuple[int, int], int] = {}
    first: list[tuple[int, int]] = []
    for start in ((marks, number) for marks in range(1 << kernels) for number in range(len(states))):
        if start in orbit:
            continue
        orbit[start] = len(first)
        reached = [start]
        for marks, number in reached:
            for of_marks, of_states in moves:
                other = of_marks[marks], of_states[number]
                if other not in orbit:
                    orbit[other] = len(first)
                    reached.append(other)
        first.append(start)
    rows: dict[tuple[int, int], Counter[int]] = {one: Counter() for one in first}
    wanted: dict[int, list[int]] = {}
    for marks, number in first:
        wanted.setdefault(number, []).append(marks)
    for marked in range(1 << kernels):
        for before, after, value in layer(kernels, marked, even_moments):
            for marks in wanted.get(after, ()):
                if marks & marked == marked:
                    rows[marks, after][orbit[marks ^ marked, before]] += value
    sizes = Counter(orbit.values())
    return Chain(
        tuple(marks for marks, _ in first),
        tuple(states[number] for _, number in first),
        tuple(sizes[index] for index in range(len(first))),
        tuple(tuple(rows[one].items()) for one in first),
    )


def _renamed(mask: int, slots: Sequence[int], step: int = 1) -> int:
    """Return the mask of the members that take the places of those of `mask`; `slots` counts in steps."""
    return sum(1 << slots[bit] // step for bit in range(mask.bit_length()) if mask >> bit & 1)
