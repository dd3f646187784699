"""Gaussian vectors from independent normal numbers: z = F^T noise with F^T F the covariance, factored once.

Four forms of F: a matrix, of low rank or banded; one matrix for each axis of a grid, whose covariance is a Kronecker
product; the Fourier modes of a ring, whose covariance is circulant; and those of a torus of which a grid is a part.

The normal numbers of a seed give the same z on every machine, up to rounding. An eigensolver alone does not promise
that: it leaves the sign of a mode undetermined, and on a ring, whose eigenvalues are degenerate in pairs, the rotation
of each pair. Therefore rings use sines and cosines, and lines, whose eigenvalues are simple, a rule for the signs.
"""

from dataclasses import dataclass
from math import prod

import numpy as np
import torch
from jaxtyping import Float

from theory.problem import OutOfReachError

# For at least so many sites on a ring, and modes per site, the FFT takes less time than the product with the matrix:
# measured with 1,000 examples in float32 on one thread, 1.6 times less at 400 sites and 400 modes, 7 at 2,000 and 519.
SPECTRAL_SITES, SPECTRAL_SHARE = 512, 0.25
# Up to so many diagonals for each site the compiled loop over them takes less time than the matrix product.
BAND_SHARE = 0.25
NARROW_SITES = 256  # of a ring whose root is tried as a band: smaller rings have few modes anyway


@dataclass(frozen=True)
class Dense:
    """A matrix (r, n) with matrix^T matrix = C up to dropped parts of the size of rounding errors.

    The dropped parts are eigenvalues of C or, if `band` is a number, the entries of a factor matrix^T beyond that many
    diagonals: of the Cholesky factor of a line or, with `wraps`, of the circulant root of a ring, whose diagonals are
    cyclic. `dropped` bounds the error of every entry of C; `level` is the largest eigenvalue or entry that may be
    dropped.
    """

    matrix: Float[torch.Tensor, "r n"]
    dropped: float = 0.0
    level: float = 0.0
    band: int | None = None
    wraps: bool = False

    @property
    def rank(self) -> int:
        """The normal numbers that an example takes."""
        return self.matrix.shape[0]

    @property
    def sites(self) -> int:
        """n."""
        return self.matrix.shape[1]

    def coloured(self, noise: Float[torch.Tensor, "N r"]) -> Float[torch.Tensor, "N n"]:
        """Return noise F."""
        return noise @ self.matrix


@dataclass(frozen=True)
class Separable:
    """C = C_down (x) C_across on a grid, sites row by row: z = F^T noise G, without the n x n covariance."""

    down: Dense
    across: Dense

    @property
    def rank(self) -> int:
        """The normal numbers that an example takes."""
        return self.down.rank * self.across.rank

    @property
    def sites(self) -> int:
        """n."""
        return self.down.sites * self.across.sites

    def coloured(self, noise: Float[torch.Tensor, "N r"]) -> Float[torch.Tensor, "N n"]:
        """Return F^T noise G, where the noise of an example has the shape of the two ranks."""
        rows = noise.reshape(-1, self.down.rank, self.across.rank) @ self.across.matrix
        return (self.down.matrix.T @ rows).flatten(1)


