"""Reading of files with examples: NumPy archives (.npz) and CSV, in float64. Nothing in them is repaired."""

import csv
import hashlib
import io
import os
import re
import zipfile
from array import array
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from math import prod
from pathlib import Path
from typing import IO
from weakref import WeakValueDictionary

import numpy as np
from jaxtyping import Float, Int

from theory.problem.errors import InputError
from theory.problem.numbers import shown
from theory.problem.user_files import MEBIBYTE, open_regular, read_bytes

LARGEST_FILE = 1024 * MEBIBYTE
MOST_NUMBERS = 2**27  # in one file: 1 GiB in float64
LARGEST_NUMBER = 1e100  # its square fits a float64
LARGEST_CONTEXT = 2**53  # float64 represents all whole numbers up to here exactly
_LONGEST_LINE = 2**20  # characters: 10,000 sites of a hundred digits
_CORRECT = "Correct the file; rows of examples count from 0."
_NAMES = ("x", "y", "context", "weights")
_HEADERS = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
_COLUMN = re.compile(r"([xy])(0|[1-9][0-9]{0,5})")


@dataclass(frozen=True, eq=False)
class Rows:
    """N examples in float64: x (N, n), y (N, m), their probabilities (N,) and their contexts (N,), or None.

    >>> rows = Rows(np.array([[1.0], [2.0]]), np.array([[1.0], [0.0]]), np.array([0.5, 0.5]))
    >>> float(rows.probabilities @ rows.x[:, 0]), rows.context is None
    (1.5, True)
    """

    x: Float[np.ndarray, "N n"]
    y: Float[np.ndarray, "N m"]
    probabilities: Float[np.ndarray, " N"]
    context: Int[np.ndarray, " N"] | None = None

    def __post_init__(self) -> None:
        for numbers in (self.x, self.y, self.probabilities, self.context):
            if numbers is not None:
                numbers.setflags(write=False)


# Problems with the same content share its arrays; arrays that no problem uses are freed.
_READ: WeakValueDictionary[str, Rows] = WeakValueDictionary()


def read_table(path: str | Path) -> tuple[Rows, str]:
    r"""Return the examples in a file and the sha256 of its content.

    An archive has the arrays x (N, n), y (N,) or (N, m) and perhaps context (N,) and weights (N,). A CSV has a header
    with the columns x0, x1, ..., then y or y0, y1, ..., and perhaps context and weight, in any order. The probabilities
    are the weights over their sum, or 1/N each. Raises InputError, with row and column, for any other content.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "data.csv"
    ...     _ = path.write_text("x0,x1,y,context\n1,0,2.5,0\n0,1,-1,1\n")
    ...     rows, _ = read_table(path)
    >>> rows.x.tolist(), rows.y.tolist(), rows.context.tolist()
    ([[1.0, 0.0], [0.0, 1.0]], [[2.5], [-1.0]], [0, 1])
    """
    readers = {".npz": lambda content, path: arrays_of_archive(content, path, _NAMES), ".csv": arrays_of_csv}
    reader = readers.get(Path(path).suffix.lower())
    if reader is None:
        raise InputError(
            f"{path} is neither .npz nor .csv.",
            "Name an archive or a CSV; gdln new NAME --data FILE makes one.",
            "file",
        )
    try:
        content = read_bytes(path, LARGEST_FILE, "Use fewer examples, or float32 in an archive.")
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}.", "Check data.file.", "file") from None
    digest = hashlib.sha256(content).hexdigest()
    rows = _READ.get(digest)
    if rows is None:
        rows = _READ[digest] = rows_of(reader(content, str(path)), str(path))
    return rows, digest


