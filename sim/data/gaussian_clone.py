"""Samples of the Gaussian clone: the Gaussian with the covariance of the nonlinear Gaussian process, by quadrature."""

import torch

from sim.data import quadrature
from sim.data.gaussian import GaussianSampler, gaussian_sampler
from sim.data.sample import sampler_of
from theory.problem import GaussianClone


@sampler_of.register
def clone_sampler(law: GaussianClone, device: torch.device, dtype: torch.dtype) -> GaussianSampler:
    """Return the sampler of x = z with the covariances of `sim.data.quadrature.covariance`."""
    covariances = [(quadrature.covariance(law, c),) for c in range(law.classes)]
    return gaussian_sampler(law, covariances, None, 1.0, device, dtype)
