"""The amplifier of a pixel that is known by samples: an estimate with its standard error."""

from dataclasses import dataclass
from math import sqrt

import numpy as np
from jaxtyping import Float

from theory.moments.amplifier.float64 import (
    integrand,
    integrand_by_s,
    integrand_by_x,
    require_sizes,
    require_unit,
    steepness,
)
from theory.problem import InputError

# A sample passes as one of mean 0 and variance 1 within this many standard errors.
_ERRORS = 5
_FEWEST = 10


@dataclass(frozen=True, eq=False)
class SampledAmplifier:
    """phi at several a, with standard errors, from N independent samples; the samples were divided by `scale`.

    >>> one = sampled(np.tile([-3.0, 3.0], 50), np.array([1.0]), rescale=True)
    >>> one.scale, one.value.tolist()
    (3.0, [1.0])
    """

    value: Float[np.ndarray, " a"]
    error: Float[np.ndarray, " a"]
    elasticity: Float[np.ndarray, " a"]  # nan at |a| = 1
    scale: float


def sampled(x: Float[np.ndarray, " N"], a: Float[np.ndarray, " a"], rescale: bool = False) -> SampledAmplifier:
    """Estimate phi(a) from independent samples of X of mean 0 and variance 1.

    With `rescale` the sample mean is subtracted and the result divided by the sample's standard deviation r. The
    standard error then contains theirs: with h(x) = x erf(s x/sqrt2), phi changes by -E[x h'(x)] dr/r - E[h'(x)] dm/r.

    Raises InputError for fewer than 10 samples, for one that is not finite or larger than 1e100, and unless mean and
    variance are within five standard errors of 0, 1.

    >>> found = sampled(np.tile([-1.0, 1.0], 50), np.array([1.0]))
    >>> found.value.tolist(), found.error.tolist()
    ([1.0], [0.0])
    """
    x = np.asarray(x, float).ravel()
    if len(x) < _FEWEST:
        raise InputError(f"{len(x)} samples are too few.", f"Give at least {_FEWEST}.")
    require_sizes(x, "sample")
    center, scale = (float(x.mean()), float(x.std())) if rescale else (0.0, 1.0)
    if not scale > 0:
        raise InputError(f"All samples are {x[0]:g}, or differ by less than float64 resolves.", "Give others.")
    if not rescale:
        spread = float((x * x).std())
        require_unit(_within(x.mean(), x.std() / sqrt(len(x))), 1 + _within((x * x).mean() - 1, spread / sqrt(len(x))))
    z = (x - center) / scale
    value, error, elasticity = (np.full(np.shape(a), np.nan) for _ in range(3))
    for place, s in enumerate(steepness(a)):
        own, slope = integrand(s, z), integrand_by_s(s, z)
        value[place] = own.mean()
        influence = own - own.mean()
        if rescale:
            by_x = integrand_by_x(s, z)
            influence -= (z * by_x).mean() * (z * z - 1) / 2 + by_x.mean() * z
        error[place] = influence.std() / sqrt(len(z))
        if np.isfinite(s):
            elasticity[place] = 1.0 if s == 0 else s * (1 + s * s) * slope.mean() / own.mean()
    return SampledAmplifier(value, error, elasticity, scale)


def _within(difference: float, error: float) -> float:
    """Return the difference, or 0 where it is within the allowed number of standard errors."""
    return 0.0 if abs(difference) <= _ERRORS * error else float(difference)
