"""The quantile function of the logistic distribution."""

from dataclasses import dataclass
from typing import ClassVar

from theory.problem.nonlinearities.base import FIXED_GAIN, Nonlinearity


@dataclass(frozen=True)
class Logistic(Nonlinearity):
    """f(z) = log(Phi(z)/Phi(-z)): P(x <= a) = (1 + tanh(a/2))/2, over Z = pi/sqrt(3) at unit variance.

    tanh is the distribution function of x here, not the nonlinearity: x = tanh(z) has another law, under which
    log((1 + x)/(1 - x)) is Gaussian (a logit-normal law on (-1, 1)).

    >>> Logistic().kind
    'logistic'
    """

    kind: ClassVar[str] = "logistic"
    fixed_gain: ClassVar[str] = FIXED_GAIN
