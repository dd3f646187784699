"""The multivariate Student t on a line or ring: its definition."""

from dataclasses import dataclass, field
from typing import ClassVar

from theory.problem.distributions.base import set_field
from theory.problem.distributions.elliptical import Elliptical
from theory.problem.numbers import whole
from theory.problem.scales import MOST_DOF, NEARLY_GAUSSIAN, Scale, StudentScale


@dataclass(frozen=True)
class StudentT(Elliptical):
    """x = z sqrt(dof[c]/V)/Z: z ~ N(0, R_c) and, independent of it, V ~ chi^2 with dof[c] degrees of freedom.

    It is the Elliptical law with the scale "student-t"; `dof` is a whole number, or one for each class. At unit
    variance x = z sqrt((dof - 2)/V). Raises InputError as Elliptical does.

    >>> law = StudentT(40, (2, 1), "open", "unit-variance", (1, 0), 5)
    >>> law.dof, law.scale[0]
    ((5, 5), StudentScale(dof=5))
    """

    scale: tuple[Scale, ...] = field(init=False, repr=False)
    dof: tuple[int, ...]

    law: ClassVar[str] = "student-t"

    def __post_init__(self) -> None:
        if not isinstance(self.dof, list | tuple) and isinstance(self.labels, list | tuple):
            set_field(self, "dof", (self.dof,) * len(self.labels))
        self.each_class("dof", lambda dof, where: whole(dof, where, 1, MOST_DOF, NEARLY_GAUSSIAN), "whole numbers")
        set_field(self, "scale", tuple(StudentScale(dof) for dof in self.dof))
        super().__post_init__()
