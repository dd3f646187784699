"""The optimisers of families, by the definitions and the default numbers of torch.optim, and their step in place."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import inf

import torch
from torch.optim.adam import adam as adam_of_torch

from sim.training.optimisers import OPTIMISERS, Optimiser
from theory.problem import OutOfReachError

SGD = Optimiser()


def momentum(keep: float) -> Optimiser:
    """Return gradient descent with momentum: m <- keep m + dL/dw, w <- w - rate m.

    >>> momentum(0.9).keep
    0.9
    """
    return OPTIMISERS["momentum"](keep, 0.0, 0.0)


def rmsprop(square: float = 0.99, epsilon: float = 1e-8) -> Optimiser:
    """Return RMSprop: v <- square v + (1 - square) (dL/dw)^2, w <- w - rate dL/dw / (sqrt(v) + epsilon).

    >>> rmsprop().square
    0.99
    """
    return OPTIMISERS["rmsprop"](0.0, square, epsilon)


def adam(keep: float = 0.9, square: float = 0.999, epsilon: float = 1e-8) -> Optimiser:
    """Return Adam with corrected means: w <- w - rate m / (1 - keep^t) / (sqrt(v / (1 - square^t)) + epsilon).

    >>> adam().corrected
    True
    """
    return OPTIMISERS["adam"](keep, square, epsilon)


@dataclass(frozen=True, eq=False)
class Moved:
    """Views of what a step at one rate moves, in entries of theta, dL/dtheta, m, v and the number of earlier steps.

    m and v are the means of the gradient and of its square; for the number see `step_count`. On the processor each
    network has entries of its own, so that its numbers do not depend on the others: the last numbers of an entry, which
    fill no register, are rounded differently. A GPU computes number by number, and each entry costs its host time;
    there neighbours of one rate share an entry.
    """

    thetas: list[torch.Tensor] = field(default_factory=list)
    gradients: list[torch.Tensor] = field(default_factory=list)
    first: list[torch.Tensor] = field(default_factory=list)
    second: list[torch.Tensor] = field(default_factory=list)
    steps: list[torch.Tensor] = field(default_factory=list)

    def add(self, *views: torch.Tensor) -> None:
        """Add an entry: theta, dL/dtheta, m, v and the number of steps, one view for each."""
        lists = (self.thetas, self.gradients, self.first, self.second, self.steps)
        for entries, view in zip(lists, views, strict=True):
            entries.append(view)


def step_count(optimiser: Optimiser, step: int, device: torch.device | str = "cpu") -> torch.Tensor:
    """Return the number of steps taken, infinite for optimisers that correct no mean: keep^t and square^t are then 0.

    >>> step_count(rmsprop(), 3), step_count(adam(), 3)
    (tensor(inf), tensor(3.))
    """
    return torch.full((), float(step) if optimiser.corrected else inf, dtype=torch.float32, device=device)


def moved_by_rate(
    stacks: Iterable[tuple[Sequence[float], torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]],
    optimiser: Optimiser,
    step: int,
) -> dict[float, Moved]:
    """Return what a step moves, by its rate; networks of the rate 0 are left out.

    Each stack has the rates of its networks, theta, dL/dtheta, m and v; there may be more rates and theta, of networks
    that do not learn. `step` is the number of earlier steps. See `Moved` for the entries.

    >>> theta, *others = (torch.zeros(3, 2) for _ in range(4))
    >>> (moved,) = moved_by_rate([([0.1, 0.0, 0.1], theta, *others)], adam(), 0).values()
    >>> len(moved.thetas)
    2
    """
    found: dict[float, Moved] = {}
    for rates, *tensors in stacks:
        device = tensors[0].device
        learned = rates[: min(map(len, tensors))]
        for rate, networks in _neighbours(learned, apart=device.type == "cpu"):
            if rate:
                views = [tensor[networks] for tensor in tensors]
                found.setdefault(rate, Moved()).add(*views, step_count(optimiser, step, device))
    return found


def _neighbours(rates: Sequence[float], apart: bool) -> Iterator[tuple[float, slice]]:
    """Yield each rate and its networks: one by one, or else the neighbours of one rate together.

    >>> list(_neighbours([0.1, 0.1, 0.2], apart=False))
    [(0.1, slice(0, 2, None)), (0.2, slice(2, 3, None))]
    """
    count = len(rates)
    ends = [end for end in range(1, count + 1) if apart or end == count or rates[end] != rates[end - 1]]
    for first, end in pairwise([0, *ends]):
        yield rates[first], slice(first, end)


def descend(optimiser: Optimiser, moved: Moved, rate: float) -> None:
    """Take a step by the definition of `Optimiser`, in place, at one rate.

    Each number is read and written once, by torch's fused step of Adam: RMSprop is Adam that keeps nothing of earlier
    gradients and corrects no mean. Raises OutOfReachError for other optimisers that divide by a root.

    >>> theta, gradient, mean, square = (torch.full((1,), value) for value in (1.0, 4.0, 0.5, 0.0))
    >>> moved = Moved()
    >>> moved.add(theta, gradient, mean, square, step_count(momentum(0.5), 0))
    >>> descend(momentum(0.5), moved, 0.1)
    >>> mean.item(), round(theta.item(), 6)  # 0.5 x 0.5 + 4, and 1 - 0.1 x 4.25
    (4.25, 0.575)
    """
    if optimiser.square is None:
        for theta, dx, m in zip(moved.thetas, moved.gradients, moved.first, strict=True):
            m.mul_(optimiser.keep).add_(dx, alpha=optimiser.take)
            theta.add_(m, alpha=-rate)
        return
    if optimiser.take != 1 - optimiser.keep:
        raise OutOfReachError(
            f"{optimiser!r} divides by a root and takes a share of the gradient other than 1 - keep.",
            "Use rmsprop() or adam().",
        )
    adam_of_torch(
        moved.thetas,
        moved.gradients,
        moved.first,
        moved.second,
        [],
        moved.steps,
        fused=True,
        amsgrad=False,
        beta1=optimiser.keep,
        beta2=optimiser.square,
        lr=rate,
        weight_decay=0.0,
        eps=optimiser.epsilon,
        maximize=False,
    )
