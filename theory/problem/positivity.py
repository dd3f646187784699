"""Positive semidefiniteness of a stationary correlation: the smallest eigenvalue of its matrix, beside the rounding.

On a ring or torus the eigenvalues are the Fourier transform of the first row. On an open line or grid the matrix is a
part of that of a larger ring, the circulant embedding, whose smallest eigenvalue is a lower bound; where that is
negative, or the eigenvalue itself is asked for, the eigenvalues of the dense matrix decide.
"""

from dataclasses import dataclass, replace
from functools import lru_cache
from math import prod
from typing import Any

import numpy as np
from jaxtyping import Float

from theory.problem.correlations import GAUSSIAN, Correlation
from theory.problem.errors import InputError, OutOfReachError
from theory.problem.lags import Shape, matrix_of, row_of
from theory.problem.wrapped import halved, threshold

MOST_DENSE = 2048  # sites; the eigenvalues of so many take some seconds
MOST_REPEATED = 256  # open sites; the eigenvalues of so many are computed fifty times
_EPS = float(np.finfo(float).eps)


@dataclass(frozen=True)
class Smallest:
    """The smallest eigenvalue of a matrix of correlations, and how far it may be wrong.

    `rounding` bounds the rounding error of `eigenvalue`; `frequency` is that of its mode along each axis, in cycles a
    site, on an open line that at which its eigenvector has most power. `bound` is True where `eigenvalue` is only a
    lower bound, from the circulant embedding.

    >>> smallest(GAUSSIAN, (8,), "ring", 1.73).valid, smallest(GAUSSIAN, (8,), "ring", 1.72).valid
    (False, True)
    """

    eigenvalue: float
    rounding: float
    frequency: tuple[float, ...]
    bound: bool = False

    @property
    def valid(self) -> bool:
        """Whether the matrix is positive semidefinite up to rounding."""
        return self.eigenvalue >= -self.rounding

    @property
    def decided(self) -> bool:
        """Whether the smallest eigenvalue is positive, beyond rounding: then the matrix is not singular."""
        return self.eigenvalue > self.rounding

    def text(self) -> str:
        """The eigenvalue with its mode and its rounding, in words."""
        at = " and ".join(f"{frequency:.4g}" for frequency in self.frequency)
        least = "at least " if self.bound else ""
        return f"smallest eigenvalue {least}{self.eigenvalue:#.3g}, at {at} cycles a site; rounding {self.rounding:.1e}"


@lru_cache(maxsize=256)
def smallest(kernel: Correlation, shape: Shape, boundary: str, xi: float, itself: bool = False) -> Smallest:
    """The smallest eigenvalue of the matrix of a correlation on an axis, or by Euclidean distance on a grid.

    On an open line it is a bound from the circulant embedding where that decides, unless `itself` is True. Raises
    OutOfReachError for more open sites than a dense matrix takes, where the embedding does not decide.

    >>> found = smallest(GAUSSIAN, (40,), "ring", 15.0)
    >>> round(found.eigenvalue, 3), found.frequency
    (-0.43, (0.05,))
    """
    row = row_of(kernel, shape, boundary, xi)
    if boundary != "open":
        return _of_modes(row, shape)
    sites = len(row)
    if not itself or sites > MOST_DENSE:
        embedded = replace(_of_modes(*embedding(row, shape)), bound=True)
        if embedded.valid:
            return embedded
    if sites > MOST_DENSE:
        raise OutOfReachError(
            f"Whether a correlation of the kind {kernel.kind} is positive semidefinite on {sites} open sites is not "
            f"decided: its circulant embedding has the eigenvalue {embedded.eigenvalue:.3g}, and more than "
            f"{MOST_DENSE} sites are not diagonalised.",
            "Use fewer sites, a ring, or a shorter correlation.",
        )
    lam, vectors = np.linalg.eigh(matrix_of(row, shape))
    # An eigensolver is backward stable: n eps times the norm, which the largest sum of a row bounds.
    rounding = 4 * sites * _EPS * float(np.abs(row).sum() * 2 ** len(shape))
    # Zeros around the eigenvector interpolate its transform.
    power = np.abs(np.fft.fftn(np.pad(vectors[:, 0].reshape(shape), [(0, 3 * side) for side in shape])))
    return Smallest(float(lam[0]), rounding, _frequency(power))


def _of_modes(row: Float[np.ndarray, " m"], shape: Shape) -> Smallest:
    """The smallest eigenvalue on a ring or torus; rounding of an n-point FFT of numbers in [-1, 1] is below n eps."""
    modes = np.fft.fftn(row.reshape(shape)).real
    return Smallest(float(modes.min()), len(row) * _EPS, _frequency(-modes))


def _frequency(size: np.ndarray) -> tuple[float, ...]:
    """The frequency of the largest number, in cycles a site."""
    place = np.unravel_index(int(np.argmax(size)), size.shape)
    return tuple(float(min(q, sides - q) / sides) for q, sides in zip(place, size.shape, strict=True))


