"""Normal numbers of a stream by compiled loops: from the integers of the reference, equal to its up to rounding."""

import numpy as np
import torch
from jaxtyping import Float

from sim.random.streams import Stream, key_of, reference_normals
from sim.training.backends.compiled.numbers import fill_rows


def compiled_normals(own: Stream, out: Float[torch.Tensor, "B r"]) -> None:
    """Overwrite `out` with the normal numbers of the next B examples; the reference does it off the CPU.

    Polynomials of the compiled loops stand in for the library's logarithm, sine and cosine: both are within
    6.8 * 7 roundings of float64 of the exact number, and are then rounded to the dtype of `out`.
    """
    if out.device.type != "cpu":
        reference_normals(own, out)
        return
    key = tuple(np.uint64(part) for part in key_of(own.seed))
    fill_rows(key, np.uint64(own.word), own.example, out.numpy())
