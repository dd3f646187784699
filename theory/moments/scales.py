r"""Moments of the scale r of an elliptical vector: E r, E r^2 and E r^4, exactly.

With h(k) = Gamma(k/2), chi^2 with k degrees of freedom has E chi^p = 2^(p/2) h(k + p)/h(k), so that

    student-t   E r = sqrt(dof/2) h(dof - 1)/h(dof)          E r^2 = dof/(dof - 2)      E r^4 = dof^2/((dof-2)(dof-4))
    gamma       E r = h(2 shape + 1)/(h(2 shape) sqrt(shape))    E r^2 = 1              E r^4 = (shape + 1)/shape
    sphere      E r = sqrt(n/2) h(n)/h(n + 1)                E r^2 = 1                  E r^4 = n/(n + 2)

The moment of the sphere is that of a scale independent of z with the same moments of x: chi and z/chi are independent,
so that E[r^p f] = (n^(p/2)/E chi^p) E[chi^p f] for every f that depends on the direction of z alone.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import singledispatch
from math import inf
from typing import Any

from theory.moments.arithmetic import Arithmetic
from theory.problem import OutOfReachError
from theory.problem.scales import DiscreteScale, GammaScale, Scale, SphereScale, StudentScale

Moment = Fraction | float  # inf where the moment is infinite


@dataclass(frozen=True)
class ScaleMoments:
    """E r = rational sqrt(square) pi^(halves/2), E r^2 and E r^4; math.inf where one is infinite.

    r = 1 has the moments 1:

    >>> ScaleMoments(Fraction(1), Fraction(1), 0, Fraction(1), Fraction(1)).excess_kurtosis
    Fraction(0, 1)
    """

    rational: Moment
    square: Fraction
    halves: int
    second: Moment
    fourth: Moment

    @property
    def excess_kurtosis(self) -> Moment:
        """3 (E r^4/(E r^2)^2 - 1), that of every site; infinite where E r^4 is."""
        return 3 * (self.fourth / self.second**2 - 1)

    def first_over_root(self, arithmetic: Arithmetic) -> Any:
        """E r/sqrt(E r^2) <= 1, in an arithmetic.

        >>> from theory.moments.arithmetic import FLOAT64
        >>> from theory.problem.scales import GammaScale
        >>> mean = moments_of(GammaScale(1), 4).first_over_root(FLOAT64)  # sqrt(pi)/2, of a Rayleigh r
        >>> round(float(4 * mean**2), 12)
        3.14159265359
        """
        root = arithmetic.sqrt(arithmetic.rational(self.square / self.second))
        half = arithmetic.sqrt(arithmetic.pi()) ** self.halves
        return arithmetic.rational(self.rational) * root * half


@singledispatch
def moments_of(scale: Scale, n: int) -> ScaleMoments:
    """Return the moments of r for inputs on n sites. Raises OutOfReachError for a kind that is not registered.

    >>> moments_of(StudentScale(8), 40).excess_kurtosis  # 6/(dof - 4)
    Fraction(3, 2)
    """
    del n
    raise OutOfReachError(
        f'The scale "{scale.kind}" has no moments here.', "Register them in theory/moments/scales.py."
    )


@moments_of.register
def _(scale: StudentScale, n: int) -> ScaleMoments:
    del n
    dof = scale.dof
    rational, halves = _half_gammas(dof - 1, dof) if dof > 1 else (inf, 0)
    second = Fraction(dof, dof - 2) if dof > 2 else inf
    fourth = Fraction(dof**2, (dof - 2) * (dof - 4)) if dof > 4 else inf
    return ScaleMoments(rational, Fraction(dof, 2), halves, second, fourth)


@moments_of.register
def _(scale: GammaScale, n: int) -> ScaleMoments:
    del n
    twice = int(2 * scale.shape)
    rational, halves = _half_gammas(twice + 1, twice)
    return ScaleMoments(rational, 1 / scale.shape, halves, Fraction(1), 1 + 1 / scale.shape)


@moments_of.register
def _(scale: DiscreteScale, n: int) -> ScaleMoments:
    del n
    pairs = list(zip(scale.probabilities, scale.values, strict=True))
    first, second, fourth = (sum((p * value**k for p, value in pairs), Fraction(0)) for k in (1, 2, 4))
    return ScaleMoments(first, Fraction(1), 0, second, fourth)


@moments_of.register
def _(scale: SphereScale, n: int) -> ScaleMoments:
    del scale
    rational, halves = _half_gammas(n, n + 1)
    return ScaleMoments(rational, Fraction(n, 2), halves, Fraction(1), Fraction(n, n + 2))


def _half_gammas(upper: int, lower: int) -> tuple[Fraction, int]:
    """Return Gamma(upper/2)/Gamma(lower/2) as a fraction times pi^(halves/2), by Gamma(x + 1) = x Gamma(x)."""
    ratio, halves = Fraction(1), 0
    for k, power in ((upper, 1), (lower, -1)):
        halves += power * (k % 2)  # Gamma(1/2) = sqrt(pi), Gamma(1) = 1
        for factor in range(k - 2, 0, -2):
            ratio *= Fraction(factor, 2) ** power
    return ratio, halves
