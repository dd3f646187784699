"""The quantile function of the uniform distribution."""

from dataclasses import dataclass
from typing import ClassVar

from theory.problem.nonlinearities.base import FIXED_GAIN, Nonlinearity


@dataclass(frozen=True)
class Uniform(Nonlinearity):
    """f(z) = 2 Phi(z) - 1: each site is uniform on [-1, 1], over Z = 1/sqrt(3) at unit variance.

    Since 2 Phi(z) - 1 = erf(z/sqrt(2)), it is the erf at gain 1/sqrt(2), which is no rational number.

    >>> Uniform().kind
    'uniform'
    """

    kind: ClassVar[str] = "uniform"
    fixed_gain: ClassVar[str] = FIXED_GAIN
