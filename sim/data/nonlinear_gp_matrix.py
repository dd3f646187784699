"""Samples of the nonlinear Gaussian process with a correlation matrix: f of a coloured vector, times the scales."""

import math
from dataclasses import dataclass, replace

import torch
from jaxtyping import Float

from sim.data.embedding import of_matrix
from sim.data.gaussian import GaussianSampler, Scratch
from sim.data.quadrature import second_moment
from sim.data.sample import Draw, label_table, mean_table, sampler_of, shifted
from sim.random.streams import Stream
from theory.problem.distributions.nonlinear_gp_matrix import NonlinearGPMatrix


@dataclass(frozen=True, eq=False)
class MatrixProcessSampler:
    """A sampler of f(z)/Z, whose sites are then scaled."""

    law: NonlinearGPMatrix
    unit: GaussianSampler
    scales: Float[torch.Tensor, "C n"]
    shift: Float[torch.Tensor, "C n"] | None
    labels: Float[torch.Tensor, "C *m"]
    device: torch.device
    dtype: torch.dtype

    @property
    def n(self) -> int:
        """The number of sites."""
        return self.law.n

    def room(self, replicates: int, rows: int) -> Scratch:
        """Return memory for draws of `rows` examples for each of `replicates` streams."""
        return self.unit.room(replicates, rows)

    def draw(self, streams: list[Stream], rows: int, room: Scratch | None = None) -> Draw:
        """Draw `rows` examples for each stream."""
        drawn = self.unit.draw(streams, rows, room)
        # x is no longer the erf of a latent with one gain for all sites.
        scaled = replace(drawn, x=drawn.x * self.scales[drawn.category], gain=None)
        return shifted(scaled, self.law, self.shift)


@sampler_of.register
def matrix_process_sampler(law: NonlinearGPMatrix, device: torch.device, dtype: torch.dtype) -> MatrixProcessSampler:
    """Return the sampler of the law."""
    factors = tuple(of_matrix(own, f"{law.law}, class {c}", device, dtype) for c, own in enumerate(law.matrices))
    labels, root = label_table(law, device, dtype), math.sqrt(second_moment(law.nonlinearity, 1.0))
    unit = GaussianSampler(law, factors, labels, 1.0, root, None, device, dtype)
    scales = torch.tensor(law.deviations, dtype=dtype, device=device)
    return MatrixProcessSampler(law, unit, scales, mean_table(law, device, dtype), labels, device, dtype)
