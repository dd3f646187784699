"""Single pulses drawn by their definition: a start, a width and a flip for every example.

Each example takes its class from the coins of its own stream and three uniform numbers (start, width, flip, in this
order, whether or not it uses them all). An integer below m is floor(m U) with U one of 2^32 equally spaced numbers: its
probabilities are 1/m up to 2^-32.
"""

from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Bool, Float, Int

from sim.random.streams import Stream
from theory.problem import SinglePulse

_PER_EXAMPLE = 3


@dataclass(frozen=True)
class PulseSampler:
    """The law made ready to draw on one device: x is `low` outside and `high` inside the pulse.

    A flip is -x for "sign", low + high - x for "complement" (u -> 1 - u), none where `flip` is "none".
    """

    n: int
    widths: tuple[tuple[int, int], tuple[int, int]]
    low: float
    high: float
    flip: str
    labels: tuple[float, float]
    device: torch.device
    dtype: torch.dtype


def pulse_sampler(law: SinglePulse, device: torch.device, dtype: torch.dtype) -> PulseSampler:
    """The sampler of a law of single pulses."""
    low, high = (0.0, 1.0) if law.support == "zero-one" else (-1.0, 1.0)
    labels = (float(law.labels[0]), float(law.labels[1]))
    return PulseSampler(law.n, law.widths, low, high, law.flip, labels, device, dtype)


def draw_pulses(
    sampler: PulseSampler, streams: list[Stream], rows: int
) -> tuple[Float[torch.Tensor, "S B n"], Bool[torch.Tensor, "S B"]]:
    """x and the class of `rows` independent examples for each stream."""
    uniform = np.stack([own.uniforms(rows, _PER_EXAMPLE) for own in streams])
    category = np.stack([own.coins(rows) for own in streams])
    for own in streams:
        own.advance(rows)
    start = np.floor(uniform[..., 0] * sampler.n).astype(np.int32)
    least, count = (np.array(numbers, dtype=np.int32)[category.astype(int)] for numbers in _ranges(sampler))
    width = least + np.floor(uniform[..., 1] * count).astype(np.int32)
    start, width, flipped, second = (
        torch.from_numpy(numbers).to(sampler.device) for numbers in (start, width, uniform[..., 2] < 0.5, category)
    )
    return _flipped(sampler, inside(sampler.n, start, width), flipped), second


def inside(n: int, start: Int[torch.Tensor, "*any"], width: Int[torch.Tensor, "*any"]) -> Bool[torch.Tensor, "*any n"]:
    """Whether each site of the ring is one of start, ..., start + width - 1, modulo n."""
    site = torch.arange(n, device=start.device, dtype=start.dtype)
    ahead, width = site - start[..., None], width[..., None]
    # Compared on both sides of the end of the ring: a remainder of integers takes ten times as long.
    return (ahead >= 0) & (ahead < width) | (ahead + n < width)


def _ranges(sampler: PulseSampler) -> tuple[list[int], list[int]]:
    """For each class the least width and the number of widths."""
    return [least for least, _ in sampler.widths], [largest - least + 1 for least, largest in sampler.widths]


def _flipped(sampler: PulseSampler, lit: torch.Tensor, flipped: torch.Tensor) -> torch.Tensor:
    if sampler.flip == "complement":
        lit = lit ^ flipped[..., None]
    x = lit.to(sampler.dtype) * (sampler.high - sampler.low) + sampler.low
    if sampler.flip == "sign":
        x = x * (1 - 2 * flipped.to(sampler.dtype))[..., None]
    return x
