"""Single pulses drawn by their definition: a start, a width and a flip for every example.

Each example takes its class from the choices of its own stream and three uniform numbers (start, width, flip, in this
order, whether or not it uses them all). An integer below m is floor(m U) with U one of 2^32 equally spaced numbers: its
probabilities are 1/m up to 2^-32.
"""

import numpy as np
import torch
from jaxtyping import Bool, Float, Int

from sim.data.classes import draw_classes
from sim.data.sample import PlainSampler, sampler_of
from sim.random.streams import Stream
from theory.problem import SinglePulse

_PER_EXAMPLE = 3
_LEVELS = {"zero-one": (0.0, 1.0), "plus-minus": (-1.0, 1.0)}


class PulseSampler(PlainSampler):
    """A sampler of single pulses on one device."""

    def inputs(self, streams: list[Stream], rows: int) -> tuple[Float[torch.Tensor, "S B n"], Int[np.ndarray, "S B"]]:
        """Draw the pulses of `rows` examples for each stream."""
        uniform = np.stack([own.uniforms(rows, _PER_EXAMPLE) for own in streams])
        classes = draw_classes(self.law.probabilities, streams, rows)
        ranges = np.array([(least, largest - least + 1) for least, largest in self.law.widths], dtype=np.int32)
        start = np.floor(uniform[..., 0] * self.n).astype(np.int32)
        least, count = ranges[classes, 0], ranges[classes, 1]
        width = least + np.floor(uniform[..., 1] * count).astype(np.int32)
        start, width, flipped = (
            torch.from_numpy(numbers).to(self.device) for numbers in (start, width, uniform[..., 2] < 0.5)
        )
        return levels(inside(self.n, start, width), flipped, self.law.support, self.law.flip, self.dtype), classes


sampler_of.register(SinglePulse, PulseSampler)


def levels(
    lit: Bool[torch.Tensor, "*any n"], flipped: Bool[torch.Tensor, "*any"], support: str, flip: str, dtype: torch.dtype
) -> Float[torch.Tensor, "*any n"]:
    """Return x of the sites that are lit; a flip is -x for "sign" and u -> 1 - u for "complement".

    >>> lit, flipped = torch.tensor([[True, False]]), torch.tensor([True])
    >>> levels(lit, flipped, "zero-one", "sign", torch.float64).tolist()
    [[-1.0, -0.0]]
    """
    low, high = _LEVELS[support]
    if flip == "complement":
        lit = lit ^ flipped[..., None]
    x = lit.to(dtype) * (high - low) + low
    return x * (1 - 2 * flipped.to(dtype))[..., None] if flip == "sign" else x


def inside(n: int, start: Int[torch.Tensor, "*any"], width: Int[torch.Tensor, "*any"]) -> Bool[torch.Tensor, "*any n"]:
    """Whether each site of the ring is one of start, ..., start + width - 1, modulo n.

    >>> inside(4, torch.tensor(3), torch.tensor(2)).tolist()
    [True, False, False, True]
    """
    site = torch.arange(n, device=start.device, dtype=start.dtype)
    ahead, width = site - start[..., None], width[..., None]
    # Two comparisons, because a remainder of integers takes ten times as long.
    return (ahead >= 0) & (ahead < width) | (ahead + n < width)
