"""The parameters that a network has learned, as observables."""

from dataclasses import dataclass
from typing import ClassVar

from theory.problem.observables.base import Observable


@dataclass(frozen=True)
class WeightsAtTimes(Observable):
    """w_k(t) at the problem's times: array (T, K, n), in units of y/x.

    >>> from theory.problem import Network, one_hidden_layer
    >>> one_hidden_layer(Network("relu", "mean", 3), 40).parameter("w").shape  # (K, n)
    (3, 40)
    """

    name: ClassVar[str] = "weights"
    axes: ClassVar[tuple[str, ...]] = ("time", "unit", "site")


@dataclass(frozen=True)
class BiasesAtTimes(Observable):
    """b_1(t), ..., b_K(t), b_out(t) at the problem's times, of a network that has biases: array (T, K + 1).

    >>> from theory.problem import Network, one_hidden_layer
    >>> graph = one_hidden_layer(Network("relu", "mean", 3, biases="trained"), 40)
    >>> sum(graph.parameter(name).size for name in ("b", "b_out"))  # K + 1
    4
    """

    name: ClassVar[str] = "biases"
    axes: ClassVar[tuple[str, ...]] = ("time", "bias")


@dataclass(frozen=True)
class ReadoutAtTimes(Observable):
    """a_1(t), ..., a_K(t) at the problem's times, of a network that trains its readout: array (T, K).

    >>> from theory.problem import Network, one_hidden_layer
    >>> one_hidden_layer(Network("relu", "trained-sum", 3), 40).parameter("a").shape
    (3,)
    """

    name: ClassVar[str] = "readout"
    axes: ClassVar[tuple[str, ...]] = ("time", "unit")
