"""Shapes of receptive fields, measured on the weights of trained networks."""

import numpy as np
from jaxtyping import Float

from sim.measure.source import Source, values_of
from theory.problem import (
    FieldCentreAtTimes,
    FieldNormAtTimes,
    FieldWidthAtTimes,
    InputError,
    LowFrequencyPowerAtTimes,
    ParticipationRatioAtTimes,
    SpectralPeakAtTimes,
    SpectralPeakShareAtTimes,
)


@values_of.register
def _(observable: ParticipationRatioAtTimes, source: Source) -> Float[np.ndarray, "R T K *m"]:
    return participation_ratio(source.weights(observable))


@values_of.register
def _(observable: LowFrequencyPowerAtTimes, source: Source) -> Float[np.ndarray, "R T K *m"]:
    return low_frequency_power(source.weights_along_a_line(observable))


@values_of.register
def _(observable: FieldNormAtTimes, source: Source) -> Float[np.ndarray, "R T K *m"]:
    return np.linalg.norm(source.weights(observable), axis=-1)


@values_of.register
def _(observable: FieldCentreAtTimes, source: Source) -> Float[np.ndarray, "R T K *m"]:
    return centre(source.weights_along_a_line(observable), source.problem.data.boundary)


@values_of.register
def _(observable: FieldWidthAtTimes, source: Source) -> Float[np.ndarray, "R T K *m"]:
    return centre_and_width(source.weights_along_a_line(observable), source.problem.data.boundary)[1]


@values_of.register
def _(observable: SpectralPeakAtTimes, source: Source) -> Float[np.ndarray, "R T K *m"]:
    return spectral_peak(source.weights_along_a_line(observable))[0]


@values_of.register
def _(observable: SpectralPeakShareAtTimes, source: Source) -> Float[np.ndarray, "R T K *m"]:
    return spectral_peak(source.weights_along_a_line(observable))[1]


def centre_and_width(
    w: Float[np.ndarray, "*any n"], boundary: str
) -> tuple[Float[np.ndarray, "*any"], Float[np.ndarray, "*any"]]:
    """Return centre and root mean square width of the power p_j = w_j^2 / sum w^2, in sites, along the last axis.

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
    # The width is computed from the chords, because 1 - |R| would lose half of the digits for a narrow field.
    direction = np.where(length > 0, resultant, 1) / np.where(length > 0, length, 1)
    chord = np.abs(np.exp(2j * np.pi * site / n) - direction[..., None])
    width = n / (2 * np.pi) * np.sqrt((power * chord**2).sum(axis=-1))
    middle = np.mod(n / (2 * np.pi) * np.angle(resultant), n)
    middle = np.where(middle < n, middle, 0.0)  # -1e-17 modulo n is n
    return np.where(length > n * np.finfo(float).eps, middle, np.nan), np.asarray(width)


def centre(w: Float[np.ndarray, "*any n"], boundary: str) -> Float[np.ndarray, "*any"]:
    """Return the centre of `centre_and_width`. Raises InputError where one is undefined."""
    found, _ = centre_and_width(w, boundary)
    if np.isnan(found).any():
        raise InputError(
            "The centre of a field is undefined: on the ring, a unit's squared weights have no mean direction.",
            "Flat and purely sinusoidal fields have no centre; measure the width or the spectral peak.",
            "undefined",
        )
    return found


def spectral_peak(w: Float[np.ndarray, "*any n"]) -> tuple[Float[np.ndarray, "*any"], Float[np.ndarray, "*any"]]:
    """Return the frequency q <= n/2 with the largest power |w^_q|^2 + |w^_-q|^2, and its share of the whole.

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


def participation_ratio(w: Float[np.ndarray, "*any n"]) -> Float[np.ndarray, "*any"]:
    """Return sum_i w_i^4 / (sum_i w_i^2)^2 along the last axis. Raises InputError for a row of zeros.

    >>> participation_ratio(np.array([0.0, 3.0, 0.0, 0.0])).item()
    1.0
    """
    shares = power_shares(w, "inverse participation ratio")
    return np.asarray(np.sum(shares**2, axis=-1))


def low_frequency_power(w: Float[np.ndarray, "*any n"]) -> Float[np.ndarray, "*any"]:
    """Return the share of sum_q |w^_q|^2 in |q| <= n/4, along the last axis. Raises InputError for a row of zeros.

    >>> low_frequency_power(np.array([1.0, -1.0, 1.0, -1.0])).item()
    0.0
    """
    n = w.shape[-1]
    shares = power_shares(np.abs(np.fft.fft(w, axis=-1)), "share of low-frequency power")
    frequency = np.minimum(np.arange(n), n - np.arange(n))
    return np.asarray(shares[..., 4 * frequency <= n].sum(axis=-1))


def power_shares(w: Float[np.ndarray, "*any n"], what: str) -> Float[np.ndarray, "*any n"]:
    """Return w^2 as shares of its sum along the last axis, without underflow of small weights; InputError for zeros."""
    power = (w / _largest(w, what)) ** 2
    return power / power.sum(axis=-1, keepdims=True)


def _largest(w: np.ndarray, what: str) -> np.ndarray:
    largest = np.max(np.abs(w), axis=-1, keepdims=True)
    if not largest.all():
        raise InputError(
            f"The {what} is undefined: a unit has only zero weights.",
            "Start from nonzero w0, or leave out the time 0.",
            "undefined",
        )
    return largest
