"""Stationary correlations by lag: rows of R between site 0 and every site, on a line, a ring, a grid or a torus."""

from typing import Any

import numpy as np
from jaxtyping import Float, Int

from theory.problem.correlations.base import Correlation

Shape = tuple[int, ...]


def kernel_rows(law: Any, c: int) -> tuple[tuple[Float[np.ndarray, " m"], Shape], ...]:
    """R_c of site 0 with every site, and the shape of the sites: along each axis, or once for the whole grid.

    The correlation is the product of those along the axes, unless it is one of the Euclidean distance.

    >>> from theory.problem import NonlinearGP2D
    >>> law = NonlinearGP2D((2, 1), 1, "open", "none", (1, 0), (2, 3))
    >>> [(row.round(4).tolist(), shape) for row, shape in kernel_rows(law, 1)]
    [([1.0, 0.3679], (2,)), ([1.0, 0.3679, 0.0183], (3,))]
    """
    kernel, xi = law.kernels[c], law.length(c)
    shapes = (law.axes,) if law.isotropic else tuple((sites,) for sites in law.axes)
    return tuple((row_of(kernel, shape, law.boundary, xi), shape) for shape in shapes)


def row_of(kernel: Correlation, shape: Shape, boundary: str, xi: float) -> Float[np.ndarray, " m"]:
    """R of site 0 with every site of one axis, or of a grid by Euclidean distance.

    >>> from theory.problem.correlations import GAUSSIAN
    >>> row_of(GAUSSIAN, (4,), "ring", 1.0).round(4).tolist()
    [1.0, 0.3679, 0.0183, 0.3679]
    """
    squared = squares(shape, boundary)
    return kernel.row(squared, boundary, xi) if len(shape) == 1 else kernel.at(squared, xi)


def squares(shape: Shape, boundary: str) -> Int[np.ndarray, " m"]:
    """d(0, j)^2 for every site j of an axis or a grid, row by row.

    >>> squares((2, 3), "torus").tolist()
    [0, 1, 1, 1, 2, 2]
    """
    total = np.zeros(1, dtype=int)
    for sites in shape:
        lag = np.arange(sites)
        lag = lag if boundary == "open" else np.minimum(lag, sites - lag)
        total = (total[:, None] + lag**2).ravel()
    return total


def matrix_of(row: Float[np.ndarray, " m"], shape: Shape) -> Float[np.ndarray, "m m"]:
    """The matrix of a stationary R from its first row: an entry depends on the distances along the axes.

    >>> matrix_of(np.array([1.0, 0.5, 0.25]), (3,)).tolist()
    [[1.0, 0.5, 0.25], [0.5, 1.0, 0.5], [0.25, 0.5, 1.0]]
    """
    place = np.zeros((1, 1), dtype=int)
    for sites in shape:
        site = np.arange(sites)
        apart = np.abs(site[:, None] - site)
        place = (place[:, None, :, None] * sites + apart[None, :, None, :]).reshape(len(place) * sites, -1)
    return row[place]
