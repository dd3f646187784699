"""The sign: binary inputs, the limit of large gain."""

from dataclasses import dataclass
from typing import ClassVar

from theory.problem.nonlinearities.base import Nonlinearity


@dataclass(frozen=True)
class Sign(Nonlinearity):
    """f(v) = sign(v), the limit of erf(gain z) for gain -> oo: each site is +-1 with probability 1/2, and Z = 1.

    >>> from theory.problem import NonlinearGP
    >>> NonlinearGP(4, (2, 1), 3, "open", "none", (1, 0), nonlinearity="sign")
    Traceback (most recent call last):
    ...
    theory.problem.errors.InputError: data.gain = 3, but sign(gain z) = sign(z) for every gain > 0. Write gain = 1.0.
    """

    kind: ClassVar[str] = "sign"
    fixed_gain: ClassVar[str] = "sign(gain z) = sign(z) for every gain > 0"

    @property
    def increasing(self) -> bool:
        """False: the sign is constant on each side of 0."""
        return False
