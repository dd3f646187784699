"""Data files of a user: arrays (.npy, .npz, .csv, .mat) and folders of pictures, as examples with their grid."""

import io
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from jaxtyping import Float, Real

from theory.problem import InputError, Table
from theory.problem.datasets.pictures import read_pictures, white
from theory.problem.distributions.base import MOST_SITES
from theory.problem.distributions.images import whitening_matrix
from theory.problem.numbers import shown
from theory.problem.table_files import LARGEST_FILE, Rows, array_of_npy, arrays_of_archive, arrays_of_csv, rows_of
from theory.problem.toml import DATA
from theory.problem.user_files import read_bytes

FLOOR = 1e-3  # of whitening: the share of the largest eigenvalue to which smaller ones are raised
_GRID = re.compile(r"([1-9][0-9]{0,4})x([1-9][0-9]{0,4})")
_NAME_IT = "Call the inputs x and the labels y, or save the inputs alone as .npy."


@dataclass(frozen=True, eq=False)
class DataFile:
    """N examples of a file or folder, with labels that are all 1 where it has none, and the grid of their sites."""

    path: Path
    rows: Rows
    labelled: bool
    shape: tuple[int, int] | None

    @cached_property
    def table(self) -> Table:
        """The law of these examples."""
        with TemporaryDirectory() as folder:
            return self.write(Path(folder) / "rows.npz")

    def write(self, archive: Path) -> Table:
        """Write the examples into a new archive of the law "table", and return this law."""
        rows, context = self.rows, self.rows.context
        arrays = {"x": rows.x, "y": rows.y, **({} if context is None else {"context": context})}
        if np.ptp(rows.probabilities) > 0:
            arrays["weights"] = rows.probabilities
        with archive.open("xb") as file:
            np.savez(file, **arrays)
        return Table(file=str(archive), shape=self.shape or ())

    def without_labels(self) -> "DataFile":
        """Return the examples as one class."""
        return replace(self, rows=replace(self.rows, y=np.ones((len(self.rows.x), 1))), labelled=False)

    def whitened(self) -> "DataFile":
        """Return x = U diag(max(l_i, FLOOR l_1))^(-1/2) U' (x - <x>) with the covariance U diag(l_i) U' of all rows."""
        x, p = self.rows.x, self.rows.probabilities
        centred = x - p @ x
        matrix = whitening_matrix((centred * p[:, None]).T @ centred, FLOOR)
        return replace(self, rows=replace(self.rows, x=centred @ matrix))

    def with_surrogate(self) -> "DataFile":
        """Return the examples as the class y = 1 beside as many Gaussian ones, y = 0, of equal mean and covariance.

        The control is drawn once (seed 0), and its sample mean and covariance are made those of the examples exactly.
        Raises InputError for examples with weights or contexts, which it would not have.
        """
        rows = self.rows
        if rows.context is not None or np.ptp(rows.probabilities) > 0:
            raise InputError(
                f"{self.path} has contexts or weights, and no labels: its Gaussian control would have neither.",
                "Give labels, or leave contexts and weights out.",
                "file",
            )
        x = np.concatenate([rows.x, surrogate(rows.x, np.random.default_rng(0))])
        y = np.repeat([1.0, 0.0], len(rows.x))
        return replace(self, rows=rows_of({"x": x, "y": y}, str(self.path)), labelled=True)


