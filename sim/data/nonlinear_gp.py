"""Samples of the nonlinear Gaussian process on a line: x = f(gain z)/Z."""

import torch

from sim.data import quadrature
from sim.data.gaussian import GaussianSampler, gaussian_sampler
from sim.data.kept import kept
from sim.data.sample import sampler_of
from theory.problem import NonlinearGP, axis_correlations


@sampler_of.register
@kept
def process_sampler(law: NonlinearGP, device: torch.device, dtype: torch.dtype) -> GaussianSampler:
    """Return the sampler of x = f(gain z)/Z, z with the Kronecker product of the axes' kernels as covariance."""
    kernels = [axis_correlations(law, c) for c in range(law.classes)]
    return gaussian_sampler(law, kernels, float(law.gain), quadrature.normaliser(law), device, dtype)
