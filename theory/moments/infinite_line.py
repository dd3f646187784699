"""The labels explained by one sign with all sites of an infinite line, which bounds the result for any n of its sites.

The features s x_j of n sites are a subset of those of the infinite line, so that the optimum over n sites is not below
the optimum over the line. There the kernel is diagonal in the wave number q, and with s at site 0

    c.A^+ c = (1/2 pi) int_-pi^pi |h(q)|^2/f(q) dq,  f(q) = sum_d <x_0 x_d> e^{iqd},  h(q) = sum_d <s y x_d> e^{iqd}.

With asin x = sum a_k x^k over odd k, rho^k = exp(-k d^2/xi^2) and Poisson's formula both are sums of positive terms,

    sum_d exp(-r d^2) e^{iqd} = sqrt(pi/r) sum_j exp(-(q + 2 pi j)^2/(4 r)),

computed as logarithms, so that the quotient is accurate where f is far below the rounding of its largest value. The
series of f is truncated, which only lowers f; a bound on the remainder of the series of h is added to it. The
trapezoidal sum converges exponentially.
"""

from collections.abc import Callable
from math import ceil, log, pi

import numpy as np
from jaxtyping import Float
from scipy.special import gammaln

from theory.moments.statistics import ClassStatistics, Process
from theory.problem import Erf, NonlinearGP
from theory.problem.correlations import GAUSSIAN

# Wave numbers per site of the largest xi: the trapezoidal sum is exact for a ring of as many sites.
WAVES_A_LENGTH = 24
# The first number of terms of the series in rho, which is doubled until the bound settles; numbers processed at once.
FIRST_TERMS, MOST_NUMBERS, AT_ONCE = 64, 3e7, 2**20
SETTLED = 1e-15
# Above this rate of decay the sum over distances has few terms, below it Poisson's; and how few of each.
STEEP, DISTANCES, IMAGES = 4.0, 4, 6


def whole_line(law: NonlinearGP, classes: list[ClassStatistics], gaussian: bool) -> float:
    """Return an upper bound of c.A^+ c for one sign on the infinite line, summed over outputs; infinite if too costly.

    `gaussian` selects the Gaussian clone, whose sign is that of x itself.

    For uncorrelated sites only x_0 contributes, (E[s y x_0])^2 = (1/2)^2 (2/pi) on the clone with labels 1 and 0:

    >>> from theory.moments.arithmetic import FLOAT64
    >>> from theory.moments.statistics import class_statistics
    >>> from theory.problem import GaussianClone
    >>> clone = GaussianClone(8, ("1/10", "1/10"), 1, "open", "unit-variance", (1, 0))
    >>> round(whole_line(clone, [class_statistics(clone, c, FLOAT64) for c in range(2)], gaussian=True) * 2 * pi, 12)
    1.0
    """
    best, terms = np.inf, FIRST_TERMS
    waves = max(64, ceil(WAVES_A_LENGTH * float(max(law.xi))))
    while terms * waves * law.classes <= MOST_NUMBERS:
        found = _explained(law, classes, gaussian, terms, waves)
        if abs(best - found) <= SETTLED * found:
            return min(best, found)
        best, terms = min(best, found), 2 * terms
    return float(best)


