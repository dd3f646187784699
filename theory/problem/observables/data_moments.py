"""The gated moments of the data, as observables."""

from dataclasses import dataclass
from typing import ClassVar

from theory.problem.observables.base import Observable


@dataclass(frozen=True)
class InputOutputMoment(Observable):
    """Sigma^yx(p_k) = <g_k(x) y x>: array (K, n). Source: notes, eq. (6).

    A gate that is always open gives the plain moment, here of two equally likely examples (x, y):

    >>> import numpy as np
    >>> x, y = np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([1.0, -1.0])
    >>> gates = np.array([[1.0, 1.0], [1.0, 0.0]])  # unit, example
    >>> (np.einsum("ke,e,ej->kj", gates, y, x) / 2).tolist()
    [[0.5, -0.5], [0.5, 0.0]]
    """

    name: ClassVar[str] = "input-output-moment"
    axes: ClassVar[tuple[str, ...]] = ("unit", "site")


@dataclass(frozen=True)
class InputMoment(Observable):
    """Sigma^xx(p_k, p_l) = <g_k(x) g_l(x) x x^T>: array (K, K, n, n). Source: notes, eq. (7).

    The moment of two units whose gates are never open together is zero:

    >>> import numpy as np
    >>> x, gates = np.array([[1.0, 2.0], [3.0, 1.0]]), np.array([[1.0, 0.0], [0.0, 1.0]])
    >>> (np.einsum("ke,le,ei,ej->klij", gates, gates, x, x) / 2)[:, :, 0, 1].tolist()
    [[1.0, 0.0], [0.0, 1.5]]
    """

    name: ClassVar[str] = "input-moment"
    axes: ClassVar[tuple[str, ...]] = ("unit", "other_unit", "site", "other_site")
