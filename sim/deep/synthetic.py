"""Sets of examples without files, as the papers on gated networks use them."""

import math
from dataclasses import dataclass

import torch

from sim.deep.batches import ExampleSet
from sim.deep.draws import INPUTS, TARGETS, numbers_for
from theory.problem.numbers import one_of, whole

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


@dataclass(frozen=True)
class UniformTargets:
    """Targets y ~ U[-1, 1] that do not depend on the inputs; all numbers are independent.

    inputs = "one": x = 1, one input. inputs = "square": x ~ U[-1, 1]^2, two inputs.

    Every number is (2 k + 1)/2^32 - 1 with a whole k from 0 to 2^32 - 1: in float64 the same on every machine. Sets of
    different sizes with one seed are nested.

    Source: "Deep Gated Networks" (2020), experiments 1 (x = 1, 200 examples) and 2 (the square, 100 examples).

    Raises InputError for other words, and for numbers out of range.

    >>> UniformTargets("one", 2, seed=0).load().x.tolist()
    [[1.0], [1.0]]
    """

    inputs: str
    size: int
    seed: int

    def __post_init__(self) -> None:
        one_of(self.inputs, "inputs", ("one", "square"))
        whole(self.size, "size", least=1, most=_MOST)
        whole(self.seed, "seed", least=0, most=2**64 - 1, why="the generator has a key of 64 bits")

    def load(self, dtype: torch.dtype = torch.float32) -> ExampleSet:
        """Return the inputs (size, 1) or (size, 2) and the targets (size, 1)."""
        y = self._uniform(TARGETS, 1)
        x = torch.ones_like(y) if self.inputs == "one" else self._uniform(INPUTS, 2)
        return ExampleSet(x.to(dtype), y.to(dtype))

    def _uniform(self, use: int, count: int) -> torch.Tensor:
        """Return `count` numbers from -1 to 1 for each example."""
        return torch.from_numpy(2 * numbers_for(use, self.seed, "train").uniforms(self.size, count) - 1)
