"""Samples of the nonlinear Gaussian process on a line: x = erf(gain z)/Z."""

import torch

from sim.data import quadrature
from sim.data.gaussian import GaussianSampler, gaussian_sampler
from sim.data.kept import kept
from sim.data.sample import sampler_of
from theory.problem import NonlinearGP, axis_correlations


@sampler_of.register
@kept
def erf_sampler(law: NonlinearGP, device: torch.device, dtype: torch.dtype) -> GaussianSampler:
    """Return the sampler of x = erf(gain z)/Z, z with the Kronecker product of the axes' kernels as covariance."""
    kernels = [axis_correlations(law, c) for c in range(law.classes)]
    gains = tuple(float(gain) for gain in law.gains)
    return gaussian_sampler(law, kernels, gains, quadrature.normaliser(law), device, dtype)