def surrogate(x: Float[np.ndarray, "N n"], generator: np.random.Generator) -> Float[np.ndarray, "N n"]:
    """Return N Gaussian rows whose mean and covariance (over N) are those of the rows of x, up to rounding.

    With C = U diag(l) U' of rank r they are m + Z (Z'Z/N)^(-1/2) diag(l)^(1/2) U', Z a centred normal N x r matrix.

    >>> x = np.array([[0.0, 1.0], [2.0, 1.0], [1.0, 4.0], [0.0, 0.0]])
    >>> control = surrogate(x, np.random.default_rng(0))
    >>> bool(np.allclose(np.cov(control.T), np.cov(x.T))), bool(np.allclose(control.mean(axis=0), x.mean(axis=0)))
    (True, True)
    """
    mean = x.mean(axis=0)
    _, singular, right = np.linalg.svd(x - mean, full_matrices=False)
    rank = int((singular > singular[0] * max(x.shape) * np.finfo(float).eps).sum()) if singular[0] > 0 else 0
    normal = generator.standard_normal((len(x), rank))
    left, _, turn = np.linalg.svd(normal - normal.mean(axis=0), full_matrices=False)
    return mean + left @ turn @ (singular[:rank, None] * right[:rank])


def is_data(path: Path) -> bool:
    """Whether a path is that of a folder, or by its ending of no problem file.

    >>> is_data(Path("patches.npy")), is_data(Path("problem.toml"))
    (True, False)
    """
    return path.suffix.lower() not in ("", ".toml") or path.is_dir()


def grid_of(text: str | None) -> tuple[int, int] | None:
    """Return rows and columns of a grid such as "8x8". Raises InputError for another text.

    >>> grid_of("8x12")
    (8, 12)
    """
    if text is None:
        return None
    matched = _GRID.fullmatch(text)
    if not matched:
        raise InputError(f"--grid {shown(text)} is no grid.", "Write rows and columns, such as --grid 8x8.", "usage")
    return int(matched[1]), int(matched[2])


def read(path: Path, labels: Path | None = None, grid: tuple[int, int] | None = None) -> DataFile:
    """Return the examples in a file or folder, with the labels of another file, on a grid of rows and columns.

    An array has a row for each example, or an image for each, (N, rows, columns), whose grid is then theirs. An archive
    or MATLAB file has x, and perhaps y, or a single array. A folder has pictures of one size, grey levels 0 to 1.
    Raises InputError for other files and shapes, numbers that are not finite, and a grid that does not fit.
    """
    arrays = _pictures(path) if path.is_dir() else _inputs(path, _arrays(path))
    return examples(arrays if labels is None else {**arrays, "y": _labels(labels, len(arrays["x"]))}, path, grid)


def examples(arrays: Mapping[str, np.ndarray], path: Path, grid: tuple[int, int] | None = None) -> DataFile:
    """Return the examples of the array x, and perhaps y, context and weights; `path` names them. Raises as `read`.

    >>> examples({"x": np.zeros((5, 2, 3))}, Path("images")).shape
    (2, 3)
    """
    for name, array in arrays.items():
        if not isinstance(array, np.ndarray) or array.dtype.kind not in "biuf":
            kind = array.dtype if isinstance(array, np.ndarray) else type(array).__name__
            raise InputError(f"{path}: {name} holds {kind}, not plain numbers.", "Give an array of numbers.", "file")
    x = arrays["x"]
    if x.ndim == 4 and x.shape[3] == 1:
        x = x[..., 0]
    if x.ndim > 0 and len(x) == 0:
        raise InputError(f"{path} has no rows.", "Give a row, or an image, for each example.", "file")
    if x.ndim not in (2, 3) or 0 in x.shape:
        raise InputError(
            f"{path}: the inputs have the shape {x.shape}, not (N, n) or (N, rows, columns).",
            "Give one row, or one image, for each example, such as x.reshape(-1, n).",
            "file",
        )
    shape = (x.shape[1], x.shape[2]) if x.ndim == 3 else grid
    x = x.reshape(len(x), -1)
    if x.shape[1] > MOST_SITES:
        raise InputError(
            f"{path} has {x.shape[1]} numbers in each example, more than {MOST_SITES} sites.",
            "Give smaller images; gdln new NAME --data FOLDER --grid 8x8 takes patches of pictures.",
            "file",
        )
    if grid is not None and (grid[0] * grid[1] != x.shape[1] or shape != grid):
        has = f"{x.shape[1]} columns" if shape == grid else f"images of {shape[0]} x {shape[1]} pixels"
        raise InputError(
            f"{path} has {has}; a grid of {grid[0]} x {grid[1]} has {grid[0] * grid[1]} sites.",
            "Give rows and columns whose product is the number of columns, or leave --grid out.",
            "usage",
        )
    y = arrays.get("y", np.ones(len(x)))
    return DataFile(path, rows_of({**arrays, "x": x, "y": y}, str(path)), "y" in arrays, shape)


