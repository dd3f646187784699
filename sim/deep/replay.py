"""Passes of training steps recorded once as a CUDA graph and replayed: one launch a step instead of about a hundred.

A recorded pass reads its rows at a fixed address, where those of each step are copied before it is replayed. Everything
else that it reads or changes (examples, gates that are given, weights, gradients, rates) keeps its address for the
whole call of `train_family`, so that a network that stops, whose rate becomes 0 in place, needs no new recording.
"""

from collections.abc import Callable
from functools import partial

import torch

from sim.training.backends.captured import Record, Work, checked, cuda_graph

Pass = Callable[[torch.Tensor], None]


def recorder_on(device: str) -> Record | None:
    """Return what records a pass on a device; None where passes are not recorded.

    >>> recorder_on("cpu") is None
    True
    """
    return checked(cuda_graph) if device == "cuda" else None


def replayed(work: Pass, changed: tuple[torch.Tensor, ...], batch: int, record: Record) -> Pass:
    """Return `work` recorded at its first rows (S, `batch`); rows of another number, the last of an epoch, run plainly.

    `changed` are the tensors that the work changes.

    >>> total = torch.zeros(1)
    >>> step = replayed(lambda rows: total.add_(rows.sum()), (total,), 2, lambda work, changed: work)
    >>> for rows in ([[1, 2]], [[3, 4]], [[5]]):
    ...     step(torch.tensor(rows))
    >>> total.item()
    15.0
    """
    fixed: list[tuple[torch.Tensor, Work]] = []

    def step(rows: torch.Tensor) -> None:
        if rows.shape[1] != batch:
            work(rows)
            return
        if not fixed:
            own = rows.clone()
            fixed.append((own, record(partial(work, own), changed)))
        ((own, again),) = fixed
        own.copy_(rows)
        again()

    return step
