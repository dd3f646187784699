"""A cubic polynomial: inputs with positive excess kurtosis and all moments."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from theory.problem.nonlinearities.base import Nonlinearity
from theory.problem.numbers import positive


@dataclass(frozen=True)
class Cubic(Nonlinearity):
    """f(v) = v + c v^3 with c > 0, of v = gain z; for gain -> oo at unit variance x is a multiple of z^3.

    Raises InputError for c <= 0: with c < 0 f is not increasing, and c = 0 is the identity.

    >>> Cubic("1/2").c
    Fraction(1, 2)
    """

    c: Fraction

    kind: ClassVar[str] = "cubic"

    def __post_init__(self) -> None:
        why = "v + c v^3 is increasing for c >= 0 only, and c = 0 is the identity"
        object.__setattr__(self, "c", positive(self.c, "data.nonlinearity.c", why))
