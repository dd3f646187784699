"""Single pulses drawn by their definition: a start, a width and a flip for every example.

Each example takes its class from the choices of its own stream and three uniform numbers (start, width, flip, in this
order, whether or not it uses them all). An integer below m is floor(m U) with U one of 2^32 equally spaced numbers: its
probabilities are 1/m up to 2^-32.
"""

from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Bool, Float, Int

from sim.data.classes import draw_classes
from sim.data.sample import Draw, label_table, mean_table, sampler_of, shifted
from sim.random.streams import Stream
from theory.problem import SinglePulse

_PER_EXAMPLE = 3
_LEVELS = {"zero-one": (0.0, 1.0), "plus-minus": (-1.0, 1.0)}


@dataclass(frozen=True)
class PulseSampler:
    """A sampler on one device; `shift` are the class means."""

    law: SinglePulse
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
        ranges = np.array([(least, largest - least + 1) for least, largest in self.law.widths], dtype=np.int32)
        start = np.floor(uniform[..., 0] * self.n).astype(np.int32)
        least, count = ranges[classes, 0], ranges[classes, 1]
        width = least + np.floor(uniform[..., 1] * count).astype(np.int32)
        start, width, flipped, category = (
            torch.from_numpy(numbers).to(self.device) for numbers in (start, width, uniform[..., 2] < 0.5, classes)
        )
        x = levels(inside(self.n, start, width), flipped, self.law.support, self.law.flip, self.dtype)
        return shifted(Draw(None, x, category, self.labels[category]), self.law, self.shift)


@sampler_of.register
def pulse_sampler(law: SinglePulse, device: torch.device, dtype: torch.dtype) -> PulseSampler:
    """Return the sampler of a law of single pulses."""
    labels, shift = label_table(law, device, dtype), mean_table(law, device, dtype)
    return PulseSampler(law, labels, shift, device, dtype)


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
