"""The nonlinear Gaussian process on a grid: its definition."""

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from jaxtyping import Int

from theory.problem.correlations import GAUSSIAN
from theory.problem.distributions.base import grid_shape, set_field
from theory.problem.distributions.latent_fields import declare_correlation
from theory.problem.distributions.nonlinear_gp import NonlinearGP, squared_distance
from theory.problem.errors import InputError
from theory.problem.numbers import one_of

BOUNDARIES_2D = ("open", "torus")
GRIDS = ("separable", "isotropic")


@dataclass(frozen=True)
class NonlinearGP2D(NonlinearGP):
    """The NonlinearGP on a grid of shape = (rows, columns): d(i, j)^2 is the sum of the squares along the two axes.

    Site i lies in row i // columns and column i % columns, n = rows * columns. On the torus both axes are rings. The
    Gaussian kernel is the product of the kernels of the axes: R_c = R_c[rows] (x) R_c[columns]. For another correlation
    `grid` must say what is meant: "separable", the product of the correlations along the axes, or "isotropic", the
    correlation of the Euclidean distance d (on the torus, of the wrapped one).

    Raises InputError as NonlinearGP does, for sides that are not whole numbers of at least 2, and for a correlation
    that is not defined for Euclidean distances.

    >>> law = NonlinearGP2D((2, 1), 1, "open", "none", (1, 0), shape=(3, 4))
    >>> law.n, law.squared_lags().reshape(law.shape).tolist()
    (12, [[0, 1, 4, 9], [1, 2, 5, 10], [4, 5, 8, 13]])
    """

    n: int = field(init=False)
    shape: tuple[int, int]
    grid: str = field(default="", kw_only=True)

    law: ClassVar[str] = "nlgp-2d"
    boundaries: ClassVar[tuple[str, ...]] = BOUNDARIES_2D

    def __post_init__(self) -> None:
        set_field(self, "shape", grid_shape(self.shape))
        set_field(self, "n", self.shape[0] * self.shape[1])
        self._check_grid()
        super().__post_init__()

    def _check_grid(self) -> None:
        """Make `grid` one of its words, and "" where every correlation is Gaussian, of which both are the same."""
        declare_correlation(self)
        kinds = set(self.correlation) if isinstance(self.correlation, tuple) else {self.correlation}
        if self.grid != "" or kinds != {GAUSSIAN}:
            one_of(self.grid, "data.grid", GRIDS, "It says how a correlation continues from one axis to two.")
        if kinds == {GAUSSIAN}:
            set_field(self, "grid", "")
        if not self.isotropic:
            return
        flat = next((kind.kind for kind in kinds if not kind.radial), None)
        if flat is not None:
            raise InputError(
                f"A correlation of the kind {flat} has no values at the Euclidean distances of a grid.",
                'Use grid = "separable", or a correlation that is a formula of d.',
            )
        if self.clipped:
            raise InputError(
                'positive_part = "clipped" is declared axis by axis; an isotropic correlation has no axes.',
                'Use grid = "separable", or a length at which nothing is clipped.',
            )

    @property
    def isotropic(self) -> bool:
        """True if the correlation is one of the Euclidean distance."""
        return self.grid == "isotropic"

    @property
    def axes(self) -> tuple[int, ...]:
        """Rows and columns."""
        return self.shape

    @property
    def _size(self) -> str:
        return f"shape={list(self.shape)}"

    def squared_distance(self) -> Int[np.ndarray, "n n"]:
        """d(i, j)^2 for all pairs of sites, row by row."""
        down, across = (squared_distance(sites, self.boundary) for sites in self.shape)
        return (down[:, None, :, None] + across[None, :, None, :]).reshape(self.n, self.n)
