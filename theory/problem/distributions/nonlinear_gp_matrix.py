"""The nonlinear Gaussian process with a correlation matrix for each class: the definition."""

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

import numpy as np

from theory.problem.distributions.arrays import ArraysLaw, FloatArray
from theory.problem.distributions.base import Label, Mean, set_field
from theory.problem.distributions.gaussian import is_regular, require_covariances
from theory.problem.errors import InputError
from theory.problem.nonlinearities import Nonlinearity, nonlinearity_of


@dataclass(frozen=True)
class NonlinearGPMatrix(ArraysLaw):
    """x_i = means[c][i] + scales[c][i] f(z_i)/Z with z ~ N(0, correlations[c]) and Z^2 = E f(z_i)^2.

    The correlation is any matrix with the diagonal 1, and scales[c] has the n standard deviations of x in class c; both
    are rounded to float64, and a correlation within 4 n eps of 1 or -1 is 1 or -1. They are written out, or the arrays
    of these names in the archive `file`, which `sha256` identifies. `rows` is the number of rows of sites that lie on
    a grid, row by row.

    Raises InputError for a matrix that is no correlation, and for scales of another shape or below 0.

    >>> law = NonlinearGPMatrix("laplace", [1], [[[1, "1/2"], ["1/2", 1]]], [[2, 1]])
    >>> law.n, law.nonlinearity
    (2, Laplace())
    """

    nonlinearity: Nonlinearity
    labels: tuple[Label, ...]
    correlations: FloatArray | tuple[()] = ()
    scales: FloatArray | tuple[()] = ()
    priors: tuple[Fraction, ...] = field(default=(), kw_only=True)
    means: tuple[Mean, ...] = field(default=(), kw_only=True)
    file: str = field(default="", compare=False, kw_only=True)
    sha256: str = field(default="", kw_only=True)
    rows: int = field(default=0, kw_only=True)

    law: ClassVar[str] = "nlgp-matrix"
    latent: ClassVar[bool] = True
    arrays: ClassVar[tuple[str, ...]] = ("correlations", "scales")
    boundary: ClassVar[str] = "open"
    clipped: ClassVar[bool] = False

    def __post_init__(self) -> None:
        set_field(self, "nonlinearity", nonlinearity_of(self.nonlinearity, "data.nonlinearity"))
        arrays = self.declare_arrays()
        for name in self.arrays:
            if name not in arrays:
                raise InputError(
                    f'data.law = "nlgp-matrix" has no {name}.', "Give `correlations` and `scales`, or a `file`."
                )
        set_field(self, "matrices", arrays["correlations"])
        set_field(self, "deviations", arrays["scales"])
        require_covariances(self.matrices, self.labels, "correlations")
        require_unit_diagonal(self.matrices)
        set_field(self, "matrices", _rounded(self.matrices))
        if self.deviations.shape != self.matrices.shape[:2] or (self.deviations < 0).any():
            raise InputError(
                f"data.scales has the shape {list(self.deviations.shape)}, or a number below 0; it needs the shape "
                f"{list(self.matrices.shape[:2])}.",
                "Give the standard deviation of each site in each class.",
            )
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
        """Whether in some class the latent certainly has a density, and every input varies."""
        pairs = zip(self.matrices, self.deviations, strict=True)
        return any(is_regular(matrix) and bool((scales > 0).all()) for matrix, scales in pairs)


def require_unit_diagonal(matrices: np.ndarray) -> None:
    """Raise InputError unless all entries on the diagonals are 1.

    >>> require_unit_diagonal(np.array([[[2.0]]]))
    Traceback (most recent call last):
    ...
    theory.problem.errors.InputError: data.correlations[0] has 2 on its diagonal, at site 0. ...
    """
    for c, matrix in enumerate(matrices):
        wrong = matrix.diagonal() != 1
        if wrong.any():
            site = int(wrong.argmax())
            raise InputError(
                f"data.correlations[{c}] has {matrix[site, site]:.17g} on its diagonal, at site {site}.",
                "A correlation of a site with itself is 1.",
            )


def _rounded(matrices: np.ndarray) -> np.ndarray:
    """Return correlations with those that are 1 or -1 up to rounding, of two sites that are one, as exactly that."""
    near = np.abs(matrices) >= 1 - 4 * matrices.shape[-1] * np.finfo(float).eps
    return np.where(near, np.sign(matrices), matrices)
