"""Samples of elliptical laws: a Gaussian vector z = F^T noise, and an independent scale from further numbers."""

from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float

from sim.data.classes import draw_classes
from sim.data.factors import Factor, on_line, on_ring
from sim.data.kept import kept
from sim.data.sample import Draw, label_table, mean_table, sampler_of, shifted
from sim.data.scales import numbers_of, radii
from sim.random.streams import Stream
from theory.problem import axis_correlations
from theory.problem.distributions.elliptical import Elliptical


@dataclass(frozen=True, eq=False)
class EllipticalSampler:
    """A sampler of an elliptical law on one device: a factor of R_c for each class; `shift` are the class means."""

    law: Elliptical
    factors: tuple[Factor, ...]
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
        """Draw `rows` examples for each stream, from n normal numbers each and those of the widest scale."""
        further = max(numbers_of(scale) for scale in self.law.scale)
        noise = torch.empty(len(streams), rows, self.n + further, dtype=self.dtype, device=self.device)
        classes = draw_classes(self.law.probabilities, streams, rows)
        mark = np.stack([own.marks(rows, 0) for own in streams]).ravel()
        for own, numbers in zip(streams, noise, strict=True):
            own.normals(numbers)
            own.advance(rows)
        category = torch.from_numpy(classes).to(self.device)
        x = torch.empty(len(streams) * rows, self.n, dtype=self.dtype, device=self.device)
        for c, (factor, scale) in enumerate(zip(self.factors, self.law.scale, strict=True)):
            members = (category.flatten() == c).nonzero().squeeze(1)
            latent, rest = noise.flatten(0, 1)[members].split([self.n, further], dim=1)
            unit = self.law.normaliser == "unit-variance"
            r = radii(scale, unit, latent, rest, mark[members.cpu().numpy()])
            x[members] = r[:, None] * factor.coloured(latent[:, : factor.rank].contiguous())
        drawn = Draw(None, x.view(len(streams), rows, self.n), category, self.labels[category])
        return shifted(drawn, self.law, self.shift)


@sampler_of.register
@kept
def elliptical_sampler(law: Elliptical, device: torch.device, dtype: torch.dtype) -> EllipticalSampler:
    """Return the sampler of r z/Z, z with the correlations of the law's process."""
    make = on_ring if law.boundary == "ring" else on_line
    kernels = [axis_correlations(law.process, c)[0] for c in range(law.classes)]
    factors = tuple(make(R, f"{law.law}, class {c}", device, dtype) for c, R in enumerate(kernels))
    return EllipticalSampler(
        law, factors, label_table(law, device, dtype), mean_table(law, device, dtype), device, dtype
    )
