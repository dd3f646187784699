"""The single pulse on a ring: its definition."""

from dataclasses import dataclass, field
from fractions import Fraction
from typing import ClassVar

from theory.problem.distributions.base import Label, Law, Mean, number_of_sites, whole_range
from theory.problem.numbers import one_of

SUPPORTS = ("zero-one", "plus-minus")
FLIPS = ("none", "sign", "complement")


@dataclass(frozen=True)
class SinglePulse(Law):
    """One pulse on a ring of n sites: u_j = 1 at the sites start, ..., start + W - 1 (modulo n), 0 at the others.

    The start is uniform on the ring; in class c the width W is uniform on the integers a..b, widths[c] = [a, b].
    support "zero-one" means x = u, "plus-minus" x = 2 u - 1. The flip is applied with probability 1/2, independently of
    the rest: "sign" is x -> -x, which with "zero-one" gives pulses of ones and of minus ones on zeros; "complement" is
    u -> 1 - u, with "plus-minus" the same as "sign". Class c has label y = labels[c], probability priors[c] (1/C where
    no priors are given) and, where `means` are given, means[c] added to x. There is no latent. Source: localization
    notes, section 1.

    Raises InputError for n < 2 or > 10000, widths that are not integers with 1 <= a <= b <= n, or unknown words.

    The mean pulse covers W of the n sites, so E u_j = W/n with W = 7/2 in class 0 here:

    >>> law = SinglePulse(40, [[3, 4], [9, 10]], "zero-one", "none", [1, 0])
    >>> [str(Fraction(sum(ends), 2 * law.n)) for ends in law.widths]
    ['7/80', '19/80']
    """

    n: int
    widths: tuple[tuple[int, int], ...]
    support: str
    flip: str
    labels: tuple[Label, ...]
    priors: tuple[Fraction, ...] = field(default=(), kw_only=True)
    means: tuple[Mean, ...] = field(default=(), kw_only=True)

    law: ClassVar[str] = "single-pulse"
    latent: ClassVar[bool] = False
    boundary: ClassVar[str] = "ring"  # by definition, not a choice

    def __post_init__(self) -> None:
        number_of_sites(self.n)
        one_of(self.support, "data.support", SUPPORTS)
        one_of(self.flip, "data.flip", FLIPS)
        self.each_class(
            "widths",
            lambda ends, at: whole_range(ends, at, self.n, "width", f"a pulse does not fit a ring of {self.n} sites"),
            "ranges [a, b] of widths",
            "Give one for each class, such as [[3, 4], [9, 10]].",
        )
        self.check_classes()
