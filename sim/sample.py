"""Exact samplers of the data laws: z = noise F with F^T F the covariance, factored once; x = erf(gain z)/Z.

Single pulses, which have no Gaussian, are drawn in `sim.pulse`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import singledispatch
from math import prod

import numpy as np
import torch
from jaxtyping import Bool, Float

from sim import quadrature
from sim.normals import fill_normals
from sim.pulse import PulseSampler, draw_pulses, pulse_sampler
from sim.streams import Stream
from theory.problem import GaussianClone, NonlinearGP, OutOfReachError, SinglePulse, axis_correlations


@dataclass(frozen=True)
class Factor:
    """matrix (r, n) with matrix^T matrix = C up to the dropped eigenvalues of C, which rounding cannot tell from 0.

    `dropped` is the sum of their absolute values and bounds the error of every entry of C; `level` is the largest
    that may be dropped.
    """

    matrix: Float[np.ndarray, "r n"]
    dropped: float
    level: float


Matrices = tuple[torch.Tensor, ...]
Covariances = Callable[[NonlinearGP, int], tuple[np.ndarray, ...]]


@dataclass(frozen=True)
class Sampler:
    """A law made ready to draw on one device: a factor for each class, and what is done to the Gaussian.

    A factor is (F,), with z = noise F, or on a grid one matrix for each axis: (F, G) with z = F^T noise G, the noise an
    array of the ranks of F and G. `gain` is None where x is the Gaussian itself; otherwise x = erf(gain z)/normaliser.
    """

    factors: tuple[Matrices, Matrices]
    labels: tuple[float, float]
    gain: float | None
    normaliser: float

    @property
    def n(self) -> int:
        """The number of sites."""
        return prod(matrix.shape[1] for matrix in self.factors[0])

    @property
    def rank(self) -> int:
        """The normal numbers that an example takes."""
        return max(_rank(factor) for factor in self.factors)

    @property
    def dtype(self) -> torch.dtype:
        """The type of the numbers drawn."""
        return self.factors[0][0].dtype

    @property
    def device(self) -> torch.device:
        """Where it draws."""
        return self.factors[0][0].device


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


def factor(covariance: Float[np.ndarray, "n n"], what: str, rounding: float = 0.0) -> Factor:
    """The factor sqrt(lam) V^T of the covariance V lam V^T, without jitter.

    Eigenvalues of size up to 4 n eps lam_max are the rounding of the entries and of the eigensolver: they are dropped
    and counted, and with them those below `rounding` lam_max, the unit of the dtype that will be drawn in. Raises
    OutOfReachError for one below -4 n eps lam_max: then the matrix is no covariance.
    """
    lam, vectors = np.linalg.eigh(covariance)
    level = 4 * len(lam) * np.finfo(float).eps * float(lam[-1])
    if lam[0] < -level:
        raise OutOfReachError(
            f"{what}: the covariance has the eigenvalue {lam[0]:.3g}, below rounding (-{level:.1g}); it is not "
            "positive semidefinite, so no Gaussian has it.",
            'Use boundary="open" or a smaller xi. (Nothing is clipped for you.)',
        )
    level = max(level, rounding * float(lam[-1]))
    kept = lam > level
    matrix = np.sqrt(lam[kept])[:, None] * vectors[:, kept].T
    return Factor(np.ascontiguousarray(matrix), float(np.abs(lam[~kept]).sum()), level)


@singledispatch
def prepare(law: object, _device: torch.device, _dtype: torch.dtype) -> Sampler | PulseSampler:
    """The law made ready to draw in `dtype` on `device`. Raises OutOfReachError for a law without a sampler."""
    raise OutOfReachError(
        f"No sampler for the law {type(law).__name__}.", "The laws with one: nlgp, gaussian-clone, single-pulse."
    )


@prepare.register
def _(law: NonlinearGP, device: torch.device, dtype: torch.dtype) -> Sampler:
    factors = _on_device(law, axis_correlations, device, dtype)
    return Sampler(factors, _labels(law), float(law.gain), quadrature.normaliser(law))


@prepare.register
def _(law: GaussianClone, device: torch.device, dtype: torch.dtype) -> Sampler:
    factors = _on_device(law, lambda of, c: (quadrature.covariance(of, c),), device, dtype)
    return Sampler(factors, _labels(law), None, 1.0)


@prepare.register
def _(law: SinglePulse, device: torch.device, dtype: torch.dtype) -> PulseSampler:
    return pulse_sampler(law, device, dtype)


def scratch(sampler: Sampler | PulseSampler, replicates: int, rows: int) -> Scratch | None:
    """Room for draws of `rows` examples for each of `replicates` streams; None for a law that uses none."""
    if isinstance(sampler, PulseSampler):
        return None
    like = sampler.factors[0][0]
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
    for c, factors in enumerate(sampler.factors):
        members = (category.flatten() == bool(c)).nonzero().squeeze(1)
        own = noise.view(-1, noise.shape[-1]).index_select(0, members)[:, : _rank(factors)]
        flat.index_copy_(0, members, _coloured(own, factors))
    y = _label(sampler, category)
    if sampler.gain is None:
        return Draw(None, gaussian, category, y)
    torch.mul(gaussian, sampler.gain, out=x).erf_().div_(sampler.normaliser)
    return Draw(gaussian, x, category, y, sampler.gain)


def _coloured(noise: Float[torch.Tensor, "N r"], factors: Matrices) -> Float[torch.Tensor, "N n"]:
    """noise F, or F^T noise G row by row on a grid, whose n x n covariance is never made."""
    if len(factors) == 1:
        return noise @ factors[0]
    down, across = factors
    return (down.T @ (noise.reshape(-1, len(down), len(across)) @ across)).flatten(1)


def _rank(factors: Matrices) -> int:
    return prod(len(matrix) for matrix in factors)


def _on_device(
    law: NonlinearGP, covariances: Covariances, device: torch.device, dtype: torch.dtype
) -> tuple[Matrices, Matrices]:
    unit = torch.finfo(dtype).eps

    def matrices(c: int) -> Matrices:
        found = [factor(covariance, f"{law.law}, class {c}", unit).matrix for covariance in covariances(law, c)]
        return tuple(torch.from_numpy(matrix).to(device, dtype) for matrix in found)

    return matrices(0), matrices(1)


def _label(sampler: Sampler | PulseSampler, category: torch.Tensor) -> torch.Tensor:
    first, second = (torch.tensor(label, dtype=sampler.dtype, device=category.device) for label in sampler.labels)
    return torch.where(category, second, first)


def _labels(law: NonlinearGP) -> tuple[float, float]:
    return float(law.labels[0]), float(law.labels[1])
