"""Normal numbers of a stream the fastest way there is: by compiled loops on a CPU with numba, else by the reference."""

from functools import cache
from importlib.util import find_spec

import numpy as np
import torch
from jaxtyping import Float

from sim.random.streams import Stream, key_of


@cache
def compiled_here() -> bool:
    """Whether numba is installed."""
    return find_spec("numba") is not None


def fill_normals(stream: Stream, out: Float[torch.Tensor, "B r"]) -> None:
    """As `stream.normals(out)`: the same integers, and normal numbers that agree to a few units of the last place.

    Polynomials of the compiled loops stand in for the library's logarithm, sine and cosine: both are within
    6.8 * 7 roundings of float64 of the exact number, and are then rounded to the dtype of `out`.
    """
    if out.device.type != "cpu" or not compiled_here():
        stream.normals(out)
        return
    from sim.training.backends.compiled.numbers import fill_rows

    key = tuple(np.uint64(part) for part in key_of(stream.seed))
    fill_rows(key, np.uint64(stream.word), stream.example, out.numpy())
