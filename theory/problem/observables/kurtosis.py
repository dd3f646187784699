"""Kurtosis of weights and of pre-activations, as observables."""

from dataclasses import dataclass
from typing import ClassVar

from theory.problem.numbers import whole
from theory.problem.observables.base import Observable


@dataclass(frozen=True)
class WeightKurtosisAtTimes(Observable):
    """m_4/m_2^2 - 3 of each unit's weights, m_r = (1/n) sum_j (w_j - mean)^r across sites: array (T, K).

    Its mean is -6/(n + 1) for a Gaussian draw; it is n - 5 + 1/(n - 1) for a field at one site, undefined if flat.

    >>> import numpy as np
    >>> n = 5
    >>> m2, m4 = (float(np.mean((np.eye(n)[2] - 1 / n) ** r)) for r in (2, 4))
    >>> round(m4 / m2**2 - 3, 12), n - 5 + 1 / (n - 1)  # a field at one site
    (0.25, 0.25)
    """

    name: ClassVar[str] = "weight-kurtosis"
    axes: ClassVar[tuple[str, ...]] = ("time", "unit")


@dataclass(frozen=True)
class PreactivationKurtosisAtTimes(Observable):
    """m_4/m_2^2 - 3 of w_k.x over N fresh examples, of all classes or of class `category`: array (T, K).

    m_r = (1/N) sum (w.x - mean)^r. The bias is of order 1/N; where w.x is Gaussian the mean is -6/(N + 1) exactly.

    Where w.x is +1 or -1, each with probability 1/2, m_4 = m_2 = 1:

    >>> import numpy as np
    >>> h = np.array([1.0, -1.0])
    >>> float(np.mean(h**4) / np.mean(h**2) ** 2) - 3
    -2.0
    """

    category: int | None = None

    name: ClassVar[str] = "preactivation-kurtosis"
    axes: ClassVar[tuple[str, ...]] = ("time", "unit")

    def __post_init__(self) -> None:
        if self.category is not None:
            whole(self.category, "category", least=0)
