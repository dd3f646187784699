"""What can be measured, not how: the theory predicts it and the simulator estimates it, each in its own way.

`name` is the word of sweep files; `axes` says what each axis of the array runs over ("bias" has the K hidden biases and
then the one at the output).
"""

from dataclasses import dataclass
from typing import ClassVar, get_args

from theory.problem.errors import InputError

CLASSES = (None, 0, 1)


@dataclass(frozen=True)
class InputOutputMoment:
    """Sigma^yx(p_k) = <g_k(x) y x>: array (K, n). Source: notes, eq. (6)."""

    name: ClassVar[str] = "input-output-moment"
    axes: ClassVar[tuple[str, ...]] = ("unit", "site")


@dataclass(frozen=True)
class InputMoment:
    """Sigma^xx(p_k, p_l) = <g_k(x) g_l(x) x x^T>: array (K, K, n, n). Source: notes, eq. (7)."""

    name: ClassVar[str] = "input-moment"
    axes: ClassVar[tuple[str, ...]] = ("unit", "other_unit", "site", "other_site")


@dataclass(frozen=True)
class WeightsAtTimes:
    """w_k(t) at the problem's times: array (T, K, n)."""

    name: ClassVar[str] = "weights"
    axes: ClassVar[tuple[str, ...]] = ("time", "unit", "site")


@dataclass(frozen=True)
class BiasesAtTimes:
    """b_1(t), ..., b_K(t), b_out(t) at the problem's times, of a network that has biases: array (T, K + 1)."""

    name: ClassVar[str] = "biases"
    axes: ClassVar[tuple[str, ...]] = ("time", "bias")


@dataclass(frozen=True)
class ReadoutAtTimes:
    """a_1(t), ..., a_K(t) at the problem's times, of a network that trains its readout: array (T, K)."""

    name: ClassVar[str] = "readout"
    axes: ClassVar[tuple[str, ...]] = ("time", "unit")


@dataclass(frozen=True)
class LossAtTimes:
    """<(y - yhat)^2> (no factor 1/2), or the cross-entropy where it is the loss, at the problem's times: array (T,)."""

    name: ClassVar[str] = "loss"
    axes: ClassVar[tuple[str, ...]] = ("time",)


@dataclass(frozen=True)
class ParticipationRatioAtTimes:
    """Inverse participation ratio sum_i w_i^4 / (sum_i w_i^2)^2 of each unit's weights: array (T, K).

    1/n for a flat or alternating field, 3/(2n) for a sinusoid, about 3/(n + 2) for a Gaussian draw, 1 for one site.
    """

    name: ClassVar[str] = "participation-ratio"
    axes: ClassVar[tuple[str, ...]] = ("time", "unit")


@dataclass(frozen=True)
class LowFrequencyPowerAtTimes:
    """Share of sum_q |w^_q|^2 in the lower half of the frequencies, |q| <= n/4, of each unit: array (T, K).

    White noise has (2 floor(n/4) + 1)/n in the mean.
    """

    name: ClassVar[str] = "low-frequency-power"
    axes: ClassVar[tuple[str, ...]] = ("time", "unit")


@dataclass(frozen=True)
class FieldNormAtTimes:
    """|w_k(t)|, the Euclidean length of each unit's weights: array (T, K)."""

    name: ClassVar[str] = "field-norm"
    axes: ClassVar[tuple[str, ...]] = ("time", "unit")


@dataclass(frozen=True)
class GateFlipsAtTimes:
    """Share of examples x with 1[w_k(t).x + b_k(t) >= 0] other than at the first of the problem's times: array (T, K).

    0 where w_k keeps its direction, 1/2 in the mean for an unrelated one.
    """

    name: ClassVar[str] = "gate-flips"
    axes: ClassVar[tuple[str, ...]] = ("time", "unit")


@dataclass(frozen=True)
class GateFlipsBetweenTimes:
    """Share of examples x on which the gates 1[w_k.x + b_k >= 0] at the times t and t' differ: array (K, T, T)."""

    name: ClassVar[str] = "gate-flips-between"
    axes: ClassVar[tuple[str, ...]] = ("unit", "time", "other_time")


@dataclass(frozen=True)
class OpenTogetherBetweenTimes:
    """<g_k(t) g_k(t')>, g = 1[w_k.x + b_k >= 0]: array (K, T, T), on the diagonal the share that the gate is open."""

    name: ClassVar[str] = "open-together-between"
    axes: ClassVar[tuple[str, ...]] = ("unit", "time", "other_time")


