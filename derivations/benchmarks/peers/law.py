"""The data law as the peers draw it: factors of the two classes, and 1/Z."""

from collections.abc import Callable

import numpy as np
from jaxtyping import Float

from theory.problem import Problem, latent_correlation

Train = Callable[[], Float[np.ndarray, "networks K n"]]  # trains anew and returns w of each network


def factors(problem: Problem) -> Float[np.ndarray, "2 r n"]:
    """Factors F_c with F_c^T F_c the covariance of class c, of the fewest modes that float32 needs for both classes.

    Modes whose eigenvalue lies below the unit of float32 times the largest are left out: every entry of the covariance
    moves by less than the rounding of the draws. At n = 100 and xi = 20, 10 this leaves 26 of 100 normal numbers.
    """
    lam, vectors = np.linalg.eigh(np.stack([latent_correlation(problem.data, c) for c in (0, 1)]))
    rank = int((lam > np.finfo(np.float32).eps * lam[:, -1:]).sum(axis=1).max())
    rows = np.sqrt(np.maximum(lam, 0))[:, :, None] * vectors.swapaxes(1, 2)
    return rows[:, lam.shape[1] - rank :].astype(np.float32)


def bands(problem: Problem) -> Float[np.ndarray, "2 d n"] | None:
    """Diagonals of the Cholesky factors, [c, d, j] = L_{j, j-d}, down to the unit of float32; None for wide bands.

    z_j = sum_d L_{j, j-d} noise_{j-d} takes d instead of n products. A band is wide with more than n/4 diagonals,
    or where there is no factor.
    """
    try:
        lower = np.linalg.cholesky(np.stack([latent_correlation(problem.data, c) for c in (0, 1)]))
    except np.linalg.LinAlgError:
        return None
    _, row, column = np.nonzero(np.abs(lower) > np.finfo(np.float32).eps * lower.max())
    width, n = int((row - column).max()) + 1, lower.shape[1]
    if width > n / 4:
        return None
    found = np.zeros((2, width, n), np.float32)
    for d in range(width):
        found[:, d, d:] = np.diagonal(lower, -d, axis1=1, axis2=2)
    return found


def over_normaliser(problem: Problem) -> float:
    """1/Z with Z^2 = E erf(gain z)^2 = (2/pi) asin(2 gain^2/(1 + 2 gain^2))."""
    square = 2 * float(problem.data.gain) ** 2
    return float(1 / np.sqrt(2 / np.pi * np.arcsin(square / (1 + square))))
