"""Shapes of receptive fields, and moments and gates over data, accumulated in blocks on the device.

What runs over data keeps sums alone: its memory does not depend on the number of examples.
"""

import math
from collections.abc import Iterator

import numpy as np
import torch
from jaxtyping import Bool, Float

from theory.problem import InputError

_BLOCK_NUMBERS = 2**18


def centre_and_width(
    w: Float[np.ndarray, "*any n"], boundary: str
) -> tuple[Float[np.ndarray, "*any"], Float[np.ndarray, "*any"]]:
    """Centre and root mean square width of the power p_j = w_j^2 / sum w^2, in sites, along the last axis.

    Open line: sum_j j p_j and sqrt(sum_j (j - centre)^2 p_j). Ring, with R = sum_j p_j exp(2 pi i j/n): n/(2 pi) arg R
    in [0, n), NaN where |R| is below the rounding of its n terms, and n/(2 pi) sqrt(2 (1 - |R|)). Raises InputError
    for a row of zeros.

    >>> [float(number) for number in centre_and_width(np.array([0.0, 1.0, -1.0, 0.0]), "open")]
    [1.5, 0.5]
    """
    power, n = power_shares(w, "centre of a field"), w.shape[-1]
    site = np.arange(n)
    if boundary == "open":
        middle = np.asarray((power * site).sum(axis=-1))
        return middle, np.asarray(np.sqrt((power * (site - middle[..., None]) ** 2).sum(axis=-1)))
    resultant = (power * np.exp(2j * np.pi * site / n)).sum(axis=-1)
    length = np.abs(resultant)
    # The width from the chords themselves: 1 - |R| would lose half of the digits of a narrow field.
    direction = np.where(length > 0, resultant, 1) / np.where(length > 0, length, 1)
    chord = np.abs(np.exp(2j * np.pi * site / n) - direction[..., None])
    width = n / (2 * np.pi) * np.sqrt((power * chord**2).sum(axis=-1))
    middle = np.mod(n / (2 * np.pi) * np.angle(resultant), n)
    middle = np.where(middle < n, middle, 0.0)  # -1e-17 modulo n is n
    return np.where(length > n * np.finfo(float).eps, middle, np.nan), np.asarray(width)


def centre(w: Float[np.ndarray, "*any n"], boundary: str) -> Float[np.ndarray, "*any"]:
    """The centre of `centre_and_width`. Raises InputError where one is undefined."""
    found, _ = centre_and_width(w, boundary)
    if np.isnan(found).any():
        raise InputError(
            "The centre of a field is undefined: on the ring, a unit's squared weights have no mean direction.",
            "Flat and purely sinusoidal fields look nowhere; measure the width or the spectral peak.",
            "undefined",
        )
    return found


