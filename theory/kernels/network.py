"""The question: a gated network at initialisation, by the widths, gates, inputs and weight law alone, in fractions."""

from dataclasses import dataclass, field
from fractions import Fraction

from theory.problem.errors import InputError
from theory.problem.numbers import exact, shown, whole

MOST_LAYERS = 10**6


@dataclass(frozen=True)
class WeightLaw:
    """A symmetric law of independent weights of variance s^2; `even_moments[r]` is E theta^(2r) / s^(2r), r = 0 to 4.

    The kurtosis is `even_moments[2]`. A moment of r kernels needs the moments of weights up to the order 2r.

    >>> WeightLaw("three-point", (1, 1, 3, 9, 27)).even_moments[2]  # 0, or +-sqrt(3) s with probability 1/6 each
    3
    """

    name: str
    even_moments: tuple[int | Fraction, ...]

    def __post_init__(self) -> None:
        if len(self.even_moments) != 5 or self.even_moments[:2] != (1, 1):
            raise InputError(
                f"The even moments {shown(self.even_moments)} are not those of a law of weights.",
                "Give five numbers E theta^(2r) / s^(2r), r = 0 to 4; the first two are 1.",
            )


SIGNS = WeightLaw("bernoulli", (1, 1, 1, 1, 1))  # +s or -s with probability 1/2 each
GAUSSIAN = WeightLaw("gaussian", (1, 1, 3, 15, 105))
WEIGHTS = {law.name: law for law in (SIGNS, GAUSSIAN)}


@dataclass(frozen=True)
class AllOn:
    """A level of `width` nodes whose gates are open on every input.

    >>> AllOn(0)
    Traceback (most recent call last):
    ...
    theory.problem.errors.InputError: width = 0 must be at least 1. Give an integer >= 1.
    """

    width: int

    def __post_init__(self) -> None:
        whole(self.width, "width", least=1)


@dataclass(frozen=True)
class BernoulliGates:
    """A level of `width` nodes whose gates are open with probability mu, independently for each node and each input.

    >>> BernoulliGates(3, Fraction(1, 2)).mu
    Fraction(1, 2)
    """

    width: int
    mu: Fraction

    def __post_init__(self) -> None:
        whole(self.width, "width", least=1)
        object.__setattr__(self, "mu", exact(self.mu, "mu"))
        if not 0 <= self.mu <= 1:
            raise InputError(f"mu = {shown(str(self.mu))} is no probability.", "Give a number from 0 to 1, as 1/2.")


@dataclass(frozen=True)
class GivenValues:
    """A level whose nodes have given values, a row for each input: gates 0 and 1, soft gates, or the inputs themselves.

    >>> GivenValues([[1, 0], ["1/2", 1]]).rows
    ((Fraction(1, 1), Fraction(0, 1)), (Fraction(1, 2), Fraction(1, 1)))
    """

    rows: tuple[tuple[Fraction, ...], ...]

    def __post_init__(self) -> None:
        rows = tuple(tuple(exact(value, "a value of a node") for value in row) for row in self.rows)
        if not rows or not rows[0] or len({len(row) for row in rows}) != 1:
            raise InputError("The rows of a level must have one length, at least 1.", "Give a value for each node.")
        object.__setattr__(self, "rows", rows)

    @property
    def width(self) -> int:
        """The number of nodes."""
        return len(self.rows[0])


Level = AllOn | BernoulliGates | GivenValues


@dataclass(frozen=True)
class GatedNetwork:
    """A network y = Theta_d G_(d-1) Theta_(d-1) ... G_1 Theta_1 x with one output: inputs, gates of each hidden level.

    The inputs are rows of numbers; a level of given values has a row of gates for each of them. The depth d is the
    number of layers of weights, one more than the number of hidden levels.

    >>> GatedNetwork([[1]], (AllOn(2), AllOn(3)), GAUSSIAN).depth
    3
    """

    inputs: GivenValues
    levels: tuple[Level, ...]
    weights: WeightLaw = field(default=SIGNS)

    def __post_init__(self) -> None:
        if not isinstance(self.inputs, GivenValues):
            object.__setattr__(self, "inputs", GivenValues(self.inputs))
        object.__setattr__(self, "levels", tuple(self.levels))
        number = len(self.inputs.rows)
        for index, level in enumerate(self.levels):
            if not isinstance(level, Level):
                raise InputError(
                    f"Level {index + 1} is {shown(level)}, which is no level of nodes.",
                    "Use AllOn, BernoulliGates or GivenValues.",
                )
            if isinstance(level, GivenValues) and len(level.rows) != number:
                raise InputError(
                    f"Level {index + 1} has {len(level.rows)} rows of gates for {number} inputs.",
                    "Give each input its own row of gates.",
                )

    @property
    def depth(self) -> int:
        """The number of layers of weights."""
        return len(self.levels) + 1


def alike(width: int, depth: int, mu: Fraction | int | str = 1, weights: WeightLaw = SIGNS) -> GatedNetwork:
    """Return a network whose hidden levels are alike, with the inputs x = x' = 1; the gates are Bernoulli(mu).

    The two inputs have independent gates unless mu is 1, where all gates are open.

    >>> alike(5, 3).levels
    (AllOn(width=5), AllOn(width=5))
    """
    whole(depth, "depth", least=1, most=MOST_LAYERS, why="the exact numbers grow with the depth")
    level = AllOn(width) if exact(mu, "mu") == 1 else BernoulliGates(width, mu)
    return GatedNetwork(GivenValues(((1,), (1,))), (level,) * (depth - 1), weights)
