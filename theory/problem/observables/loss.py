"""The loss of a network, as an observable."""

from dataclasses import dataclass
from typing import ClassVar

from theory.problem.observables.base import Observable


@dataclass(frozen=True)
class LossAtTimes(Observable):
    """<(y - yhat)^2> (no factor 1/2), or the cross-entropy where it is the loss, at the problem's times: array (T,)."""

    name: ClassVar[str] = "loss"
    axes: ClassVar[tuple[str, ...]] = ("time",)
