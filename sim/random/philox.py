"""Philox4x32-10, the generator of every random number.

Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011.
"""

from typing import TypeVar

WORDS = 4  # what one call of the generator gives
COINS = 32 * WORDS  # coins in one call
ROUNDS = 10
MULTIPLIERS = (0xD2511F53, 0xCD9E8D57)
WEYL = (0x9E3779B9, 0xBB67AE85)  # the golden ratio and sqrt(3) - 1, added to the key after each round
LOW = 0xFFFFFFFF

Array = TypeVar("Array")


def philox(counter: tuple[Array, Array, Array, Array], key: tuple[int, int]) -> tuple[Array, Array, Array, Array]:
    """Philox4x32-10 of counters whose four words lie, as numbers below 2^32, in int64 arrays of NumPy or torch.

    >>> import numpy as np
    >>> [hex(int(word[0])) for word in philox((np.array([0]),) * 4, (0, 0))]
    ['0x6627e8d5', '0xe169c58d', '0xbc57ac4c', '0x9b00dbd8']
    """
    x0, x1, x2, x3 = counter
    k0, k1 = key
    for _ in range(ROUNDS):
        # Products use all 64 bits, so that the sign extension of the shift is masked off.
        first, second = x0 * MULTIPLIERS[0], x2 * MULTIPLIERS[1]
        x0, x2 = _high(second, x1, k0), _high(first, x3, k1)
        x1, x3 = second.__iand__(LOW), first.__iand__(LOW)
        k0, k1 = (k0 + WEYL[0]) & LOW, (k1 + WEYL[1]) & LOW
    return x0, x1, x2, x3


def _high(product: Array, word: Array, key: int) -> Array:
    high = product >> 32
    high &= LOW
    high ^= word
    high ^= key
    return high


def key_of(seed: int) -> tuple[int, int]:
    """Return the generator's key: the 64 bits of a seed in two words."""
    return seed & LOW, seed >> 32
