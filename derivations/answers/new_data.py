"""A problem file on data of one's own: rows of a file, or patches of a folder of pictures, beside their control."""

import os
from dataclasses import dataclass
from fractions import Fraction
from math import floor, log2, log10
from pathlib import Path

import numpy as np
from jaxtyping import Float

from derivations.answers.data_files import FLOOR, DataFile, grid_of, read
from derivations.statistics.alignment import middle
from theory.problem import LAWS, InputError
from theory.problem.datasets.pictures import read_pictures
from theory.problem.numbers import one_of
from theory.problem.toml import number_text, toml_value

WHITENINGS = ("none", "zca")
_STEPS = (1, 4, 16, 64, 256)  # of gradient descent, after which fields are shown
_LEAST_SHARE = 0.1  # of the examples on each side of the threshold 0
_ROWS = """\
law = "table"                 # {says}
file = {file}
"""
_GRID = "shape = [{}, {}]                # rows and columns of the sites, row by row\n"
_PATCHES = """\
law = "images"                # patches of the pictures in a folder, at all positions
folder = {folder}
patch = {side}                     # rows and columns of a patch: n = {n} sites, row by row
photographs = ["all", "all"]  # of class y = labels[0], then of y = labels[1]; or lists of names of files
kinds = ["patch", "gaussian"] # the second class is the control: Gaussian, of the same mean and covariance
centring = "mean"             # less the mean of the law; or patch, each less its own mean; or none
whitening = "{whitening}"
{floor}labels = [1.0, 0.0]           # y; each class has probability 1/2
"""


@dataclass(frozen=True, eq=False)
class DataStart:
    """What a problem on these data begins with: [data] as text, a gate's site and threshold, rate, times, scale of w0.

    `archive` are the examples that the file of the problem reads; None for patches. `says` describes the data.
    """

    law: str
    toml: str
    contexts: bool
    site: int
    threshold: str
    rate: str
    times: str
    scale: str
    says: str
    archive: DataFile | None = None


def data_start(stem: str, data: Path, labels: Path | None, grid: str | None, whiten: str) -> DataStart:
    """Return the start of a problem called `stem`; its steps are stable: rate times largest eigenvalue is at most 2.

    Without labels the second class is the Gaussian of the same mean and covariance. Raises InputError as
    `derivations.answers.data_files.read` does, and for patches that are not square or have labels.
    """
    one_of(whiten, "--whiten", WHITENINGS)
    shape = grid_of(grid)
    if (
        data.is_dir()
        and shape is not None
        and any(picture.shape != shape for picture in read_pictures(data).levels.values())
    ):
        return _of_patches(data, labels, shape, whiten)
    inputs = read(data, labels, shape)
    _require_spread(inputs)
    says = f"{len(inputs.rows.x)} rows of {inputs.rows.x.shape[1]} numbers{_line(inputs)}"
    comment = f"examples of {data.name}"
    if whiten == "zca":
        inputs, comment = inputs.whitened(), f"{comment}, whitened"
    if inputs.labelled:
        says += ", with labels"
    else:
        inputs = inputs.with_surrogate()
        says += ": class y = 1 beside y = 0, its Gaussian surrogate (the same mean and covariance, no labels given)"
        comment += ", y = 1, beside a Gaussian of their mean and covariance, y = 0"
    x, p, law = inputs.rows.x, inputs.rows.probabilities, inputs.table
    toml = _ROWS.format(says=comment, file=toml_value(f"{stem}.npz")) + (_GRID.format(*law.shape) if law.shape else "")
    site = middle(law)
    site = site if np.ptp(x[:, site]) > 0 else int(x.std(axis=0).argmax())
    above = float(p @ (x[:, site] >= 0))
    threshold = 0.0 if _LEAST_SHARE <= above <= 1 - _LEAST_SHARE else float(np.median(x[:, site]))
    second = (x * p[:, None]).T @ x
    return DataStart("table", toml, False, site, repr(threshold), *_pace(second), says, inputs)


