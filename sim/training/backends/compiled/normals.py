"""Normal numbers of a stream by compiled loops, from the integers of the reference and equal to it up to rounding."""

import numpy as np
import torch
from jaxtyping import Float

from sim.random.streams import WORDS, Stream, key_of, reference_normals
from sim.training.backends.compiled.numbers import TILE, fill


def compiled_normals(own: Stream, out: Float[torch.Tensor, "B r"]) -> None:
    """Overwrite `out` with the normal numbers of the next B examples; off the CPU, `reference_normals` does so.

    The compiled loops evaluate polynomials instead of the library's logarithm, sine and cosine. Both results are within
    6.8 * 7 roundings of float64 of the exact number, and are then rounded to the dtype of `out`.
    """
    if out.device.type != "cpu":
        reference_normals(own, out)
        return
    key, word = tuple(np.uint64(part) for part in key_of(own.seed)), np.uint64(own.word)
    rows, modes = out.shape
    calls = -(-modes // WORDS)
    by_mode, numbers, part = np.empty((WORDS * calls, TILE)), out.numpy(), np.empty((WORDS, TILE), np.uint32)
    for start in range(0, rows, TILE):
        stop = min(start + TILE, rows)
        example = np.arange(own.example + start, own.example + stop, dtype=np.uint64)
        fill(key, word, calls, example, by_mode, 0, part)
        numbers[start:stop] = by_mode[:modes, : stop - start].T
