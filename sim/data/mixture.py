"""Samples of mixtures: the component of each example by one uniform number, its input from the component's sampler."""

from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
import torch
from jaxtyping import Float, Int

from sim.data.classes import bounds, chosen, draw_classes
from sim.data.sample import PlainSampler, Sampler, prepare, sampler_of
from sim.random.streams import Stream
from theory.problem.distributions.mixture import Mixture


@dataclass(frozen=True, eq=False)
class MixtureSampler(PlainSampler):
    """The samplers of the components on one device."""

    samplers: tuple[Sampler, ...]

    def inputs(self, streams: list[Stream], rows: int) -> tuple[Float[torch.Tensor, "S B n"], Int[np.ndarray, "S B"]]:
        """Draw `rows` examples for each stream.

        Every component draws every example from the stream's numbers of that example, and one draw of each is used.
        """
        category = draw_classes(self.law.probabilities, streams, rows)
        index = self._components(category, np.stack([own.marks(rows, 1) for own in streams]))
        component = torch.from_numpy(index).to(self.device)
        x = torch.empty(len(streams), rows, self.n, dtype=self.dtype, device=self.device)
        for k, sampler in enumerate(self.samplers):
            members = component == k
            x[members] = sampler.draw([replace(own) for own in streams], rows).x[members]
        return x, category

    def _components(self, category: Int[np.ndarray, "S B"], mark: Float[np.ndarray, "S B"]) -> Int[np.ndarray, "S B"]:
        """Return the component of each example by its class and a uniform number."""
        found = np.empty_like(category)
        for c in range(self.law.classes):
            places = [k for k, part in enumerate(self.law.components) if part.category == c]
            weights: tuple[Fraction, ...] = tuple(self.law.components[k].weight for k in places)
            own = category == c
            found[own] = np.array(places)[chosen(bounds(weights), mark[own])]
        return found


@sampler_of.register
def mixture_sampler(law: Mixture, device: torch.device, dtype: torch.dtype) -> MixtureSampler:
    """Return the sampler of the mixture."""
    samplers = tuple(prepare(part.law, device, dtype) for part in law.components)
    return MixtureSampler(law, device, dtype, samplers)
