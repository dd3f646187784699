"""Kernels of deep gated networks on data, from their weights and gates; no Jacobian, any number of inputs.

tangent_kernel      K of a network with given gates or an activation, layer by layer
overlap             Lambda from the values of gates; the path kernel is H = Sigma o Lambda
nu                  y^T K^-1 y of K or K/tr K, and its condition number
trace_normalised, class_averages   the summaries that the papers plot

`sim.deep.kernels_of` has the kernels of networks with convolutions, and K = K^w + K^a of those whose gates learn.

>>> import torch
>>> generator = torch.Generator().manual_seed(0)
>>> weights = [torch.randint(-3, 4, shape, generator=generator).double() for shape in ((8, 3), (8, 8), (1, 8))]
>>> x = torch.randint(-3, 4, (6, 3), generator=generator).double()
>>> first = x @ weights[0].T > 0
>>> gates = [first, (first * (x @ weights[0].T)) @ weights[1].T > 0]
>>> tangent_kernel(weights, x, activation=torch.relu).equal(tangent_kernel(weights, x, gates=gates))
True
"""

from sim.kernels.alignment import Alignment, nu
from sim.kernels.overlap import overlap
from sim.kernels.summaries import class_averages, trace_normalised
from sim.kernels.tangent import tangent_kernel

__all__ = [
    "Alignment",
    "class_averages",
    "nu",
    "overlap",
    "tangent_kernel",
    "trace_normalised",
]
