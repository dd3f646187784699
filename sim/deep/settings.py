"""How families of deep networks are trained."""

from collections.abc import Mapping
from dataclasses import dataclass

import torch

from sim.training.optimisers import Optimiser
from theory.problem import InputError
from theory.problem.numbers import whole


@dataclass(frozen=True)
class Settings:
    """How a family is trained: loss, optimiser, rate, examples a step, the seed of their order, and the precision.

    `rate` is one learning rate, or one for each member by its name. With `shared_batches` all replicates take the
    examples in one order, otherwise each in its own. A network stops once its loss on the whole set is at most
    `stop_below`, which is measured every `stop_every` steps. Raises InputError for numbers out of range.

    >>> Settings("half-mse", Optimiser(keep=0.9), 0.1, batch=32, seed=0).rate_of("relu")
    0.1
    """

    loss: str
    optimiser: Optimiser
    rate: float | Mapping[str, float]
    batch: int
    seed: int
    shared_batches: bool = False
    stop_below: float | None = None
    stop_every: int = 100
    dtype: torch.dtype = torch.float32

    def __post_init__(self) -> None:
        for name, least in (("batch", 1), ("seed", 0), ("stop_every", 1)):
            whole(getattr(self, name), name, least=least)
        rates = self.rate.values() if isinstance(self.rate, Mapping) else [self.rate]
        if not all(0 < rate < float("inf") for rate in rates):
            raise InputError(f"rate = {self.rate} must be a positive number.", "Give a learning rate above 0.")

    def rate_of(self, member: str) -> float:
        """Return the learning rate of a member. Raises InputError where no rate is given for it."""
        if not isinstance(self.rate, Mapping):
            return self.rate
        if member not in self.rate:
            raise InputError(f"rate has no number for the member {member!r}.", "Give a rate for each member.")
        return self.rate[member]
