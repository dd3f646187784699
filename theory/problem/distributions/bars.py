"""A bar or rectangle on a grid: its definition."""

from dataclasses import dataclass, field
from fractions import Fraction
from typing import ClassVar

from theory.problem.distributions.base import Label, Law, Mean, grid_shape, set_field, whole_range
from theory.problem.distributions.nonlinear_gp_2d import BOUNDARIES_2D
from theory.problem.distributions.single_pulse import FLIPS, SUPPORTS
from theory.problem.numbers import one_of


@dataclass(frozen=True)
class Bars(Law):
    """One rectangle on a grid of shape = (rows, columns): u = 1 inside it, 0 outside.

    In class c its height is uniform on the integers a..b, rows[c] = [a, b], its width on those of columns[c]; [1, 1]
    and [3, 4] give a horizontal bar, the reverse a vertical one. Its place is uniform: anywhere on a torus, and among
    the places where it fits on an open grid. All of these are independent. Site i lies in row i // columns and column
    i % columns. `support` and `flip` give x as those of a single pulse do.

    Raises InputError for grids below 2 x 2 or of more than 10000 sites, ranges that do not fit, and unknown words.

    The mean rectangle of class 0 here covers 1 x 7/2 of the 64 sites:

    >>> law = Bars((8, 8), "torus", [[1, 1], [3, 4]], [[3, 4], [1, 1]], "zero-one", "none", [1, 0])
    >>> law.n, law.rows[0], law.columns[0]
    (64, (1, 1), (3, 4))
    """

    n: int = field(init=False)
    shape: tuple[int, int]
    boundary: str
    rows: tuple[tuple[int, int], ...]
    columns: tuple[tuple[int, int], ...]
    support: str
    flip: str
    labels: tuple[Label, ...]
    priors: tuple[Fraction, ...] = field(default=(), kw_only=True)
    means: tuple[Mean, ...] = field(default=(), kw_only=True)

    law: ClassVar[str] = "bars"
    boundaries: ClassVar[tuple[str, ...]] = BOUNDARIES_2D

    def __post_init__(self) -> None:
        set_field(self, "shape", grid_shape(self.shape))
        set_field(self, "n", self.shape[0] * self.shape[1])
        one_of(self.boundary, "data.boundary", BOUNDARIES_2D)
        one_of(self.support, "data.support", SUPPORTS)
        one_of(self.flip, "data.flip", FLIPS)
        for name, side in zip(("rows", "columns"), self.shape, strict=True):
            why = f"the grid has {side} {name}"
            self.each_class(
                name,
                lambda ends, at, side=side, why=why: whole_range(ends, at, side, "number", why),
                f"ranges [a, b] of {name}",
                "Give one for each class, such as [[1, 1], [3, 4]].",
            )
        self.check_classes()

    @property
    def axes(self) -> tuple[int, int]:
        """Rows and columns of the grid."""
        return self.shape
