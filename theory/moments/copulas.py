"""Gaussian copulas with given marginals: the correlations of the latent that give a covariance, and independent sites.

    process_with(law, nonlinearity)   marginals of one shape at every site, the covariance of `law`
    copula_with(law)                  the marginals and the covariance of `law`
    independent(law)                  the marginals of `law`, no correlations

A covariance that no Gaussian copula with the marginals has is refused with its numbers: the range of a pair of sites,
or the least eigenvalue of the correlations that the pairs need.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from jaxtyping import Float

from theory.moments.arithmetic import FLOAT64
from theory.moments.gaussian_copula import Steps
from theory.moments.inputs import InputStatistics, Values
from theory.moments.kept_statistics import inputs_of, means_of, priors_of, rows_of
from theory.moments.nonlinear_gp_matrix import unit_process
from theory.moments.nonlinearities.dispatch import statistics_through
from theory.problem import InputError, Law, NonlinearGP, NonlinearGP2D, Nonlinearity, OutOfReachError
from theory.problem.correlations.table import TableCorrelation
from theory.problem.distributions.gaussian import Gaussian
from theory.problem.distributions.gaussian_copula import GaussianCopula
from theory.problem.distributions.nonlinear_gp_matrix import NonlinearGPMatrix
from theory.problem.distributions.sampled import SampledLaw

_AT_RHO = 1e-15  # of a correlation, where a root is found
_ROUNDING = 1e-13  # of a covariance, relative to the standard deviations
_MOST_STEPS = 100  # of the search for a root, which takes about ten
MOST_NUMBERS = 4_000_000  # of the values of all sites and classes
MOST_TERMS = 10**9  # of the sums over pairs of jumps, about a minute
_NODES = 160  # of an integral over the correlation, about, times the steps of a search


def process_with(law: Law, nonlinearity: Nonlinearity) -> NonlinearGPMatrix:
    """Return the law "nlgp-matrix" of this f with the mean and the covariance of `law` in each class.

    Raises OutOfReachError for laws without a covariance, InputError where no latent has the correlations.

    >>> from theory.moments.inputs import input_statistics
    >>> from theory.problem import FiniteData, Uniform
    >>> points = FiniteData([[0, 1], [1, 0], [2, 2], [3, 1]], [1, 1, 1, 1])
    >>> copy = process_with(points, Uniform())
    >>> off = input_statistics(copy, 0).covariance - input_statistics(points, 0).covariance
    >>> bool(np.abs(off).max() < 1e-13)
    True
    """
    found = inputs_of(law)
    scales = np.stack([np.sqrt(own.variance) for own in found])
    matrices = []
    for own, s in zip(found, scales, strict=True):
        correlation = np.eye(law.n)
        i, j = np.tril_indices(law.n, -1)
        moving = (s[i] > 0) & (s[j] > 0)
        i, j = i[moving], j[moving]
        wanted = own.covariance[i, j] / (s[i] * s[j])
        correlation[i, j] = correlation[j, i] = latent_correlations(nonlinearity, wanted)
        matrices.append(correlation)
    try:
        return NonlinearGPMatrix(
            nonlinearity, law.labels, np.stack(matrices), scales, priors=priors_of(law), means=means_of(found),
            rows=rows_of(law),
        )  # fmt: skip
    except InputError as error:
        raise _impossible(f"the marginals {nonlinearity.kind}", error) from None


def latent_correlations(nonlinearity: Nonlinearity, wanted: Float[np.ndarray, " d"]) -> Float[np.ndarray, " d"]:
    """Return the correlations of two latents whose inputs f(z)/Z have the correlations `wanted`, -1 to 1.

    Those of Gaussian inputs are the same:

    >>> from theory.problem import Identity
    >>> latent_correlations(Identity(), np.array([1.0, 0.5, -0.25])).round(12).tolist()
    [1.0, 0.5, -0.25]
    """
    process = unit_process(nonlinearity)
    one = statistics_through(process.nonlinearity, process, 0, FLOAT64)
    # Above 1 by rounding alone: a covariance has no larger entries.
    distinct, place = np.unique(np.minimum(np.abs(wanted), 1), return_inverse=True)
    found = _roots(lambda rho: one.at(rho).covariances, distinct)[place]
    return np.sign(wanted) * np.where(found < _AT_RHO, 0.0, found)


def _roots(
    function: Callable[[Float[np.ndarray, " d"]], Float[np.ndarray, " d"]], targets: Float[np.ndarray, " d"]
) -> Float[np.ndarray, " d"]:
    """Return the x in [0, 1] at which an increasing function from 0 to 1 has the targets: Illinois' false position."""
    x = np.where(targets < 1, 0.0, 1.0)
    k = np.flatnonzero((targets > 0) & (targets < 1))
    low, high, below, above = np.zeros(len(k)), np.ones(len(k)), -targets[k], 1 - targets[k]
    moved = np.zeros(len(k))  # -1 where the lower end moved last, 1 where the upper end did
    for _ in range(_MOST_STEPS):
        if not len(k):
            return x
        new = (low * above - high * below) / (above - below)
        value = function(new) - targets[k]
        left = (np.abs(new - x[k]) > _AT_RHO) & (value != 0)
        x[k] = new
        up = value > 0
        # An end that stays twice counts half, so that both ends move.
        below = np.where(up, np.where(moved > 0, below / 2, below), value)
        above = np.where(up, value, np.where(moved < 0, above / 2, above))
        low, high, moved = np.where(up, low, new), np.where(up, new, high), np.where(up, 1, -1)
        k, low, high, below, above, moved = (own[left] for own in (k, low, high, below, above, moved))
    raise OutOfReachError(
        f"The correlation of a latent was not found in {_MOST_STEPS} steps.", "Choose other marginals."
    )


