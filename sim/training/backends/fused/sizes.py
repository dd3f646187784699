"""Sizes of the kernels, known without Triton: tiles of examples, chunks of sites, and what is padded."""

from dataclasses import dataclass

MODES = 16  # modes of one product, the least that a matrix unit sums over
LEAST = 16  # sites or units of a product
# Batches of up to SMALL_BATCH examples are taken several steps at a time, in chunks of sites; of a larger one a tile
# holds all sites in registers. For kernels of these sizes a compiler spills few registers or none.
SMALL_BATCH, CHUNK, WARPS = 16, 32, 2
ROWS, SITES_OF_A_WARP = 32, 16
MOST_UNITS, MOST_SITES, MOST_SITES_OF_A_LARGE_BATCH = 16, 1024, 128

# Examples of a network in one launch, so that a run can be interrupted and reports its progress.
LAUNCH = 2**17


@dataclass(frozen=True)
class Tile:
    """The rows, sites and units of a tile, padded; a chunk of sites takes `rows` examples at once."""

    rows: int
    sites: int
    units: int

    @classmethod
    def of(cls, n: int, units: int, batch: int) -> "Tile":
        """Return the tile of the kernel that takes batches of this size.

        >>> Tile.of(40, 2, 1000), Tile.of(400, 8, 1)
        (Tile(rows=32, sites=64, units=2), Tile(rows=16, sites=32, units=16))
        """
        if batch <= SMALL_BATCH:
            return cls(SMALL_BATCH, CHUNK, power_of_two(units, LEAST))
        return cls(ROWS, power_of_two(n, LEAST), power_of_two(units))


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
