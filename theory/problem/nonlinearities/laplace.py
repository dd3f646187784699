"""The quantile function of the Laplace distribution."""

from dataclasses import dataclass
from typing import ClassVar

from theory.problem.nonlinearities.base import FIXED_GAIN, Nonlinearity


@dataclass(frozen=True)
class Laplace(Nonlinearity):
    """f(z) = -sign(z) log(2 Phi(-|z|)): each site has the density exp(-|x|)/2, over Z = sqrt(2) at unit variance.

    The class LaplaceQDF of the public code (github.com/leonlufkin/Localization, `datasets/qdfs.py`) is -f/sqrt(2), a
    function that falls; as z and -z have the same law, so have its inputs and these.

    >>> Laplace().kind
    'laplace'
    """

    kind: ClassVar[str] = "laplace"
    fixed_gain: ClassVar[str] = FIXED_GAIN
