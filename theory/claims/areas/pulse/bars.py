"""Bars on a torus: the probability that a rectangle covers two sites."""

from fractions import Fraction
from itertools import product

import sympy
from sympy import Eq, Integer, Range

from theory.claims import reasons
from theory.claims.areas.pulse._pulses import covered
from theory.claims.model import Claim, Kind, Level, Param
from theory.claims.rational import rational_by_name
from theory.expressions.symbols import n
from theory.moments.inputs import second_moments
from theory.problem import Bars

a, b, p, q = sympy.symbols("a b p q", integer=True)


def _both_lit(at: dict[str, Fraction]) -> Fraction:
    """The share of rectangles, by corner and sides, that cover site (0, 0) and site (p, q)."""
    side, least, largest, down, across = (int(at[name]) for name in ("n", "a", "b", "p", "q"))
    both = total = 0
    for row, column, height, width in product(range(side), range(side), *[range(least, largest + 1)] * 2):
        lit = {((row + r) % side, (column + c) % side) for r, c in product(range(height), range(width))}
        both += {(0, 0), (down, across)} <= lit
        total += 1
    return Fraction(both, total)


def _in_float64(**at: int) -> float:
    ranges = [[at["a"], at["b"]]]
    law = Bars((at["n"], at["n"]), "torus", ranges, ranges, "zero-one", "none", [1])
    return float(second_moments(law)[0, 0, at["p"] * at["n"] + at["q"]])


PAIR = Claim(
    id="pulse.bars.pair",
    title="How often a rectangle on a torus covers two sites: rows and columns are independent",
    kind=Kind.EQUATION,
    statement=Eq(
        sympy.Symbol(r"\langle u_{r,s} u_{r+p,s+q} \rangle", real=True),
        covered(p, n - p) * covered(q, n - q),
        evaluate=False,
    ),
    params=(
        Param(n, Range(2, 8), "rows, and columns, of the torus", (Integer(2), Integer(7))),
        Param(a, Range(1, 8), "least height and width of the rectangle", (Integer(1),)),
        Param(b, Range(1, 8), "largest height and width", (Integer(2),)),
        Param(p, Range(0, 7), "distance of the two sites along a column", (Integer(0),)),
        Param(q, Range(0, 7), "distance along a row", (Integer(0),)),
    ),
    conditions=(a <= b, b <= n, p < n, q < n),
    assumptions=(
        r"height and width are uniform on $a, \ldots, b$ and the place is uniform on the torus, all independent",
        "a site is lit where its row and its column are, each by a single pulse on a ring",
    ),
    **rational_by_name(_both_lit),
    numeric=_in_float64,
    drawn=30,
    unchecked={Level.SYMBOLIC: reasons.BY_COUNTING},
)

CLAIMS = (PAIR,)
