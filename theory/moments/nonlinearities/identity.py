"""Gaussian inputs x = gain z/Z: the formulas of the Gaussian clone with the correlations of the latent."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from theory.moments.arithmetic import Arithmetic, Numbers
from theory.moments.gaussian_clone import CloneStatistics
from theory.moments.nonlinearities.dispatch import inputs_through, statistics_through
from theory.moments.process_inputs import CloneInputs
from theory.moments.statistics import ClassStatistics
from theory.problem import Identity, NonlinearGP


@dataclass(frozen=True)
class IdentityStatistics(CloneStatistics):
    """Moments of class `c` for f(v) = v: x has the correlations of z and the variance gain^2 v/Z^2, v that of z.

    >>> from theory.moments.arithmetic import FLOAT64
    >>> law = NonlinearGP(4, (2, 1), 3, "open", "none", (1, 0), nonlinearity="identity")
    >>> float(IdentityStatistics(law, 0, FLOAT64).variance)
    9.0
    """

    @property
    def _square(self) -> Any:
        return self._number(self._twice) / 2

    @property
    def correlations(self) -> Numbers:
        """rho by lag."""
        return self._latent[0]

    @cached_property
    def covariances(self) -> Numbers:
        """gain^2 v rho/Z^2 by lag."""
        return self._square / self.normaliser_squared * self._latent[0]

    def noise(self, sharpness: Fraction) -> Any:
        """The variance of e/beta beside x = gain z/Z, as one beside z."""
        gain = self._number(Fraction(self.law.gains[self.c]))
        return self._number(sharpness**-2) * self.normaliser_squared / (gain * gain)

    @property
    def spread(self) -> Any:
        """The variance of the latent, whose half-spaces gates are."""
        return ClassStatistics.spread.fget(self)


@statistics_through.register
def _(nonlinearity: Identity, law: NonlinearGP, c: int, arithmetic: Arithmetic) -> IdentityStatistics:
    del nonlinearity
    return IdentityStatistics(law, c, arithmetic)


@inputs_through.register
def _(nonlinearity: Identity, law: NonlinearGP, c: int) -> CloneInputs:
    del nonlinearity
    return CloneInputs(law, c)
