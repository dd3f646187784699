"""The Matern correlation of half-integer smoothness."""

from dataclasses import dataclass
from fractions import Fraction
from math import factorial
from typing import ClassVar

import numpy as np
from jaxtyping import Float, Int

from theory.problem.correlations.base import Correlation
from theory.problem.errors import InputError
from theory.problem.numbers import exact

LARGEST = Fraction(21, 2)
_FAR = 745.0  # exp(-745) is the smallest positive float


@dataclass(frozen=True)
class MaternCorrelation(Correlation):
    """R(d) = exp(-s) P_p(s) with s = sqrt(2 nu) d/xi, for the smoothness nu = p + 1/2 = 1/2, 3/2, ..., 21/2.

    P_p(s) = p!/(2p)! sum_k (p + k)!/(k! (p - k)!) (2 s)^(p - k): 1, 1 + s, 1 + s + s^2/3, ... This is the convention
    2^(1 - nu)/Gamma(nu) s^nu K_nu(s) of Rasmussen and Williams (2006, eq. 4.14). Raises InputError for other nu, whose
    Bessel functions are not evaluated here.

    >>> MaternCorrelation("3/2").at(np.array([0, 4]), 2.0).round(4).tolist()  # exp(-s) (1 + s), s = sqrt(3)
    [1.0, 0.4834]
    """

    smoothness: Fraction

    kind: ClassVar[str] = "matern"

    def __post_init__(self) -> None:
        where = "data.correlation.smoothness"
        smoothness = exact(self.smoothness, where)
        if smoothness.denominator != 2 or not 0 < smoothness <= LARGEST:
            raise InputError(
                f"{where} = {smoothness} is not one of 1/2, 3/2, ..., {LARGEST}: only these are elementary.",
                'Choose the nearest of them, such as "3/2"; for smoother latents take kind = "gaussian".',
            )
        object.__setattr__(self, "smoothness", smoothness)

    @property
    def coefficients(self) -> tuple[Fraction, ...]:
        """The coefficients of 1, s, ..., s^p in P_p(s).

        >>> [str(number) for number in MaternCorrelation("5/2").coefficients]
        ['1', '1', '1/3']
        """
        p = (self.smoothness.numerator - 1) // 2
        return tuple(
            Fraction(factorial(p) * factorial(2 * p - power) * 2**power)
            / (factorial(2 * p) * factorial(p - power) * factorial(power))
            for power in range(p + 1)
        )

    def at(self, squared: Int[np.ndarray, "*any"], xi: float) -> Float[np.ndarray, "*any"]:
        """exp(-s) P_p(s) by Horner's rule."""
        s = np.sqrt(self.smoothness.numerator * squared) / xi
        near = np.minimum(s, _FAR)
        total = np.zeros_like(near)
        for number in reversed(self.coefficients):
            total = total * near + float(number)
        return np.where(s < _FAR, np.exp(-near) * total, 0.0)

    def never_singular(self, isotropic: bool) -> bool:
        """True: the determinant is a sum of exponentials of different algebraic numbers, with coefficient 1 at 0."""
        del isotropic
        return True

    def positive(self, boundary: str, isotropic: bool) -> bool:
        """True on the open line and grid: a mixture of Gaussian correlations."""
        del isotropic
        return boundary == "open"
