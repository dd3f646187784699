"""The blocks of A = <x~ x~^T> are symmetric. Localization notes, section 3.3."""

from fractions import Fraction
from itertools import product

import sympy
from sympy import Eq, Integer, Interval

from theory.claims.documents import NOTES
from theory.claims.model import Claim, Kind, Level, Param, Point
from theory.claims.points import exact_values
from theory.claims.rational import rational
from theory.claims.sources import Source

x11, x12, x21, x22 = sympy.symbols("x11 x12 x21 x22", real=True)


def _asymmetry(point: Point) -> Fraction:
    """The largest |A_ij[k, l] - A_ij[l, k]| and |A_ij[k, l] - A_ji[k, l]| over two samples and three gates."""
    at = exact_values(point)
    opened = (((1, 1, 0), (at["x11"], at["x12"])), ((1, 0, 1), (at["x21"], at["x22"])))

    def block(i: int, j: int) -> list[list[Fraction]]:
        return [[sum(o[i] * o[j] * x[k] * x[l] for o, x in opened) / 2 for l in (0, 1)] for k in (0, 1)]

    pairs = product(range(3), range(3), (0, 1), (0, 1))
    return max(
        max(abs(block(i, j)[k][l] - block(i, j)[l][k]), abs(block(i, j)[k][l] - block(j, i)[k][l]))
        for i, j, k, l in pairs
    )


BLOCKS_SYMMETRIC = Claim(
    id="flow.second_moment.symmetric",
    title="Every block A_ij = <g_i g_j x x^T> is symmetric and equals A_ji: the largest difference is 0",
    kind=Kind.EQUATION,
    statement=Eq(sympy.Function("asymmetry")(x11, x12, x21, x22), 0, evaluate=False),
    params=tuple(Param(entry, Interval(-3, 3), "entry of an input") for entry in (x11, x12, x21, x22)),
    assumptions=("gates are numbers, so g_i g_j commutes and multiplies the symmetric x x^T",),
    sources=(Source(NOTES, "section 3.3", printed=Integer(0), note="'A_ij is symmetric and A_ij = A_ji'"),),
    **rational(_asymmetry),
    unchecked={
        Level.SYMBOLIC: "the difference is 0 entry by entry of every sample, as the assumption says; no step is left",
        Level.FLOATING: "the library keeps one matrix for A_ij and A_ji, so that there is nothing to compare",
    },
)

CLAIMS = (BLOCKS_SYMMETRIC,)
