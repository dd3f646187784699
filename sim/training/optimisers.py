"""Optimisers, which compute the direction of a step from a gradient and its running means."""

from collections.abc import Callable
from dataclasses import dataclass

import torch

from sim.networks.parameters import Parameters, mapped
from theory.problem import OutOfReachError, Simulation

Corrections = tuple[float, float] | tuple[torch.Tensor, torch.Tensor]
Means = dict[str, torch.Tensor] | None


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

    def corrections(self, step: int) -> Corrections:
        """Return the divisors of m and v in the step after `step` earlier ones; 1 without correction."""
        if not self.corrected:
            return 1.0, 1.0
        return 1 - self.keep ** (step + 1), 1 - self.square ** (step + 1)

    def direction(
        self, gradient: Parameters, first: Means, second: Means, corrections: Corrections
    ) -> tuple[Parameters, Means, Means]:
        """Return the direction that the rate multiplies, and the new means of the gradient and of its square."""
        if self.plain:
            return gradient, None, None
        first = mapped(torch.clone, first)
        second = None if second is None else mapped(torch.clone, second)
        direction = {
            name: self.advance(dx, first[name], None if second is None else second[name], corrections)
            for name, dx in gradient.items()
        }
        return direction, first, second

    def advance(
        self, dx: torch.Tensor, m: torch.Tensor, v: torch.Tensor | None, corrections: Corrections
    ) -> torch.Tensor:
        """Change the means m and v of one parameter in place, and return the direction that the rate multiplies.

        `v` may be None without `square`. The direction may be m itself.

        >>> m, v = torch.tensor(0.5), torch.tensor(9.0)
        >>> Optimiser(keep=0.5, square=0.5).advance(torch.tensor(3.0), m, v, (1.0, 1.0)).item()  # 3.25 / 3
        1.0833333730697632
        """
        m.mul_(self.keep).add_(dx if self.take == 1 else self.take * dx)
        direction = m / corrections[0] if self.corrected else m
        if self.square is None:
            return direction
        v.mul_(self.square).add_((1 - self.square) * dx * dx)
        return direction / (v / corrections[1]).sqrt_().add_(self.epsilon)


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


OPTIMISERS: dict[str, Callable[[float, float, float], Optimiser]] = {
    "sgd": lambda _keep, _square, _epsilon: Optimiser(),
    "momentum": lambda keep, _square, _epsilon: Optimiser(keep),
    "rmsprop": lambda _keep, square, epsilon: Optimiser(square=square, epsilon=epsilon),
    "adam": lambda keep, square, epsilon: Optimiser(keep, 1 - keep, square, epsilon, corrected=True),
}
