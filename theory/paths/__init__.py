"""The path view of a gated network with given weights: its output, and its kernels, as sums over paths, in fractions.

WeightedNetwork(gated, weights)      the question; weighted(inputs, gates, weights) builds it from rows
evaluated                            the deep network of a problem, as WeightedNetwork or ConvolutionalNetwork
relu_network, linearly_gated         networks whose gates follow from pre-activations
paths, activities, features, values  the paths, at most MOST_PATHS; active_paths and their number
output_over_paths, output            y = <phi, v>, and the same layer by layer
overlap, path_kernel, tangent_kernel Lambda, H = Sigma o Lambda and K without enumeration
value_tangent_kernel, interaction    sums over pairs of paths, which K = Phi^T V Phi uses
adaptation_kernel, sensitivity_overlap   K^a and delta of gates that learn
feature_change, switching_instants   when features change
"""

from theory.paths.enumeration import (
    MOST_PATHS,
    active_paths,
    activities,
    features,
    forward,
    number_active,
    output,
    output_over_paths,
    paths,
    value_gradients,
    values,
)
from theory.paths.evaluate import evaluated
from theory.paths.gating import linear_gates, linearly_gated, relu_gates, relu_network
from theory.paths.kernels import (
    input_gram,
    interaction,
    overlap,
    path_kernel,
    tangent_kernel,
    tangent_kernel_over_paths,
    value_tangent_kernel,
)
from theory.paths.network import WeightedNetwork, weighted
from theory.paths.split import adaptation_kernel, sensitivity_overlap
from theory.paths.switching import feature_change, switching_instants

__all__ = [
    "MOST_PATHS",
    "WeightedNetwork",
    "active_paths",
    "activities",
    "adaptation_kernel",
    "evaluated",
    "feature_change",
    "features",
    "forward",
    "input_gram",
    "interaction",
    "linear_gates",
    "linearly_gated",
    "number_active",
    "output",
    "output_over_paths",
    "overlap",
    "path_kernel",
    "paths",
    "relu_gates",
    "relu_network",
    "sensitivity_overlap",
    "switching_instants",
    "tangent_kernel",
    "tangent_kernel_over_paths",
    "value_gradients",
    "value_tangent_kernel",
    "values",
    "weighted",
]
