"""Several pulses drawn by their definition: a number of pulses, and a start, a width and a height for each.

Each example takes its class from the choices of its own stream, and from its uniform numbers first the number of its
pulses, then width, start and height of one pulse after the other, whether or not it uses them all. An integer below m
is floor(m U) with U one of 2^32 equally spaced numbers.
"""

from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float, Int

from sim.data.classes import draw_classes
from sim.data.sample import PlainSampler, sampler_of
from sim.random.streams import Stream
from theory.problem import Pulses

_PER_PULSE = 3


@dataclass(frozen=True, eq=False)
class PulsesSampler(PlainSampler):
    """A sampler on one device; profiles[W - least] is the form of a pulse of width W."""

    least: int
    profiles: Float[torch.Tensor, "widths longest"]
    heights: Float[torch.Tensor, " heights"]

    def inputs(self, streams: list[Stream], rows: int) -> tuple[Float[torch.Tensor, "S B n"], Int[np.ndarray, "S B"]]:
        """Draw the pulses of `rows` examples for each stream."""
        law = self.law
        most = max(largest for _, largest in law.counts)
        uniform = np.stack([own.uniforms(rows, 1 + most * _PER_PULSE) for own in streams])
        classes = draw_classes(law.probabilities, streams, rows)
        number = _between(np.array(law.counts)[classes], uniform[..., 0])
        ends = np.array(law.widths)[classes]
        x = torch.zeros(len(streams), rows, law.n, dtype=self.dtype, device=self.device)
        for pulse in range(most):
            first = 1 + pulse * _PER_PULSE
            width = _between(ends, uniform[..., first])
            places = law.n if law.boundary == "ring" else law.n - width + 1
            start = np.floor(uniform[..., first + 1] * places).astype(np.int64)
            height = np.floor(uniform[..., first + 2] * len(law.heights)).astype(np.int64)
            drawn = (torch.from_numpy(numbers).to(self.device) for numbers in (start, width, height, number > pulse))
            own = self._pulse(*drawn)
            x = x + own if law.overlap == "sum" else torch.maximum(x, own)
        return x, classes

    def _pulse(
        self,
        start: Int[torch.Tensor, "S B"],
        width: Int[torch.Tensor, "S B"],
        height: Int[torch.Tensor, "S B"],
        there: torch.Tensor,
    ) -> Float[torch.Tensor, "S B n"]:
        """Return one pulse of each example, 0 at every site where it is not `there`."""
        ahead = torch.arange(self.n, device=self.device) - start[..., None]
        if self.law.boundary == "ring":
            ahead = torch.where(ahead < 0, ahead + self.n, ahead)
        width = width[..., None]
        lit = (ahead >= 0) & (ahead < width) & there[..., None]
        shape = self.profiles[width - self.least, torch.where(lit, ahead, 0)]
        return torch.where(lit, self.heights[height][..., None] * shape, 0)


def _between(ends: np.ndarray, uniform: np.ndarray) -> np.ndarray:
    """Return the whole number of the range ends = (a, b) that each uniform number chooses."""
    return ends[..., 0] + np.floor(uniform * (ends[..., 1] - ends[..., 0] + 1)).astype(np.int64)


@sampler_of.register
def pulses_sampler(law: Pulses, device: torch.device, dtype: torch.dtype) -> PulsesSampler:
    """Return the sampler of a law of several pulses."""
    least, longest = min(ends[0] for ends in law.widths), max(ends[1] for ends in law.widths)
    profiles = torch.zeros(longest - least + 1, longest, dtype=dtype)
    for width in range(least, longest + 1):
        profiles[width - least, :width] = torch.tensor([float(value) for value in law.profile(width)], dtype=dtype)
    heights = torch.tensor([float(height) for height in law.heights], dtype=dtype, device=device)
    return PulsesSampler(law, device, dtype, least, profiles.to(device), heights)
