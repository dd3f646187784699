"""Bars drawn by their definition: a height, a width, a place and a flip for every example.

Each example takes its class from the choices of its own stream and five uniform numbers (height, width, row and column
of the place, flip, in this order). An integer below m is floor(m U) with U one of 2^32 equally spaced numbers.
"""

import numpy as np
import torch
from jaxtyping import Float, Int

from sim.data.classes import draw_classes
from sim.data.sample import PlainSampler, sampler_of
from sim.data.single_pulse import inside, levels
from sim.random.streams import Stream
from theory.problem import Bars

_PER_EXAMPLE = 5


class BarSampler(PlainSampler):
    """A sampler of bars on one device."""

    def inputs(self, streams: list[Stream], rows: int) -> tuple[Float[torch.Tensor, "S B n"], Int[np.ndarray, "S B"]]:
        """Draw the bars of `rows` examples for each stream."""
        uniform = np.stack([own.uniforms(rows, _PER_EXAMPLE) for own in streams])
        classes = draw_classes(self.law.probabilities, streams, rows)
        down, across = (
            self._axis(side, np.array(ranges, dtype=np.int32)[classes], uniform[..., axis], uniform[..., 2 + axis])
            for axis, (side, ranges) in enumerate(zip(self.law.shape, (self.law.rows, self.law.columns), strict=True))
        )
        lit = (down[..., :, None] & across[..., None, :]).flatten(-2)
        flipped = torch.from_numpy(uniform[..., 4] < 0.5).to(self.device)
        return levels(lit, flipped, self.law.support, self.law.flip, self.dtype), classes

    def _axis(self, side: int, ends: np.ndarray, size: np.ndarray, place: np.ndarray) -> torch.Tensor:
        """Return which of the rows, or columns, the bar covers."""
        least, largest = ends[..., 0], ends[..., 1]
        width = least + np.floor(size * (largest - least + 1)).astype(np.int32)
        places = side if self.law.boundary == "torus" else side - width + 1
        start = np.floor(place * places).astype(np.int32)
        return inside(side, *(torch.from_numpy(numbers).to(self.device) for numbers in (start, width)))


sampler_of.register(Bars, BarSampler)
