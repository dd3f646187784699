"""Samples of a table: one of its examples at a time, by their probabilities."""

import numpy as np
import torch

from sim.data.finite import FiniteSampler
from sim.data.sample import sampler_of
from theory.problem import Table


@sampler_of.register
def table_sampler(law: Table, device: torch.device, dtype: torch.dtype) -> FiniteSampler:
    """Return the sampler of the table."""
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
