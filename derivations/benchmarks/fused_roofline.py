"""The roofline of the fused training step on paper: operations of a network-step, and the rates published for a GPU.

Nothing here is measured. A step is counted as `sim/training/backends/fused` takes it, padding included, for the erf of
a Gaussian process and a network that is gated or rectified. What a compiler adds (addresses, loops, moves between
layouts) is not counted, so no step can beat the bound. Memory has the weights once a launch to read and to write. The
inputs and weights of small batches pass through the second-level cache, whose rate is not published: no bytes here.
"""

from dataclasses import dataclass

from sim.random.philox import ROUNDS, WORDS
from sim.training.backends.fused.sizes import LAUNCH, MODES, SMALL_BATCH, Tile, networks_of_a_program, whole

# Of a round of Philox: two products of 32 bits, each of two halves, and two exclusive ors for each of two words.
_OF_A_ROUND = 4 + 4
# Of a pair of normal numbers in float32, from `fused.numbers.pair`: ln by nine products with sums and a quotient,
# cosine and sine by eleven, conversions of the words, a square root; integers for exponent, quadrant and signs.
_PAIR_INTEGER, _PAIR_FLOAT, _PAIR_SPECIAL = 17, 32, 3
# Of erf in float32: a polynomial of degree seven in each of two ranges, of which one is chosen, and an exponential.
_ERF_FLOAT, _ERF_SPECIAL = 20, 1
_TF32 = 3  # products of TF32 for one of float32
_UNIT_FLOAT = 8  # of a unit's value, slope and pull
_MOVE_FLOAT = 3  # of a change of H by an example: its pull selected and summed, and a product with its sum


@dataclass(frozen=True)
class Operations:
    """Operations of one network-step: of integers, floating point, special functions, and the matrix units' products.

    A product with its sum is one operation, as it is one instruction of a lane. `bytes` are those of memory.
    """

    integer: float
    floating: float
    special: float
    products: float
    bytes: float


@dataclass(frozen=True)
class Published:
    """Rates of a GPU as published: operations a clock of one multiprocessor, their number, clock, bytes a second."""

    integer: float
    floating: float
    special: float
    products: float
    issued: float
    processors: int
    clock: float
    bytes: float


# H200: 132 multiprocessors at up to 1.98 GHz, 4.8 TB/s, 67 TFLOP/s in float32 and, dense, 495 in TF32 (NVIDIA's data
# sheet); throughputs of compute capability 9.0 from the CUDA C++ Programming Guide. A clock issues 128 lanes in all.
H200 = Published(64, 128, 16, 946, 128, 132, 1.98e9, 4.8e12)


def operations_of_a_step(n: int, units: int, batch: int, modes: int, networks: int) -> Operations:
    """Return the operations of a network-step in float32, `modes` the normal numbers that a tile's sites need.

    The networks of a program share the lanes of small batches' steps, as many of them as it takes of `networks`.

    >>> operations_of_a_step(40, 2, 1000, 40, 2048).integer / 1024  # 13 calls of Philox and 24 pairs an example
    1448.0
    """
    tile = Tile.of(n, units, batch)
    chunks, noise = -(-whole(n, tile.sites) // tile.sites), whole(modes, MODES)
    sites, drawn = chunks * tile.sites, chunks * noise
    integer = (drawn / WORDS + 1) * ROUNDS * _OF_A_ROUND + drawn / 2 * _PAIR_INTEGER
    floating = drawn / 2 * _PAIR_FLOAT + sites * _ERF_FLOAT + tile.columns * _UNIT_FLOAT
    special = drawn / 2 * _PAIR_SPECIAL + sites * _ERF_SPECIAL
    products = 2 * noise * sites * _TF32
    if batch <= SMALL_BATCH:  # H, the inner products and the update by matrix units; and H as a whole in each step
        products += (2 * tile.columns + tile.rows) * sites * _TF32
        steps, together = tile.rows // batch, networks_of_a_program(units, batch, networks)
        changed = (1 - 1 / steps) * _MOVE_FLOAT
        floating += tile.rows * tile.columns * (_UNIT_FLOAT / batch + changed) / together
        rows = batch
    else:
        floating += 2 * tile.columns * sites
        rows = whole(batch, tile.rows)
    moved = 2 * 4 * units * n / max(1, LAUNCH // batch)
    return Operations(rows * integer, rows * floating, rows * special, rows * products, moved)


def bound(work: Operations, device: Published = H200) -> tuple[float, str]:
    """Return the most network-steps a second that the rates allow, and what limits them.

    >>> rate, limit = bound(operations_of_a_step(40, 2, 1000, 40, 2048))
    >>> f"{rate:.1e}", limit
    ('8.4e+06', 'issued')
    """
    clocks = {
        "integer": work.integer / device.integer,
        "floating": work.floating / device.floating,
        "special": work.special / device.special,
        "products": work.products / device.products,
        "issued": (work.integer + work.floating + work.special) / device.issued,
    }
    per_second = device.processors * device.clock
    rates = {name: per_second / clock for name, clock in clocks.items()} | {"memory": device.bytes / work.bytes}
    least = min(rates, key=lambda name: rates[name])
    return rates[least], least
