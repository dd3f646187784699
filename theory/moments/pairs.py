"""Lags of laws whose sites have any covariance: the number i n + k of a pair of sites stands in place of a distance."""

from functools import cached_property
from typing import ClassVar

import numpy as np
from jaxtyping import Float, Int

from theory.moments.arithmetic import FLOAT64, Arithmetic, Numbers
from theory.moments.estimated import SampleMoments
from theory.moments.feature_moments import FeatureMoments
from theory.problem import OutOfReachError
from theory.problem.distributions.gaussian import Gaussian
from theory.problem.distributions.nonlinear_gp_matrix import NonlinearGPMatrix


class ByPairs:
    """The part of the statistics of a class that numbers the pairs of sites."""

    by_distance: ClassVar[bool] = False

    @cached_property
    def lags(self) -> Int[np.ndarray, "n n"]:
        """The number of each pair of sites."""
        return np.arange(self.law.n**2).reshape(self.law.n, self.law.n)

    def lags_of(self, site: int) -> Int[np.ndarray, " n"]:
        """The numbers of the pairs of one site with all."""
        return self.lags[site]


def numbers(entries: Float[np.ndarray, "..."], arithmetic: Arithmetic) -> Numbers:
    """Return float64 numbers in an arithmetic, exactly.

    >>> numbers(np.array([0.5]), FLOAT64).tolist()
    [0.5]
    """
    if arithmetic is FLOAT64:
        return entries
    from flint import arb

    return np.array([arb(entry) for entry in entries.ravel().tolist()], dtype=object).reshape(entries.shape)


def of_any_rank(law: Gaussian | NonlinearGPMatrix, found: FeatureMoments) -> FeatureMoments:
    """Return moments whose rank is right where the matrices of the law are singular: then it is that of float64.

    Raises OutOfReachError for balls of singular matrices.
    """
    if law.regular:
        return found
    if found.arithmetic is not FLOAT64:
        raise OutOfReachError(
            "The covariance is singular, or not certain to be regular, in every class: gates and inputs of different "
            "sites may then be linearly dependent, and the rank of the features is known in float64 alone.",
            "Leave the digits out, or give a class a covariance whose eigenvalues are all above rounding.",
        )
    return SampleMoments(found.assembled(), found.b.reshape(len(found.b), -1), float(found.y2))