def spectral_peak(w: Float[np.ndarray, "*any n"]) -> tuple[Float[np.ndarray, "*any"], Float[np.ndarray, "*any"]]:
    """The frequency q <= n/2 with the largest power |w^_q|^2 + |w^_-q|^2, and its share of the whole.

    Powers that agree to the rounding of the transform count as equal, and the smallest q is given. Raises InputError
    for a row of zeros.

    >>> [float(number) for number in spectral_peak(np.array([1.0, -1.0, 1.0, -1.0]))]
    [2.0, 1.0]
    """
    n = w.shape[-1]
    scale = _largest(w, "spectral peak")
    power = np.abs(np.fft.rfft(w / scale, axis=-1)) ** 2
    power[..., 1 : (n + 1) // 2] *= 2
    share = power / power.sum(axis=-1, keepdims=True)
    top = share.max(axis=-1, keepdims=True)
    peak = (share >= top - n * np.finfo(float).eps).argmax(axis=-1)
    return np.asarray(peak, dtype=float), np.asarray(top[..., 0])


def site_kurtosis(w: Float[np.ndarray, "*any n"]) -> Float[np.ndarray, "*any"]:
    """m_4/m_2^2 - 3, m_r = (1/n) sum_j (w_j - mean)^r, along the last axis. Raises InputError for a flat row.

    >>> site_kurtosis(np.array([1.0, -1.0, 1.0, -1.0])).item()
    -2.0
    """
    # The first weight is taken off before the mean, so that equal weights are flat exactly.
    shifted = w - w[..., :1]
    centred = shifted - shifted.mean(axis=-1, keepdims=True)
    scale = np.max(np.abs(centred), axis=-1, keepdims=True)
    if not scale.all():
        raise InputError(
            "The kurtosis of the weights is undefined: a unit has equal weights at all sites.",
            "Start from weights that differ, or leave out the time 0.",
            "undefined",
        )
    square = (centred / scale) ** 2
    return np.asarray((square**2).mean(axis=-1) / square.mean(axis=-1) ** 2 - 3)


def power_shares(w: Float[np.ndarray, "*any n"], what: str) -> Float[np.ndarray, "*any n"]:
    """w^2 as shares of its sum along the last axis, without underflow of small weights; InputError for zeros."""
    power = (w / _largest(w, what)) ** 2
    return power / power.sum(axis=-1, keepdims=True)


def parts(rows: int, columns: int) -> Iterator[slice]:
    """Slices that divide `rows` examples so that each has a bounded count of `columns` numbers an example."""
    size = max(1, _BLOCK_NUMBERS // columns)
    for start in range(0, rows, size):
        yield slice(start, min(start + size, rows))


class CentralMoments:
    """Count, mean and sums of the powers 2, 3, 4 of deviations from the mean, of many variables over a stream.

    Blocks are joined by the exact shift of central sums (Pebay 2008), so that a large mean costs no digits:
    with d = mean_b - mean_a, S_2 = S_2a + S_2b + d^2 n_a n_b/n and alike for the powers 3 and 4.
    """

    def __init__(self, shape: tuple[int, ...], device: torch.device) -> None:
        self.count = 0
        self.mean, self.s2, self.s3, self.s4 = torch.zeros(4, *shape, dtype=torch.float64, device=device)

    def add(self, values: Float[torch.Tensor, "*any B"]) -> None:
        """Take in the B examples of a block; none changes nothing."""
        rows = values.shape[-1]
        if rows == 0:
            return
        mean = values.mean(dim=-1)
        centred = values - mean[..., None]
        square = centred.square()
        s2, s3, s4 = square.sum(dim=-1), (square * centred).sum(dim=-1), square.square().sum(dim=-1)
        a, b, n, d = self.count, rows, self.count + rows, mean - self.mean
        self.s4 = (
            self.s4
            + s4
            + d**4 * (a * b * (a * a - a * b + b * b) / n**3)
            + 6 * d**2 * (a * a * s2 + b * b * self.s2) / n**2
            + 4 * d * (a * s3 - b * self.s3) / n
        )
        self.s3 = self.s3 + s3 + d**3 * (a * b * (a - b) / n**2) + 3 * d * (a * s2 - b * self.s2) / n
        self.s2 = self.s2 + s2 + d**2 * (a * b / n)
        self.mean, self.count = self.mean + d * (b / n), n

    def excess_kurtosis(self) -> Float[np.ndarray, "*any"]:
        """n S_4/S_2^2 - 3. Raises InputError where a variable did not vary."""
        if self.count == 0 or not bool((self.s2 > 0).all()):
            raise InputError(
                f"The kurtosis of w.x is undefined: it did not vary on {self.count} examples.",
                "Start from nonzero w0, leave out the time 0, or take more simulation.samples.",
                "undefined",
            )
        return (self.count * self.s4 / self.s2.square() - 3).cpu().numpy()


class JointOpenings:
    """Counts of examples on which the gate of unit k is open at both of two times: (K, T, T), exact integers."""

    def __init__(self, times: int, units: int, device: torch.device) -> None:
        self.count = 0
        self.both = torch.zeros(units, times, times, dtype=torch.float64, device=device)

    def add(self, opened: Bool[torch.Tensor, "T K B"]) -> None:
        """Take in the B examples of a block."""
        gate = opened.permute(1, 0, 2).to(torch.float64)
        self.both.baddbmm_(gate, gate.transpose(1, 2))
        self.count += opened.shape[-1]

    def together(self) -> Float[np.ndarray, "K T T"]:
        """<g(t) g(t')>."""
        return (self.both / self.count).cpu().numpy()

    def flips(self) -> Float[np.ndarray, "K T T"]:
        """<|g(t) - g(t')|> = <g(t)> + <g(t')> - 2 <g(t) g(t')>."""
        alone = self.both.diagonal(dim1=1, dim2=2)
        return ((alone[:, :, None] + alone[:, None, :] - 2 * self.both) / self.count).cpu().numpy()

    def overlap(self) -> Float[np.ndarray, "K T T"]:
        """<g(t) g(t')> / sqrt(<g(t)> <g(t')>). Raises InputError for a gate that was never open."""
        both = self.both.cpu().numpy()
        alone = np.diagonal(both, axis1=1, axis2=2)
        if not alone.all():
            unit, time = (int(index[0]) for index in np.nonzero(alone == 0))
            raise InputError(
                f"The overlap of gates is undefined: that of unit {unit} at time number {time} opened for none of "
                f"{self.count} examples.",
                "Measure OpenTogetherBetweenTimes, which is defined for every gate.",
                "undefined",
            )
        return both / np.sqrt(alone[:, :, None] * alone[:, None, :])


def fields(
    w: Float[torch.Tensor, "T K n"], hidden: Float[torch.Tensor, "T K"] | None, x: Float[torch.Tensor, "B n"]
) -> Iterator[Float[torch.Tensor, "T K b"]]:
    """w_k(t).x + b_k(t) of the examples, in parts of bounded size."""
    for part in parts(len(x), math.prod(w.shape[:2])):
        field = torch.matmul(w, x[part].T)
        yield field if hidden is None else field + hidden[..., None]


def _largest(w: np.ndarray, what: str) -> np.ndarray:
    largest = np.max(np.abs(w), axis=-1, keepdims=True)
    if not largest.all():
        raise InputError(
            f"The {what} is undefined: a unit has only zero weights.",
            "Start from nonzero w0, or leave out the time 0.",
            "undefined",
        )
    return largest
