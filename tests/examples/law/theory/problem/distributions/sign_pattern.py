"""White noise with a pattern of random sign, by definition only."""

from dataclasses import dataclass, field
from fractions import Fraction
from typing import ClassVar

from theory.problem.distributions.base import Label, Law, Mean, set_field
from theory.problem.errors import InputError
from theory.problem.numbers import positive, shown


@dataclass(frozen=True)
class SignPattern(Law):
    """x = z + strength[c] s pattern: z ~ N(0, I), and independent of it a sign s, +1 or -1 with probability 1/2 each.

    The pattern is 1 or -1 at each site. Raises InputError for any other, and for strengths that are not positive.

    >>> law = SignPattern([1, 1, -1], (2, 1), (1, 0))
    >>> law.n, [str(1 + strength**2) for strength in law.strength]  # the variances of the classes
    (3, ['5', '2'])
    """

    pattern: tuple[int, ...]
    strength: tuple[Fraction, ...]
    labels: tuple[Label, ...]
    priors: tuple[Fraction, ...] = field(default=(), kw_only=True)
    means: tuple[Mean, ...] = field(default=(), kw_only=True)

    law: ClassVar[str] = "sign-pattern"
    boundary: ClassVar[str] = "open"

    def __post_init__(self) -> None:
        if not isinstance(self.pattern, list | tuple) or not self.pattern or not set(self.pattern) <= {1, -1}:
            raise InputError(f"data.pattern = {shown(self.pattern)} must be signs.", "Write for example [1, -1, 1].")
        set_field(self, "pattern", tuple(self.pattern))
        self.each_class("strength", lambda value, where: positive(value, where, "the sign is random"))
        self.check_classes()

    @property
    def n(self) -> int:
        """The number of sites."""
        return len(self.pattern)