@dataclass(frozen=True)
class Spectral:
    """C circulant with the eigenvalues amplitude^2: z_j = sum_q amplitude_q noise_q cas(2 pi q j/n)/sqrt(n).

    cas = cos + sin. The Hartley transform is orthogonal and symmetric, and diagonalises every symmetric circulant
    matrix.
    """

    amplitude: Float[torch.Tensor, " n"]

    @property
    def rank(self) -> int:
        """The normal numbers that an example takes."""
        return len(self.amplitude)

    @property
    def sites(self) -> int:
        """n."""
        return len(self.amplitude)

    def coloured(self, noise: Float[torch.Tensor, "N n"]) -> Float[torch.Tensor, "N n"]:
        """Return the Hartley transform of amplitude times noise, by one real FFT."""
        n = self.sites
        half = torch.fft.rfft(noise * self.amplitude, norm="ortho")
        z = torch.empty_like(noise)
        z[:, : n // 2 + 1] = half.real - half.imag
        # The transform at n - q is the conjugate of that at q.
        z[:, n // 2 + 1 :] = (half.real + half.imag)[:, 1 : (n + 1) // 2].flip(1)
        return z


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


Factor = Dense | Separable | Spectral | Embedded


def dense(covariance: Float[np.ndarray, "n n"], what: str, device: torch.device, dtype: torch.dtype) -> Dense:
    """Return the factor sqrt(lam) V^T of the covariance V lam V^T of a line, without jitter.

    Eigenvalues of the size of the rounding of the entries, of the eigensolver or of the dtype of the draws are dropped
    and counted. Raises OutOfReachError for a more negative eigenvalue: then the matrix is no covariance. In each mode
    the first entry of at least half the largest size is positive.
    """
    lam, vectors = np.linalg.eigh(covariance)
    size = np.abs(vectors)
    first = np.argmax(size >= size.max(axis=0) / 2, axis=0)
    signs = np.sign(vectors[first, np.arange(len(lam))])
    return _of_modes(lam, signs[:, None] * vectors.T, what, device, dtype)


def dense_on_ring(covariance: Float[np.ndarray, "n n"], what: str, device: torch.device, dtype: torch.dtype) -> Dense:
    """Return the factor `dense` of a circulant covariance, with modes that are even or odd about the middle site."""
    return _of_modes(np.fft.fft(covariance[0]).real, _ring_modes(len(covariance)), what, device, dtype)


def _ring_modes(n: int) -> Float[np.ndarray, "n n"]:
    """Return the orthonormal modes of a ring as rows, in the order of the eigenvalues q = 0, ..., n - 1.

    sqrt(2/n) cos(pi k/n) for q < n/2 and sqrt(2/n) sin(pi k/n) for q > n/2, with k = q (2j + 1), which changes its sign
    from site j to n - 1 - j; 1/sqrt(n) and (-1)^j/sqrt(n) for q = 0 and n/2. The angles are reduced in integer
    arithmetic, so that modes are exactly even or odd.
    """
    k = np.outer(np.arange(n), 2 * np.arange(n) + 1) % (2 * n)
    angle = np.pi / n * np.minimum(k, 2 * n - k)
    modes = np.sqrt(2 / n) * np.cos(angle)
    sines = slice((n + 1) // 2, n)
    modes[sines] = np.sqrt(2 / n) * np.sign(n - k)[sines] * np.sin(angle)[sines]
    modes[[0, n // 2] if n % 2 == 0 else [0]] /= np.sqrt(2)
    return modes


def _of_modes(
    lam: Float[np.ndarray, " n"], modes: Float[np.ndarray, "n n"], what: str, device: torch.device, dtype: torch.dtype
) -> Dense:
    """Return the factor for eigenvalues and their modes, the rows of `modes`."""
    level = kept_level(lam, what, dtype)
    kept = lam > level
    matrix = np.ascontiguousarray(np.sqrt(lam[kept])[:, None] * modes[kept])
    return Dense(torch.from_numpy(matrix).to(device, dtype), float(np.abs(lam[~kept]).sum()), level)


def on_line(covariance: Float[np.ndarray, "n n"], what: str, device: torch.device, dtype: torch.dtype) -> Dense:
    """Return the factor of the covariance of a line: by Cholesky where that is a narrow band; errors as `dense`.

    With correlations exp(-d^2/xi^2) its entries decay like those of C, below the rounding unit of float32 for d > 4 xi.
    A covariance that is singular up to rounding has no such factor, but few modes.
    """
    try:
        lower = np.linalg.cholesky(covariance)
    except np.linalg.LinAlgError:
        return dense(covariance, what, device, dtype)
    level = torch.finfo(dtype).eps * float(lower.max())
    row, column = np.nonzero(np.abs(lower) > level)
    band = int((row - column).max()) + 1
    if band > BAND_SHARE * len(lower):
        return dense(covariance, what, device, dtype)
    kept = np.triu(lower, 1 - band)
    dropped = float(np.abs(kept @ kept.T - covariance).max())
    matrix = torch.from_numpy(np.ascontiguousarray(kept.T)).to(device, dtype)
    return Dense(matrix, dropped, level, band)


def on_ring(covariance: Float[np.ndarray, "n n"], what: str, device: torch.device, dtype: torch.dtype) -> Factor:
    """Return the factor of a circulant covariance: a narrow band, the FFT, or modes, by speed; errors as `dense`."""
    n = len(covariance)
    lam = np.fft.fft(covariance[0]).real
    kept = lam > kept_level(lam, what, dtype)
    if n >= SPECTRAL_SITES and np.count_nonzero(kept) >= SPECTRAL_SHARE * n:
        return Spectral(torch.from_numpy(np.sqrt(np.where(kept, lam, 0))).to(device, dtype))
    narrow = _circulant_root(lam, device, dtype) if n >= NARROW_SITES and lam.min() > 0 else None
    return narrow or dense_on_ring(covariance, what, device, dtype)


def _circulant_root(lam: Float[np.ndarray, " n"], device: torch.device, dtype: torch.dtype) -> Dense | None:
    """Return the factor z_j = sum_{d < band} f_d noise_{j - d} of a ring; None where it is no narrow band.

    f is the root of minimal phase: the Fourier transform of its logarithm is twice the causal half of that of
    log(lam)/2, so that |F|^2 = lam at every mode. Other roots, such as the symmetric one, decay more slowly.
    """
    n = len(lam)
    causal = np.zeros(n)
    causal[0], causal[1 : (n + 1) // 2], causal[n // 2] = 1, 2, 1 + n % 2
    f = np.fft.ifft(np.exp(np.fft.fft(np.fft.ifft(np.log(lam) / 2).real * causal))).real
    # The logarithm of an eigenvalue has the rounding of the largest one relative to it: `kept_level` over all modes.
    rounding = 4 * n * np.finfo(float).eps * float(np.abs(f).max())
    if np.flatnonzero(np.abs(f) > rounding).max() >= BAND_SHARE * n:
        return None  # the same for every dtype, so that all take the same normal numbers
    level = max(rounding, torch.finfo(dtype).eps * float(np.abs(f).max()))
    band = int(np.flatnonzero(np.abs(f) > level).max()) + 1
    f[band:] = 0
    # No entry of C is further off than the eigenvalues are on average.
    dropped = float(np.abs(np.abs(np.fft.fft(f)) ** 2 - lam).mean())
    site = np.arange(n)
    matrix = torch.from_numpy(f[(site[None, :] - site[:, None]) % n])
    return Dense(matrix.to(device, dtype), dropped, level, band, wraps=True)


def kept_level(lam: Float[np.ndarray, " n"], what: str, dtype: torch.dtype) -> float:
    """Return the largest eigenvalue that may be dropped; OutOfReachError for eigenvalues of no covariance.

    It is 4 n eps lam_max for rounding in float64, and larger for a dtype with a coarser unit.
    """
    largest, least = float(lam.max()), float(lam.min())
    level = 4 * len(lam) * np.finfo(float).eps * largest
    if least < -level:
        raise OutOfReachError(
            f"{what}: the covariance has the eigenvalue {least:.3g}, below rounding (-{level:.1g}); it is not "
            "positive semidefinite, so no Gaussian has it.",
            'Use boundary="open" or a smaller xi. (Nothing is clipped for you.)',
        )
    return max(level, torch.finfo(dtype).eps * largest)