def _require_spread(inputs: DataFile) -> None:
    """Raise InputError for examples, or labels of theirs, that are all the same."""
    if not np.ptp(inputs.rows.x, axis=0).any():
        raise InputError(f"{inputs.path}: all examples are the same.", "Give two or more that differ.", "file")
    if inputs.labelled and not np.ptp(inputs.rows.y, axis=0).any():
        raise InputError(
            f"{inputs.path}: all labels are the same.",
            "Give labels that differ, or none: the second class is then a Gaussian of the same mean and covariance.",
            "file",
        )


def _of_patches(folder: Path, labels: Path | None, shape: tuple[int, int], whiten: str) -> DataStart:
    if labels is not None:
        raise InputError(f"{folder} is cut into patches, which have no labels.", "Leave --labels out.", "usage")
    if shape[0] != shape[1]:
        raise InputError(f"Patches are square, and --grid is {shape[0]}x{shape[1]}.", "Write --grid 8x8.", "usage")
    from theory.moments.inputs import input_statistics

    side, zca = shape[0], whiten == "zca"
    settings = {"folder": str(folder), "floor": repr(FLOOR) if zca else 0}
    law = LAWS["images"](side, ("all", "all"), ("patch", "gaussian"), "mean", whiten, (1, 0), **settings)
    toml = _PATCHES.format(
        folder=toml_value(os.path.abspath(folder)),
        side=side,
        n=side * side,
        whitening=whiten,
        floor=f"floor = {FLOOR}                 # eigenvalues below this share of the largest are raised\n" * zca,
    )
    statistics = input_statistics(law, 0)
    pace = _pace(statistics.covariance + np.outer(statistics.mean, statistics.mean))
    says = (
        f"{side} x {side} patches of {len(law.names(0))} pictures: class y = 1 beside y = 0, their Gaussian surrogate "
        "(the same mean and covariance)"
    )
    return DataStart("images", toml, False, middle(law), "0.0", *pace, says)


def _line(inputs: DataFile) -> str:
    """The grid in words, or the remark that a line could be one."""
    n = inputs.rows.x.shape[1]
    if inputs.shape is not None:
        return f" on a grid of {inputs.shape[0]} x {inputs.shape[1]}"
    side = round(n**0.5)
    return f" on a line (--grid {side}x{side} makes them a grid)" if side > 1 and side * side == n else " on a line"


def _pace(second: Float[np.ndarray, "n n"]) -> tuple[str, str, str]:
    """Return rate, times and scale of w0 as text: a rate 2^k of at most 2/l, l the largest eigenvalue of <x x'>.

    The scale is a power of ten near 1/1000 over the root mean square of the inputs. Times that end long before the
    slowest mode has decayed have a comment that says so.

    >>> _pace(np.diag([3.0, 1.0]))[:2]
    ('0.5', '[0.5, 2.0, 8.0, 32.0, 128.0]')
    >>> _pace(np.diag([3.0, 0.01]))[1].partition("#")[2]
    ' far from converged: the slowest mode takes about 800'
    """
    eigenvalues = np.linalg.eigvalsh(second)
    largest = float(eigenvalues[-1])
    if not largest > 0:
        raise InputError("All inputs are 0: no weight moves.", "Give inputs that vary.", "file")
    rate = Fraction(2) ** floor(log2(2 / largest))
    scale = Fraction(10) ** round(-3 - log10(float(np.trace(second)) / len(second)) / 2)
    times = ", ".join(number_text(rate * steps) for steps in _STEPS)
    slowest = _slowest(eigenvalues)
    late = f"   # far from converged: the slowest mode takes about {slowest:.3g}" * (slowest > rate * _STEPS[-1])
    return number_text(rate), f"[{times}]{late}", number_text(scale)


def _slowest(eigenvalues: Float[np.ndarray, " n"]) -> float:
    """Return about the largest finite time constant, in tau, of two complementary gates and the mean readout.

    It is that of K tau dw/dt = b - A w/K, K = 2, where each gate has half of every eigenvalue l of <x x'>: 8/l.
    """
    rounding = len(eigenvalues) * np.finfo(float).eps * eigenvalues[-1]
    return 8 / float(eigenvalues[eigenvalues > rounding][0])
