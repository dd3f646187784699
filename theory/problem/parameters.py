"""Parameters of a network: names, shapes, and the laws of their initial values."""

from collections.abc import Callable
from dataclasses import InitVar, dataclass
from fractions import Fraction
from math import prod
from typing import Any, ClassVar

import numpy as np

from theory.problem.errors import InputError
from theory.problem.numbers import exact, shown, whole

Numbers = Fraction | tuple[Any, ...]  # a number, or nested rows of numbers
A_LAW = '{ law = "normal", scale = 0.001, seed = 0 }'


@dataclass(frozen=True)
class Parameter:
    """A named array of numbers of a network; `trained` is whether training changes it.

    >>> Parameter("w", (20, 40)).size
    800
    """

    name: str
    shape: tuple[int, ...]
    trained: bool = True

    @property
    def size(self) -> int:
        """The number of entries."""
        return prod(self.shape)


@dataclass(frozen=True)
class NormalInitialisation:
    """Independent N(0, scale^2) entries: numpy.random.default_rng(SeedSequence(seed)).normal(0, scale, shape).

    `where` names what is initialised in errors. Raises InputError for a scale below 0 and a negative seed.

    >>> law = NormalInitialisation("0.001", seed=0)
    >>> first, second = (initial_numbers(law, (20, 40)) for _ in range(2))
    >>> bool((first == second).all()), round(float(first.std()), 4)  # one seed, one draw
    (True, 0.001)
    """

    scale: Fraction
    seed: int
    where: InitVar[str] = "training.w0"

    law: ClassVar[str] = "normal"

    def __post_init__(self, where: str) -> None:
        object.__setattr__(self, "scale", exact(self.scale, f"{where}.scale"))
        if self.scale < 0:
            raise InputError(
                f"{where}.scale = {self.scale} must be >= 0: it is a standard deviation.", "Drop the sign."
            )
        whole(self.seed, f"{where}.seed", least=0)


def nested(values: object, where: str, convert: Callable[[Any, str], Fraction] = exact) -> Numbers:
    """Return nested rows of numbers as nested tuples of fractions: [[1, "1/2"]] becomes ((1, 1/2),).

    >>> nested([[1, "1/2"]], "w0")
    ((Fraction(1, 1), Fraction(1, 2)),)
    """
    if not isinstance(values, list | tuple):
        return convert(values, where)
    return tuple(nested(value, f"{where}[{index}]", convert) for index, value in enumerate(values))


@dataclass(frozen=True)
class InitialByName:
    """The initial numbers, or their laws, of the weights of a graph or a deep network; `where` names them in errors.

    >>> starts = InitialByName((("A", NormalInitialisation(1, 0)), ("B", [[1, 2]])))
    >>> starts.names, starts.of("B")
    (('A', 'B'), ((Fraction(1, 1), Fraction(2, 1)),))
    """

    starts: tuple[tuple[str, NormalInitialisation | Numbers], ...]
    where: InitVar[str] = "training.w0"

    def __post_init__(self, where: str) -> None:
        laws = NormalInitialisation
        starts = (
            (name, given if isinstance(given, laws) else nested(given, f"{where}.{name}"))
            for name, given in self.starts
        )
        object.__setattr__(self, "starts", tuple(starts))

    @property
    def names(self) -> tuple[str, ...]:
        """The names, in the order in which they are given."""
        return tuple(name for name, _ in self.starts)

    def of(self, name: str) -> NormalInitialisation | Numbers:
        """Return the initial numbers of a name. Raises KeyError for an unknown name."""
        return dict(self.starts)[name]


Initial = NormalInitialisation | InitialByName | Numbers


def has_shape(numbers: Numbers, shape: tuple[int, ...]) -> bool:
    """Return whether nested rows form an array of this shape.

    >>> has_shape(((1, 2), (3, 4)), (2, 2)), has_shape(((1, 2), (3,)), (2, 2))
    (True, False)
    """
    if not shape:
        return not isinstance(numbers, tuple)
    return (
        isinstance(numbers, tuple)
        and len(numbers) == shape[0]
        and all(has_shape(entry, shape[1:]) for entry in numbers)
    )


def rows_of_numbers(values: object, where: str) -> Numbers:
    """Return the initial numbers of a weight matrix: rows, or rows of rows. Raises InputError for anything else.

    >>> rows_of_numbers([[0, "0.5"], [1, 0]], "w0")[0][1]
    Fraction(1, 2)
    """
    if not isinstance(values, list | tuple) or not all(isinstance(row, list | tuple) for row in values):
        raise InputError(f"{where} must be K rows of n numbers or a law.", f"Write [[...], ...] or {A_LAW}.")
    return nested(values, where)


def one_for_each_unit(values: object, where: str) -> Numbers:
    """Return the initial numbers of a vector, or of its rows. Raises InputError for anything else.

    >>> one_for_each_unit([1, "1/3"], "readout0")[1]
    Fraction(1, 3)
    """
    if not isinstance(values, list | tuple):
        raise InputError(f"{where} = {shown(values)} must be K numbers or a law.", f"Write [0.0, 0.1, ...] or {A_LAW}.")
    return nested(values, where)


def initial_numbers(given: Initial, shape: tuple[int, ...], key: tuple[int, ...] = ()) -> np.ndarray:
    """Return the initial numbers of a parameter in float64, the same for theory and simulation.

    A law is drawn with SeedSequence(seed, spawn_key=key): `key` tells replicates and parameters apart, so that an equal
    seed gives them independent numbers.

    >>> initial_numbers(((Fraction(1, 2), Fraction(0)),), (1, 2)).tolist()
    [[0.5, 0.0]]
    """
    if isinstance(given, NormalInitialisation):
        rng = np.random.default_rng(np.random.SeedSequence(given.seed, spawn_key=key))
        return rng.normal(0.0, float(given.scale), shape)
    flat = np.array(_floats(given), dtype=float)
    return np.broadcast_to(flat, shape).copy()


def _floats(numbers: Numbers) -> Any:
    return [_floats(entry) for entry in numbers] if isinstance(numbers, tuple) else float(numbers)
