"""The error function, the nonlinearity of the localization notes."""

from dataclasses import dataclass
from typing import ClassVar

from theory.problem.nonlinearities.base import Nonlinearity


@dataclass(frozen=True)
class Erf(Nonlinearity):
    """f(v) = erf(v). Source: localization notes, section 1.

    It is the nonlinearity of a law that names none:

    >>> from theory.problem import NonlinearGP
    >>> NonlinearGP(4, (2, 1), 1, "open", "none", (1, 0)).nonlinearity
    Erf()
    """

    kind: ClassVar[str] = "erf"
