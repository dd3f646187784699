"""A finite data set as a law: its definition."""

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

from theory.problem.distributions.base import MOST_SITES, Label, Law, one_label, same_length, set_field
from theory.problem.errors import InputError
from theory.problem.numbers import exact, positive, shown, whole

MOST_EXAMPLES = 100_000


@dataclass(frozen=True)
class FiniteData(Law):
    """N examples: (x[i], y[i]) is drawn with the probability weights[i] / sum weights, 1/N each where none are given.

    x are N rows of n numbers, y N labels: numbers, or m numbers each. The classes are the distinct labels in the order
    in which they first appear, and have no priors or means of their own. There is no latent; sites lie on an open line.
    context[i], a whole number >= 0, is what a `ContextGate` looks at; without the field there are no contexts.

    Raises InputError for rows of different lengths, more than 10000 sites or 100000 examples, labels, weights or
    contexts that are not one for each example, and weights that are not positive.

    >>> law = FiniteData([[1, 0], [0, 1], [1, 1]], [1, -1, 1], weights=[1, 1, 2])
    >>> law.n, [str(p) for p in law.example_probabilities], law.category, [str(p) for p in law.probabilities]
    (2, ['1/4', '1/4', '1/2'], (0, 1, 0), ['3/4', '1/4'])
    """

    x: tuple[tuple[Fraction, ...], ...]
    y: tuple[Label, ...]
    weights: tuple[Fraction, ...] = field(default=(), kw_only=True)
    context: tuple[int, ...] = field(default=(), kw_only=True)

    law: ClassVar[str] = "finite"
    boundary: ClassVar[str] = "open"

    def __post_init__(self) -> None:
        set_field(self, "x", _rows(self.x))
        set_field(self, "y", self._each_example("y", one_label))
        same_length(self.y, "data.y")
        weights = self._each_if_given("weights", _weight)
        set_field(self, "weights", () if len(set(weights)) <= 1 else weights)
        set_field(self, "context", self._each_if_given("context", _context))

    def _each_example(self, name: str, convert) -> tuple:
        values = getattr(self, name)
        if not isinstance(values, list | tuple) or len(values) != len(self.x):
            raise InputError(
                f"data.{name} = {shown(values)} must be one for each of the {len(self.x)} examples in data.x.",
                "Give one for each row of x.",
            )
        return tuple(convert(value, f"data.{name}[{index}]") for index, value in enumerate(values))

    def _each_if_given(self, name: str, convert) -> tuple:
        values = getattr(self, name)
        return () if isinstance(values, list | tuple) and not values else self._each_example(name, convert)

    @property
    def n(self) -> int:
        """The number of sites."""
        return len(self.x[0])

    @cached_property
    def labels(self) -> tuple[Label, ...]:
        """The distinct labels, in the order in which they first appear."""
        return tuple(dict.fromkeys(self.y))

    @cached_property
    def category(self) -> tuple[int, ...]:
        """The class of each example."""
        index = {label: c for c, label in enumerate(self.labels)}
        return tuple(index[label] for label in self.y)

    @cached_property
    def contexts(self) -> tuple[int, ...]:
        """The different contexts, in ascending order."""
        return tuple(sorted(set(self.context)))

    @cached_property
    def example_probabilities(self) -> tuple[Fraction, ...]:
        """The probability of each example."""
        if not self.weights:
            return (Fraction(1, len(self.x)),) * len(self.x)
        total = sum(self.weights)
        return tuple(weight / total for weight in self.weights)

    @cached_property
    def probabilities(self) -> tuple[Fraction, ...]:
        """The probability of each class: the sum over its examples."""
        sums = [Fraction(0)] * len(self.labels)
        for c, probability in zip(self.category, self.example_probabilities, strict=True):
            sums[c] += probability
        return tuple(sums)


def _weight(value: object, where: str) -> Fraction:
    return positive(value, where, "it is the example's share of the data")


def _context(value: object, where: str) -> int:
    return whole(value, where, least=0)


def _rows(rows: object) -> tuple[tuple[Fraction, ...], ...]:
    if not isinstance(rows, list | tuple) or not rows or not all(isinstance(row, list | tuple) for row in rows):
        raise InputError(f"data.x = {shown(rows)} must be rows of numbers.", "Write [[...], ...], one row an example.")
    lengths = sorted({len(row) for row in rows})
    if len(lengths) > 1 or not lengths[0]:
        raise InputError(
            f"data.x has rows of {' and '.join(map(str, lengths))} numbers.",
            "Give every example the same number.",
        )
    if len(rows) > MOST_EXAMPLES or lengths[0] > MOST_SITES:
        raise InputError(
            f"data.x has {len(rows)} rows of {lengths[0]} numbers; the limits are {MOST_EXAMPLES} and {MOST_SITES}.",
            "Use fewer: every number is kept as an exact fraction.",
        )
    return tuple(tuple(exact(entry, f"data.x[{i}][{j}]") for j, entry in enumerate(row)) for i, row in enumerate(rows))
