"""Uniform inputs: 2 Phi(z) - 1 = erf(z/sqrt(2)), the erf at the gain 1/sqrt(2)."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import sqrt

from theory.moments.arithmetic import Arithmetic
from theory.moments.inputs import Density
from theory.moments.marginal import erf_marginal
from theory.moments.nonlinearities.dispatch import inputs_through, statistics_through
from theory.moments.process_inputs import ProcessInputs
from theory.moments.statistics import ClassStatistics
from theory.problem import NonlinearGP, Uniform


@dataclass(frozen=True)
class UniformStatistics(ClassStatistics):
    """Moments of class `c` for f(z) = 2 Phi(z) - 1: those of erf with kappa^2 = 1/2, so that Z^2 = 1/3.

    >>> from theory.moments.arithmetic import FLOAT64
    >>> law = NonlinearGP(4, (2, 1), 1, "open", "none", (1, 0), nonlinearity="uniform")
    >>> round(float(UniformStatistics(law, 0, FLOAT64).variance) * 3, 13)
    1.0
    """

    @cached_property
    def _twice(self) -> Fraction:
        return Fraction(1)


@dataclass(frozen=True, eq=False)
class UniformInputs(ProcessInputs):
    """Uniform inputs on [-1/Z, 1/Z]."""

    def marginal(self, site: int) -> Density:
        """The uniform law, the same at every site."""
        del site
        return erf_marginal(sqrt(1 / 2), sqrt(self._class.normaliser_squared))


@statistics_through.register
def _(nonlinearity: Uniform, law: NonlinearGP, c: int, arithmetic: Arithmetic) -> UniformStatistics:
    del nonlinearity
    return UniformStatistics(law, c, arithmetic)


@inputs_through.register
def _(nonlinearity: Uniform, law: NonlinearGP, c: int) -> UniformInputs:
    del nonlinearity
    return UniformInputs(law, c)
