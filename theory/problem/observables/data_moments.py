"""The gated moments of the data, as observables."""

from dataclasses import dataclass
from typing import ClassVar

from theory.problem.observables.base import Observable


@dataclass(frozen=True)
class InputOutputMoment(Observable):
    """Sigma^yx(p_k) = <g_k(x) y x>: array (K, n). Source: notes, eq. (6)."""

    name: ClassVar[str] = "input-output-moment"
    axes: ClassVar[tuple[str, ...]] = ("unit", "site")


@dataclass(frozen=True)
class InputMoment(Observable):
    """Sigma^xx(p_k, p_l) = <g_k(x) g_l(x) x x^T>: array (K, K, n, n). Source: notes, eq. (7)."""

    name: ClassVar[str] = "input-moment"
    axes: ClassVar[tuple[str, ...]] = ("unit", "other_unit", "site", "other_site")
