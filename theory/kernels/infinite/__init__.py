"""Infinitely wide networks: tangent kernel and covariance of outputs, with duals derived by the Gaussian engine.

    activation(text)              an activation s(h): a name of ACTIVATIONS, leaky-relu:SLOPE, or a formula in h
    dual(activation)              E[s(z) s(z')] and E[s'(z) s'(z')] in the variances p, q and the covariance c
    WideNetwork(activation, depth, ...)   the network: variances of weights and biases, convention of the last layer
    certified_kernel(network, correlation, ...)   certified digits at one pair of inputs
    gram_kernels(gram, network)   both kernels of a Gram matrix, in NumPy or torch

The names are imported on first use.
"""

from typing import TYPE_CHECKING

from theory.problem.first_use import on_first_use

if TYPE_CHECKING:
    from theory.kernels.infinite.activations import ACTIVATIONS, Activation, activation
    from theory.kernels.infinite.arrays import GramKernels, gram_kernels
    from theory.kernels.infinite.certified import certified_kernel
    from theory.kernels.infinite.duals import Dual, dual
    from theory.kernels.infinite.network import WideNetwork

__all__ = [
    "ACTIVATIONS",
    "Activation",
    "Dual",
    "GramKernels",
    "WideNetwork",
    "activation",
    "certified_kernel",
    "dual",
    "gram_kernels",
]

__getattr__, __dir__ = on_first_use(
    __name__,
    {
        "activations": "ACTIVATIONS Activation activation",
        "arrays": "GramKernels gram_kernels",
        "certified": "certified_kernel",
        "duals": "Dual dual",
        "network": "WideNetwork",
    },
)
