"""The Ising chain: its definition."""

from dataclasses import dataclass, field
from fractions import Fraction
from math import exp, expm1, log1p
from typing import Any, ClassVar

from theory.problem.distributions.base import Label, Law, Mean, number_of_sites, set_field
from theory.problem.errors import InputError
from theory.problem.numbers import exact, one_of, positive

BOUNDARIES = ("open", "ring")
# At a coupling of 20 two neighbours differ with a probability of about exp(-40), which no sample shows.
MOST_COUPLING = 20
# tanh 20 = exp(-1/xi) at xi = 1.2e17.
MOST_LENGTH = 10**17


@dataclass(frozen=True)
class Ising(Law):
    """Spins x in {-1, 1}^n with P(x) proportional to exp(sum_j beta[c] x_j x_{j+1} + h[c] sum_j x_j) in class c.

    The first sum runs over the n - 1 bonds of an open line, or over the n bonds of a ring, where x_n = x_0. Given are
    either the couplings beta[c], of any sign, or the correlation lengths xi[c] > 0 in sites, tanh beta = exp(-1/xi):
    then <x_i x_j> = exp(-|i - j|/xi) on an open line without a field. The fields h[c] are 0 where none are given.
    Class c has label y = labels[c], probability priors[c] (1/C where no priors are given) and, where `means` are given,
    means[c] added to x. There is no latent.

    Raises InputError for n < 2 or > 10000, both or neither of beta and xi, |beta| or |h| above 20, xi <= 0 or > 1e17.

    Neighbours on an open line have the correlation tanh beta = exp(-1/xi):

    >>> from math import tanh
    >>> law = Ising(40, "open", (1, 0), xi=(2, 1))
    >>> [round(tanh(law.coupling(c)) / exp(-1 / float(law.xi[c])), 12) for c in range(2)]
    [1.0, 1.0]
    """

    n: int
    boundary: str
    labels: tuple[Label, ...]
    beta: tuple[Fraction, ...] = ()
    xi: tuple[Fraction, ...] = ()
    h: tuple[Fraction, ...] = ()
    priors: tuple[Fraction, ...] = field(default=(), kw_only=True)
    means: tuple[Mean, ...] = field(default=(), kw_only=True)

    law: ClassVar[str] = "ising"
    boundaries: ClassVar[tuple[str, ...]] = BOUNDARIES

    def __post_init__(self) -> None:
        number_of_sites(self.n)
        one_of(self.boundary, "data.boundary", self.boundaries)
        if given(self.beta) == given(self.xi):
            said = "both `beta` and `xi`" if given(self.xi) else "neither `beta` nor `xi`"
            raise InputError(
                f"data has {said}: tanh beta = exp(-1/xi) fixes one by the other.",
                "Give the couplings, such as beta = [0.5, 0.2], or the correlation lengths, such as xi = [2.0, 1.0].",
            )
        set_field(self, "xi" if given(self.beta) else "beta", ())  # also where it is an empty list
        if given(self.beta):
            self.each_class("beta", bounded)
        else:
            self.each_class("xi", _length)
        self.check_classes()
        set_fields(self)

    def coupling(self, c: int) -> float:
        """beta of class c in float64; for a correlation length xi, atanh(exp(-1/xi))."""
        if self.beta:
            return float(self.beta[c])
        u = float(1 / self.xi[c])
        return log1p(-2 * exp(-u) / expm1(-u)) / 2


def given(values: object) -> bool:
    """Return whether an optional field of one number a class is given.

    >>> given(()), given((0, 1))
    (False, True)
    """
    return not (isinstance(values, list | tuple) and not values)


def set_fields(law: Any) -> None:
    """Make the fields h of a law exact, 0 for every class where none are given.

    >>> [str(h) for h in Ising(4, "open", (1, 0), beta=(1, 1)).h]
    ['0', '0']
    """
    if given(law.h):
        law.each_class("h", bounded)
    else:
        set_field(law, "h", (Fraction(0),) * law.classes)


def bounded(value: Any, where: str) -> Fraction:
    """Return an exact number of at most 20 in size, a coupling or a field. Raises InputError for a larger one.

    >>> bounded("-1/2", "data.beta[0]")
    Fraction(-1, 2)
    """
    number = exact(value, where)
    if abs(number) > MOST_COUPLING:
        raise InputError(
            f"{where} = {float(number):g} is larger than {MOST_COUPLING}: two of its spins would differ with a "
            "probability below 1e-17, and float64 would not show it.",
            f"Give a number between -{MOST_COUPLING} and {MOST_COUPLING}.",
        )
    return number


def _length(value: Any, where: str) -> Fraction:
    number = positive(value, where, "it is the correlation length in exp(-d/xi)")
    if number > MOST_LENGTH:
        raise InputError(
            f"{where} = {float(number):g} is larger than {float(MOST_LENGTH):g}: neighbours would differ with a "
            "probability below 1e-17, and float64 would not show it.",
            "Give a smaller xi.",
        )
    return number
