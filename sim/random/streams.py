"""Counter-based random numbers: every coin and normal number of a run is a function of its place in the run.

The generator is Philox4x32-10 of `sim.random.philox`. Its key is the seed, and its counter of four 32-bit words
identifies the use of the number. No draw therefore depends on the device, on the division of draws into chunks, on the
other networks, or on the step at which a run was resumed:

    key       (seed mod 2^32, seed div 2^32)
    normals   (q, e mod 2^32, e div 2^32, 4 network + 2 purpose)        -> modes 4 q, ..., 4 q + 3 of example e
    coins     (0, e' mod 2^32, e' div 2^32, 4 network + 2 purpose + 1)  -> examples 128 e', ..., 128 e' + 127
    choices   (1, e mod 2^32, e div 2^32, 4 network + 2 purpose + 1)    -> example e

The example e counts from 0 over all steps (step times batch plus row). Words a, b become two normal numbers
r cos(t), r sin(t) with r = sqrt(-2 ln((a + 1/2)/2^32)) and t = 2 pi (b + 1/2)/2^32 (Box and Muller). The grid of 2^-32
leaves |z| <= 6.8, beyond which a normal number falls with probability 1e-11, and a variance of 1 - ln 2/2^33 to
leading order: 8e-11 below 1, while the mean square of 1e12 numbers has the standard error 1.4e-6.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Bool, Float

from sim.random.philox import COINS, LOW, WORDS, key_of, philox
from theory.problem import InputError

TRAINING, MEASUREMENT = 0, 1
MOST_NETWORKS = 2**30

_CALLS_AT_ONCE = 2**14  # long enough that the cost of a call vanishes, short enough for the second-level cache


Fill = Callable[["Stream", torch.Tensor], None]


def reference_normals(own: "Stream", out: Float[torch.Tensor, "B r"]) -> None:
    """Overwrite `out` with the normal numbers of the next B examples, the modes of an example in a row.

    The numbers are computed in float64 and rounded to the dtype of `out`; cosines and logarithms of other devices
    differ by a few units in the last place. This is the reference, in NumPy and torch only.
    """
    calls = -(-out.shape[1] // WORDS)
    rows = max(1, _CALLS_AT_ONCE // calls)
    for start in range(0, len(out), rows):
        part = out[start : start + rows]
        words = own.words(own.example + start, len(part), calls, out.device)
        part.copy_(_box_muller(words)[:, : out.shape[1]])


@dataclass
class Stream:
    """The random numbers of one network for one purpose; the only state is `example`, the next one to be drawn.

    `fill` generates the normal numbers: the reference, or other code with the same numbers up to rounding.
    """

    seed: int
    network: int
    purpose: int
    example: int = 0
    fill: Fill = reference_normals

    @property
    def word(self) -> int:
        """The last word of the counter of normal numbers; that of coins and choices is one more."""
        return 4 * self.network + 2 * self.purpose

    def coins(self, count: int) -> Bool[np.ndarray, " count"]:
        """Return fair coins for the next `count` examples."""
        first, last = self.example // COINS, (self.example + count - 1) // COINS
        group = np.arange(first, last + 1, dtype=np.int64)
        words = philox((np.zeros_like(group), group & LOW, group >> 32, group * 0 + self.word + 1), key_of(self.seed))
        bits = np.stack(words, axis=1)[:, :, None] >> np.arange(32) & 1
        skipped = self.example - first * COINS
        return bits.ravel()[skipped : skipped + count].astype(bool)

    def choices(self, count: int) -> Float[np.ndarray, " count"]:
        """Return one uniform number (word + 1/2)/2^32 for each of the next `count` examples, to choose its class."""
        return self._one_each(1, count)[0]

    def marks(self, count: int, word: int) -> Float[np.ndarray, " count"]:
        """Return one uniform number for each of the next `count` examples, beside the class; `word` is 0 to 3.

        A law takes word 0 for a choice within its example, a mixture of laws word 1 for the choice of the law.
        """
        return self._one_each(2, count)[word]

    def _one_each(self, call: int, count: int) -> tuple[Float[np.ndarray, " count"], ...]:
        """Return the four uniform numbers of one call for each of the next `count` examples."""
        example = np.arange(self.example, self.example + count, dtype=np.int64)
        counter = (example * 0 + call, example & LOW, example >> 32, example * 0 + self.word + 1)
        return tuple(_uniform(word) for word in philox(counter, key_of(self.seed)))

    def uniforms(self, count: int, numbers: int) -> Float[np.ndarray, "count numbers"]:
        """Return uniform numbers (word + 1/2)/2^32 for each of the next `count` examples, four a call."""
        words = self.words(self.example, count, -(-numbers // WORDS), torch.device("cpu"))
        return _uniform(np.stack([word.numpy() for word in words], axis=2).reshape(count, -1)[:, :numbers])

    def normals(self, out: Float[torch.Tensor, "B r"]) -> None:
        """Overwrite `out` with the normal numbers of the next B examples, the modes of an example in a row."""
        self.fill(self, out)

    def words(self, first: int, rows: int, calls: int, device: torch.device) -> tuple[torch.Tensor, ...]:
        """Return the four words of `calls` calls of the generator for each example from `first` on, (rows, calls)."""
        example = torch.arange(first, first + rows, device=device).repeat_interleave(calls)
        call = torch.arange(calls, device=device).repeat(rows)
        counter = (call, example & LOW, example >> 32, torch.full_like(call, self.word))
        if device.type == "cpu":  # NumPy multiplies integers faster there
            words = philox(tuple(part.numpy() for part in counter), key_of(self.seed))
            return tuple(torch.from_numpy(word).view(rows, calls) for word in words)
        return tuple(word.view(rows, calls) for word in philox(counter, key_of(self.seed)))

    def advance(self, count: int) -> None:
        """Advance by `count` examples."""
        self.example += count


def _uniform(words: np.ndarray) -> np.ndarray:
    return words * 2.0**-32 + 2.0**-33


def _box_muller(words: tuple[torch.Tensor, ...]) -> Float[torch.Tensor, "B r"]:
    """Return Box and Muller's two normal numbers for each pair of words, four for each call, in float64."""
    a, b = torch.stack(words[::2], dim=-1), torch.stack(words[1::2], dim=-1)
    radius = a.to(torch.float64).add_(0.5).mul_(2.0**-32).log_().mul_(-2).sqrt_()
    angle = b.to(torch.float64).add_(0.5).mul_(2 * math.pi * 2.0**-32)
    pairs = torch.stack([torch.cos(angle).mul_(radius), torch.sin(angle).mul_(radius)], dim=-1)
    return pairs.flatten(1)


def stream(seed: int, network: int, purpose: int, example: int = 0, fill: Fill = reference_normals) -> Stream:
    """Return the stream of a network for TRAINING or MEASUREMENT. Raises InputError for a number that no counter holds.

    >>> stream(3, 0, TRAINING).coins(4).tolist() == stream(3, 0, TRAINING, 0).coins(9)[:4].tolist()
    True
    """
    if not 0 <= network < MOST_NETWORKS:
        raise InputError(f"Network number {network} has no stream.", f"Number networks from 0 to {MOST_NETWORKS - 1}.")
    return Stream(seed, network, purpose, example, fill)
