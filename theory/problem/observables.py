"""What can be measured, not how: the theory predicts it and the simulator estimates it, each in its own way.

`name` is the word of sweep files; `axes` says what each axis of the array runs over ("bias" has the K hidden biases and
then the one at the output).
"""

from dataclasses import dataclass
from typing import ClassVar, get_args


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
)
OBSERVABLES: dict[str, type] = {kind.name: kind for kind in get_args(Observable)}