def arrays_of_archive(content: bytes, path: str, names: tuple[str, ...] = ()) -> dict[str, np.ndarray]:
    """Return the arrays of an archive that may have `names`, or any where there are none of these.

    Raises InputError for arrays of other names, and for other content.

    Headers are checked before any array is unpacked, and nothing is unpickled.

    >>> written = io.BytesIO()
    >>> np.savez(written, x=np.eye(2))
    >>> arrays_of_archive(written.getvalue(), "data.npz", ("x", "y"))["x"].tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    found, numbers = {}, 0
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            for entry in archive.infolist():
                name = entry.filename.removesuffix(".npy")
                if (names and name not in names) or name in found:
                    why = "twice" if name in found else "which is none of " + ", ".join(names)
                    raise _refusal(path, f"it has the array {shown(name)}, {why}", f"Keep {', '.join(names)}.")
                with archive.open(entry) as member:
                    found[name] = array_of_npy(member, entry.file_size, path, name)
                numbers += found[name].size
                if numbers > MOST_NUMBERS:
                    raise _too_many(path)
    except (InputError, MemoryError):
        raise
    except Exception as error:  # the parsers of archives and headers raise errors of a dozen kinds
        raise _refusal(
            path, f"it is no archive that numpy.savez writes ({error})", "Write it by numpy.savez."
        ) from error
    return found


def array_of_npy(stream: IO[bytes], size: int, path: str, name: str = "the file") -> np.ndarray:
    """Return the array in a stream of `size` bytes as `numpy.save` writes it; `path` and `name` are those of errors.

    Raises InputError for objects, complex numbers, texts and longer numbers than 64 bits, and for an array of another
    size than the stream, before any of it is unpacked.

    >>> written = io.BytesIO()
    >>> np.save(written, np.array([1, 2]))
    >>> array_of_npy(io.BytesIO(written.getvalue()), len(written.getvalue()), "data.npy").tolist()
    [1, 2]
    """
    try:
        shape, fortran, kind = _HEADERS[np.lib.format.read_magic(stream)](stream)
    except Exception as error:  # the parser of headers raises errors of a dozen kinds
        what = f"{name} is no array that numpy.save writes ({error})"
        raise _refusal(path, what, "Write it by numpy.save.") from error
    if kind.kind not in "biuf" or kind.itemsize > 8:
        raise _refusal(path, f"{name} holds {kind}, not plain numbers", "Save float64 or integers.")
    if prod(shape) > MOST_NUMBERS:
        raise _too_many(path)
    expected = prod(shape) * kind.itemsize
    data = stream.read(expected + 1) if size == stream.tell() + expected else b""
    if len(data) != expected:
        raise _refusal(path, f"{name} has another size than its header says", "Save it again.")
    return np.frombuffer(data, kind).reshape(shape, order="F" if fortran else "C")


def stored_arrays(path: str | Path) -> dict[str, np.ndarray]:
    """Return the arrays of an archive as `numpy.savez` writes it.

    Raises ValueError for another file, for pickles, and for arrays that are larger than the file, whose bytes would be
    unpacked; OSError where it cannot be read.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     np.savez(Path(folder) / "run.npz", w=np.eye(2))
    ...     stored_arrays(Path(folder) / "run.npz")["w"].tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    with open_regular(path) as opened:
        try:
            with np.load(opened, allow_pickle=False) as file:
                if sum(member.file_size for member in file.zip.infolist()) > os.fstat(opened.fileno()).st_size:
                    raise ValueError("its arrays are larger than the file")
                return dict(file)
        except (MemoryError, ValueError):
            raise
        except Exception as error:  # the parsers of archives and headers raise errors of a dozen kinds
            raise ValueError(f"it is no archive that numpy.savez writes ({error})") from error


def arrays_of_csv(content: bytes, path: str) -> dict[str, np.ndarray]:
    r"""Return the columns of a CSV as the arrays that an archive would have; without a header all are inputs.

    >>> arrays_of_csv(b"1,2\n3,4\n", "data.csv")["x"].tolist()
    [[1.0, 2.0], [3.0, 4.0]]
    """
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _refusal(path, f"it is no UTF-8 text ({error.reason})", "Save it as UTF-8.") from None
    if not text.strip():
        raise _refusal(path, "it is empty", "Write one example a line, numbers separated by commas.")
    if not text.isascii():
        raise _refusal(path, "it has letters or digits beyond ASCII", "Write names x0, y0, ... and plain numbers.")
    lines = csv.reader(_lines(text, path), strict=True)
    numbers, count, underscores, last = array("d"), 0, "_" in text, text.count("\n")
    try:
        header = [name.strip() for name in next(lines, [])]
        examples: Iterator[list[str]] = lines
        if header and all(map(_is_number, header)):
            header, examples = [f"x{index}" for index in range(len(header))], chain([header], lines)
        places = _places(header, path)
        for count, line in enumerate(examples, start=1):
            if not line and lines.line_num == last:  # some editors end a file with an empty line
                count -= 1
                break
            if len(line) != len(header):
                raise _refusal(
                    path, f"row {count - 1} (line {lines.line_num}) has {len(line)} entries, the header {len(header)}"
                )
            try:
                numbers.extend(map(float, line))
            except ValueError:
                raise _no_number(path, header, line, count - 1) from None
            if underscores and any("_" in entry for entry in line):  # Python reads 1_0 as 10
                raise _no_number(path, header, line, count - 1)
            if len(numbers) > MOST_NUMBERS:
                raise _too_many(path)
    except csv.Error as error:
        raise _refusal(
            path, f"line {lines.line_num} is no CSV ({error})", "Write one example a line, numbers separated by commas."
        ) from None
    whole = np.frombuffer(numbers, dtype=float).reshape(count, len(header))
    return {name: whole[:, columns] for name, columns in places.items()}


def _lines(text: str, path: str) -> Iterator[str]:
    """Yield the lines of a CSV. Raises InputError for one of many more numbers than an example may have."""
    stream = io.StringIO(text, newline="")
    while line := stream.readline(_LONGEST_LINE + 1):
        if len(line) > _LONGEST_LINE:
            raise _refusal(path, f"it has a line of more than {_LONGEST_LINE} characters", "Write one example a line.")
        yield line