def _explained(law: NonlinearGP, classes: list[ClassStatistics], gaussian: bool, terms: int, waves: int) -> float:
    """Return the bound from `terms` terms; by symmetry only the wave numbers in [0, pi] are needed."""
    half = waves // 2
    total = 0.0
    step = max(1, AT_ONCE // terms)
    for first in range(0, half + 1, step):
        index = np.arange(first, min(first + step, half + 1))
        weight = np.where((index == 0) | (index == half), 1.0, 2.0) / (2 * half)
        total += float((weight * _quotient(law, classes, gaussian, terms, pi * index / half)).sum())
    return total


def _quotient(
    law: NonlinearGP, classes: list[ClassStatistics], gaussian: bool, terms: int, q: Float[np.ndarray, " q"]
) -> Float[np.ndarray, " q"]:
    """Return |h(q)|^2/f(q) summed over the outputs, with a bound on the remainder of the series of h."""
    k = 2 * np.arange(terms) + 1
    order = (k - 1) / 2
    # a_k = binomial(2 m, m)/(4^m (2 m + 1)), k = 2 m + 1.
    series = gammaln(2 * order + 1) - 2 * gammaln(order + 1) - order * log(4) - np.log(k)
    shares = [float(p) for p in law.probabilities]
    kernels, forces, rests = [], [], []
    for c, statistics in enumerate(classes):
        k2, z2 = float(statistics.kappa_squared), float(statistics.normaliser_squared)
        wave = _log_waves(k / float(law.xi[c]) ** 2, q)
        kernels.append(log(2 / (pi * z2)) + _log_sum(series + k * log(k2), wave))
        if gaussian:
            # h is a multiple of the kernel, with the terms of which it is cut.
            forces.append(kernels[-1] + log(2 / (pi * float(statistics.variance))) / 2)
            last, scale = series[-1] + (k[-1] + 2) * log(k2), 2 / (pi * z2) * np.sqrt(2 / (pi * statistics.variance))
            ratio = k2 * k2
        else:
            forces.append(log(2 / pi) - log(z2) / 2 + _log_sum(series + k * log(k2) / 2, wave))
            last, scale, ratio = series[-1] + (k[-1] + 2) * log(k2) / 2, 2 / (pi * np.sqrt(z2)), k2
        widest = np.exp(_log_waves(np.array([(k[-1] + 2) / float(law.xi[c]) ** 2]), np.zeros(1)))[0, 0]
        rests.append(log(scale * widest / (1 - ratio)) + last)
    kernel = np.logaddexp.reduce([log(p) + value for p, value in zip(shares, kernels, strict=True)])
    total = np.zeros_like(q)
    for o in range(law.outputs):
        weights = [p * float(label[o]) for p, label in zip(shares, law.label_vectors, strict=True)]
        used = [c for c, weight in enumerate(weights) if weight]
        with np.errstate(over="ignore"):
            value = sum((weights[c] * np.exp(forces[c] - kernel / 2) for c in used), np.zeros_like(q))
            rest = sum((abs(weights[c]) * np.exp(rests[c] - kernel / 2) for c in used), np.zeros_like(q))
            total += (np.abs(value) + rest) ** 2
    return total


def _log_waves(rate: Float[np.ndarray, " k"], q: Float[np.ndarray, " q"]) -> Float[np.ndarray, "k q"]:
    """log sum_d exp(-r d^2) cos(q d), for q in [0, pi]."""
    low = rate[rate < STEEP]
    images = 1 if not low.size or low[-1] <= STEEP / 16 else IMAGES
    below = np.full((low.size, q.size), -np.inf)
    for j in range(-images, images):
        below = np.logaddexp(below, -((q + 2 * pi * j) ** 2) / (4 * low[:, None]))
    below += np.log(pi / low)[:, None] / 2
    high, d = rate[rate >= STEEP][:, None], np.arange(1, DISTANCES + 1)
    above = 1 + 2 * (np.exp(-high[..., None] * d**2) * np.cos(q[:, None] * d)).sum(-1)
    return np.concatenate([below, np.log(above)])


def _log_sum(weights: Float[np.ndarray, " k"], values: Float[np.ndarray, "k q"]) -> Float[np.ndarray, " q"]:
    """log sum_k exp(weights[k] + values[k])."""
    exponents = weights[:, None] + values
    top = exponents.max(axis=0)
    return top + np.log(np.exp(exponents - top).sum(axis=0))


def line_bound(law: Process, classes: Callable[[], list[ClassStatistics]], gaussian: bool) -> float:
    """`whole_line` for erf and Gaussian correlations on one open line without means, else infinite: no bound is known.

    The spectra of other correlations have no such series of positive terms here.

    >>> from theory.moments.arithmetic import FLOAT64
    >>> from theory.moments.statistics import class_statistics
    >>> law = NonlinearGP(8, (2, 1), 1, "open", "unit-variance", (1, 0))
    >>> round(line_bound(law, lambda: [class_statistics(law, c, FLOAT64) for c in range(2)], gaussian=False), 4)
    0.2208
    """
    plain = isinstance(law, NonlinearGP) and set(law.kernels) == {GAUSSIAN} and isinstance(law.nonlinearity, Erf)
    if law.boundary != "open" or len(law.axes) > 1 or law.means or not plain:
        return np.inf
    return whole_line(law, classes(), gaussian)
