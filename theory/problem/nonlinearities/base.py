"""The base of the nonlinearities f of x = f(gain z)/Z."""

from typing import ClassVar

FIXED_GAIN = "Q(Phi(gain z)) has the quantile function Q at gain 1 only"


class Nonlinearity:
    """A function f, odd and nondecreasing, of a Gaussian variable; x_j = f(gain z_j)/Z at every site.

    A nonlinearity is a frozen dataclass in a file of this folder; `kind` is its word in problem files. f is odd, so
    that x and -x have the same law. `increasing` is True if f is strictly increasing. `fixed_gain` is empty, or the
    reason why the gain must be 1: then z has variance 1 and x the marginal distribution that the kind names.

    >>> from theory.problem import Algebraic, Sign
    >>> Sign().increasing, Algebraic(5).increasing
    (False, True)
    """

    kind: ClassVar[str]
    fixed_gain: ClassVar[str] = ""

    @property
    def increasing(self) -> bool:
        """Whether f is strictly increasing, so that inputs and latents have the same order."""
        return True
