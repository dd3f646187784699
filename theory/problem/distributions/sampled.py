"""The base of laws that are known by their examples alone: a function that draws them, and no formula."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import ClassVar

import numpy as np
from jaxtyping import Float, Int

from theory.problem.distributions.base import Law
from theory.problem.errors import InputError
from theory.problem.numbers import shown, whole

LARGEST_NUMBER = 1e100  # its square fits a float64
MOST_EXAMPLES = 10**9
GROUPS = 32  # of the examples of an estimate, for its standard errors


@dataclass(frozen=True)
class Estimate:
    """From how many examples moments are estimated, and the seed of their generator.

    >>> Estimate.of({"examples": 5000})
    Estimate(examples=5000, seed=0)
    """

    examples: int = 100_000
    seed: int = 0

    def __post_init__(self) -> None:
        whole(self.examples, "data.estimate.examples", least=GROUPS, most=MOST_EXAMPLES)
        whole(self.seed, "data.estimate.seed", least=0)

    @classmethod
    def of(cls, given: object) -> "Estimate":
        """Return `given`, or the estimate that a table declares. Raises InputError for anything else."""
        if isinstance(given, Estimate):
            return given
        names = [field.name for field in fields(cls)]
        if not isinstance(given, Mapping) or not set(given) <= set(names):
            raise InputError(
                f"data.estimate = {shown(given)} must be a table of {' and '.join(names)}.",
                "Write estimate = { examples = 100000, seed = 0 }.",
            )
        return cls(**given)


class SampledLaw(Law, ABC):
    """A law that is defined by how its examples are drawn; it has no latent, and its sites lie on an open line.

    A law of this kind is a frozen dataclass with `law`, `n`, `labels`, `priors` and `draw`. All of them share one
    sampler, `sim.data.sampled`. Their moments are estimated, as `estimate` says.

    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class Coins(SampledLaw):
    ...     law, n, labels = "coins", 3, (1, -1)
    ...     def draw(self, generator, rows):
    ...         category = generator.integers(0, 2, rows)
    ...         return generator.integers(0, 2, (rows, 3)) + 0.5 * category[:, None], category
    >>> x, category = Coins().examples(np.random.default_rng(0), 5)
    >>> x.shape, category.shape, bool((x[category == 0] % 1 == 0).all())
    ((5, 3), (5,), True)
    """

    boundary: ClassVar[str] = "open"
    estimate: Estimate = Estimate()

    @abstractmethod
    def draw(self, generator: np.random.Generator, rows: int) -> tuple[Float[np.ndarray, "B n"], Int[np.ndarray, " B"]]:
        """Draw `rows` independent examples: inputs x in float64, and the class of each, 0, ..., C - 1.

        All randomness comes from `generator`, so that equal generators give equal examples. Several threads may draw at
        once.
        """

    @property
    def origin(self) -> str:
        """The place of the code or the data, for errors."""
        return f'law = "{self.law}"'

    def examples(
        self, generator: np.random.Generator, rows: int
    ) -> tuple[Float[np.ndarray, "B n"], Int[np.ndarray, " B"]]:
        """Draw `rows` examples and check them.

        Raises InputError for arrays of another shape or type, numbers that are not finite or larger than 1e100, and
        classes without a label.
        """
        drawn = self.draw(generator, rows)
        if not isinstance(drawn, tuple) or len(drawn) != 2:
            raise self._refusal(f"returns {_kind(drawn)}, not two arrays", "Return x, category.")
        x, category = drawn
        self._require(x, "x", (rows, self.n), "f", "float64")
        self._require(category, "category", (rows,), "iu", "whole numbers")
        wrong = ~(np.abs(x) <= LARGEST_NUMBER)
        if wrong.any():
            row, site = np.argwhere(wrong)[0].tolist()
            raise self._refusal(
                f"returns x with {x[row, site]} at row {row}, site {site}: not finite, or larger than 1e100",
                "Return finite numbers; nothing is repaired.",
            )
        outside = (category < 0) | (category >= self.classes)
        if outside.any():
            raise self._refusal(
                f"returns the class {category[outside][0]}; data.labels has {self.classes} entries",
                f"Return classes from 0 to {self.classes - 1}, or give a label for each class.",
            )
        return x, category.astype(np.int64, copy=False)

    def _require(self, array: object, name: str, shape: tuple[int, ...], kinds: str, wanted: str) -> None:
        """Raise InputError unless `array` is one of this shape and of one of these kinds of numbers."""
        if not isinstance(array, np.ndarray):
            raise self._refusal(f"returns {name} as {_kind(array)}, not as an array", "Return NumPy arrays.")
        if array.shape != shape:
            raise self._refusal(
                f"returns {name} of the shape {array.shape}, not {shape}",
                f"Here n = {self.n}, and {shape[0]} examples were asked for.",
            )
        if array.dtype.kind not in kinds or (kinds == "f" and array.dtype != np.float64):
            raise self._refusal(f"returns {name} as {array.dtype}, not as {wanted}", f"Convert {name}.")

    def _refusal(self, what: str, hint: str) -> InputError:
        return InputError(f"{self.origin} {what}.", hint)


def _kind(value: object) -> str:
    """Return the kind of a value in words: its type, and the length of a tuple or list."""
    length = f" of {len(value)}" if isinstance(value, list | tuple) else ""
    return f"a {type(value).__name__}{length}"
