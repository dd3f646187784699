"""The Ising model on a grid: its definition."""

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, ClassVar

from theory.problem.distributions.base import MOST_SITES, Label, Law, Mean, pair, set_field
from theory.problem.distributions.ising import bounded, set_fields
from theory.problem.errors import InputError
from theory.problem.numbers import one_of, whole

BOUNDARIES_2D = ("open", "torus")


@dataclass(frozen=True)
class Ising2D(Law):
    """Spins x in {-1, 1}^n on a grid, P(x) ~ exp(sum over bonds of b x_i x_j + h[c] sum_j x_j) in class c.

    Site i lies in row i // columns and column i % columns, n = rows * columns. The bonds join neighbours in a column,
    with the coupling b = couplings[c][0], and in a row, with b = couplings[c][1]; one number stands for both. On the
    torus the last and the first of every row and column are neighbours too, so that a side of two sites has each bond
    twice. The fields h[c] are 0 where none are given. Class c has label y = labels[c], probability priors[c] (1/C where
    no priors are given) and, where `means` are given, means[c] added to x. There is no latent.

    Raises InputError for sides that are not whole numbers of at least 2, and for a coupling or field beyond 20.

    >>> law = Ising2D((8, 8), "torus", (1, 0), couplings=("0.44", ("0.1", "0.9")))  # nearly critical, anisotropic
    >>> law.n, [[str(b) for b in pair] for pair in law.couplings]
    (64, [['11/25', '11/25'], ['1/10', '9/10']])
    """

    n: int = field(init=False)
    shape: tuple[int, int]
    boundary: str
    labels: tuple[Label, ...]
    couplings: tuple[tuple[Fraction, Fraction], ...]
    h: tuple[Fraction, ...] = ()
    priors: tuple[Fraction, ...] = field(default=(), kw_only=True)
    means: tuple[Mean, ...] = field(default=(), kw_only=True)

    law: ClassVar[str] = "ising-2d"
    boundaries: ClassVar[tuple[str, ...]] = BOUNDARIES_2D

    def __post_init__(self) -> None:
        hint = "Give rows and columns, such as [8, 8]."
        sides = pair(self.shape, "data.shape", lambda side, at: whole(side, at, 2, MOST_SITES), "whole numbers", hint)
        set_field(self, "shape", sides)
        set_field(self, "n", sides[0] * sides[1])
        if self.n > MOST_SITES:
            raise InputError(
                f"data.shape = [{sides[0]}, {sides[1]}] has {self.n} sites, more than {MOST_SITES}.",
                "Give a smaller grid.",
            )
        one_of(self.boundary, "data.boundary", self.boundaries)
        self.each_class("couplings", _couplings, "couplings", "Give one for each class, such as [0.4, 0.2].")
        self.check_classes()
        set_fields(self)


def _couplings(value: Any, where: str) -> tuple[Fraction, Fraction]:
    """The couplings within a column and within a row."""
    if not isinstance(value, list | tuple):
        return (bounded(value, where),) * 2
    return pair(value, where, bounded, "couplings", "Give that of the columns, then that of the rows.")
