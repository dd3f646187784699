"""A sampler in compiled loops, which draws the examples of another sampler up to rounding and order."""

from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float

from sim.data.gaussian import GaussianSampler
from sim.data.sample import Draw
from sim.random.streams import Stream
from sim.training.backends.compiled.draw import Block


@dataclass(frozen=True)
class CompiledSampler:
    """The sampler of a Gaussian law of two equally likely classes without means, on the CPU.

    The examples of a draw are sorted by class within segments of `segment` examples, or None: within the whole draw.
    `latent` is True where a gate reads z; otherwise draws have no z. `by_site` is the memory layout, chosen as in the
    training loops, so that nothing is compiled twice.
    """

    sampler: GaussianSampler
    latent: bool
    by_site: bool
    segment: int | None = None

    @property
    def device(self) -> torch.device:
        """The CPU."""
        return self.sampler.device

    @property
    def dtype(self) -> torch.dtype:
        """The type of the numbers."""
        return self.sampler.dtype

    @property
    def labels(self) -> Float[torch.Tensor, " C"]:
        """The label of each class."""
        return self.sampler.labels

    @property
    def n(self) -> int:
        """The number of sites."""
        return self.sampler.n

    def room(self, replicates: int, rows: int) -> list[Block]:
        """Return memory for draws of `rows` examples for each of `replicates` streams."""
        kind = self.labels.numpy().dtype
        return [Block(self.sampler, kind, rows, self.by_site, self.latent) for _ in range(replicates)]

    def draw(self, streams: list[Stream], rows: int, room: list[Block] | None = None) -> Draw:
        """Draw `rows` examples for each stream and advance it; the draws of several streams are copied together."""
        drawn = []
        for own, block in zip(streams, room or self.room(len(streams), rows), strict=True):
            block.draw(own, own.example, rows, self.segment or rows)
            own.advance(rows)
            drawn.append((block.z[:rows], block.x[:rows], block.y[:rows], self._classes(block, rows)))
        z, x, y, category = (_side_by_side(parts) for parts in zip(*drawn, strict=True))
        return Draw(z if self.latent else None, x, category, y, self.sampler.gain)

    def _classes(self, block: Block, rows: int) -> np.ndarray:
        """Return the class of each row."""
        segment = self.segment or rows
        middle = np.repeat(block.middle[: -(-rows // segment)], segment)[:rows]
        return (np.arange(rows) >= middle).astype(np.int64)


def _side_by_side(parts: tuple[np.ndarray, ...]) -> torch.Tensor:
    """Return the arrays of the streams as one tensor, without a copy for a single stream."""
    first, *others = map(torch.from_numpy, parts)
    return torch.stack([first, *others]) if others else first[None]
