"""Moments through slabs of one site: integrals over that site, and the library's float64 moments."""

from collections.abc import Callable, Sequence
from fractions import Fraction

import mpmath
from mpmath import mpf

from theory.moments import GatedMoments, gated_moments
from theory.problem import Network, NonlinearGP, Problem, SiteGate, Training
from theory.problem.correlations.table import TableCorrelation

Slab = tuple[mpf, mpf]
FAR = 40  # exp(-FAR^2/2) = 10^-347: the Gaussian weight beyond is below every digit that is used


def over_slab(f: Callable[[mpf], mpf], slab: Slab, scale: mpf | int = 1) -> mpf:
    """Return int phi(x) f(x) dx over lo <= x < hi at mpmath's working precision; f changes on the length `scale` at 0.

    >>> mpmath.nstr(over_slab(lambda x: x, (mpf(0), mpmath.inf)) * mpmath.sqrt(2 * mpmath.pi), 12)
    '1.0'
    """
    lo, hi = max(slab[0], mpf(-FAR)), min(slab[1], mpf(FAR))
    near = [sign * m * scale for m in (1, 4, 16) for sign in (-1, 1)]
    apart = [*range(-FAR, FAR, 2), *near]
    ends = [lo, *sorted({mpf(x) for x in apart if lo < x < hi}), hi]
    return mpmath.quad(lambda x: mpmath.npdf(x) * f(x), ends)


def float64_moments(
    correlations: Sequence[float], slabs: Sequence[tuple[float, float]], gain: float | None = None
) -> GatedMoments:
    """Return the library's float64 moments of one class y = 1 with the correlations by lag, gates at slabs of site 0.

    Inputs are erf(gain z) where there is a gain, else z itself.

    >>> from math import inf, pi, sqrt
    >>> moments = float64_moments([0.5], [(0.0, inf)])
    >>> (moments.sigma_yx[0] * sqrt(2 * pi)).round(12).tolist()
    [1.0, 0.5]
    """
    n, zero = len(correlations) + 1, Fraction(0)
    law = NonlinearGP(
        n,
        (),
        Fraction(1 if gain is None else gain),
        "open",
        "none",
        (Fraction(1),),
        correlation=TableCorrelation([Fraction(1), *map(Fraction, correlations)]),
        nonlinearity="identity" if gain is None else "erf",
    )
    gates = tuple(SiteGate(0, lo=_bound(lo), hi=_bound(hi)) for lo, hi in slabs)
    at_rest = Training("half-mse", Fraction(1), ((zero,) * n,) * len(gates), (zero,))
    return gated_moments(Problem(law, Network("gated-linear", "mean", len(gates), gates), at_rest))


def _bound(value: float) -> Fraction | float:
    return value if mpmath.isinf(value) else Fraction(value)
