"""Kernels of gated networks at finite width: exact moments of the neural tangent kernel at initialisation.

GatedNetwork(inputs, levels, weights)   the question, in fractions; alike(width, depth, mu) has equal levels
mean, variance, covariance, cumulant    of entries of K0, exact, in time proportional to the depth
generating_function, relative_variance_bound   closed forms for equal levels
"""

from theory.kernels.equal_layers import generating_function, relative_variance_bound
from theory.kernels.network import (
    GAUSSIAN,
    SIGNS,
    WEIGHTS,
    AllOn,
    BernoulliGates,
    GatedNetwork,
    GivenValues,
    Level,
    WeightLaw,
    alike,
)
from theory.kernels.tangent import covariance, cumulant, mean, moment, variance

__all__ = [
    "GAUSSIAN",
    "SIGNS",
    "WEIGHTS",
    "AllOn",
    "BernoulliGates",
    "GatedNetwork",
    "GivenValues",
    "Level",
    "WeightLaw",
    "alike",
    "covariance",
    "cumulant",
    "generating_function",
    "mean",
    "moment",
    "relative_variance_bound",
    "variance",
]
