"""Samples of the nonlinear Gaussian process on a line: x = f(gain z)/Z."""

import numpy as np
import torch

from sim.data import quadrature
from sim.data.gaussian import GaussianSampler, gaussian_sampler
from sim.data.kept import kept
from sim.data.sample import sampler_of
from theory.problem import NonlinearGP, axis_correlations
from theory.problem.lags import kernel_rows


@sampler_of.register
@kept
def process_sampler(law: NonlinearGP, device: torch.device, dtype: torch.dtype) -> GaussianSampler:
    """Return the sampler of x = f(gain z)/Z, z with the covariance R_c of the law."""
    kernels = [_kernels(law, c) for c in range(law.classes)]
    gains = tuple(float(gain) for gain in law.gains)
    return gaussian_sampler(law, kernels, gains, quadrature.normaliser(law), device, dtype)


def _kernels(law: NonlinearGP, c: int) -> tuple[np.ndarray, ...]:
    """Return the kernel of each axis, or the first row of an isotropic R_c, whose matrix may not fit into memory."""
    return (kernel_rows(law, c)[0][0],) if law.isotropic else axis_correlations(law, c)
