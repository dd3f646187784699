"""Bars drawn by their definition: a height, a width, a place and a flip for every example.

Each example takes its class from the choices of its own stream and five uniform numbers (height, width, row and column
of the place, flip, in this order). An integer below m is floor(m U) with U one of 2^32 equally spaced numbers.
"""

from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float

from sim.data.classes import draw_classes
from sim.data.sample import Draw, label_table, mean_table, sampler_of, shifted
from sim.data.single_pulse import inside, levels
from sim.random.streams import Stream
from theory.problem import Bars

_PER_EXAMPLE = 5


@dataclass(frozen=True)
class BarSampler:
    """A sampler on one device; `shift` are the class means."""

    law: Bars
    labels: Float[torch.Tensor, "C *m"]
    shift: Float[torch.Tensor, "C n"] | None
    device: torch.device
    dtype: torch.dtype

    @property
    def n(self) -> int:
        """The number of sites."""
        return self.law.n

    def room(self, _replicates: int, _rows: int) -> None:
        """Return None: every draw allocates its memory."""

    def draw(self, streams: list[Stream], rows: int, room: None = None) -> Draw:  # noqa: ARG002 - the protocol's
        """Draw `rows` independent examples for each stream."""
        uniform = np.stack([own.uniforms(rows, _PER_EXAMPLE) for own in streams])
        classes = draw_classes(self.law.probabilities, streams, rows)
        for own in streams:
            own.advance(rows)
        down, across = (
            self._axis(side, np.array(ranges, dtype=np.int32)[classes], uniform[..., axis], uniform[..., 2 + axis])
            for axis, (side, ranges) in enumerate(zip(self.law.shape, (self.law.rows, self.law.columns), strict=True))
        )
        category = torch.from_numpy(classes).to(self.device)
        lit = (down[..., :, None] & across[..., None, :]).flatten(-2)
        flipped = torch.from_numpy(uniform[..., 4] < 0.5).to(self.device)
        x = levels(lit, flipped, self.law.support, self.law.flip, self.dtype)
        return shifted(Draw(None, x, category, self.labels[category]), self.law, self.shift)

    def _axis(self, side: int, ends: np.ndarray, size: np.ndarray, place: np.ndarray) -> torch.Tensor:
        """Return which of the rows, or columns, the bar covers."""
        least, largest = ends[..., 0], ends[..., 1]
        width = least + np.floor(size * (largest - least + 1)).astype(np.int32)
        places = side if self.law.boundary == "torus" else side - width + 1
        start = np.floor(place * places).astype(np.int32)
        return inside(side, *(torch.from_numpy(numbers).to(self.device) for numbers in (start, width)))


@sampler_of.register
def bar_sampler(law: Bars, device: torch.device, dtype: torch.dtype) -> BarSampler:
    """Return the sampler of a law of bars."""
    return BarSampler(law, label_table(law, device, dtype), mean_table(law, device, dtype), device, dtype)
