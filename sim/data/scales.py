"""Draws of the scale r of an elliptical vector, by the definitions of `theory.problem.scales`.

Sums of squares of normal numbers are chi^2: every continuous scale is exact up to the grid of the normal numbers.
"""

from functools import singledispatch

import numpy as np
import torch
from jaxtyping import Float

from sim.data.classes import bounds, chosen
from theory.problem import OutOfReachError
from theory.problem.scales import DiscreteScale, GammaScale, Scale, SphereScale, StudentScale

Latent = Float[torch.Tensor, "N n"]
Further = Float[torch.Tensor, "N k"]
Mark = Float[np.ndarray, " N"]


@singledispatch
def numbers_of(scale: Scale) -> int:
    """Return how many normal numbers a draw of r takes beside those of z: 0 unless the scale's kind registers it."""
    del scale
    return 0


@singledispatch
def radii(scale: Scale, unit: bool, latent: Latent, further: Further, mark: Mark) -> Float[torch.Tensor, " N"]:
    """Return r for N examples, over the root of E r^2 if `unit`.

    `latent` are the n normal numbers of z, `further` at least `numbers_of(scale)` more, and `mark` is uniform.
    """
    del unit, latent, further, mark
    raise OutOfReachError(
        f'No sampler for the scale "{scale.kind}".', "Register it with @radii.register in sim/data/scales.py."
    )


@numbers_of.register
def _(scale: StudentScale) -> int:
    return scale.dof


@radii.register
def _(scale: StudentScale, unit: bool, latent: Latent, further: Further, mark: Mark) -> Float[torch.Tensor, " N"]:
    del latent, mark
    # E dof/V = dof/(dof - 2): with Z the numerator is dof - 2, by the definition of the law.
    return ((scale.dof - 2 * unit) / further[:, : scale.dof].square().sum(dim=1)).sqrt()


@numbers_of.register
def _(scale: GammaScale) -> int:
    return int(2 * scale.shape)


@radii.register
def _(scale: GammaScale, unit: bool, latent: Latent, further: Further, mark: Mark) -> Float[torch.Tensor, " N"]:
    del unit, latent, mark
    return further[:, : numbers_of(scale)].square().mean(dim=1).sqrt()


@radii.register
def _(scale: DiscreteScale, unit: bool, latent: Latent, further: Further, mark: Mark) -> Float[torch.Tensor, " N"]:
    del further
    square = sum(p * value**2 for p, value in zip(scale.probabilities, scale.values, strict=True))
    values = np.array([float(value) for value in scale.values]) / (float(square) ** 0.5 if unit else 1.0)
    return torch.from_numpy(values[chosen(bounds(scale.probabilities), mark)]).to(latent)


@radii.register
def _(scale: SphereScale, unit: bool, latent: Latent, further: Further, mark: Mark) -> Float[torch.Tensor, " N"]:
    del scale, unit, further, mark
    return (latent.shape[1] / latent.square().sum(dim=1)).sqrt()