def _places(header: list[str], path: str) -> dict[str, list[int] | int]:
    """Return the columns of x, y, context and weights in a CSV, by its header."""
    if len(set(header)) != len(header):
        twice = next(name for index, name in enumerate(header) if name in header[:index])
        raise _refusal(path, f"its header names {shown(twice)} twice")
    named = {name: place for place, name in enumerate(header)}
    places: dict[str, list[int] | int] = {}
    for kind in "xy":
        columns = [name for name in header if (match := _COLUMN.fullmatch(name)) and match.group(1) == kind]
        wanted = [f"{kind}{index}" for index in range(len(columns))]
        missing = [name for name in wanted if name not in named]
        if missing:
            raise _refusal(path, f"its header lacks {missing[0]} beside {columns[-1]}")
        if columns:
            places[kind] = [named.pop(name) for name in wanted]
    for name, key in (("y", "y"), ("context", "context"), ("weight", "weights")):
        if name in named and key not in places:
            places[key] = named.pop(name)
    if named:
        hint = "A header has x0, x1, ..., y or y0, y1, ..., and perhaps context and weight; or leave the header out."
        raise _refusal(path, f"its header has the column {shown(next(iter(named)))}", hint)
    return places


def _no_number(path: str, header: list[str], line: list[str], row: int) -> InputError:
    name, entry = next(pair for pair in zip(header, line, strict=True) if not _is_number(pair[1]))
    return _refusal(path, f"row {row}, column {name}: {shown(entry)} is no number", _CORRECT)


def _is_number(entry: str) -> bool:
    try:
        float(entry)
    except ValueError:
        return False
    return "_" not in entry


def rows_of(found: Mapping[str, np.ndarray], path: str) -> Rows:
    """Return the examples of the arrays x, y and perhaps context and weights; `path` begins errors.

    Raises InputError, with row and column, for other shapes and for numbers that are not finite.

    >>> rows_of({"x": np.eye(2), "y": np.array([1, 0])}, "data").probabilities.tolist()
    [0.5, 0.5]
    """
    for name, dimensions in (("x", (2,)), ("y", (1, 2)), ("context", (1,)), ("weights", (1,))):
        if name not in found and name in ("x", "y"):
            raise _refusal(path, f"it has no {name}", "Give inputs x and labels y.")
        if name in found and found[name].shape[:1] == (0,):
            raise _refusal(path, "it has no examples", "Give a row for each example.")
        if name in found and (found[name].ndim not in dimensions or 0 in found[name].shape):
            shape = " x ".join(map(str, found[name].shape)) or "no"
            raise _refusal(path, f"{name} has {shape} numbers", "Give x (N, n), y (N,) or (N, m), the others (N,).")
        if name in found and len(found[name]) != len(found["x"]):
            raise _refusal(path, f"x has {len(found['x'])} rows, {name} has {len(found[name])}")
    numbers = {name: np.ascontiguousarray(each, dtype=float) for name, each in found.items()}
    for name, each in numbers.items():
        _refuse_where(~(np.abs(each) <= LARGEST_NUMBER), each, name, path, "is not finite, or larger than 1e100")
    weights = numbers.get("weights", np.ones(len(numbers["x"])))
    _refuse_where(weights <= 0, weights, "weights", path, "must be > 0: it is the example's share of the data")
    context = numbers.get("context")
    if context is not None:
        wrong = (context < 0) | (context != np.floor(context)) | (context >= LARGEST_CONTEXT)
        _refuse_where(wrong, context, "context", path, f"must be a whole number from 0 to {LARGEST_CONTEXT}")
        context = context.astype(np.int64)
    y = numbers["y"] if numbers["y"].ndim == 2 else numbers["y"][:, None]
    shares = weights / weights.sum()
    _refuse_where(shares == 0, weights, "weights", path, "is so small beside the others that its share is 0 in float64")
    return Rows(numbers["x"], y, shares, context)


def _refuse_where(wrong: np.ndarray, numbers: np.ndarray, name: str, path: str, why: str) -> None:
    """Raise InputError with the first row and column where `wrong` is true."""
    if wrong.any():
        place = tuple(np.argwhere(wrong)[0].tolist())
        column = f"{name}{place[1]}" if len(place) == 2 else name
        value = float(numbers[place])
        raise _refusal(path, f"row {place[0]}, column {column}: {value:.6g} {why}", _CORRECT)


def _too_many(path: str) -> InputError:
    return _refusal(path, f"it has more than {MOST_NUMBERS} numbers", "Use fewer examples or sites.")


def _refusal(path: str, what: str, hint: str = "Correct the file.") -> InputError:
    return InputError(f"{path}: {what}.", hint, "file")
