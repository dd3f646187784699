"""Passes of training steps recorded once as a CUDA graph and replayed: one launch a step instead of about a hundred.

A recorded pass reads its rows at a fixed address, where those of each step are copied before it is replayed. Everything
else that it reads or changes (examples, gates that are given, weights, gradients, rates) keeps its address for the
whole call of `train_family`, so that a network that stops, whose rate becomes 0 in place, needs no new recording.
"""

from collections.abc import Callable
from functools import partial

import torch

from sim.training.backends.captured import Record, Work, cuda_graph

Pass = Callable[[torch.Tensor], None]


def recorder_on(device: str) -> Record | None:
    """Return what records a pass on a device; None where passes are not recorded.

    >>> recorder_on("cpu") is None
    True
    """
    return cuda_graph if device == "cuda" else None


class Replay:
    """A pass recorded at its first rows (S, `batch`); rows of another number, the last of an epoch, run plainly.

    `changed` are the tensors that the pass changes.

    >>> total = torch.zeros(1)
    >>> replay = Replay((total,), 2, lambda work, changed: work)
    >>> for rows in ([[1, 2]], [[3, 4]], [[5]]):
    ...     replay(lambda rows: total.add_(rows.sum()), torch.tensor(rows))
    >>> total.item()
    15.0
    """

    def __init__(self, changed: tuple[torch.Tensor, ...], batch: int, record: Record) -> None:
        self._changed, self._batch, self._record = changed, batch, record
        self._rows: torch.Tensor | None = None

    def __call__(self, work: Pass, rows: torch.Tensor) -> None:
        """Do the work on the rows: always the same work, which is not kept, since it may keep this object."""
        if rows.shape[1] != self._batch:
            work(rows)
            return
        if self._rows is None:
            self._rows = rows.clone()
            self._again: Work = self._record(partial(work, self._rows), self._changed)
        self._rows.copy_(rows)
        self._again()
