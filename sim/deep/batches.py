"""A fixed set of examples, and the order in which its mini-batches are taken."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch

from theory.problem import InputError

_ORDER = 2  # part of the key of the draws, after that of gates


@dataclass(frozen=True, eq=False)
class ExampleSet:
    """N inputs x, (N, n), and their labels y: (N, m), or (N,) classes of type int64.

    Raises InputError for other shapes, no example, and numbers that are not finite.
    """

    x: torch.Tensor
    y: torch.Tensor

    def __post_init__(self) -> None:
        if self.x.ndim != 2 or not self.x.numel() or len(self.y) != len(self.x):
            raise InputError(
                f"x has the shape {tuple(self.x.shape)} and y {tuple(self.y.shape)}; x is (N, n), and y has N rows.",
                "Give one row for each example.",
            )
        if not self.x.is_floating_point() or not bool(self.x.isfinite().all() & self.y.isfinite().all()):
            raise InputError("x and y must be finite numbers, x of a floating-point type.", "Remove NaN and infinity.")

    def to(self, dtype: torch.dtype, device: str = "cpu") -> "ExampleSet":
        """Return the set in a floating-point type on a device; classes stay whole numbers."""
        kind = dtype if self.y.is_floating_point() else self.y.dtype
        return ExampleSet(self.x.to(device, dtype), self.y.to(device, kind))


def rows_of_batches(
    examples: int, batch: int, seed: int, replicates: int, step: int = 0, device: str = "cpu"
) -> Iterator[torch.Tensor]:
    """Yield the rows (S, B) of successive mini-batches from a step on; (1, N) for batches of the whole set.

    An epoch takes each example once, in an order that depends on the seed, the replicate and the epoch alone; its last
    batch is smaller where `batch` does not divide N. So a resumed run sees the batches of the uninterrupted one. The
    orders of an epoch go to the device at once, and the batches are views of them.

    >>> first = rows_of_batches(5, 2, 0, 3)
    >>> epoch = torch.cat([next(first) for _ in range(3)], dim=1)
    >>> epoch.shape, epoch.sort(dim=1).values[0].tolist()
    (torch.Size([3, 5]), [0, 1, 2, 3, 4])
    """
    if batch >= examples:
        every = torch.arange(examples, device=device).unsqueeze(0)
        while True:
            yield every
    epoch, begun = divmod(step, -(-examples // batch))
    while True:
        orders = torch.stack([_order(examples, seed, replicate, epoch) for replicate in range(replicates)]).to(device)
        for start in range(begun * batch, examples, batch):
            yield orders[:, start : start + batch]
        epoch, begun = epoch + 1, 0


def _order(examples: int, seed: int, replicate: int, epoch: int) -> torch.Tensor:
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(replicate, _ORDER, epoch)))
    return torch.from_numpy(rng.permutation(examples))
