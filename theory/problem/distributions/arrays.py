"""Arrays of float64 as fields of laws: written out in a problem file as nested lists, or read from an archive."""

import hashlib
import os
from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float

from theory.problem.distributions.base import Law, identify, set_field
from theory.problem.errors import InputError
from theory.problem.numbers import exact, shown, whole
from theory.problem.table_files import LARGEST_FILE, LARGEST_NUMBER, arrays_of_archive
from theory.problem.user_files import read_bytes


@dataclass(frozen=True, eq=False)
class FloatArray:
    """An array of float64 that compares and hashes by its shape and its numbers.

    >>> FloatArray(np.eye(2)) == FloatArray(np.eye(2)), FloatArray(np.eye(2)).table()[0]
    (True, (Fraction(1, 1), Fraction(0, 1)))
    """

    numbers: Float[np.ndarray, "..."]

    def __post_init__(self) -> None:
        numbers = np.array(self.numbers, dtype=np.float64)
        numbers.setflags(write=False)
        object.__setattr__(self, "numbers", numbers)

    @classmethod
    def of(cls, value: object, where: str) -> "FloatArray":
        """Return the array of nested lists of numbers, or `value` if it is one. InputError names `where`.

        >>> FloatArray.of([["1/2", 1]], "data.covariance").numbers.tolist()
        [[0.5, 1.0]]
        """
        if isinstance(value, FloatArray):
            return value
        if isinstance(value, np.ndarray):
            return cls(value)
        try:
            return cls(np.array(_floats(value, where), dtype=np.float64))
        except ValueError as error:
            if isinstance(error, InputError):
                raise
            raise InputError(f"{where} has lists of different lengths.", "Give lists of equal lengths.") from None

    def table(self) -> Any:
        """Return the numbers as nested tuples of the shortest decimals that round to them, as fractions."""
        return _fractions(self.numbers.tolist())

    @cached_property
    def _identity(self) -> tuple[tuple[int, ...], str]:
        return self.numbers.shape, hashlib.sha256(self.numbers.tobytes()).hexdigest()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FloatArray) and self._identity == other._identity

    def __hash__(self) -> int:
        return hash(self._identity)


def _floats(value: object, where: str) -> Any:
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, list | tuple):
        return [_floats(entry, where) for entry in value]
    return float(exact(value, where))


def _fractions(value: Any) -> Any:
    return tuple(map(_fractions, value)) if isinstance(value, list) else Fraction(repr(value))


class ArraysLaw(Law, ABC):
    """A law some of whose fields are arrays, which are written out or stand in the archive `file`."""

    file: str
    sha256: str
    rows: int  # of a grid of the sites, row by row; 0 without one
    declared: dict[str, Float[np.ndarray, "..."]]  # what `declare_arrays` returned

    @property
    @abstractmethod
    def arrays(self) -> tuple[str, ...]:
        """The names of these fields."""

    @property
    def shape(self) -> tuple[int, int] | None:
        """Rows and columns of a grid; None without `rows`."""
        return (self.rows, self.n // self.rows) if self.rows else None

    def check_rows(self) -> None:
        """Raise InputError unless the rows of a grid have equal lengths."""
        whole(self.rows, "data.rows", least=0, most=self.n, why="a row has at least one site")
        if self.rows and self.n % self.rows:
            raise InputError(
                f"data.rows = {self.rows} does not divide n = {self.n}.", "Give the rows of a grid, or leave it out."
            )

    def declare_arrays(self) -> dict[str, Float[np.ndarray, "..."]]:
        """Return the arrays by name: those of the fields, or those of the archive.

        A field without numbers is left out. With a file, `sha256` becomes that of its content; if given, it is checked.
        Raises InputError for numbers that are not finite or larger than 1e100, and for fields beside a file.
        """
        written = [name for name in self.arrays if not _empty(getattr(self, name))]
        if self.file:
            if written:
                raise InputError(f"data.{written[0]} stands beside data.file, which has it.", "Keep one of them.")
            arrays = _read(self)
        else:
            if self.sha256:
                raise InputError("data.sha256 is that of a file, and there is no data.file.", "Leave it out.")
            for name in written:
                set_field(self, name, FloatArray.of(getattr(self, name), f"data.{name}"))
            arrays = {name: getattr(self, name).numbers for name in written}
        for name, numbers in arrays.items():
            wrong = ~(np.abs(numbers) <= LARGEST_NUMBER)
            if wrong.any():
                place = np.argwhere(wrong)[0].tolist()
                raise InputError(
                    f"data.{name}{place} = {numbers[tuple(place)]}: not finite, or larger than 1e100.", "Correct it."
                )
        set_field(self, "declared", arrays)
        return arrays

    def filed(self, path: Path) -> Law:
        """Write the arrays of the fields into a new archive, and return the law that reads them from there."""
        arrays = {name: getattr(self, name).numbers for name in self.arrays if not _empty(getattr(self, name))}
        np.savez(path, **arrays)
        return replace(self, file=str(path), sha256="", **dict.fromkeys(arrays, ()))


def _empty(value: object) -> bool:
    return isinstance(value, tuple | list) and not value


def _read(law: ArraysLaw) -> dict[str, Float[np.ndarray, "..."]]:
    if not isinstance(law.file, str) or Path(law.file).suffix != ".npz":
        raise InputError(f"data.file = {shown(law.file)} names no archive.", 'Write for example "data.npz".')
    set_field(law, "file", os.path.abspath(law.file))
    try:
        content = read_bytes(law.file, LARGEST_FILE, "Use fewer sites or classes.")
    except OSError as error:
        raise InputError(f"{law.file} cannot be read: {error.strerror or error}.", "Check data.file.", "file") from None
    identify(law, hashlib.sha256(content).hexdigest(), law.file)
    return {
        name: np.asarray(values, float) for name, values in arrays_of_archive(content, law.file, law.arrays).items()
    }