def _arrays(path: Path) -> dict[str, Real[np.ndarray, "..."]]:
    """Return the arrays of a file by name; that of a .npy is x."""
    ending = path.suffix.lower()
    if ending not in DATA:
        raise InputError(
            f"{path} is no data file: its ending is none of {', '.join(DATA)}.",
            "Save the numbers as an array (numpy.save), or name a folder of pictures.",
            "file",
        )
    try:
        content = read_bytes(path, LARGEST_FILE, "Use fewer examples, or float32.")
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}.", "Check the path.", "file") from None
    if ending == ".npy":
        return {"x": array_of_npy(io.BytesIO(content), len(content), str(path))}
    return {".npz": arrays_of_archive, ".csv": arrays_of_csv, ".mat": _of_matlab}[ending](content, str(path))


def _of_matlab(content: bytes, path: str) -> dict[str, np.ndarray]:
    """Return the arrays of a MATLAB file; a row or column of labels is a list."""
    from scipy.io import loadmat

    try:
        arrays = {name: value for name, value in loadmat(io.BytesIO(content)).items() if not name.startswith("__")}
    except Exception as error:  # the parser raises errors of a dozen kinds; version 7.3 is HDF5
        raise InputError(
            f"{path} is no MATLAB file that can be read ({error}).", "Save it in MATLAB by save -v7.", "file"
        ) from error
    lists = {name: arrays[name].ravel() for name in ("y", "context", "weights") if 1 in np.shape(arrays.get(name))}
    return arrays | lists


def _inputs(path: Path, arrays: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Return the array x, the labels y if there are any, and contexts and weights."""
    if "x" not in arrays and "X" in arrays:
        arrays = {**arrays, "x": arrays["X"]}
    if "x" not in arrays and len(arrays) == 1:
        return {"x": next(iter(arrays.values()))}
    if "x" not in arrays:
        named = f"no array x; it has {', '.join(map(shown, arrays))}" if arrays else "no arrays"
        raise InputError(f"{path} has {named}.", _NAME_IT, "file")
    return {name: arrays[name] for name in ("x", "y", "context", "weights") if name in arrays}


def _labels(path: Path, count: int) -> np.ndarray:
    """Return the labels in a file of one array, `count` of them."""
    arrays = _arrays(path)
    y = arrays["y"] if "y" in arrays else _inputs(path, arrays)["x"]
    y = y.ravel() if y.ndim == 2 and 1 in y.shape else y
    if y.ndim not in (1, 2) or len(y) != count:
        raise InputError(
            f"{path} has labels of the shape {y.shape} for {count} examples.",
            "Give one label, or one row of labels, for each example.",
            "file",
        )
    return y


def _pictures(folder: Path) -> dict[str, np.ndarray]:
    """Return the pictures of a folder as images of grey levels 0 to 1."""
    levels = read_pictures(folder).levels
    (first, pixels), *_ = levels.items()
    for name, other in levels.items():
        if other.shape != pixels.shape:
            sizes = (f"{each} has {' x '.join(map(str, of.shape))}" for each, of in ((first, pixels), (name, other)))
            raise InputError(
                f"{folder} has pictures of different sizes: {' pixels, '.join(sizes)}.",
                "Give pictures of one size, one an example; or gdln new NAME --data FOLDER --grid 8x8 draws patches.",
                "file",
            )
    return {"x": np.stack([image / white(image) for image in levels.values()])}
