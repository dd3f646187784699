"""Samples of the Ising model on a grid, taken along its longer side: states are of the shorter one."""

import numpy as np
import torch

from sim.data.ising import Grid, IsingSampler, sampler
from sim.data.sample import sampler_of
from theory.problem.distributions.ising_2d import Ising2D


@sampler_of.register
def ising_2d_sampler(law: Ising2D, device: torch.device, dtype: torch.dtype) -> IsingSampler:
    """Return the sampler of a grid. Raises OutOfReachError where its conditional probabilities fill 268 MB."""
    (rows, columns), couplings = law.shape, tuple((float(down), float(across)) for down, across in law.couplings)
    places = None
    if columns > rows:
        couplings = tuple(pair[::-1] for pair in couplings)
        places = np.arange(law.n).reshape(columns, rows).T.ravel()
        rows, columns = columns, rows
    grid = Grid(rows, columns, law.boundary == "torus", couplings, tuple(float(h) for h in law.h))
    return sampler(law, grid, places, device, dtype)
