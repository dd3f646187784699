"""The library's float64 moments through slabs of one site."""

from collections.abc import Sequence
from fractions import Fraction
from math import isinf

from theory.moments import GatedMoments, gated_moments
from theory.problem import Network, NonlinearGP, Problem, SiteGate, Training
from theory.problem.correlations.table import TableCorrelation


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
    return value if isinf(value) else Fraction(value)
