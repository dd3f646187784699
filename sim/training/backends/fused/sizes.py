"""Sizes of the kernels, known without Triton: tiles of examples, chunks of sites, and what is padded."""

from dataclasses import dataclass

MODES = 16  # modes of one product, the least that a matrix unit sums over
LEAST = 16  # sites or units of a product
# Batches of up to SMALL_BATCH examples are taken several steps at a time, in chunks of sites; of a larger one a tile
# holds all sites in registers. For kernels of these sizes a compiler spills few registers or none.
SMALL_BATCH, CHUNK, WARPS = 16, 32, 2
ROWS, SITES_OF_A_WARP = 32, 16
MOST_UNITS, MOST_SITES, MOST_SITES_OF_A_LARGE_BATCH = 16, 1024, 128

# Programs of small batches that an H200 holds at once: four on each of 132 multiprocessors, by their registers.
PROGRAMS_OF_A_MULTIPROCESSOR = 4
PROGRAMS = 132 * PROGRAMS_OF_A_MULTIPROCESSOR

# Examples of a network in one launch, so that a run can be interrupted and reports its progress.
LAUNCH = 2**17


@dataclass(frozen=True)
class Tile:
    """The padded sizes of a tile: rows of examples, sites, columns of units, and the columns of each network."""

    rows: int
    sites: int
    columns: int
    units: int

    @classmethod
    def of(cls, n: int, units: int, batch: int) -> "Tile":
        """Return the tile of the kernel that takes batches of this size.

        >>> Tile.of(40, 2, 1000), Tile.of(400, 5, 1)
        (Tile(rows=32, sites=64, columns=2, units=2), Tile(rows=16, sites=32, columns=16, units=8))
        """
        own = power_of_two(units)
        if batch <= SMALL_BATCH:
            return cls(SMALL_BATCH, CHUNK, LEAST, own)
        return cls(ROWS, power_of_two(n, LEAST), own, own)


def networks_of_a_program(units: int, batch: int, networks: int) -> int:
    """Return how many of the networks one program trains side by side.

    Networks of small batches share the columns of a tile, as far as `PROGRAMS` programs remain. They share only the
    steps after the draw, so that a tile of one step has nothing to share. It changes no number of any network.

    >>> [networks_of_a_program(2, 1, networks) for networks in (32, 2048, 100000)], networks_of_a_program(8, 1, 8192)
    ([1, 3, 8], 2)
    >>> networks_of_a_program(2, 1000, 100000), networks_of_a_program(2, 9, 100000)
    (1, 1)
    """
    if 2 * batch > SMALL_BATCH:
        return 1
    return max(1, min(LEAST // power_of_two(units), networks // PROGRAMS))


def power_of_two(number: int, least: int = 1) -> int:
    """Return the least power of two that is neither below `number` nor below `least`, itself a power of two.

    >>> power_of_two(40, 16), power_of_two(2, 16)
    (64, 16)
    """
    return max(least, 1 << (number - 1).bit_length())


def whole(number: int, size: int) -> int:
    """Return the least multiple of `size` that is not below `number`.

    >>> whole(40, 16)
    48
    """
    return -(-number // size) * size
