"""Samples of elliptical laws: a Gaussian vector z = F^T noise, and an independent scale from further numbers."""

from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float, Int

from sim.data.classes import draw_classes
from sim.data.factors import Factor, on_line, on_ring
from sim.data.kept import kept
from sim.data.sample import PlainSampler, sampler_of
from sim.data.scales import numbers_of, radii
from sim.random.streams import Stream
from theory.problem import axis_correlations
from theory.problem.distributions.elliptical import Elliptical


@dataclass(frozen=True, eq=False)
class EllipticalSampler(PlainSampler):
    """A sampler of an elliptical law on one device: a factor of R_c for each class."""

    factors: tuple[Factor, ...]

    def inputs(self, streams: list[Stream], rows: int) -> tuple[Float[torch.Tensor, "S B n"], Int[np.ndarray, "S B"]]:
        """Draw `rows` examples for each stream, from n normal numbers each and those of the widest scale."""
        further = max(numbers_of(scale) for scale in self.law.scale)
        noise = torch.empty(len(streams), rows, self.n + further, dtype=self.dtype, device=self.device)
        classes = draw_classes(self.law.probabilities, streams, rows)
        mark = np.stack([own.marks(rows, 0) for own in streams]).ravel()
        for own, numbers in zip(streams, noise, strict=True):
            own.normals(numbers)
        category = torch.from_numpy(classes.ravel()).to(self.device)
        x = torch.empty(len(streams) * rows, self.n, dtype=self.dtype, device=self.device)
        for c, (factor, scale) in enumerate(zip(self.factors, self.law.scale, strict=True)):
            members = (category == c).nonzero().squeeze(1)
            latent, rest = noise.flatten(0, 1)[members].split([self.n, further], dim=1)
            unit = self.law.normaliser == "unit-variance"
            r = radii(scale, unit, latent, rest, mark[members.cpu().numpy()])
            x[members] = r[:, None] * factor.coloured(latent[:, : factor.rank].contiguous())
        return x.view(len(streams), rows, self.n), classes


@sampler_of.register
@kept
def elliptical_sampler(law: Elliptical, device: torch.device, dtype: torch.dtype) -> EllipticalSampler:
    """Return the sampler of r z/Z, z with the correlations of the law's process."""
    make = on_ring if law.boundary == "ring" else on_line
    kernels = [axis_correlations(law.process, c)[0] for c in range(law.classes)]
    factors = tuple(make(R, f"{law.law}, class {c}", device, dtype) for c, R in enumerate(kernels))
    return EllipticalSampler(law, device, dtype, factors)
