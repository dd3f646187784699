"""Samples of a law that draws its own examples, in blocks whose generators are functions of their place in the run.

Example e of a stream is row e mod 256 of block e div 256. The generator of a block is NumPy's PCG64 with the seed
sequence of (seed; purpose, network, block). A draw therefore depends neither on the other networks nor on how the
examples are divided into draws, nor on the step at which a run was resumed.
"""

from dataclasses import dataclass, field

import numpy as np
import torch
from jaxtyping import Float, Int

from sim.data.sample import PlainSampler, sampler_of
from sim.random.streams import Stream
from theory.problem.distributions.sampled import SampledLaw

BLOCK = 256  # examples of one call: many enough for vectorised code, few enough to keep a block for each network

Block = tuple[Float[np.ndarray, "B n"], Int[np.ndarray, " B"]]


@dataclass(frozen=True, eq=False)
class LawSampler(PlainSampler):
    """A sampler that calls the law's own `draw` on the CPU; `last` is the latest block of each stream."""

    last: dict[tuple[int, int, int], tuple[int, Block]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "shift", None)  # the draws of the law have its means already

    def inputs(self, streams: list[Stream], rows: int) -> tuple[Float[torch.Tensor, "S B n"], Int[np.ndarray, "S B"]]:
        """Draw `rows` examples for each stream."""
        parts = [self._rows(own, rows) for own in streams]
        x = torch.from_numpy(np.stack([x for x, _ in parts])).to(self.device, self.dtype)
        return x, np.stack([category for _, category in parts])

    def _rows(self, own: Stream, rows: int) -> Block:
        """Return the next `rows` examples of a stream, from the blocks that have them."""
        first, skipped = divmod(own.example, BLOCK)
        blocks = [self._block(own, index) for index in range(first, (own.example + rows - 1) // BLOCK + 1)]
        part = slice(skipped, skipped + rows)
        return tuple(np.concatenate(arrays)[part] for arrays in zip(*blocks, strict=True))

    def _block(self, own: Stream, index: int) -> Block:
        place = own.seed, own.network, own.purpose
        kept, block = self.last.get(place, (None, None))
        if kept != index:
            sequence = np.random.SeedSequence(own.seed, spawn_key=(own.purpose, own.network, index))
            block = self.law.examples(np.random.Generator(np.random.PCG64(sequence)), BLOCK)
            self.last[place] = index, block
        return block


sampler_of.register(SampledLaw, LawSampler)
