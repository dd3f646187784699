"""The nonlinear Gaussian process on a grid: its definition."""

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from jaxtyping import Int

from theory.problem.distributions.base import grid_shape, set_field
from theory.problem.distributions.nonlinear_gp import NonlinearGP, squared_distance, squared_lags

BOUNDARIES_2D = ("open", "torus")


@dataclass(frozen=True)
class NonlinearGP2D(NonlinearGP):
    """The NonlinearGP on a grid of shape = (rows, columns): d(i, j)^2 is the sum of the squares along the two axes.

    Site i lies in row i // columns and column i % columns, n = rows * columns. On the torus both axes are rings. The
    kernel is the product of the kernels of the axes: R_c = R_c[rows] (x) R_c[columns].

    Raises InputError as NonlinearGP does, and for sides that are not whole numbers of at least 2.

    >>> law = NonlinearGP2D((2, 1), 1, "open", "none", (1, 0), shape=(3, 4))
    >>> law.n, law.squared_lags().reshape(law.shape).tolist()
    (12, [[0, 1, 4, 9], [1, 2, 5, 10], [4, 5, 8, 13]])
    """

    n: int = field(init=False)
    shape: tuple[int, int]

    law: ClassVar[str] = "nlgp-2d"
    boundaries: ClassVar[tuple[str, ...]] = BOUNDARIES_2D

    def __post_init__(self) -> None:
        set_field(self, "shape", grid_shape(self.shape))
        set_field(self, "n", self.shape[0] * self.shape[1])
        super().__post_init__()

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

    def squared_lags(self) -> Int[np.ndarray, " n"]:
        """d(0, j)^2 for every site j, row by row."""
        down, across = (squared_lags(sites, self.boundary) for sites in self.shape)
        return (down[:, None] + across[None, :]).ravel()
