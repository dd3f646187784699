"""The hyperbolic tangent."""

from dataclasses import dataclass
from typing import ClassVar

from theory.problem.nonlinearities.base import Nonlinearity


@dataclass(frozen=True)
class Tanh(Nonlinearity):
    """f(v) = tanh(v) of v = gain z: for gain -> oo the sign, for gain -> 0 at unit variance Gaussian inputs.

    >>> Tanh().increasing, Tanh().fixed_gain
    (True, '')
    """

    kind: ClassVar[str] = "tanh"