def embedding(row: Float[np.ndarray, " m"], shape: Shape) -> tuple[Float[np.ndarray, " M"], Shape]:
    """The first row of the circulant matrix of which an open line's is a part, and its shape: 2 m - 2 along each axis.

    >>> embedding(np.array([1.0, 0.5, 0.25]), (3,))[0].tolist()
    [1.0, 0.5, 0.25, 0.5]
    """
    around = tuple(2 * side - 2 for side in shape)
    places = np.ix_(*(np.minimum(np.arange(M), M - np.arange(M)) for M in around))
    return row.reshape(shape)[places].ravel(), around


def longest_valid(kernel: Correlation, shape: Shape, boundary: str, xi: float) -> tuple[float, float] | None:
    """Return two lengths: up to the first the correlation is valid, and just above the second it is indefinite.

    They are the ends of the range of lengths over which rounding hides the sign of the smallest eigenvalue. On a ring
    or torus of up to 512 sites they are one number to nine digits, by `threshold`, for a kernel that takes decimals
    (Gaussian and exponential). The second lies between a thousandth of a site and the first of xi, 2 xi, 4 xi, ... at
    which the smallest eigenvalue is negative beyond rounding, up to 64 times the longest axis; None where there is
    none, and on more open sites than are diagonalised so often. The eigenvalue need not be monotonic in xi.

    >>> [round(length, 4) for length in longest_valid(GAUSSIAN, (40,), "ring", 1.0)]
    [3.6443, 3.6443]
    """
    if not kernel.needs_length or (boundary == "open" and prod(shape) > MOST_REPEATED):
        return None

    def sign(length: float) -> int:
        try:
            value = smallest(kernel, shape, boundary, length)
        except InputError:  # a formula that is no correlation at this length
            return -1
        return 1 if value.decided else 0 if value.valid else -1

    shortest, high = 1e-3, xi
    while sign(high) >= 0:
        high *= 2
        if high > 64 * max(shape):
            return None
    _, high = halved(lambda length: sign(length) >= 0, shortest, high)
    low, _ = halved(lambda length: sign(length) > 0, shortest, high)
    return (threshold(kernel, shape, low, high) if boundary != "open" else None) or (low, high)


def length_text(lengths: tuple[float, float]) -> str:
    """The result of `longest_valid` in words, to at most five digits, all correct.

    >>> length_text((3.64432, 3.64433)), length_text((3.1, 8.93))
    ('3.6443', 'a length from 3.1 to 8.93')
    """
    low, high = lengths
    for digits in (5, 4, 3):
        if f"{low:.{digits}g}" == f"{high:.{digits}g}":
            return f"{low:#.{digits}g}"
    return f"a length from {low:.3g} to {high:.3g}"


def refuse_indefinite(law: Any, size: str) -> None:
    """Raise InputError where the latent of a class has no such correlation; `size` names the sites in the error.

    >>> from theory.problem import NonlinearGP
    >>> law = NonlinearGP(8, (1, 1), 1, "ring", "none", (1, 0))
    >>> refuse_indefinite(law, "n=8")
    """
    lengths = tuple(law.length(c) for c in range(law.classes))
    shapes = (law.axes,) if law.isotropic else tuple((sites,) for sites in dict.fromkeys(law.axes))
    for kernel, xi in dict.fromkeys(zip(law.kernels, lengths, strict=True)):
        for shape in shapes:
            for sites in shape:
                kernel.check(sites, law.boundary)
            if law.clipped or kernel.positive(law.boundary, law.isotropic):
                continue
            least = smallest(kernel, shape, law.boundary, xi)
            if not least.valid:
                raise InputError(*_refusal(law, size, kernel, shape, xi, least))


def _refusal(law: Any, size: str, kernel: Correlation, shape: Shape, xi: float, least: Smallest) -> tuple[str, str]:
    """The message and the remedy."""
    length = f", xi={xi:g}" if kernel.needs_length else ""
    kind = "" if kernel == GAUSSIAN else f', correlation="{kernel.kind}"'
    given = f'{type(law).__name__}({size}{length}, boundary="{law.boundary}"{kind})'
    wrapped = law.boundary != "open"
    why = "; wrapping distances breaks it" if wrapped and kernel.positive("open", law.isotropic) else ""
    message = f"{given}: the covariance is not positive semidefinite ({least.text()}){why}."
    ways = []
    if wrapped and why:
        ways.append('boundary="open"')
    if kernel.needs_length:
        limit = longest_valid(kernel, shape, law.boundary, xi)
        ways.append("a smaller xi" + ("" if limit is None else f" (valid up to about {length_text(limit)})"))
    if wrapped and not law.isotropic:
        ways.append('positive_part="clipped", which declares the law whose negative eigenvalues are set to 0')
    remedy = f"Use {', or '.join(ways)}." if ways else "Correct its values."
    return message, f"{remedy} (Nothing is clipped for you.)"
