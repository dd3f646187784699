"""Kernels of gated networks at finite width: exact moments of the neural tangent kernel at initialisation.

GatedNetwork(inputs, levels, weights)   the question, in fractions; alike(width, depth, mu) has equal levels
mean, variance, covariance, cumulant    of entries of K0, exact, in time proportional to the depth
generating_function, relative_variance_bound   closed forms for equal levels
tail_bounds                               proved from the exact moments
overlap_moment, overlap_variance          of the number of paths that two inputs open
mean_matrix, mean_spectrum, equal_inputs_spectrum   E K0 of all pairs of inputs and its eigenvalues
equal_inputs_moments                      exact moments of the eigenvalues of K0 itself
linearised_errors, linearised_training    training as it would be if K0 stayed; along mini-batches and with momentum
adaptable_mean, sensitivity               K0 = K0^w + K0^a where gates are learned too
circular_means                            circular convolutions before and after global average pooling
"""

from theory.kernels.adaptable import adaptable_mean, sensitivity
from theory.kernels.equal_layers import generating_function, relative_variance_bound
from theory.kernels.linearised import linearised_errors, linearised_training
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
from theory.kernels.overlap import overlap_moment, overlap_variance
from theory.kernels.pooling import CircularMeans, circular_means
from theory.kernels.spectrum import (
    EqualInputsMoments,
    EqualInputsSpectrum,
    equal_inputs_moments,
    equal_inputs_spectrum,
    mean_matrix,
    mean_spectrum,
)
from theory.kernels.tails import TailBounds, tail_bounds
from theory.kernels.tangent import covariance, cumulant, mean, moment, variance

__all__ = [
    "GAUSSIAN",
    "SIGNS",
    "WEIGHTS",
    "AllOn",
    "BernoulliGates",
    "CircularMeans",
    "EqualInputsMoments",
    "EqualInputsSpectrum",
    "GatedNetwork",
    "GivenValues",
    "Level",
    "TailBounds",
    "WeightLaw",
    "adaptable_mean",
    "alike",
    "circular_means",
    "covariance",
    "cumulant",
    "equal_inputs_moments",
    "equal_inputs_spectrum",
    "generating_function",
    "linearised_errors",
    "linearised_training",
    "mean",
    "mean_matrix",
    "mean_spectrum",
    "moment",
    "overlap_moment",
    "overlap_variance",
    "relative_variance_bound",
    "sensitivity",
    "tail_bounds",
    "variance",
]