def copula_with(law: Law) -> GaussianCopula:
    """Return the Gaussian copula of the marginals of `law` with its covariance: what differs is of higher order.

    Raises OutOfReachError for marginals that have no finitely many values, and for more pairs of jumps than can be
    summed; InputError where no Gaussian copula has the covariance.

    >>> from theory.moments.inputs import input_statistics
    >>> from theory.problem import FiniteData
    >>> points = FiniteData([[0, 1], [1, 0], [2, 2], [3, 1]], [1, 1, 1, 1])
    >>> off = input_statistics(copula_with(points), 0).covariance - input_statistics(points, 0).covariance
    >>> bool(np.abs(off).max() < 1e-13)
    True
    """
    found, plain = inputs_of(law), independent_values(law)
    jumps = sum(float((np.diff(own, axis=1) > 0).sum()) ** 2 for own in plain.levels)
    if jumps * _NODES > MOST_TERMS:
        raise OutOfReachError(
            f"The marginals have {jumps:.3g} pairs of jumps; the integrals of more than {MOST_TERMS / _NODES:.3g} take "
            "minutes.",
            "Use fewer sites or values, or the control `independent`.",
        )
    matrices = np.stack([_correlations(plain, c, own) for c, own in enumerate(found)])
    try:
        return replace(plain, correlations=matrices)
    except InputError as error:
        raise _impossible(f"the marginals of {law.law}", error) from None


def _correlations(plain: GaussianCopula, c: int, own: InputStatistics) -> Float[np.ndarray, "n n"]:
    from scipy.optimize import brentq

    steps = [Steps.of(plain, c, site) for site in range(plain.n)]
    correlation = np.eye(plain.n)
    for i, j in zip(*np.tril_indices(plain.n, -1), strict=True):
        one, other, wanted = steps[i], steps[j], float(own.covariance[i, j])
        least, most = (one.covariance(other, end) for end in (-1.0, 1.0))
        rounding = _ROUNDING * float(np.sqrt(own.covariance[i, i] * own.covariance[j, j]))
        if abs(wanted) <= rounding:
            continue
        if not least - rounding <= wanted <= most + rounding:
            raise InputError(
                f"Sites {i} and {j} of class {c} have the covariance {wanted:.6g}; a Gaussian copula of their "
                f"marginals has {least:.6g} to {most:.6g}.",
                "Use the control `independent`.",
            )
        if wanted >= most or wanted <= least:
            rho = 1.0 if wanted > 0 else -1.0
        else:
            rho = brentq(_less(one, other, wanted), -1, 1, xtol=_AT_RHO)
        correlation[i, j] = correlation[j, i] = rho
    return correlation


