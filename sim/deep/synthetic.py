"""A set of examples without files, as a paper on gated networks uses it."""

import math
from dataclasses import dataclass

import torch

from sim.deep.batches import ExampleSet
from theory.problem.numbers import whole

_MOST = 10**7


@dataclass(frozen=True)
class Circle:
    """Points of the unit circle, and a target with a low frequency on its top half and a high one on its bottom half.

    t_i = 2 pi (i + 1/2)/size,  x_i = (cos t_i, sin t_i),  y_i = sin(low t_i) for t_i < pi, else sin(high t_i)

    The target is continuous, and its mean square tends to 1/2 for many points. Numbers agree between machines up to the
    rounding of sine and cosine.

    Source: "Half-Space Feature Learning" (2024), section 4. It says that the inputs lie on the unit circle, that the
    target varies with a lower frequency on the top half, and that the losses begin near 0.5. It leaves unsaid the
    formula of the target, both frequencies, and the number and places of the points: all that stands here is our
    choice.

    Raises InputError for numbers that are not whole and positive, and for low >= high.

    >>> data = Circle(4, 1, 3).load(torch.float64)
    >>> data.y.flatten().round(decimals=3).tolist()
    [0.707, 0.707, -0.707, -0.707]
    """

    size: int
    low: int
    high: int

    def __post_init__(self) -> None:
        whole(self.size, "size", least=2, most=_MOST)
        whole(self.high, "high", least=2)
        whole(self.low, "low", least=1, most=self.high - 1, why="low is below high")

    def load(self, dtype: torch.dtype = torch.float32) -> ExampleSet:
        """Return the points (size, 2), in the order of their angles, and the targets (size, 1)."""
        angle = 2 * math.pi * (torch.arange(self.size, dtype=torch.float64, device="cpu") + 0.5) / self.size
        x = torch.stack([angle.cos(), angle.sin()], dim=1)
        y = torch.where(angle < math.pi, (self.low * angle).sin(), (self.high * angle).sin())
        return ExampleSet(x.to(dtype), y.unsqueeze(1).to(dtype))
