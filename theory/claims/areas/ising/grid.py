"""Spins of a grid of two rows and two columns, whose couplings differ along the two axes."""

from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import atanh

import sympy
from sympy import Eq, Interval, Rational

from theory.claims.model import Claim, Kind, Level, Param
from theory.claims.rational import rational_by_name
from theory.claims.trained import BESIDE, through_half_space, trained_on
from theory.problem import Problem
from theory.problem.distributions.ising_2d import Ising2D

r, s = sympy.symbols("r s", real=True)
_COUPLING = Interval.open(-1, 1)


def _over_states(at: dict[str, Fraction]) -> Fraction:
    """The mean of 1[x >= 0] x' over the 16 states, x and x' neighbours in a row."""
    total = weighed = Fraction(0)
    for upper, right, lower, far in product((-1, 1), repeat=4):  # rows (upper, right) and (lower, far)
        columns = (1 + at["r"] * upper * lower) * (1 + at["r"] * right * far)
        weight = columns * (1 + at["s"] * upper * right) * (1 + at["s"] * lower * far)
        total += weight
        weighed += weight * (upper >= 0) * right
    return weighed / total


def _in_float64(r: float, s: float) -> float:
    law = Ising2D((2, 2), "open", (1,), couplings=((Fraction(atanh(r)), Fraction(atanh(s))),))
    return float(through_half_space(law).sigma_yx[0, 1])


def _turned(problem: Problem) -> Problem:
    """The same problem with the couplings of rows and columns exchanged."""
    law = problem.data
    return replace(problem, data=replace(law, couplings=tuple((b, a) for a, b in law.couplings)))


NEIGHBOURS = Claim(
    id="ising.grid.neighbours",
    title="Neighbours in a row of a grid through a half-space",
    protocol="Neighbours in a row of a grid through a half-space: their bond, and the way round through the columns",
    kind=Kind.EQUATION,
    statement=Eq(
        sympy.Symbol(r"\langle \mathbf{1}[x_{11} \geq 0] x_{12} \rangle", real=True),
        s * (1 + r**2) / (2 * (1 + r**2 * s**2)),
        evaluate=False,
    ),
    params=(
        Param(r, _COUPLING, r"$\tanh$ of the coupling along a column", (Rational(1, 2),)),
        Param(s, _COUPLING, r"$\tanh$ of the coupling along a row", (Rational(-15, 16),)),
    ),
    assumptions=(
        "a grid of two rows and two columns, open, without a field: its four bonds form one loop, whose way round "
        "from $x_{11}$ to $x_{12}$ has the weight $r s r$",
        BESIDE + "couplings exchanged between rows and columns, on a grid of 2 rows and 3 columns",
    ),
    **rational_by_name(_over_states),
    numeric=_in_float64,
    registration=trained_on("ising-grid", "couplings exchanged between rows and columns", _turned),
    drawn=16,
    unchecked={Level.SYMBOLIC: "all 16 states are summed in fractions; no chain of steps derives the sum"},
)

CLAIMS = (NEIGHBOURS,)
