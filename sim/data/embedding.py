"""Gaussian vectors on a grid whose covariance is stationary but no product of the axes: by Fourier modes of a torus.

An open grid is a part of a torus with 2 m - 2 sites along each axis, whose circulant covariance repeats that of the
grid: if no eigenvalue of the torus is negative, the grid's part of its samples has the covariance exactly.
"""

from dataclasses import dataclass
from math import prod

import numpy as np
import torch
from jaxtyping import Float

from sim.data.factors import Dense, dense, kept_level
from theory.problem import OutOfReachError
from theory.problem.positivity import MOST_DENSE, embedding


@dataclass(frozen=True)
class Embedded:
    """z_j = sum_q amplitude_q noise_q cas(2 pi q.j/N)/sqrt(N) on a torus, of which the sites of a grid are kept.

    cas = cos + sin, q and j have one number for each axis and q.j/N is the sum of their quotients. `torus` and `grid`
    are the sites along each axis.
    """

    amplitude: Float[torch.Tensor, " N"]
    torus: tuple[int, ...]
    grid: tuple[int, ...]

    @property
    def rank(self) -> int:
        """The normal numbers that an example takes."""
        return len(self.amplitude)

    @property
    def sites(self) -> int:
        """n."""
        return prod(self.grid)

    def coloured(self, noise: Float[torch.Tensor, "B N"]) -> Float[torch.Tensor, "B n"]:
        """Return the Hartley transform of amplitude times noise at the sites of the grid, by an FFT."""
        axes = tuple(range(1, 1 + len(self.torus)))
        modes = torch.fft.fftn((noise * self.amplitude).reshape(-1, *self.torus), dim=axes, norm="ortho")
        kept = (slice(None), *(slice(sites) for sites in self.grid))
        return (modes.real[kept] - modes.imag[kept]).flatten(1)


def on_grid(
    covariance: Float[np.ndarray, "n n"],
    axes: tuple[int, ...],
    boundary: str,
    what: str,
    device: torch.device,
    dtype: torch.dtype,
) -> Embedded | Dense:
    """Return the factor of the stationary covariance of a grid or torus.

    Where the torus around an open grid has a negative eigenvalue, the covariance itself is factored. Raises
    OutOfReachError for a grid too large for that, and for a matrix that is no covariance.
    """
    row, torus = (covariance[0], axes) if boundary != "open" else embedding(covariance[0], axes)
    lam = np.fft.fftn(row.reshape(torus)).real.ravel()
    rounding = 4 * len(lam) * np.finfo(float).eps * float(lam.max())
    if boundary == "open" and float(lam.min()) < -rounding:
        if len(covariance) > MOST_DENSE:
            raise OutOfReachError(
                f"{what}: the torus around the open grid has the eigenvalue {float(lam.min()):.3g}, so that Fourier "
                f"modes do not sample it, and a factor of {len(covariance)} sites would take minutes.",
                f"Use at most {MOST_DENSE} sites, a shorter correlation, or the torus.",
            )
        return _of_matrix(covariance, what, device, dtype)
    kept = lam > kept_level(lam, what, dtype)
    return Embedded(torch.from_numpy(np.sqrt(np.where(kept, lam, 0))).to(device, dtype), torus, axes)


def _of_matrix(covariance: Float[np.ndarray, "n n"], what: str, device: torch.device, dtype: torch.dtype) -> Dense:
    """Return the Cholesky factor, which is unique where a symmetric grid has equal eigenvalues; `dense` if singular."""
    try:
        lower = np.linalg.cholesky(covariance)
    except np.linalg.LinAlgError:
        return dense(covariance, what, device, dtype)
    return Dense(torch.from_numpy(np.ascontiguousarray(lower.T)).to(device, dtype))
