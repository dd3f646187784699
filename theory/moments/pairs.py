"""Lags of laws whose sites have any covariance: the number i n + k of a pair of sites stands in place of a distance."""

from functools import cached_property
from typing import ClassVar

import numpy as np
from jaxtyping import Float, Int

from theory.moments.arithmetic import FLOAT64, Arithmetic, Numbers
from theory.moments.feature_moments import FeatureMoments
from theory.moments.table import SampleMoments
from theory.problem import OutOfReachError


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


def of_any_rank(found: FeatureMoments, certain: bool) -> FeatureMoments:
    """Return moments whose rank is right where it is not certain that the features are independent: that of float64.

    Raises OutOfReachError for balls.
    """
    if certain:
        return found
    if found.arithmetic is not FLOAT64:
        raise OutOfReachError(
            "The features of gates and inputs may be linearly dependent: the covariance is singular, or not certain to "
            "be regular, in every class, or the inputs are constant on intervals. The rank is known in float64 alone.",
            "Leave the digits out, or give a class a covariance whose eigenvalues are all above rounding.",
        )
    return SampleMoments(found.assembled(), found.b.reshape(len(found.b), -1), float(found.y2))
