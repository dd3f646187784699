"""Samples of a table, and of other laws that are lists of examples: one example at a time, by their probabilities."""

import numpy as np
import torch

from sim.data.finite import FiniteSampler
from sim.data.sample import sampler_of
from theory.problem import Table
from theory.problem.distributions.rows import RowsLaw


def rows_sampler(law: RowsLaw, device: torch.device, dtype: torch.dtype) -> FiniteSampler:
    """Return the sampler of a law that is a list of examples."""
    rows = law.rows
    labels = torch.tensor(law.class_labels, dtype=dtype, device=device)
    return FiniteSampler(
        np.cumsum(rows.probabilities)[:-1],
        torch.tensor(rows.x, dtype=dtype, device=device),
        torch.tensor(law.category, device=device),
        labels[:, 0] if law.outputs == 1 else labels,
        None if rows.context is None else torch.tensor(rows.context, device=device),
        device,
        dtype,
    )


sampler_of.register(Table, rows_sampler)
