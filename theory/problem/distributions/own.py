"""A law of the user: a Python function that draws examples."""

import contextlib
import io
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np

from theory.problem.distributions.base import MOST_SITES, Label, check_grid, identify, set_field
from theory.problem.distributions.sampled import Estimate, SampledLaw
from theory.problem.errors import InputError
from theory.problem.numbers import exact, shown, whole
from theory.problem.user_code import function_at, function_named

TRIAL = 256  # examples of a first draw, which shows faults where a problem is read
_SOURCES = ("path", "sampler")


class Keywords(Mapping[str, Any]):
    """Parameters by name, hashable: exact numbers, words, True or False, and lists of these.

    As elsewhere in problem files, a text such as "3/5" is a number. Whole numbers are integers, also if written 3.0.

    >>> dict(Keywords({"radius": Decimal("0.5"), "kind": "ring", "width": "3.0"}))
    {'radius': Fraction(1, 2), 'kind': 'ring', 'width': 3}
    """

    def __init__(self, given: Mapping[str, Any] | None = None) -> None:
        if not isinstance(given or {}, Mapping):
            raise InputError(f"data.parameters = {shown(given)} must be a table.", "Write { name = value, ... }.")
        self._items = {name: _parameter(value, f"data.parameters.{name}") for name, value in (given or {}).items()}

    def __getitem__(self, name: str) -> Any:
        return self._items[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __hash__(self) -> int:
        return hash(frozenset(self._items.items()))

    def __repr__(self) -> str:
        return f"Keywords({self._items})"

    def floats(self) -> dict[str, Any]:
        """The same with fractions as floats and tuples as lists, as Python functions take them."""
        return {name: _float(value) for name, value in self._items.items()}


def _parameter(value: Any, where: str) -> Any:
    if isinstance(value, bool):
        return value
    if isinstance(value, list | tuple):
        return tuple(_parameter(entry, where) for entry in value)
    if not isinstance(value, int | float | str | Decimal | Fraction):
        raise InputError(f"{where} = {shown(value)} is no number, word or list.", "Give one of these.")
    try:
        number = exact(value, where)
    except InputError:
        if isinstance(value, str):
            return value
        raise
    return int(number) if number.denominator == 1 else number


def _float(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_float(entry) for entry in value]
    return float(value) if isinstance(value, Fraction) else value


@dataclass(frozen=True)
class OwnLaw(SampledLaw):
    """Examples from a function `path` = "file.py:function", or from the entry point `sampler`.

    The function is called as draw(generator, rows, **parameters) with a numpy.random.Generator, from which all its
    randomness comes, and returns x (rows, n) in float64 and category (rows,), the class of each example. Sites lie on
    an open line, or on a grid of `shape` = (rows, columns), row by row.

    `sha256` is that of the code and identifies the law, with the function's name and its parameters; if given, it is
    checked. `estimate` says from how many examples moments are estimated.

    Raises InputError, with file and line, for code that is faulty or that no file named (`theory.problem.user_code`),
    for a function that is not determined by its generator, and for a grid of another number of sites.
    """

    n: int
    labels: tuple[Label, ...]
    priors: tuple[Fraction, ...] = ()
    path: str = field(default="", compare=False)
    sampler: str = ""
    sha256: str = ""
    parameters: Keywords = field(default_factory=Keywords)
    estimate: Estimate = field(default_factory=Estimate)
    shape: tuple[int, int] | tuple[()] | None = ()
    function: str = field(default="", init=False)

    law: ClassVar[str] = "own"

    def __post_init__(self) -> None:
        given = [name for name in _SOURCES if getattr(self, name)]
        if len(given) != 1:
            said = " and ".join(f"`{name}`" for name in given) or "neither `path` nor `sampler`"
            raise InputError(f'data.law = "own" has {said}.', 'Write path = "mylaw.py:draw", or sampler = "name".')
        (source,) = given
        if not isinstance(getattr(self, source), str):
            raise InputError(f"data.{source} = {shown(getattr(self, source))} must be a text.", "Write it in quotes.")
        if not isinstance(self.parameters, Keywords):
            set_field(self, "parameters", Keywords(self.parameters))
        set_field(self, "estimate", Estimate.of(self.estimate))
        if source == "path":
            set_field(self, "path", os.path.abspath(self.path))
        code = function_at(self.path) if source == "path" else function_named(self.sampler)
        set_field(self, "function", code.name)
        identify(self, code.sha256, code.file)
        whole(self.n, "data.n", least=1, most=MOST_SITES, why="a law has at most 10000 sites")
        self.check_classes()
        check_grid(self)
        set_field(self, "_source", code)
        _tried(self)

    @property
    def origin(self) -> str:
        """File, line and name of the function."""
        return self._source.place

    def draw(self, generator: np.random.Generator, rows: int) -> Any:
        """Draw by the function."""
        return self._source.call(generator, rows, **self.parameters.floats())

    def tried(self) -> None:
        """Raise InputError where a draw is faulty, writes to stdout or is not determined by its generator."""
        with contextlib.redirect_stdout(io.StringIO()) as written:
            first, second = (self.examples(np.random.default_rng(0), TRIAL) for _ in range(2))
        if written.getvalue():
            raise self._refusal("prints to stdout, where answers go", "Print to sys.stderr, or not at all.")
        if not all(np.array_equal(one, other) for one, other in zip(first, second, strict=True)):
            raise self._refusal(
                "draws other examples from an equal generator",
                "Take every random number from the generator it is given.",
            )


@lru_cache(maxsize=64)
def _tried(law: OwnLaw) -> None:
    """Try a law once; laws of equal code and parameters are equal."""
    law.tried()
