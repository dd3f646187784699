"""Samples of a finite data set: one of its examples at a time, by their probabilities."""

from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float, Int

from sim.data.classes import bounds, chosen
from sim.data.sample import Draw, label_table, sampler_of
from sim.random.streams import Stream
from theory.problem import FiniteData


@dataclass(frozen=True)
class FiniteSampler:
    """A data set on one device: its N examples `x`, their classes and contexts; `limits` are the sums P(<= i)."""

    limits: Float[np.ndarray, " limits"]
    x: Float[torch.Tensor, "N n"]
    category: Int[torch.Tensor, " N"]
    labels: Float[torch.Tensor, "C *m"]
    context: Int[torch.Tensor, " N"] | None
    device: torch.device
    dtype: torch.dtype

    @property
    def n(self) -> int:
        """The number of sites."""
        return self.x.shape[1]

    def room(self, _replicates: int, _rows: int) -> None:
        """Return None: every draw allocates its memory."""

    def draw(self, streams: list[Stream], rows: int, room: None = None) -> Draw:  # noqa: ARG002 - the protocol's
        """Draw `rows` examples for each stream: example i where P(< i) <= u < P(<= i), u uniform on 2^32 points."""
        index = np.stack([chosen(self.limits, own.choices(rows)) for own in streams])
        for own in streams:
            own.advance(rows)
        examples = torch.from_numpy(index).to(self.device)
        category = self.category[examples]
        context = None if self.context is None else self.context[examples]
        return Draw(None, self.x[examples], category, self.labels[category], context=context)


@sampler_of.register
def finite_sampler(law: FiniteData, device: torch.device, dtype: torch.dtype) -> FiniteSampler:
    """Return the sampler of the data set."""
    x = torch.tensor([[float(entry) for entry in row] for row in law.x], dtype=dtype, device=device)
    category = torch.tensor(law.category, dtype=torch.int64, device=device)
    limits = bounds(law.example_probabilities)
    context = torch.tensor(law.context, dtype=torch.int64, device=device) if law.context else None
    return FiniteSampler(limits, x, category, label_table(law, device, dtype), context, device, dtype)
