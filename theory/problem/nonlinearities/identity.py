"""The identity: Gaussian inputs."""

from dataclasses import dataclass
from typing import ClassVar

from theory.problem.nonlinearities.base import Nonlinearity


@dataclass(frozen=True)
class Identity(Nonlinearity):
    """f(v) = v: x = gain z/Z is Gaussian with the correlations of z; at unit variance x = z for every gain.

    >>> from theory.problem import NonlinearGP
    >>> NonlinearGP(4, (2, 1), 1, "open", "none", (1, 0), nonlinearity="identity").nonlinearity.kind
    'identity'
    """

    kind: ClassVar[str] = "identity"
