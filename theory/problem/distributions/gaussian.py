"""Gaussian inputs with a covariance matrix for each class: the definition."""

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

import numpy as np
from jaxtyping import Float

from theory.problem.distributions.arrays import ArraysLaw, FloatArray
from theory.problem.distributions.base import Label, Mean, set_field
from theory.problem.errors import InputError
from theory.problem.positivity import MOST_DENSE


@dataclass(frozen=True)
class Gaussian(ArraysLaw):
    """x ~ N(means[c], covariance[c]), with any covariance matrices (C, n, n), rounded to float64.

    They are written out, or the array `covariance` of the archive `file` that `numpy.savez` writes. Only its content
    identifies the law: `sha256`, if given, is checked. A singular matrix is allowed, such as that of a site that does
    not vary. `rows` is the number of rows of sites that lie on a grid, row by row.

    Raises InputError for a matrix that is not symmetric, or that has an eigenvalue below -4 n eps times the largest.

    >>> law = Gaussian([1, 0], [[[2, 1], [1, 2]], [[1, 0], [0, 1]]], means=[[1, 0], [0, 0]])
    >>> law.n, law.matrices[0].tolist()
    (2, [[2.0, 1.0], [1.0, 2.0]])
    >>> Gaussian([1], [[[1, 2], [2, 1]]])
    Traceback (most recent call last):
    ...
    theory.problem.errors.InputError: data.covariance[0] has the eigenvalue -1, below rounding (-5.33e-15): ...
    """

    labels: tuple[Label, ...]
    covariance: FloatArray | tuple[()] = ()
    priors: tuple[Fraction, ...] = field(default=(), kw_only=True)
    means: tuple[Mean, ...] = field(default=(), kw_only=True)
    file: str = field(default="", compare=False, kw_only=True)
    sha256: str = field(default="", kw_only=True)
    rows: int = field(default=0, kw_only=True)

    law: ClassVar[str] = "gaussian"
    arrays: ClassVar[tuple[str, ...]] = ("covariance",)
    boundary: ClassVar[str] = "open"
    clipped: ClassVar[bool] = False

    def __post_init__(self) -> None:
        matrices = self.declare_arrays().get("covariance")
        if matrices is None:
            raise InputError(
                'data.law = "gaussian" has no covariance.', "Give `covariance`, a matrix for each class, or a `file`."
            )
        set_field(self, "matrices", matrices)
        require_covariances(matrices, self.labels)
        self.check_classes()
        self.check_rows()

    @property
    def n(self) -> int:
        """The number of sites."""
        return self.matrices.shape[1]

    @property
    def axes(self) -> tuple[int, ...]:
        """The number of sites along the one axis."""
        return (self.n,)

    @cached_property
    def regular(self) -> bool:
        """Whether a class certainly has a density: the least eigenvalue of its covariance is above rounding."""
        return any(is_regular(matrix) for matrix in self.matrices)


def is_regular(matrix: Float[np.ndarray, "n n"]) -> bool:
    """Return whether the least eigenvalue of a symmetric matrix is above its rounding.

    >>> is_regular(np.eye(2)), is_regular(np.ones((2, 2)))
    (True, False)
    """
    least, rounding = _least(matrix)
    return least > rounding


def require_covariances(matrices: Float[np.ndarray, "C n n"], labels: object, name: str = "covariance") -> None:
    """Raise InputError unless there is one positive semidefinite matrix for each label.

    >>> require_covariances(np.array([[[1.0, 1.0], [1.0, 1.0]]]), [1])
    """
    shape = matrices.shape
    if len(shape) != 3 or shape[1] != shape[2] or 0 in shape:
        raise InputError(
            f"data.{name} has the shape {list(shape)}, not [C, n, n].", "Give a square matrix for each class."
        )
    if isinstance(labels, list | tuple) and len(labels) != len(matrices):
        raise InputError(
            f"data.{name} has {len(matrices)} matrices, data.labels {len(labels)} entries.",
            "Give one of both for each class.",
        )
    if shape[1] > MOST_DENSE:
        raise InputError(
            f"data.{name} has n = {shape[1]} sites, more than {MOST_DENSE}.",
            "Use fewer: its eigenvalues take minutes.",
        )
    for c, matrix in enumerate(matrices):
        off = np.abs(matrix - matrix.T)
        if off.any():
            i, j = np.unravel_index(int(off.argmax()), off.shape)
            raise InputError(
                f"data.{name}[{c}] is not symmetric: its entries {[int(i), int(j)]} and {[int(j), int(i)]} "
                f"are {matrix[i, j]:.17g} and {matrix[j, i]:.17g}.",
                "Give equal numbers.",
            )
        least, rounding = _least(matrix)
        if least < -rounding:
            raise InputError(
                f"data.{name}[{c}] has the eigenvalue {least:.3g}, below rounding (-{rounding:.3g}): no "
                "inputs have it.",
                "Give a positive semidefinite matrix. (Nothing is clipped for you.)",
            )


def _least(matrix: Float[np.ndarray, "n n"]) -> tuple[float, float]:
    """Return the least eigenvalue of a symmetric matrix, and its rounding error."""
    eigenvalues = np.linalg.eigvalsh(matrix)
    return float(eigenvalues[0]), 4 * len(matrix) * float(np.finfo(float).eps) * float(np.abs(eigenvalues).max())
