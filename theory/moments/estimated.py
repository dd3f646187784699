"""Moments of laws that are known by their examples alone: means over examples drawn with a stated seed, in groups.

    A = <phi phi^T>,   b = <phi y>,   <y.y>,   each a mean over the N examples of `law.estimate`.

Statistics of the inputs are those of the same examples, of as many as fit into 128 MB.

The groups are for standard errors: a number f(A, b, <y.y>) is computed once more without each of them (the delete-group
jackknife of `theory.flow.linear.estimated`).
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from jaxtyping import Float, Int

from theory.moments.basis import require_linear
from theory.moments.example_statistics import ExampleStatistics
from theory.moments.fixed_biases import fixed_biases, left_over
from theory.moments.gate_events import open_on
from theory.moments.table import SampleMoments, features_of
from theory.problem import InputError, Network, OutOfReachError, Problem, resolved
from theory.problem.distributions.sampled import GROUPS, SampledLaw

MOST_NUMBERS = 10**8  # in the moments of all groups: 800 MB
# For each of P features: the fit to N examples lowers the mse by the share P/N, which is corrected to first order.
LEAST_EXAMPLES = 10
SPREAD = 6  # standard errors by which the share of a class may miss its prior: by chance once in 10^9
MOST_KEPT = 2**24  # numbers of the inputs that are kept for statistics: 128 MB
_NUMBERS = 2**22  # of the features of a part
_PURPOSE = 2  # in the key of the generators; the simulator's purposes are 0 and 1


@dataclass(frozen=True, eq=False)
class EstimatedMoments:
    """Sums over the examples of each of G groups: phi phi^T, phi y^T and y.y; `sizes` are the numbers of examples."""

    A: Float[np.ndarray, "G P P"]
    b: Float[np.ndarray, "G P m"]
    y2: Float[np.ndarray, " G"]
    sizes: Int[np.ndarray, " G"]

    @cached_property
    def whole(self) -> SampleMoments:
        """The moments of all examples."""
        return _mean(*self._totals)

    def without(self, group: int) -> SampleMoments:
        """Return the moments of the examples of all groups but one."""
        return _mean(*(total - own[group] for total, own in zip(self._totals, self._sums, strict=True)))

    @property
    def _sums(self) -> tuple[Any, ...]:
        return self.A, self.b, self.y2, self.sizes

    @cached_property
    def _totals(self) -> tuple[Any, ...]:
        return tuple(each.sum(axis=0) for each in self._sums)


def _mean(A: np.ndarray, b: np.ndarray, y2: np.floating, count: np.integer) -> SampleMoments:
    return SampleMoments(A / count, b / count, float(y2 / count))


def estimated_moments(law: SampledLaw, network: Network) -> EstimatedMoments:
    """Return the moments of a gated-linear network on examples of the law, in 32 groups.

    Raises OutOfReachError where A is too large, or the examples are fewer than ten for each feature; InputError where a
    class is not as frequent as its prior says.

    >>> from theory.problem import AlwaysGate
    >>> @dataclass(frozen=True)
    ... class Coins(SampledLaw):
    ...     law, n, labels, priors = "coins", 1, (1, -1), ()
    ...     def draw(self, generator, rows):
    ...         category = generator.integers(0, 2, rows)
    ...         return 2.0 * category[:, None], category
    >>> moments = estimated_moments(Coins(), Network("gated-linear", "mean", 1, (AlwaysGate(),)))
    >>> bool(abs(moments.whole.second[0, 0] - 2) < 6 * 2 / 100_000**0.5), moments.whole.y2  # x^2 is 0 or 4
    (True, 1.0)
    """
    require_linear(network)
    size = network.units * law.n + (network.units + 1 if network.has_biases else 0)
    _require_size(law, size)
    gates = resolved(network.gates)
    labels = np.array([[float(entry) for entry in label] for label in law.label_vectors])
    sizes = group_sizes(law)
    A, b = np.zeros((GROUPS, size, size)), np.zeros((GROUPS, size, law.outputs))
    y2, counts = np.zeros(GROUPS), np.zeros(law.classes, dtype=np.int64)
    for group, x, category in drawn(law, max(1, _NUMBERS // size)):
        opened = [open_on(gate, x, f"network.gates[{k}]") for k, gate in enumerate(gates)]
        features, y = features_of(x, np.array(opened, dtype=float).T, network), labels[category]
        A[group] += features.T @ features
        b[group] += features.T @ y
        y2[group] += (y**2).sum()
        counts += np.bincount(category, minlength=law.classes)
    require_priors(law, counts)
    return EstimatedMoments(A, b, y2, sizes)


def estimated_moments_of(problem: Problem) -> EstimatedMoments:
    """Return the moments of a problem: of its law and network, and of what fixed biases leave of y.

    Raises as `estimated_moments` does.
    """
    law, network = problem.data, problem.one_layer
    if network.biases != "fixed":
        return estimated_moments(law, network)
    found = estimated_moments(law, replace(network, biases="trained"))
    biases, rows = np.atleast_2d(fixed_biases(problem)).astype(float), network.units * law.n
    b, y2 = left_over(found.A, found.b, found.y2, biases, float(network.scale))
    return EstimatedMoments(found.A[:, :rows, :rows], b, y2, found.sizes)


def group_sizes(law: SampledLaw) -> Int[np.ndarray, " G"]:
    """Return the number of examples in each group: equal, or different by 1.

    >>> from types import SimpleNamespace
    >>> group_sizes(SimpleNamespace(estimate=SimpleNamespace(examples=100))).tolist()[:6]
    [4, 4, 4, 4, 3, 3]
    """
    least, more = divmod(law.estimate.examples, GROUPS)
    return least + (np.arange(GROUPS) < more)


def drawn(law: SampledLaw, rows: int) -> Iterator[tuple[int, Float[np.ndarray, "B n"], Int[np.ndarray, " B"]]]:
    """Yield the examples of the law's estimate, at most `rows` at a time: group, inputs, classes.

    Each group has its own generator, of the seed of the estimate. No draw of the simulator has the same numbers.
    """
    for group, size in enumerate(group_sizes(law).tolist()):
        sequence = np.random.SeedSequence(law.estimate.seed, spawn_key=(_PURPOSE, group))
        generator = np.random.Generator(np.random.PCG64(sequence))
        for first in range(0, size, rows):
            yield group, *law.examples(generator, min(rows, size - first))


@lru_cache(maxsize=1)
def kept(law: SampledLaw) -> tuple[Float[np.ndarray, "N n"], Int[np.ndarray, " N"]]:
    """Return examples of the law's estimate, inputs and classes: all, or as many as have 2^24 numbers.

    Raises InputError where a class is not as frequent as its prior says.
    """
    parts, rows = [], max(GROUPS, MOST_KEPT // law.n)
    for _, x, category in drawn(law, _NUMBERS // law.n + 1):
        parts.append((x, category))
        rows -= len(x)
        if rows <= 0:
            break
    x, category = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    require_priors(law, np.bincount(category, minlength=law.classes))
    return x, category


def errors_of_averages(statistics: ExampleStatistics) -> tuple[float, float]:
    """Return the standard errors of mean and variance, each averaged over the sites, of independent examples.

    >>> x = np.array([[0.0], [2.0], [0.0], [2.0]])
    >>> errors_of_averages(ExampleStatistics(x, np.full(4, 0.25)))  # the deviations are all 1 in size
    (0.5, 0.0)
    """
    off = statistics.x - statistics.mean
    averages = off.mean(axis=1), (off**2).mean(axis=1)
    return tuple(float(each.std() / len(each) ** 0.5) for each in averages)


@dataclass(frozen=True, eq=False)
class StandardErrors:
    """Standard errors of the statistics of n sites; `covariance` is that with one site.

    That of the kurtosis is NaN at a site that does not vary.
    """

    mean: Float[np.ndarray, " n"]
    variance: Float[np.ndarray, " n"]
    kurtosis: Float[np.ndarray, " n"]
    covariance: Float[np.ndarray, " n"]


def standard_errors(statistics: ExampleStatistics, site: int) -> StandardErrors:
    """Return the standard errors of statistics of N independent examples, to leading order in 1/sqrt(N).

    Each is the standard deviation over the examples of what one of them adds, over sqrt(N). With d = x - m and
    z = d/sqrt(v) these are d of the mean, d^2 of the variance, d d_site of the covariance, and
    z^4 - 4 E[z^3] z - 2 E[z^4] z^2 of the kurtosis (von Mises).

    >>> x = np.array([[0.0], [2.0], [0.0], [2.0]])
    >>> found = standard_errors(ExampleStatistics(x, np.full(4, 0.25)), 0)
    >>> found.mean.tolist(), found.variance.tolist(), found.kurtosis.tolist()  # the deviations are all 1 in size
    ([0.5], [0.0], [0.0])
    """
    off = statistics.x - statistics.mean
    root, variance = len(off) ** 0.5, (off**2).mean(axis=0)
    z = off / np.where(variance > 0, variance, np.nan) ** 0.5
    return StandardErrors(
        mean=variance**0.5 / root,
        variance=(off**2).std(axis=0) / root,
        kurtosis=kurtosis_influence(z).std(axis=0) / root,
        covariance=(off * off[:, [site]]).std(axis=0) / root,
    )


def kurtosis_influence(z: Float[np.ndarray, "N n"]) -> Float[np.ndarray, "N n"]:
    """Return what each example of mean 0 and variance 1 adds to the kurtosis, z^4 - 4 E[z^3] z - 2 E[z^4] z^2.

    >>> kurtosis_influence(np.array([[-1.0], [1.0]])).tolist()
    [[-1.0], [-1.0]]
    """
    return z**4 - 4 * (z**3).mean(axis=0) * z - 2 * (z**4).mean(axis=0) * z**2


def require_priors(law: SampledLaw, counts: Int[np.ndarray, " C"]) -> None:
    """Raise InputError where the share of a class differs from its prior by more than six standard errors."""
    total = int(counts.sum())
    for c, (count, prior) in enumerate(zip(counts.tolist(), map(float, law.probabilities), strict=True)):
        if abs(count / total - prior) > SPREAD * (prior * (1 - prior) / total) ** 0.5:
            raise InputError(
                f"{law.origin} draws class {c} in {count} of {total} examples; its prior is {prior:.6g}.",
                f"Give data.priors as the law has them, class {c} about {count / total:.4g}.",
            )


def _require_size(law: SampledLaw, size: int) -> None:
    if GROUPS * size**2 > MOST_NUMBERS:
        most = int((MOST_NUMBERS / GROUPS) ** 0.5)
        raise OutOfReachError(
            f"A has {size} rows; the moments of {GROUPS} groups with more than {most} rows fill the memory.",
            "Use fewer sites or units.",
        )
    if law.estimate.examples < LEAST_EXAMPLES * size:
        raise OutOfReachError(
            f"{law.estimate.examples} examples are too few to estimate the moments of {size} features: the fit to the "
            "examples alone would explain a large part of y.",
            f"Write data.estimate = {{ examples = {LEAST_EXAMPLES * size} }} or more.",
        )
