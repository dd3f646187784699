"""Declaration of a gate at one site."""

from dataclasses import dataclass
from fractions import Fraction
from math import inf
from typing import ClassVar

from theory.problem.gates.base import Gate, check_interval
from theory.problem.numbers import whole


@dataclass(frozen=True)
class SiteGate(Gate):
    """g(x) = 1[lo <= v_site < hi] with v the latent z or the input x; sites count from 0.

    With a finite `sharpness` beta the gate is soft: g(x) = Phi(beta (v_site - lo)) - Phi(beta (v_site - hi)), Phi the
    standard normal distribution function, which is the probability that lo <= v_site + e/beta < hi, e ~ N(0, 1).
    beta -> inf is the hard gate, and gates of neighbouring intervals add up to that of their union for every beta.
    lo = 0, hi = inf is the half-space gate of the small-bump note, eq. (2); lo = -inf, hi = 0 its exact complement.

    Raises InputError for a negative site, lo >= hi, or a sharpness <= 0.

    The two gates of the small-bump note are complements: each latent z_20 opens exactly one of them.

    >>> positive, negative = SiteGate(20, lo=0), SiteGate(20, hi=0)
    >>> [[gate.lo <= z < gate.hi for gate in (positive, negative)] for z in (-0.5, 0.0, 0.5)]
    [[False, True], [True, False], [True, False]]
    """

    site: int
    lo: Fraction | float = -inf
    hi: Fraction | float = inf
    on: str = "latent"
    sharpness: Fraction | float = inf

    kind: ClassVar[str] = "site"

    def __post_init__(self) -> None:
        whole(self.site, "gate.site", least=0)
        check_interval(self, f"gate at site {self.site}")

    @property
    def sites(self) -> tuple[int, ...]:
        """The sites on which the gate depends."""
        return (self.site,)
