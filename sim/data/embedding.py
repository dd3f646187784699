"""Factors of a grid whose covariance is stationary but no product of the axes, by Fourier modes of a torus.

An open grid is a part of a torus with 2 m - 2 sites along each axis, whose circulant covariance repeats that of the
grid: if no eigenvalue of the torus is negative, the grid's part of its samples has the covariance exactly.
"""

import numpy as np
import torch
from jaxtyping import Float

from sim.data.factors import Dense, Embedded, dense, kept_level
from theory.problem import OutOfReachError
from theory.problem.lags import matrix_of
from theory.problem.positivity import MOST_DENSE, embedding


def on_grid(
    row: Float[np.ndarray, " n"],
    axes: tuple[int, ...],
    boundary: str,
    what: str,
    device: torch.device,
    dtype: torch.dtype,
) -> Embedded | Dense:
    """Return the factor of the stationary covariance of a grid or torus; `row` is that of site 0 with every site.

    Where the torus around an open grid has a negative eigenvalue, the matrix itself is factored. Raises
    OutOfReachError for a grid too large for that, and for a matrix that is no covariance.
    """
    around, torus = (row, axes) if boundary != "open" else embedding(row, axes)
    lam = np.fft.fftn(around.reshape(torus)).real.ravel()
    rounding = 4 * len(lam) * np.finfo(float).eps * float(lam.max())
    if boundary == "open" and float(lam.min()) < -rounding:
        if len(row) > MOST_DENSE:
            raise OutOfReachError(
                f"{what}: the torus around the open grid has the eigenvalue {float(lam.min()):.3g}, so that Fourier "
                f"modes do not sample it, and a factor of {len(row)} sites would take minutes.",
                f"Use at most {MOST_DENSE} sites, a shorter correlation, or the torus.",
            )
        return of_matrix(matrix_of(row, axes), what, device, dtype)
    kept = lam > kept_level(lam, what, dtype)
    return Embedded(torch.from_numpy(np.sqrt(np.where(kept, lam, 0))).to(device, dtype), torus, axes)


def of_matrix(covariance: Float[np.ndarray, "n n"], what: str, device: torch.device, dtype: torch.dtype) -> Dense:
    """Return the Cholesky factor, which is unique where a symmetric grid has equal eigenvalues; `dense` if singular."""
    try:
        lower = np.linalg.cholesky(covariance)
    except np.linalg.LinAlgError:
        return dense(covariance, what, device, dtype)
    return Dense(torch.from_numpy(np.ascontiguousarray(lower.T)).to(device, dtype))
