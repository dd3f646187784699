"""Samples of the nonlinear Gaussian process with a correlation matrix: f of a coloured vector, times the scales."""

import math

import torch

from sim.data.gaussian import GaussianSampler, factors_of_matrices
from sim.data.quadrature import second_moment
from sim.data.sample import sampler_of
from theory.problem.distributions.nonlinear_gp_matrix import NonlinearGPMatrix


@sampler_of.register
def matrix_process_sampler(law: NonlinearGPMatrix, device: torch.device, dtype: torch.dtype) -> GaussianSampler:
    """Return the sampler of f(z)/Z, whose sites are then scaled."""
    factors, root = factors_of_matrices(law, device, dtype), math.sqrt(second_moment(law.nonlinearity, 1.0))
    scales = torch.tensor(law.deviations, dtype=dtype, device=device)
    return GaussianSampler(law, device, dtype, factors, 1.0, root, scales)
