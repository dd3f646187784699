"""How, and on which device, families of deep networks are trained."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import torch

from sim.deep.losses import KINDS
from sim.training.optimisers import Optimiser
from sim.training.schedule import device_named
from theory.problem import InputError
from theory.problem.numbers import one_of, positive, whole

_STOP_EVERY = 100  # steps


@dataclass(frozen=True)
class Settings:
    """How a family is trained: loss, optimiser, rate, examples a step, the seed of their order, precision and device.

    `rate` is one learning rate, or one for each member by its name. With `shared_batches` all replicates take the
    examples in one order, otherwise each in its own. A network stops once its loss on the whole set is at most
    `stop_below`, which is measured every `stop_every` steps, 100 by default.

    `device` is "cpu", "cuda" or "auto", cuda where there is one; the field then holds "cpu" or "cuda". Steps and
    measurements are computed there. What is drawn at random is drawn on the processor, so that training begins from the
    same bits on every device, and what comes back lies in the memory of the processor: states, stages, gates, means.

    Raises InputError for numbers out of range, `stop_every` without `stop_below` and an unknown device, OutOfReachError
    for cuda where there is none.

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
    stop_every: int | None = None
    dtype: torch.dtype = torch.float32
    device: str = "cpu"

    def __post_init__(self) -> None:
        one_of(self.loss, "loss", KINDS)
        rates = dict(self.rate) if isinstance(self.rate, Mapping) else {"": self.rate}
        for member, rate in rates.items():
            positive(rate, f"rate.{member}" if member else "rate", "it is a learning rate")
        if self.stop_below is not None:
            positive(self.stop_below, "stop_below", "a loss is not below 0")
        for name, least in (("batch", 1), ("seed", 0)):
            whole(getattr(self, name), name, least=least)
        if self.stop_every is not None:
            whole(self.stop_every, "stop_every", least=1)
            if self.stop_below is None:
                raise InputError(
                    f"stop_every = {self.stop_every} without stop_below: no network stops early.",
                    "Give the loss stop_below at which networks stop, or leave stop_every out.",
                )
        elif self.stop_below is not None:
            object.__setattr__(self, "stop_every", _STOP_EVERY)
        object.__setattr__(self, "device", device_named(self.device).type)

    def check_members(self, members: Collection[str]) -> None:
        """Raise InputError where a rate is given for what is no member.

        >>> Settings("half-mse", Optimiser(), {"relu": 0.1}, batch=32, seed=0).check_members(["relu", "dln"])
        """
        unknown = sorted(set(self.rate) - set(members)) if isinstance(self.rate, Mapping) else []
        if unknown:
            raise InputError(
                f"rate names {', '.join(unknown)}; the members are {', '.join(members)}.",
                "Give a rate for each member, by its name.",
            )

    def rate_of(self, member: str) -> float:
        """Return the learning rate of a member. Raises InputError where no rate is given for it."""
        if not isinstance(self.rate, Mapping):
            return self.rate
        if member not in self.rate:
            raise InputError(f"rate has no number for the member {member!r}.", "Give a rate for each member.")
        return self.rate[member]