def _less(one: Steps, other: Steps, wanted: float) -> Callable[[float], float]:
    """Return the covariance by the correlation of the latents, less the one that is wanted."""
    return lambda rho: one.covariance(other, rho) - wanted


def independent(law: Law) -> Law:
    """Return the law of independent sites with the marginals of `law` in each class.

    Raises OutOfReachError for marginals with a density of laws without a Gaussian latent.

    >>> law = NonlinearGP(4, (2, 1), 1, "open", "none", (1, 0))
    >>> from theory.moments.inputs import input_statistics
    >>> one, other = (input_statistics(own, 0) for own in (law, independent(law)))
    >>> np.array_equal(other.covariance, np.diag(one.variance))
    True
    """
    if isinstance(law, NonlinearGP) and not law.clipped:
        grid = {"grid": "separable"} if isinstance(law, NonlinearGP2D) else {}
        return replace(law, correlation=TableCorrelation([1]), xi=(), **grid)
    if isinstance(law, Gaussian):
        matrices = np.stack([np.diag(own.diagonal()) for own in law.matrices])
        return replace(law, covariance=matrices, file="", sha256="")
    if isinstance(law, NonlinearGPMatrix):
        matrices = np.stack([np.eye(law.n)] * law.classes)
        return replace(law, correlations=matrices, scales=law.deviations, file="", sha256="")
    return independent_values(law)


def independent_values(law: Law) -> GaussianCopula:
    """Return independent sites with the values of `law`. Raises OutOfReachError for marginals with a density.

    >>> from theory.problem import FiniteData
    >>> independent_values(FiniteData([[0], [1], [1]], [1, 1, 1])).levels.tolist()
    [[[0.0, 1.0]]]
    """
    found = [[own.marginal(site) for site in range(law.n)] for own in inputs_of(law)]
    flat = [marginal for own in found for marginal in own]
    if not all(isinstance(marginal, Values) for marginal in flat):
        raise OutOfReachError(
            f"The marginals of the law {law.law!r} have densities, and it has no Gaussian latent.",
            "Use a law with a latent such as nlgp, or one with finitely many values.",
        )
    most = max(len(marginal.values) for marginal in flat)
    if len(flat) * most > MOST_NUMBERS:
        raise OutOfReachError(
            f"The marginals have up to {most} values at {len(flat)} sites of all classes, more than {MOST_NUMBERS} "
            "numbers.",
            "Use fewer sites or, for a law that is estimated, fewer examples.",
        )
    levels, weights = np.zeros((2, law.classes, law.n, most))
    for place, marginal in zip(np.ndindex(law.classes, law.n), flat, strict=True):
        own = np.array(marginal.values, float)
        levels[place] = np.pad(own, (0, most - len(own)), mode="edge")
        shares = np.array(marginal.probabilities, float)
        weights[place][: len(own)] = shares / shares.sum()  # which counts of many examples miss by roundings
    estimate = {"estimate": law.estimate} if isinstance(law, SampledLaw) else {}
    return GaussianCopula(law.labels, levels, weights, priors=priors_of(law), rows=rows_of(law), **estimate)


def _impossible(what: str, error: InputError) -> InputError:
    return InputError(
        f"No Gaussian copula with {what} has this covariance: {error.message}",
        "Choose marginals closer to those of the law, or a shorter correlation length.",
    )
