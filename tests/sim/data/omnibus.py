"""One test of a sampler against the exact statistics of its law: all numbers at once, at a stated level and power.

From N examples of a class come the means of features f(x): sites, products of two, three and four deviations from the
exact means, at random sites, and the shares of one site below fixed points or at its values. Where a law knows third
or fourth moments of one site alone, these products are those. Each mean is compared with its exact value in units of
its standard error. The largest of F such numbers exceeds the limit by chance with a probability of at most
F P(|N(0, 1)| > limit) = LEVEL, by Bonferroni's inequality, whatever their correlations.

Means of heavy-tailed products are far from normal at small N. They are therefore taken over GROUPS groups of examples,
and the studentised mean of the groups is compared with a quantile of Student's t.
"""

import numpy as np
import torch
from scipy.stats import t as student

from sim.data.sample import prepare
from sim.random.streams import MEASUREMENT, stream
from theory.moments.inputs import Density, Values, input_statistics
from theory.problem import OutOfReachError

ROWS = 2**16
GROUPS = 64
LEVEL = 1e-3  # of one test, over all classes
TUPLES = 40  # random pairs, triples and quadruples of sites
POINTS = np.linspace(-1.6, 1.6, 9)  # of a marginal with a density, in standard deviations from its mean


def draws(law, rows=ROWS, seed=0):
    """Examples of the law's sampler: x and the class of each."""
    sampler = prepare(law, torch.device("cpu"), torch.float64)
    drawn = sampler.draw([stream(seed, 0, MEASUREMENT)], rows)
    return drawn.x[0].numpy(), drawn.category[0].numpy()


def distance(law, x, category):
    """The largest studentised difference between samples and the exact statistics of `law`, over its 1 - LEVEL limit.

    Above 1 the samples are rejected as samples of the law.
    """
    found = np.concatenate([*(_of_class(law, c, x[category == c]) for c in range(law.classes)), _shares(law, category)])
    limit = student.isf(LEVEL / (2 * len(found)), GROUPS - 1)
    return np.abs(found).max() / limit


def _shares(law, category):
    """The probabilities of the classes but the last."""
    exact = np.array([float(p) for p in law.probabilities])
    own = (category[:, None] == np.arange(law.classes)) - exact
    return _studentised(own[:, :-1]) if law.classes > 1 else np.zeros(0)


def _of_class(law, c, x):
    statistics = input_statistics(law, c)
    off = x - statistics.mean
    rng = np.random.default_rng(17)
    n = x.shape[1]
    # Sites near each other are the most dependent: a random first one and steps of up to three sites.
    steps = rng.integers(0, 4, size=(4, TUPLES))
    i, j, k, l = np.cumsum(np.concatenate([rng.integers(0, n, (1, TUPLES)), steps[1:]]), axis=0) % n
    features = [
        off,
        off[:, i] * off[:, j] - statistics.covariance[i, j],
        _third(statistics, off, i, j, k),
        _fourth(statistics, off, i, j, k, l),
        *(_marginal(statistics, site, x[:, site]) for site in (0, n // 2)),
    ]
    return _studentised(np.concatenate(features, axis=1))


def _third(statistics, off, i, j, k):
    """Products of three deviations less their exact means; of one site where a law knows no others."""
    try:
        exact = statistics.third(i, j, k)
    except OutOfReachError:
        j = k = i
        exact = statistics.third(i, j, k)
    return off[:, i] * off[:, j] * off[:, k] - exact


def _fourth(statistics, off, i, j, k, l):
    """Products of four deviations less their exact means; of one site where a law knows no others."""
    try:
        exact = statistics.fourth(i, j, k, l)
    except OutOfReachError:
        j = k = l = i
        exact = statistics.fourth(i, j, k, l)
    return off[:, i] * off[:, j] * off[:, k] * off[:, l] - exact


def _marginal(statistics, site, own):
    """Indicators of one site, less their exact probabilities."""
    marginal = statistics.marginal(site)
    if isinstance(marginal, Values):
        values, p = (np.array(numbers, float) for numbers in (marginal.values, marginal.probabilities))
        inside = (own[:, None] == values[:-1]) - p[:-1]
        outside = ~np.isin(own, values)
    else:
        assert isinstance(marginal, Density)
        points = statistics.mean[site] + POINTS * np.sqrt(statistics.variance[site])
        inside = (own[:, None] <= points) - marginal.cumulative(points)
        outside = (own < marginal.low) | (own > marginal.high)
    return np.concatenate([inside, outside[:, None]], axis=1)


def _studentised(features):
    """Mean over its standard error for each column, from the means of groups; 0 for a column that is 0 throughout."""
    groups = np.stack([part.mean(axis=0) for part in np.array_split(features, GROUPS)])
    error = groups.std(axis=0, ddof=1) / np.sqrt(GROUPS)
    mean = groups.mean(axis=0)
    constant = error == 0
    # What does not vary is exact or wrong: no rounding of sums over ROWS numbers of size 1 exceeds this.
    wrong = np.abs(mean) > ROWS * np.finfo(float).eps
    return np.where(constant, np.where(wrong, np.inf, 0.0), mean / np.where(constant, 1.0, error))
