"""Orthonormal eigenbases of symmetric kernels in float64: by FFT where the kernel is circulant, else dense."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import singledispatch
from typing import Any

import numpy as np
from jaxtyping import Float

from theory.moments.symmetric import Circulant, Dense, Symmetric

Transform = Callable[[Float[np.ndarray, "*any N"]], Float[np.ndarray, "*any N"]]


@dataclass(frozen=True)
class Spectrum:
    """kernel = U diag(values) U^T; to_modes is v -> U^T v and from_modes u -> U u, along the last axis.

    >>> modes = spectrum(Dense(np.array([[2.0, 1.0], [1.0, 2.0]])))
    >>> v = np.array([1.0, 5.0])
    >>> modes.values.round(12).tolist(), modes.from_modes(modes.values * modes.to_modes(v)).round(12).tolist()
    ([1.0, 3.0], [7.0, 11.0])
    """

    values: Float[np.ndarray, " N"]
    to_modes: Transform
    from_modes: Transform


def hartley(v: Float[np.ndarray, "*any N"], axes: tuple[int, ...] | None = None) -> Float[np.ndarray, "*any N"]:
    """sum_j v_j (cos + sin)(2 pi q j/N)/sqrt(N): real, orthogonal, its own inverse.

    It diagonalises every symmetric circulant matrix, with the DFT of its first row as eigenvalues. On a torus of the
    sites `axes` q j/N is the sum of q_a j_a/N_a over the axes.

    >>> v = np.array([1.0, 2.0, 5.0])
    >>> bool(np.abs(hartley(hartley(v)) - v).max() <= 8 * np.finfo(float).eps)
    True
    """
    axes = axes or v.shape[-1:]
    if len(axes) == 1:  # a real transform gives half of the frequencies, and the others are their conjugates
        half = np.fft.rfft(v, norm="ortho")
        other = (half.real + half.imag)[..., (axes[0] - 1) // 2 : 0 : -1]
        return np.concatenate([half.real - half.imag, other], axis=-1)
    along = tuple(range(-len(axes), 0))
    transform = np.fft.fftn(v.reshape(*v.shape[:-1], *axes), axes=along, norm="ortho")
    return (transform.real - transform.imag).reshape(v.shape)


def dense_spectrum(kernel: Float[np.ndarray, "N N"]) -> Spectrum:
    """The eigenbasis of any symmetric kernel.

    >>> dense_spectrum(np.eye(2)).values.tolist()
    [1.0, 1.0]
    """
    values, vectors = np.linalg.eigh(kernel)
    # One product of matrices, whatever the leading axes are.
    return Spectrum(values, lambda v: np.tensordot(v, vectors, 1), lambda u: np.tensordot(u, vectors.T, 1))


@singledispatch
def spectrum(kernel: Any) -> Spectrum:
    """The eigenbasis of a kernel, by its structure.

    >>> spectrum(Circulant(np.array([2.0, 1.0, 1.0]), (3,))).values.tolist()
    [4.0, 1.0, 1.0]
    """
    raise TypeError(f"spectrum: {type(kernel).__name__} is none of the symmetric kernels {Symmetric}")


@spectrum.register
def _(kernel: Circulant) -> Spectrum:
    """The real Fourier basis: notes, section 5, in O(N log N)."""

    def turned(v: Float[np.ndarray, "*any N"]) -> Float[np.ndarray, "*any N"]:
        return hartley(v, kernel.axes)

    return Spectrum(kernel.eigenvalues(), turned, turned)


@spectrum.register
def _(kernel: Dense) -> Spectrum:
    return dense_spectrum(kernel.matrix)
