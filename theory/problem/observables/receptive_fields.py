"""Shapes of receptive fields, as observables."""

from dataclasses import dataclass
from typing import ClassVar

from theory.problem.observables.base import Observable


@dataclass(frozen=True)
class ParticipationRatioAtTimes(Observable):
    """Inverse participation ratio sum_i w_i^4 / (sum_i w_i^2)^2 of each unit's weights: array (T, K).

    1/n for a flat or alternating field, 3/(2n) for a sinusoid, about 3/(n + 2) for a Gaussian draw, 1 for one site.
    """

    name: ClassVar[str] = "participation-ratio"
    axes: ClassVar[tuple[str, ...]] = ("time", "unit")


@dataclass(frozen=True)
class LowFrequencyPowerAtTimes(Observable):
    """Share of sum_q |w^_q|^2 in the lower half of the frequencies, |q| <= n/4, of each unit: array (T, K).

    White noise has (2 floor(n/4) + 1)/n in the mean.
    """

    name: ClassVar[str] = "low-frequency-power"
    axes: ClassVar[tuple[str, ...]] = ("time", "unit")


@dataclass(frozen=True)
class FieldNormAtTimes(Observable):
    """|w_k(t)|, the Euclidean length of each unit's weights: array (T, K)."""

    name: ClassVar[str] = "field-norm"
    axes: ClassVar[tuple[str, ...]] = ("time", "unit")


@dataclass(frozen=True)
class FieldCentreAtTimes(Observable):
    """Where each unit looks, with p_j = w_j^2 / sum w^2: array (T, K), in sites.

    On the open line sum_j j p_j. On the ring n/(2 pi) times the angle of R = sum_j p_j exp(2 pi i j/n), in [0, n):
    numbers to compare around the ring, whose mean over replicates says nothing. Undefined for a field of zeros, and on
    the ring where R = 0: a flat field looks nowhere.
    """

    name: ClassVar[str] = "field-centre"
    axes: ClassVar[tuple[str, ...]] = ("time", "unit")


@dataclass(frozen=True)
class FieldWidthAtTimes(Observable):
    """The root mean square distance from the centre, p_j = w_j^2 / sum w^2: array (T, K), in sites.

    On the open line sqrt(sum_j p_j (j - centre)^2). On the ring the chord stands for the distance, n/(2 pi)
    sqrt(2 (1 - |R|)), R = sum_j p_j exp(2 pi i j/n): the same for narrow fields, sqrt(2) n/(2 pi) for a flat one.
    """

    name: ClassVar[str] = "field-width"
    axes: ClassVar[tuple[str, ...]] = ("time", "unit")


@dataclass(frozen=True)
class SpectralPeakAtTimes(Observable):
    """The frequency q in 0, ..., floor(n/2) with the most power |w^_q|^2 + |w^_-q|^2: array (T, K).

    The smallest such q where several have the same. On the open line the field is taken as one period.
    """

    name: ClassVar[str] = "spectral-peak"
    axes: ClassVar[tuple[str, ...]] = ("time", "unit")


@dataclass(frozen=True)
class SpectralPeakShareAtTimes(Observable):
    """The share of sum_q |w^_q|^2 at the spectral peak, its negative frequency included: array (T, K)."""

    name: ClassVar[str] = "spectral-peak-share"
    axes: ClassVar[tuple[str, ...]] = ("time", "unit")
