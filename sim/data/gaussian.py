"""Exact samples of laws that are functions of one Gaussian vector z = F^T noise, F a factor of its covariance."""

from dataclasses import dataclass, replace

import numpy as np
import torch
from jaxtyping import Float

from sim.data.classes import draw_classes
from sim.data.embedding import of_matrix, on_grid
from sim.data.factors import Factor, Separable, dense, dense_on_ring, on_line, on_ring
from sim.data.nonlinearities import applied, erf_gain
from sim.data.sample import DeviceSampler, Draw, sampler_of
from sim.random.streams import Stream
from theory.problem import NonlinearGP
from theory.problem.distributions.gaussian import Gaussian
from theory.problem.distributions.nonlinear_gp_matrix import NonlinearGPMatrix


@dataclass(frozen=True)
class Scratch:
    """Memory that successive draws of equal size reuse, because new allocations take a fifth of a draw's time."""

    noise: Float[torch.Tensor, "S B r"]
    gaussian: Float[torch.Tensor, "S B n"]
    x: Float[torch.Tensor, "S B n"]


@dataclass(frozen=True, eq=False)
class GaussianSampler(DeviceSampler):
    """A sampler of a Gaussian law on one device: a factor for each class, and the function applied to the Gaussian.

    `gain` is None where x is the Gaussian itself; otherwise x = f(gain z)/normaliser, with one number for all classes
    or a tensor with one for each. `scales` then multiply the sites.
    """

    factors: tuple[Factor, ...]
    gain: float | Float[torch.Tensor, " C"] | None = None
    normaliser: float = 1.0
    scales: Float[torch.Tensor, "C n"] | None = None

    @property
    def rank(self) -> int:
        """The normal numbers that an example takes."""
        return max(factor.rank for factor in self.factors)

    def room(self, replicates: int, rows: int) -> Scratch:
        """Return memory for draws of `rows` examples for each of `replicates` streams."""
        like = torch.empty(0, dtype=self.dtype, device=self.device)
        noise = like.new_empty(replicates, rows, self.rank)
        gaussian = like.new_empty(replicates, rows, self.n)
        return Scratch(noise, gaussian, gaussian if self.gain is None else torch.empty_like(gaussian))

    def draw(self, streams: list[Stream], rows: int, room: Scratch | None = None) -> Draw:
        """Draw `rows` examples for each stream, with one matrix product for each class and all replicates."""
        room = room or self.room(len(streams), rows)
        noise, gaussian, x = room.noise, room.gaussian, room.x
        classes = draw_classes(self.law.probabilities, streams, rows)
        for index, stream in enumerate(streams):
            stream.normals(noise[index])
            stream.advance(rows)
        category = torch.from_numpy(classes).to(self.device)
        flat = gaussian.view(-1, self.n)
        for c, factor in enumerate(self.factors):
            members = (category.flatten() == c).nonzero().squeeze(1)
            own = noise.view(-1, noise.shape[-1]).index_select(0, members)[:, : factor.rank]
            flat.index_copy_(0, members, factor.coloured(own))
        y = self.labels[category]
        if self.gain is None:
            return self.shifted(Draw(None, gaussian, category, y))
        gain = self.gain[category].unsqueeze(-1) if isinstance(self.gain, torch.Tensor) else self.gain
        x = applied(self.law.nonlinearity, torch.mul(gaussian, gain, out=x)).div_(self.normaliser)
        drawn = Draw(gaussian, x, category, y, erf_gain(self.law.nonlinearity, gain))
        if self.scales is not None:  # x is then no erf of a latent with one gain for all sites
            drawn = replace(drawn, x=x * self.scales[category], gain=None)
        return self.shifted(drawn)


def gaussian_sampler(
    law: NonlinearGP,
    covariances: list[tuple[np.ndarray, ...]],
    gains: tuple[float, ...] | None,
    normaliser: float,
    device: torch.device,
    dtype: torch.dtype,
) -> GaussianSampler:
    """Return the sampler of a law whose Gaussian in class c has the Kronecker product of covariances[c].

    `gains` are those of the classes, None where x is the Gaussian itself. Raises OutOfReachError for a matrix that is
    no covariance.
    """
    factors = tuple(_factor(law, own, c, device, dtype) for c, own in enumerate(covariances))
    gain = None if gains is None else gains[0]
    if gains is not None and len(set(gains)) > 1:
        gain = torch.tensor(gains, dtype=dtype, device=device)
    return GaussianSampler(law, device, dtype, factors, gain, normaliser)


def _factor(
    law: NonlinearGP, covariances: tuple[np.ndarray, ...], c: int, device: torch.device, dtype: torch.dtype
) -> Factor:
    """Return the factor for class c, whose covariance is the Kronecker product of the covariances of the axes.

    An isotropic covariance, which is no product, is given by its first row.
    """
    what = f"{law.law}, class {c}"
    if law.isotropic:
        return on_grid(covariances[0], law.axes, law.boundary, what, device, dtype)
    if len(covariances) == 1:
        make = on_ring if law.boundary == "ring" else on_line
        return make(covariances[0], what, device, dtype)
    along = dense if law.boundary == "open" else dense_on_ring
    down, across = (along(covariance, what, device, dtype) for covariance in covariances)
    return Separable(down, across)


def factors_of_matrices(
    law: Gaussian | NonlinearGPMatrix, device: torch.device, dtype: torch.dtype
) -> tuple[Factor, ...]:
    """Return the Cholesky factors of the matrices of a law; of a singular one, the factor by its modes."""
    return tuple(of_matrix(own, f"{law.law}, class {c}", device, dtype) for c, own in enumerate(law.matrices))


@sampler_of.register
def matrix_sampler(law: Gaussian, device: torch.device, dtype: torch.dtype) -> GaussianSampler:
    """Return the sampler of a Gaussian law with any matrices."""
    return GaussianSampler(law, device, dtype, factors_of_matrices(law, device, dtype))