@dataclass(frozen=True)
class GateOverlapBetweenTimes:
    """<g_k(t) g_k(t')> / sqrt(<g_k(t)> <g_k(t')>), g = 1[w_k.x + b_k >= 0]: array (K, T, T), 1 on the diagonal.

    1/2 in the mean for unrelated gates that are open half of the time; undefined for a gate that never opens.
    """

    name: ClassVar[str] = "gate-overlap-between"
    axes: ClassVar[tuple[str, ...]] = ("unit", "time", "other_time")


@dataclass(frozen=True)
class FieldCentreAtTimes:
    """Where each unit looks, with p_j = w_j^2 / sum w^2: array (T, K), in sites.

    On the open line sum_j j p_j. On the ring n/(2 pi) times the angle of R = sum_j p_j exp(2 pi i j/n), in [0, n):
    numbers to compare around the ring, whose mean over replicates says nothing. Undefined for a field of zeros, and on
    the ring where R = 0: a flat field looks nowhere.
    """

    name: ClassVar[str] = "field-centre"
    axes: ClassVar[tuple[str, ...]] = ("time", "unit")


@dataclass(frozen=True)
class FieldWidthAtTimes:
    """The root mean square distance from the centre, p_j = w_j^2 / sum w^2: array (T, K), in sites.

    On the open line sqrt(sum_j p_j (j - centre)^2). On the ring the chord stands for the distance, n/(2 pi)
    sqrt(2 (1 - |R|)), R = sum_j p_j exp(2 pi i j/n): the same for narrow fields, sqrt(2) n/(2 pi) for a flat one.
    """

    name: ClassVar[str] = "field-width"
    axes: ClassVar[tuple[str, ...]] = ("time", "unit")


@dataclass(frozen=True)
class SpectralPeakAtTimes:
    """The frequency q in 0, ..., floor(n/2) with the most power |w^_q|^2 + |w^_-q|^2: array (T, K).

    The smallest such q where several have the same. On the open line the field is taken as one period.
    """

    name: ClassVar[str] = "spectral-peak"
    axes: ClassVar[tuple[str, ...]] = ("time", "unit")


@dataclass(frozen=True)
class SpectralPeakShareAtTimes:
    """The share of sum_q |w^_q|^2 at the spectral peak, its negative frequency included: array (T, K)."""

    name: ClassVar[str] = "spectral-peak-share"
    axes: ClassVar[tuple[str, ...]] = ("time", "unit")


@dataclass(frozen=True)
class WeightKurtosisAtTimes:
    """m_4/m_2^2 - 3 of each unit's weights, m_r = (1/n) sum_j (w_j - mean)^r across sites: array (T, K).

    A Gaussian draw has -6/(n + 1) in the mean, one site n - 5 + 1/(n - 1); undefined for a flat field.
    """

    name: ClassVar[str] = "weight-kurtosis"
    axes: ClassVar[tuple[str, ...]] = ("time", "unit")


@dataclass(frozen=True)
class PreactivationKurtosisAtTimes:
    """m_4/m_2^2 - 3 of w_k.x over N fresh examples, of both classes or of one: array (T, K).

    m_r = (1/N) sum (w.x - mean)^r. The bias is of order 1/N; where w.x is Gaussian the mean is -6/(N + 1) exactly.
    """

    category: int | None = None

    name: ClassVar[str] = "preactivation-kurtosis"
    axes: ClassVar[tuple[str, ...]] = ("time", "unit")

    def __post_init__(self) -> None:
        if self.category not in CLASSES or isinstance(self.category, bool):
            raise InputError(f"category = {self.category!r} is no class.", "Give 0 or 1, or None for both classes.")


Observable = (
    InputOutputMoment
    | InputMoment
    | WeightsAtTimes
    | BiasesAtTimes
    | ReadoutAtTimes
    | LossAtTimes
    | ParticipationRatioAtTimes
    | LowFrequencyPowerAtTimes
    | FieldNormAtTimes
    | GateFlipsAtTimes
    | GateFlipsBetweenTimes
    | OpenTogetherBetweenTimes
    | GateOverlapBetweenTimes
    | FieldCentreAtTimes
    | FieldWidthAtTimes
    | SpectralPeakAtTimes
    | SpectralPeakShareAtTimes
    | WeightKurtosisAtTimes
    | PreactivationKurtosisAtTimes
)
OBSERVABLES: dict[str, type] = {kind.name: kind for kind in get_args(Observable)}
