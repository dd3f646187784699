"""What can be measured, not how: the theory predicts it and the simulator estimates it, each in its own way."""

from dataclasses import dataclass


@dataclass(frozen=True)
class InputOutputMoment:
    """Sigma^yx(p_k) = <g_k(x) y x>: array (K, n). Source: notes, eq. (6)."""


@dataclass(frozen=True)
class InputMoment:
    """Sigma^xx(p_k, p_l) = <g_k(x) g_l(x) x x^T>: array (K, K, n, n). Source: notes, eq. (7)."""


@dataclass(frozen=True)
class WeightsAtTimes:
    """w_k(t) at the problem's times: array (T, K, n)."""


@dataclass(frozen=True)
class BiasesAtTimes:
    """b_1(t), ..., b_K(t), b_out(t) at the problem's times, of a network that trains its biases: array (T, K + 1)."""


@dataclass(frozen=True)
class LossAtTimes:
    """<(y - yhat)^2> (no factor 1/2) at the problem's times: array (T,)."""


@dataclass(frozen=True)
class ParticipationRatioAtTimes:
    """Inverse participation ratio sum_i w_i^4 / (sum_i w_i^2)^2 of each unit's weights: array (T, K).

    1/n for a flat or alternating field, 3/(2n) for a sinusoid, about 3/(n + 2) for a Gaussian draw, 1 for one site.
    """


@dataclass(frozen=True)
class LowFrequencyPowerAtTimes:
    """Share of sum_q |w^_q|^2 in the lower half of the frequencies, |q| <= n/4, of each unit: array (T, K).

    White noise has (2 floor(n/4) + 1)/n in the mean.
    """


@dataclass(frozen=True)
class FieldNormAtTimes:
    """|w_k(t)|, the Euclidean length of each unit's weights: array (T, K)."""


@dataclass(frozen=True)
class GateFlipsAtTimes:
    """Share of examples x with 1[w_k(t).x + b_k(t) >= 0] other than at the first of the problem's times: array (T, K).

    0 where w_k keeps its direction, 1/2 in the mean for an unrelated one.
    """


Observable = (
    InputOutputMoment
    | InputMoment
    | WeightsAtTimes
    | BiasesAtTimes
    | LossAtTimes
    | ParticipationRatioAtTimes
    | LowFrequencyPowerAtTimes
    | FieldNormAtTimes
    | GateFlipsAtTimes
)
