"""Elliptical laws on a line or ring: a Gaussian vector times an independent scale. The definition."""

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

from theory.problem.distributions.base import Label, Law, Mean, set_field
from theory.problem.distributions.nonlinear_gp import NORMALISERS, NonlinearGP
from theory.problem.errors import InputError
from theory.problem.numbers import one_of
from theory.problem.scales import Scale, StudentScale, read_scale


@dataclass(frozen=True)
class Elliptical(Law):
    """x = r z/Z: z ~ N(0, R_c), R_c[i, j] = exp(-d(i, j)^2/xi[c]^2), and r > 0 from scale[c], independent of z.

    The laws of r are those of `theory.problem.scales`: a table or a word for each class, or one for all. normaliser
    "unit-variance" means Z^2 := E r^2 in each class, so that every x_i has the variance 1; "none" means Z := 1. The
    other fields are those of NonlinearGP.

    Raises InputError as NonlinearGP does, for an unknown scale, and at unit variance for a scale with an infinite
    E r^2: a Student t of two degrees of freedom or fewer.

    >>> law = Elliptical(40, (2, 1), {"kind": "student-t", "dof": 5}, "open", "unit-variance", (1, 0))
    >>> law.scale == (StudentScale(5), StudentScale(5)), law.process.xi
    (True, (Fraction(2, 1), Fraction(1, 1)))
    """

    n: int
    xi: tuple[Fraction, ...]
    scale: tuple[Scale, ...]
    boundary: str
    normaliser: str
    labels: tuple[Label, ...]
    priors: tuple[Fraction, ...] = field(default=(), kw_only=True)
    means: tuple[Mean, ...] = field(default=(), kw_only=True)

    law: ClassVar[str] = "elliptical"
    clipped: ClassVar[bool] = False  # an indefinite ring is refused

    def __post_init__(self) -> None:
        one_of(self.normaliser, "data.normaliser", NORMALISERS)
        given = {"priors": self.priors, "means": self.means}
        try:
            process = NonlinearGP(self.n, self.xi, 1, self.boundary, "none", self.labels, **given)
        except InputError as error:
            clipping = "positive_part" in error.hint  # which this law does not have
            hint = 'Use boundary = "open" or a smaller xi. (Nothing is clipped for you.)' if clipping else error.hint
            raise InputError(error.message, hint) from None
        for name in ("xi", "labels", "priors", "means"):
            set_field(self, name, getattr(process, name))
        if not isinstance(self.scale, list | tuple):
            set_field(self, "scale", (self.scale,) * self.classes)
        self.each_class("scale", read_scale, "laws of r", 'Give one, such as "laplace", or one for each class.')
        for c, scale in enumerate(self.scale):
            if self.normaliser == "unit-variance" and isinstance(scale, StudentScale) and scale.dof <= 2:
                raise InputError(
                    f"A Student t with dof = {scale.dof} in class {c} has an infinite variance: no Z makes it 1.",
                    'Use at least 3 degrees of freedom, or normaliser = "none".',
                )

    @cached_property
    def process(self) -> NonlinearGP:
        """The process whose latent is z: its correlations are those of this law."""
        return NonlinearGP(self.n, self.xi, 1, self.boundary, "none", self.labels, priors=self.priors)

    @property
    def axes(self) -> tuple[int, ...]:
        """The number of sites along the one axis."""
        return self.process.axes
