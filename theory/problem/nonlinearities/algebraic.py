"""The quantile functions of algebraic sigmoids."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from theory.problem.errors import InputError
from theory.problem.nonlinearities.base import FIXED_GAIN, Nonlinearity
from theory.problem.numbers import exact

LARGEST_EXPONENT = 1000


@dataclass(frozen=True)
class Algebraic(Nonlinearity):
    """f(z) = u/(1 - |u|^k)^(1/k) with u = 2 Phi(z) - 1: P(x <= a) = (1 + a/(1 + |a|^k)^(1/k))/2.

    The density falls like |x|^-(k+1): moments of an order below k are finite. So k > 2, as x needs a variance, and
    its kurtosis needs k > 4. Below k = 9/4 the integrals leave double precision and are refused. For k -> oo x is
    uniform on [-1, 1].

    Source: the class AlgQDF of the public code (github.com/leonlufkin/Localization, `datasets/qdfs.py`) of Lufkin,
    Saxe, Grant, Nonlinear dynamics of localization in neural receptive fields (arXiv:2501.17284), where `Alg(5)` is
    k = 5. The code divides by the standard deviation of a million draws, here "unit-variance" divides by the exact one.

    >>> Algebraic(2)
    Traceback (most recent call last):
    ...
    theory.problem.errors.InputError: data.nonlinearity.k = 2 must be > 2: moments of the order k and above are ...
    """

    k: Fraction

    kind: ClassVar[str] = "algebraic"
    fixed_gain: ClassVar[str] = FIXED_GAIN

    def __post_init__(self) -> None:
        k = exact(self.k, "data.nonlinearity.k")
        object.__setattr__(self, "k", k)
        if k <= 2:
            raise InputError(
                f"data.nonlinearity.k = {float(k):g} must be > 2: moments of the order k and above are infinite, and x "
                "would have no variance.",
                "Give k > 2; the kurtosis needs k > 4.",
            )
        if k > LARGEST_EXPONENT:
            raise InputError(
                f"data.nonlinearity.k = {float(k):g} is more than {LARGEST_EXPONENT}: x is uniform to three digits.",
                'Write nonlinearity = "uniform".',
            )
