"""Kernels of deep gated networks on data, from their weights and gates; no Jacobian, any number of inputs.

tangent_kernel      K of a network with given gates or an activation, layer by layer
split_kernel        K = K^w + K^a of a network whose gates a second network learns
convolution_tangent_kernel, convolution_path_kernel, convolution_gates_of   the same for circular convolutions
overlap, path_kernel   Lambda and H = Sigma o Lambda from the values of gates; gates_of gives the gates of a network
nu                  y^T K^-1 y, its condition number, and the normalised variants of the papers
cumulative_eigenvalues, trace_normalised, class_averages   the summaries that the papers plot

>>> import torch
>>> generator = torch.Generator().manual_seed(0)
>>> weights = [torch.randint(-3, 4, shape, generator=generator).double() for shape in ((8, 3), (8, 8), (1, 8))]
>>> x = torch.randint(-3, 4, (6, 3), generator=generator).double()
>>> gates = gates_of(weights[:-1], x, gate=lambda p: p > 0, activation=torch.relu)
>>> tangent_kernel(weights, x, activation=torch.relu).equal(tangent_kernel(weights, x, gates=gates))
True
>>> (path_kernel(x, gates) == (x @ x.T) * overlap(gates)).all().item()
True
"""

from sim.kernels.alignment import Alignment, nu
from sim.kernels.convolution import convolution_gates_of, convolution_path_kernel, convolution_tangent_kernel
from sim.kernels.overlap import overlap, path_kernel
from sim.kernels.passes import gates_of
from sim.kernels.summaries import class_averages, cumulative_eigenvalues, trace_normalised
from sim.kernels.tangent import SplitKernel, split_kernel, tangent_kernel

__all__ = [
    "Alignment",
    "SplitKernel",
    "class_averages",
    "convolution_gates_of",
    "convolution_path_kernel",
    "convolution_tangent_kernel",
    "cumulative_eigenvalues",
    "gates_of",
    "nu",
    "overlap",
    "path_kernel",
    "split_kernel",
    "tangent_kernel",
    "trace_normalised",
]
