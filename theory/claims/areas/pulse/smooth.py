"""Smooth pulses that add up: their second moments by the autocorrelation of one pulse."""

from dataclasses import replace
from fractions import Fraction
from itertools import product

import sympy
from sympy import Eq, Integer, Interval, Range, Rational

from theory.claims import reasons
from theory.claims.model import Claim, Kind, Level, Param
from theory.claims.rational import rational_by_name
from theory.claims.trained import BESIDE, trained_on
from theory.expressions.symbols import n
from theory.moments.inputs import second_moments
from theory.problem import Problem, Pulses

N = sympy.Symbol("N", integer=True)
h = sympy.Symbol("h", real=True)
_FORM = (Fraction(1, 2), Fraction(1), Fraction(1, 2))  # sin^2(pi (j + 1)/4) at the three sites of a raised cosine


def _by_starts(at: dict[str, Fraction]) -> Fraction:
    """The mean of x_0 x_1 over the starts of all pulses."""
    sites, count = int(at["n"]), int(at["N"])
    total = Fraction(0)
    for starts in product(range(sites), repeat=count):
        x = [Fraction(0)] * sites
        for start in starts:
            for place, value in enumerate(_FORM):
                x[(start + place) % sites] += at["h"] * value
        total += x[0] * x[1]
    return total / sites**count


def _in_float64(n: int, N: int, h: float) -> float:
    law = Pulses(n, "ring", "raised-cosine", [[3, 3]], [[N, N]], [Fraction(h)], "sum", [1])
    return float(second_moments(law)[0, 0, 1])


def _blocks(problem: Problem) -> Problem:
    """The same problem with pulses of constant height."""
    return replace(problem, data=replace(problem.data, form="block"))


NEIGHBOURS = Claim(
    id="pulse.smooth.neighbours",
    title="Overlaps of smooth pulses that add up",
    protocol="Smooth pulses that add up: the overlap of a pulse with itself, and the product of the means of two "
    "pulses",
    kind=Kind.EQUATION,
    statement=Eq(
        sympy.Symbol(r"\langle x_i x_{i+1} \rangle", real=True),
        N * h**2 / n + N * (N - 1) * (2 * h / n) ** 2,
        evaluate=False,
    ),
    params=(
        Param(n, Range(4, 8), "sites of the ring", (Integer(4),)),
        Param(N, Range(1, 4), "number of pulses", (Integer(1), Integer(3))),
        Param(h, Interval(-3, 3), "height of a pulse", (Rational(1, 2),)),
    ),
    assumptions=(
        "$N$ independent pulses with the values $h/2$, $h$, $h/2$ at three neighbouring sites; starts uniform on the "
        "ring",
        r"the mean of $\sum_k p_k \sum_l p_l$ has $N$ terms of one pulse, each $h^2/n$, and $N (N - 1)$ of two, each "
        "$(2 h/n)^2$",
        BESIDE + "blocks of the same widths and heights",
    ),
    **rational_by_name(_by_starts),
    numeric=_in_float64,
    registration=trained_on("smooth-pulses", "blocks", _blocks),
    drawn=20,
    unchecked={Level.SYMBOLIC: reasons.BY_COUNTING},
)

CLAIMS = (NEIGHBOURS,)
