"""Power spectra along a line or ring of sites: of the fields, and of the inputs of each class.

At q = 0, ..., floor(n/2) cycles along the n sites, one mode each:

    class c   S_c(q) = 1/n sum_kl C_c(k, l) cos(2 pi q (k - l)/n),   on a ring the eigenvalue of C_c
    field     p(q) = |w^_q|^2/(n |w|^2),   whose sum over all n modes is 1
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from derivations.statistics.alignment import on_a_line
from theory.moments.inputs import input_statistics
from theory.problem import Law, OutOfReachError


@dataclass(frozen=True)
class ClassSpectra:
    """S_c(q) of the C classes of a law, in the units of x^2; `labels` are those of the classes."""

    power: Float[np.ndarray, "C Q"]
    labels: tuple[float, ...]

    @property
    def ends(self) -> tuple[int, int]:
        """The classes with the largest and the least label, which the networks tell apart."""
        return int(np.argmax(self.labels)), int(np.argmin(self.labels))

    @property
    def larger(self) -> np.ndarray:
        """Whether the class of the largest label has more power than that of the least, at each frequency.

        Differences within rounding of the largest power count as equal.
        """
        high, low = self.ends
        rounding = 16 * np.finfo(float).eps * self.power.max()
        return self.power[high] - self.power[low] > rounding


def class_spectra(law: Law) -> ClassSpectra:
    """Return the spectra of the classes. Raises OutOfReachError on a grid, and for a law without a covariance.

    >>> from theory.problem import NonlinearGP
    >>> law = NonlinearGP(40, (2, 1), 1, "ring", "unit-variance", (1, 0))
    >>> found = class_spectra(law)
    >>> np.flatnonzero(found.larger).tolist()  # the class of the longer length has the lower frequencies
    [0, 1, 2, 3, 4, 5, 6]
    """
    if not on_a_line(law):
        raise OutOfReachError(
            f"The sites of the law {law.law!r} form a grid; spectra are drawn along a line or a ring.",
            "Look at the fields themselves, or choose a law on a line.",
        )
    if law.outputs > 1:
        raise OutOfReachError(
            "The labels have several numbers each: no class has the largest label.", "Give one number as label."
        )
    power = np.stack([spectrum_of(input_statistics(law, c).covariance) for c in range(law.classes)])
    return ClassSpectra(power, tuple(float(label) for label in law.labels))


def spectrum_of(covariance: Float[np.ndarray, "n n"]) -> Float[np.ndarray, " Q"]:
    """Return S(q), the mean square of the Fourier coefficient at q over n.

    White noise of variance 2 has S = 2 at every frequency:

    >>> spectrum_of(2 * np.eye(4)).round(12).tolist()
    [2.0, 2.0, 2.0]
    """
    n = len(covariance)
    both = np.fft.fft(np.fft.ifft(covariance, axis=1), axis=0)  # its entry (q, q) is S(q)
    return np.diagonal(both).real[: n // 2 + 1].copy()


def power_of(w: Float[np.ndarray, "*any n"]) -> Float[np.ndarray, "*any Q"]:
    """Return p(q) of each field; NaN for a field of zeros.

    >>> power_of(np.array([1.0, -1.0, 1.0, -1.0])).tolist()
    [0.0, 0.0, 1.0]
    """
    n = w.shape[-1]
    largest = np.abs(w).max(axis=-1, keepdims=True)
    with np.errstate(invalid="ignore"):
        unit = w / np.where(largest > 0, largest, np.nan)
        return np.abs(np.fft.rfft(unit, axis=-1)) ** 2 / (n * (unit**2).sum(axis=-1, keepdims=True))


def share_at(power: Float[np.ndarray, "*any Q"], kept: np.ndarray, n: int) -> Float[np.ndarray, "*any"]:
    """Return the share of a field's power at the frequencies that are kept, their negatives included.

    >>> share_at(power_of(np.array([1.0, 0.0, 0.0, 0.0])), np.array([True, True, False]), 4).item()
    0.75
    """
    modes = np.full(power.shape[-1], 2.0)
    modes[0] = 1
    if n % 2 == 0:
        modes[-1] = 1
    return (power * modes)[..., kept].sum(axis=-1)


def intervals_of(kept: np.ndarray) -> str:
    """Return the frequencies that are kept, in words.

    >>> intervals_of(np.array([True, True, False, True]))
    '0 to 1 and 3'
    """
    at = np.flatnonzero(kept)
    runs = np.split(at, np.flatnonzero(np.diff(at) > 1) + 1)
    return " and ".join(str(run[0]) if len(run) == 1 else f"{run[0]} to {run[-1]}" for run in runs)
