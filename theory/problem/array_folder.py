"""Folders of arrays that users name: inputs and labels of examples, mapped into memory."""

import hashlib
import os
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np
from jaxtyping import Int, Real

from theory.problem.distributions.base import MOST_CLASSES, MOST_SITES, Label
from theory.problem.distributions.sampled import LARGEST_NUMBER
from theory.problem.errors import InputError
from theory.problem.user_files import open_regular

X, Y = "x.npy", "y.npy"
_NUMBERS = 2**22  # checked at a time


@dataclass(frozen=True, eq=False)
class Arrays:
    """N examples: x (N, n) in the type of its file, the class of each, and the labels of the classes, ascending.

    `sha256` is that of the sha256 of both files.
    """

    x: Real[np.ndarray, "N n"]
    category: Int[np.ndarray, " N"]
    labels: tuple[Label, ...]
    sha256: str

    @property
    def priors(self) -> tuple[Fraction, ...]:
        """The share of each class."""
        counts = np.bincount(self.category, minlength=len(self.labels))
        return tuple(Fraction(count, len(self.category)) for count in counts.tolist())


def read_arrays(folder: str) -> Arrays:
    """Return the examples in a folder: x.npy (N, n) and y.npy (N,) or (N, m), real numbers as `numpy.save` writes them.

    The classes are the distinct rows of y, at most 1000. Both files are read once, for their sha256 and for numbers
    that are not finite; x stays on the disk. Raises InputError for anything else.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     np.save(Path(folder) / "x.npy", np.eye(3, dtype=np.float32))
    ...     np.save(Path(folder) / "y.npy", np.array([1, -1, 1]))
    ...     found = read_arrays(folder)
    >>> found.x.shape, found.category.tolist(), [str(label) for label in found.labels]
    ((3, 3), [1, 0, 1], ['-1', '1'])
    """
    stamps = []
    for name in (X, Y):
        path = os.path.join(folder, name)
        try:
            facts = os.stat(path)
        except (OSError, ValueError) as error:
            raise _refusal(path, f"it cannot be read ({getattr(error, 'strerror', error)})") from None
        stamps.append((path, facts.st_ino, facts.st_size, facts.st_mtime_ns))
    return _read(tuple(stamps))


@lru_cache(maxsize=8)
def _read(stamps: tuple[tuple[str, int, int, int], ...]) -> Arrays:
    """Return the examples in the files; inode, size and time tell whether they have changed since."""
    (x_file, *_), (y_file, *_) = stamps
    x, y = _mapped(x_file), _mapped(y_file)
    if x.ndim != 2 or 0 in x.shape:
        raise _refusal(x_file, f"it has the shape {x.shape}, not (N, n)")
    if x.shape[1] > MOST_SITES:
        raise _refusal(x_file, f"it has n = {x.shape[1]} sites, more than {MOST_SITES}")
    if y.ndim not in (1, 2) or 0 in y.shape or len(y) != len(x):
        raise _refusal(y_file, f"it has the shape {y.shape}, not ({len(x)},) or ({len(x)}, m)")
    for file, numbers in ((x_file, x), (y_file, y)):
        _check_numbers(file, numbers)
    labels, category = np.unique(np.asarray(y, float).reshape(len(y), -1), axis=0, return_inverse=True)
    if len(labels) > MOST_CLASSES:
        raise _refusal(y_file, f'it has {len(labels)} different labels, more than {MOST_CLASSES}; use law = "table"')
    exact = [tuple(map(Fraction, row)) for row in labels.tolist()]
    digest = hashlib.sha256("".join(map(_digest, (x_file, y_file))).encode()).hexdigest()
    return Arrays(x, category.ravel(), tuple(row[0] if len(row) == 1 else row for row in exact), digest)


def _mapped(path: str) -> np.ndarray:
    try:
        open_regular(path).close()
        array = np.load(path, mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        if isinstance(error, InputError):
            raise
        raise _refusal(path, f"it is no array that numpy.save writes ({error})") from None
    if not isinstance(array, np.ndarray) or array.dtype.kind not in "biuf" or array.dtype.itemsize > 8:
        raise _refusal(path, f"it holds {getattr(array, 'dtype', 'several arrays')}, not real numbers of up to 64 bits")
    return array


def _check_numbers(path: str, numbers: np.ndarray) -> None:
    """Raise InputError, with the place, for numbers that are not finite or too large."""
    rows = max(1, _NUMBERS // max(1, numbers[0].size))
    for first in range(0, len(numbers), rows):
        wrong = ~(np.abs(np.asarray(numbers[first : first + rows], float)) <= LARGEST_NUMBER)
        if wrong.any():
            place = np.argwhere(wrong)[0].tolist()
            place[0] += first
            where = f"[{', '.join(map(str, place))}]"
            raise _refusal(path, f"entry {where} is {numbers[tuple(place)]}: not finite, or larger than 1e100")


def _digest(path: str) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _refusal(path: str, what: str) -> InputError:
    return InputError(f"{path}: {what}.", f"A folder has {X} (N, n) and {Y} (N,) or (N, m).", "file")
