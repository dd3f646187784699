"""Half-spaces of a direction as functions on the inputs, and their products: of signs at 0 and of tails beyond it.

A half-space through 0 enters as the sign s = sign(v.u). One with its threshold h elsewhere enters as a tail, the
indicator of the side that 0 is not on: T = 1[v.u >= h] for h > 0 and 1[v.u < h] for h < 0. So a gate that is open on a
rare event is a combination of rare events, and its moments keep their digits. Products along one direction are single
functions again, exactly:

    s s = 1,   T T' = the farther of the two on one side and 0 on opposite sides,   s T = +T above 0 and -T below.

A soft half-space Phi(beta (v.u - h)) is the tail of v.u + e/beta, e ~ N(0, 1), given u. Each factor has an e of its
own, so that products with a soft one, also its square, are products of two tails of different variables.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import inf

from theory.moments.directions import Direction


@dataclass(frozen=True, order=True)
class HalfSpace:
    """sign(v.u) where `tail` is False, else the indicator of {v.u >= at} or, where `below`, of {v.u < at}.

    With a finite `sharpness` beta the tail is soft, Phi(+-beta (v.u - at)). u is the latent, or the input of a law
    without one; with `on_input` the threshold is one of x at a site of a law with a latent. By site, then direction
    and threshold.

    >>> tail = HalfSpace.at_threshold(Direction(((3, Fraction(1)),)), Fraction(-2))
    >>> tail.tail, tail.below
    (True, True)
    """

    direction: Direction
    at: Fraction = Fraction(0)
    tail: bool = False
    on_input: bool = False
    sharpness: Fraction | float = inf

    @classmethod
    def at_threshold(
        cls,
        direction: Direction,
        at: Fraction,
        on_input: bool = False,
        moved: bool = False,
        sharpness: Fraction | float = inf,
    ) -> "HalfSpace":
        """The function of a half-space at a threshold; `moved` says that class means move it, also from 0."""
        tail = at != 0 or moved or sharpness != inf
        return cls(direction, at, tail, on_input and tail, sharpness)

    @property
    def soft(self) -> bool:
        """Whether it is between 0 and 1."""
        return self.sharpness != inf

    @property
    def below(self) -> bool:
        """Whether the tail is {v.u < at}: its threshold is below 0."""
        return self.at < 0

    def times(self, other: "HalfSpace") -> "tuple[int, HalfSpace | None] | None":
        """The product of two hard functions along one direction: a factor and a function, None for 1; None if it is 0.

        >>> v = Direction(((3, Fraction(1)),))
        >>> one, two, minus = (HalfSpace.at_threshold(v, Fraction(h)) for h in (1, 2, -1))
        >>> one.times(two) == (1, two), one.times(minus), HalfSpace(v).times(minus) == (-1, minus)
        (True, None, True)
        """
        if not (self.tail or other.tail):
            return 1, None
        if not (self.tail and other.tail):
            tail = self if self.tail else other
            return (-1 if tail.below else 1), tail
        if self.below != other.below:
            return None
        return 1, (self if abs(self.at) >= abs(other.at) else other)
