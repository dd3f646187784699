"""The loss of a network, as an observable."""

from dataclasses import dataclass
from typing import ClassVar

from theory.problem.observables.base import Observable


@dataclass(frozen=True)
class LossAtTimes(Observable):
    """<(y - yhat)^2> (no factor 1/2), or the cross-entropy where it is the loss, at the problem's times: array (T,).

    At w = 0 it is <y^2>, or log 2 where it is the cross-entropy. Labels 1 and 0, equally likely, have <y^2> = 1/2:

    >>> from theory.problem import NonlinearGP
    >>> law = NonlinearGP(40, (2, 1), 1, "open", "none", (1, 0))
    >>> sum(p * y**2 for p, y in zip(law.probabilities, law.labels))
    Fraction(1, 2)
    """

    name: ClassVar[str] = "loss"
    axes: ClassVar[tuple[str, ...]] = ("time",)
