"""A quantile function that the user gives by its values."""

from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import ClassVar

from theory.problem.errors import InputError
from theory.problem.nonlinearities.base import FIXED_GAIN, Nonlinearity
from theory.problem.numbers import exact, shown

MOST_ENTRIES = 32  # covariances are integrals between all pairs of entries
_HALF = Fraction(1, 2)


@dataclass(frozen=True)
class Quantile(Nonlinearity):
    """f(z) = Q(Phi(z)) with Q(p[i]) = x[i], linear in p between entries, and Q(1 - p) = -Q(p).

    p ascends from 1/2 to 1. The density is constant between the x of neighbouring entries, as in a histogram, and
    symmetric about 0. Where x[i] = x[i + 1] that value has the probability p[i + 1] - p[i]; x[0] > 0 leaves out the
    values between -x[0] and x[0].

    Raises InputError where p does not ascend from 1/2 to 1, x is negative or descends, or all x are 0.

    Three values, -1, 0 and 1, of which 0 has probability 1/2 and the others nearly all of the rest:

    >>> Quantile(["1/2", "3/4", "0.751", 1], [0, 0, 1, 1]).increasing
    False
    """

    p: tuple[Fraction, ...]
    x: tuple[Fraction, ...]

    kind: ClassVar[str] = "quantile"
    fixed_gain: ClassVar[str] = FIXED_GAIN

    def __post_init__(self) -> None:
        for name in ("p", "x"):
            object.__setattr__(self, name, _numbers(getattr(self, name), f"data.nonlinearity.{name}"))
        if len(self.p) != len(self.x):
            raise InputError(
                f"data.nonlinearity.p has {len(self.p)} numbers, data.nonlinearity.x {len(self.x)}.",
                "Give one quantile x for each probability p.",
            )
        if (self.p[0], self.p[-1]) != (_HALF, 1) or any(low >= high for low, high in pairwise(self.p)):
            raise InputError(
                "data.nonlinearity.p must ascend from 1/2 to 1: the quantiles below the median follow by symmetry.",
                'Write for example p = ["1/2", "3/4", 1].',
            )
        if self.x[0] < 0 or any(low > high for low, high in pairwise(self.x)) or not self.x[-1]:
            raise InputError(
                "data.nonlinearity.x must not descend and must begin at 0 or above, with an entry above 0: a quantile "
                "function never falls, and its value at p = 1/2 is at least minus itself.",
                "Write for example x = [0, 1, 3].",
            )

    @property
    def increasing(self) -> bool:
        """Whether no value of x has a probability of its own."""
        return all(low < high for low, high in pairwise(self.x))


def _numbers(values: object, where: str) -> tuple[Fraction, ...]:
    if not isinstance(values, list | tuple) or not 2 <= len(values) <= MOST_ENTRIES:
        raise InputError(
            f"{where} = {shown(values)} must be a list of 2 to {MOST_ENTRIES} numbers.",
            "Give p from 1/2 to 1 and the quantile x of each.",
        )
    return tuple(exact(value, f"{where}[{index}]") for index, value in enumerate(values))
