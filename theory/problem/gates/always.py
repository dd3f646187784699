"""Declaration of a gate that is always open."""

from dataclasses import dataclass
from typing import ClassVar

from theory.problem.gates.base import Gate


@dataclass(frozen=True)
class AlwaysGate(Gate):
    """g(x) = 1: the unit is linear.

    A network of units that are always open is linear in x and in w:

    >>> from theory.problem import Network
    >>> Network("gated-linear", "mean", 1, (AlwaysGate(),)).activation
    'linear'
    """

    kind: ClassVar[str] = "always"
