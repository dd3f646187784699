"""The sizes of weights, the strengths of paths, and the modes of end-to-end maps, as observables."""

from dataclasses import dataclass
from typing import ClassVar

from theory.problem.observables.base import Observable


@dataclass(frozen=True)
class WeightSizesAtTimes(Observable):
    """|W|, the Frobenius norm of each parameter in the order of `Problem.parameters`: array (T, W).

    The norm is invariant under rotations of the units on either side of W:

    >>> import numpy as np
    >>> W, (c, s) = np.array([[3.0, 0.0], [4.0, 0.0]]), (0.6, 0.8)
    >>> [round(float(np.linalg.norm(matrix)), 12) for matrix in (W, np.array([[c, -s], [s, c]]) @ W)]
    [5.0, 5.0]
    """

    name: ClassVar[str] = "weight-sizes"
    axes: ClassVar[tuple[str, ...]] = ("time", "weight")


@dataclass(frozen=True)
class PathStrengthsAtTimes(Observable):
    """|s_p W_p| of each path p of a gated graph, in the order of `theory.problem.routes`: array (T, P).

    W_p is the product of the weights along the path, s_p the product of its nodes' scales, and the norm that of
    Frobenius. The strength is that of the path's action on x while its gates are open, so it vanishes with any of its
    weights:

    >>> import numpy as np
    >>> encode, decode = np.array([[1.0, 0.0], [0.0, 2.0]]), np.array([[2.0, 0.0]])
    >>> [float(np.linalg.norm(decode @ W @ encode)) for W in (np.eye(2), np.zeros((2, 2)))]
    [2.0, 0.0]
    """

    name: ClassVar[str] = "path-strengths"
    axes: ClassVar[tuple[str, ...]] = ("time", "path")


@dataclass(frozen=True)
class MapModesAtTimes(Observable):
    """The singular values of each end-to-end map of a gated graph, by `theory.problem.maps.mode_names`: array (T, M).

    A map takes x to yhat where the same paths are open, such as in one context: the sum over these paths of the product
    of their weights and scales, all outputs stacked. Its singular values are the modes that the network has learned
    there; the root of the sum of their squares is its Frobenius norm.

    >>> import numpy as np
    >>> encode, decode, skip = np.diag([1.0, 2.0]), np.diag([2.0, 0.5]), np.diag([0.0, 3.0])
    >>> np.linalg.svd(decode @ encode + skip, compute_uv=False).tolist()
    [4.0, 2.0]
    """

    name: ClassVar[str] = "map-modes"
    axes: ClassVar[tuple[str, ...]] = ("time", "map_mode")
