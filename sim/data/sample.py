"""Exact samplers of the data laws: z from normal numbers by a factor of its covariance; x = erf(gain z)/Z.

Single pulses, which have no Gaussian, are drawn in `sim.data.single_pulse`.
"""

from dataclasses import dataclass
from functools import singledispatch

import numpy as np
import torch
from jaxtyping import Bool, Float

from sim.data import quadrature
from sim.data.factors import Factor, Separable, dense, on_line, on_ring
from sim.data.single_pulse import PulseSampler, draw_pulses, pulse_sampler
from sim.random.normals import fill_normals
from sim.random.streams import Stream
from theory.problem import GaussianClone, NonlinearGP, OutOfReachError, SinglePulse, axis_correlations


@dataclass(frozen=True)
class Sampler:
    """A law made ready to draw on one device: a factor for each class, and what is done to the Gaussian.

    `gain` is None where x is the Gaussian itself; otherwise x = erf(gain z)/normaliser.
    """

    factors: tuple[Factor, Factor]
    labels: tuple[float, float]
    gain: float | None
    normaliser: float
    device: torch.device
    dtype: torch.dtype

    @property
    def n(self) -> int:
        """The number of sites."""
        return self.factors[0].sites

    @property
    def rank(self) -> int:
        """The normal numbers that an example takes."""
        return max(factor.rank for factor in self.factors)


@dataclass(frozen=True)
class Draw:
    """Independent examples of S replicates: latent z (None for a law without), input x, class 0 or 1, label y.

    `gain` is that of x = erf(gain z)/Z; None where there is no latent.
    """

    z: Float[torch.Tensor, "S B n"] | None
    x: Float[torch.Tensor, "S B n"]
    category: Bool[torch.Tensor, "S B"]
    y: Float[torch.Tensor, "S B"]
    gain: float | None = None


@dataclass(frozen=True)
class Scratch:
    """Memory that successive draws of equal size reuse: fresh pages for every draw cost a fifth of the time."""

    noise: Float[torch.Tensor, "S B r"]
    gaussian: Float[torch.Tensor, "S B n"]
    x: Float[torch.Tensor, "S B n"]


@singledispatch
def prepare(law: object, _device: torch.device, _dtype: torch.dtype) -> Sampler | PulseSampler:
    """The law made ready to draw in `dtype` on `device`. Raises OutOfReachError for a law without a sampler."""
    raise OutOfReachError(
        f"No sampler for the law {type(law).__name__}.", "The laws with one: nlgp, gaussian-clone, single-pulse."
    )


@prepare.register
def _(law: NonlinearGP, device: torch.device, dtype: torch.dtype) -> Sampler:
    factors = tuple(_factor(law, axis_correlations(law, c), c, device, dtype) for c in (0, 1))
    return Sampler(factors, _labels(law), float(law.gain), quadrature.normaliser(law), device, dtype)


@prepare.register
def _(law: GaussianClone, device: torch.device, dtype: torch.dtype) -> Sampler:
    factors = tuple(_factor(law, (quadrature.covariance(law, c),), c, device, dtype) for c in (0, 1))
    return Sampler(factors, _labels(law), None, 1.0, device, dtype)


@prepare.register
def _(law: SinglePulse, device: torch.device, dtype: torch.dtype) -> PulseSampler:
    return pulse_sampler(law, device, dtype)


def scratch(sampler: Sampler | PulseSampler, replicates: int, rows: int) -> Scratch | None:
    """Room for draws of `rows` examples for each of `replicates` streams; None for a law that uses none."""
    if isinstance(sampler, PulseSampler):
        return None
    like = torch.empty(0, dtype=sampler.dtype, device=sampler.device)
    noise = like.new_empty(replicates, rows, sampler.rank)
    gaussian = like.new_empty(replicates, rows, sampler.n)
    return Scratch(noise, gaussian, gaussian if sampler.gain is None else torch.empty_like(gaussian))


def draw(sampler: Sampler | PulseSampler, streams: list[Stream], rows: int, room: Scratch | None = None) -> Draw:
    """`rows` independent examples for each stream, which goes on by as many; each example's class is a fair coin.

    A replicate's examples depend on its own stream alone. One matrix product per class serves all replicates. With
    `room` the draw lies in it until the next draw there.
    """
    if isinstance(sampler, PulseSampler):
        x, category = draw_pulses(sampler, streams, rows)
        return Draw(None, x, category, _label(sampler, category))
    room = room or scratch(sampler, len(streams), rows)
    noise, gaussian, x = room.noise, room.gaussian, room.x
    tosses = np.empty((len(streams), rows), dtype=bool)
    for index, stream in enumerate(streams):
        fill_normals(stream, noise[index])
        tosses[index] = stream.coins(rows)
        stream.advance(rows)
    category = torch.from_numpy(tosses).to(sampler.device)
    flat = gaussian.view(-1, sampler.n)
    for c, factor in enumerate(sampler.factors):
        members = (category.flatten() == bool(c)).nonzero().squeeze(1)
        own = noise.view(-1, noise.shape[-1]).index_select(0, members)[:, : factor.rank]
        flat.index_copy_(0, members, factor.coloured(own))
    y = _label(sampler, category)
    if sampler.gain is None:
        return Draw(None, gaussian, category, y)
    torch.mul(gaussian, sampler.gain, out=x).erf_().div_(sampler.normaliser)
    return Draw(gaussian, x, category, y, sampler.gain)


def _factor(
    law: NonlinearGP, covariances: tuple[np.ndarray, ...], c: int, device: torch.device, dtype: torch.dtype
) -> Factor:
    """The factor of the Gaussian of class c, whose covariance is the Kronecker product of those of the axes."""
    what = f"{law.law}, class {c}"
    if len(covariances) == 1:
        make = on_ring if law.boundary == "ring" else on_line
        return make(covariances[0], what, device, dtype)
    down, across = (dense(covariance, what, device, dtype) for covariance in covariances)
    return Separable(down, across)


def _label(sampler: Sampler | PulseSampler, category: torch.Tensor) -> torch.Tensor:
    first, second = (torch.tensor(label, dtype=sampler.dtype, device=category.device) for label in sampler.labels)
    return torch.where(category, second, first)


def _labels(law: NonlinearGP) -> tuple[float, float]:
    return float(law.labels[0]), float(law.labels[1])
