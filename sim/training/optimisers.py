"""Optimisers, whose steps depend on the gradient and on its running means."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf

import torch
from torch.optim.adam import adam as adam_of_torch

from theory.problem import OutOfReachError, Simulation

Tensors = Sequence[torch.Tensor]


@dataclass(frozen=True)
class Optimiser:
    """w <- w - rate m/(sqrt(v) + epsilon), m <- keep m + take dL/dw, v <- square v + (1 - square) (dL/dw)^2.

    Without `square` the step is rate m. `corrected` divides m by 1 - keep^t and v by 1 - square^t at step t = 1, 2, ...
    """

    keep: float = 0.0
    take: float = 1.0
    square: float | None = None
    epsilon: float = 0.0
    corrected: bool = False

    @property
    def plain(self) -> bool:
        """Whether the optimiser is gradient descent without memory."""
        return self.keep == 0 and self.square is None


def optimiser_of(settings: Simulation) -> Optimiser:
    """Return the optimiser that the settings name. Raises OutOfReachError for one that is not implemented.

    >>> from fractions import Fraction
    >>> settings = Simulation("online", 100, Fraction(1, 10), 2, 0, 8, optimizer="momentum", momentum=Fraction(3, 4))
    >>> optimiser_of(settings)
    Optimiser(keep=0.75, take=1.0, square=None, epsilon=0.0, corrected=False)
    """
    if settings.optimizer not in OPTIMISERS:
        raise OutOfReachError(
            f'No simulation of the optimizer "{settings.optimizer}".',
            f"Add it to sim/training/optimisers.py. There are: {', '.join(OPTIMISERS)}.",
        )
    keep, square, epsilon = (
        0.0 if value is None else float(value) for value in (settings.momentum, settings.decay, settings.epsilon)
    )
    return OPTIMISERS[settings.optimizer](keep, square, epsilon)


def descend(
    optimiser: Optimiser, thetas: Tensors, gradients: Tensors, first: Tensors, second: Tensors, step: int, rate: float
) -> None:
    """Take a step by the definition of `Optimiser`, in place, after `step` earlier ones; `first` and `second` are m, v.

    Each number is read and written once, by torch's fused step of Adam: RMSprop is Adam that keeps nothing of earlier
    gradients and corrects no mean, which it does not after infinitely many steps. Raises OutOfReachError for other
    optimisers that divide by a root.

    >>> theta, gradient, mean, square = ([torch.full((1,), value)] for value in (1.0, 4.0, 0.5, 0.0))
    >>> descend(Optimiser(0.5), theta, gradient, mean, square, 0, 0.1)
    >>> mean[0].item(), round(theta[0].item(), 6)  # 0.5 x 0.5 + 4, and 1 - 0.1 x 4.25
    (4.25, 0.575)
    """
    if optimiser.square is None:
        for theta, dx, m in zip(thetas, gradients, first, strict=True):
            m.mul_(optimiser.keep).add_(dx, alpha=optimiser.take)
            theta.add_(m, alpha=-rate)
        return
    if optimiser.take != 1 - optimiser.keep:
        raise OutOfReachError(
            f"{optimiser!r} divides by a root and takes a share of the gradient other than 1 - keep.",
            "Use momentum, rmsprop or adam.",
        )
    before = float(step) if optimiser.corrected else inf
    adam_of_torch(
        list(thetas),
        list(gradients),
        list(first),
        list(second),
        [],
        [torch.full((), before, dtype=torch.float32, device=theta.device) for theta in thetas],
        fused=True,
        amsgrad=False,
        beta1=optimiser.keep,
        beta2=optimiser.square,
        lr=rate,
        weight_decay=0.0,
        eps=optimiser.epsilon,
        maximize=False,
    )


OPTIMISERS: dict[str, Callable[[float, float, float], Optimiser]] = {
    "sgd": lambda _keep, _square, _epsilon: Optimiser(),
    "momentum": lambda keep, _square, _epsilon: Optimiser(keep),
    "rmsprop": lambda _keep, square, epsilon: Optimiser(square=square, epsilon=epsilon),
    "adam": lambda keep, square, epsilon: Optimiser(keep, 1 - keep, square, epsilon, corrected=True),
}
