"""Orthonormal eigenbases of the blocks' kernels in float64: by FFT where the kernel is circulant, else dense."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from theory.flow.linear.reduction import Block

Transform = Callable[[Float[np.ndarray, "*any N"]], Float[np.ndarray, "*any N"]]


@dataclass(frozen=True)
class Spectrum:
    """kernel = U diag(values) U^T; to_modes is v -> U^T v and from_modes u -> U u, along the last axis."""

    values: Float[np.ndarray, " N"]
    to_modes: Transform
    from_modes: Transform


def hartley(v: Float[np.ndarray, "*any N"]) -> Float[np.ndarray, "*any N"]:
    """sum_j v_j (cos + sin)(2 pi q j/N)/sqrt(N): real, orthogonal, its own inverse.

    It diagonalises every symmetric circulant matrix, with the DFT of its first row as eigenvalues.
    """
    transform = np.fft.fft(v, norm="ortho")
    return transform.real - transform.imag


def circulant_spectrum(kernel: Float[np.ndarray, "N N"]) -> Spectrum:
    """The eigenbasis of a symmetric circulant kernel: notes, section 5, in O(N log N)."""
    return Spectrum(np.fft.fft(kernel[0]).real, hartley, hartley)


def dense_spectrum(kernel: Float[np.ndarray, "N N"]) -> Spectrum:
    """The eigenbasis of any symmetric kernel."""
    values, vectors = np.linalg.eigh(kernel)
    return Spectrum(values, lambda v: v @ vectors, lambda u: u @ vectors.T)


def spectrum(block: Block, boundary: str) -> Spectrum:
    """The eigenbasis of a block's kernel; <x x^T> of the ring is circulant."""
    circulant = block.stationary and boundary == "ring"
    return circulant_spectrum(block.kernel) if circulant else dense_spectrum(block.kernel)
