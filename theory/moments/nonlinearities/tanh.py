"""Inputs x = tanh(gain z)/Z: the series and the quadrature of `series` for the function tanh(gain z) of each class.

tanh has no closed moments. Its poles are pi/(2 gain) from the real axis: above gain 1, panels end at multiples of
1/gain; below, the panels of a Gaussian leave errors of rounding.
"""

from dataclasses import dataclass
from functools import cached_property
from math import sqrt
from typing import Any

import numpy as np
from jaxtyping import Float
from scipy.special import ndtr

from theory.moments.arithmetic import FLOAT64, Arithmetic
from theory.moments.inputs import Density
from theory.moments.nonlinearities import functions
from theory.moments.nonlinearities.dispatch import inputs_through, statistics_through
from theory.moments.nonlinearities.series import SeriesInputs, SeriesStatistics, half_line
from theory.moments.statistics import ClassStatistics
from theory.problem import NonlinearGP, Nonlinearity, Tanh

_ENDS = np.array([0.5, 1, 2, 4, 8])  # of panels, in units of 1/gain: beyond, tanh is 1 to 1e-7 and turns no more


@dataclass(frozen=True)
class TanhAt(Nonlinearity):
    """The function tanh(gain z) of a latent of variance 1.

    >>> functions.values(TanhAt(2.0), np.array([0.5])).tolist() == [np.tanh(1.0)]
    True
    """

    gain: float


@functions.values.register
def _(nonlinearity: TanhAt, z: np.ndarray) -> np.ndarray:
    return np.tanh(nonlinearity.gain * z)


@functions.moment.register
def _(nonlinearity: TanhAt, order: int) -> float:
    nodes = half_line(nonlinearity)
    return float(nodes.weight @ nodes.f**order)


@functions.kinks.register
def _(nonlinearity: TanhAt) -> np.ndarray:
    ends = _ENDS / nonlinearity.gain
    return ends[(ends < functions.reach(nonlinearity)) & (nonlinearity.gain > 1)]


@functions.marginal.register
def _(nonlinearity: TanhAt, scale: float) -> Density:
    gain = nonlinearity.gain

    def latent(x: np.ndarray) -> np.ndarray:
        """The z of |x| < scale; infinite at and beyond the ends."""
        u = np.asarray(x) / scale
        with np.errstate(divide="ignore"):
            return np.arctanh(np.where(np.abs(u) < 1, u, np.sign(u))) / gain

    def density(x: np.ndarray) -> np.ndarray:
        z = latent(x)
        inside = np.isfinite(z)
        rise = scale * gain * np.where(inside, 1 - (np.asarray(x) / scale) ** 2, 1.0)  # dx/dz
        return np.where(inside, np.exp(-(np.where(inside, z, 0.0) ** 2) / 2) / (sqrt(2 * np.pi) * rise), 0.0)

    return Density(density, lambda x: ndtr(latent(x)), -scale, scale)


@dataclass(frozen=True)
class TanhStatistics(SeriesStatistics):
    """Moments of class `c` for f = tanh, in float64.

    >>> law = NonlinearGP(4, (2, 1), 3, "open", "unit-variance", (1, 0), nonlinearity="tanh")
    >>> round(float(TanhStatistics(law, 0, FLOAT64).variance), 13)
    1.0
    """

    @cached_property
    def function(self) -> TanhAt:
        """tanh(gain z) with the latent scaled to variance 1."""
        return TanhAt(float(self.law.gains[self.c]) * sqrt(float(self.spread)))

    @property
    def _square(self) -> Any:
        if self.arithmetic is FLOAT64:
            return functions.moment(self.function, 2)
        return _square_in_balls(self.arithmetic.rational(self.law.gains[self.c]) * self.spread.sqrt())

    def input_of(self, u: Float[np.ndarray, " q"]) -> tuple[Float[np.ndarray, " q"], Float[np.ndarray, " q"]]:
        """x = tanh(g u)/Z and dx/du = g (1 - tanh(g u)^2)/Z."""
        x, root = np.tanh(self.function.gain * u), sqrt(self.normaliser_squared)
        return x / root, self.function.gain * (1 - x**2) / root


def _square_in_balls(gain: Any) -> Any:
    """E tanh(gain z)^2, by `Line`."""
    import sympy
    from flint import acb

    from theory.gaussian.certified.line import Line

    g, z = sympy.symbols("g z", real=True)
    return Line(sympy.tanh(g * z) ** 2, z, {g: acb(gain)}).ball()


@dataclass(frozen=True, eq=False)
class TanhInputs(SeriesInputs):
    """Inputs on (-1/Z, 1/Z).

    >>> law = NonlinearGP(4, (2, 1), 1000, "open", "unit-variance", (1, 0), nonlinearity="tanh")
    >>> bool(-2 < TanhInputs(law, 0).kurtosis[0] < -1.99)  # nearly signs
    True
    """


@statistics_through.register
def _(nonlinearity: Tanh, law: NonlinearGP, c: int, arithmetic: Arithmetic) -> ClassStatistics:
    del nonlinearity
    return TanhStatistics(law, c, arithmetic)


@inputs_through.register
def _(nonlinearity: Tanh, law: NonlinearGP, c: int) -> TanhInputs:
    del nonlinearity
    return TanhInputs(law, c)
