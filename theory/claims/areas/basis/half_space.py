"""One basis for all times: the block A_kk through a half space with its boundary through 0. Notes, section 5."""

from fractions import Fraction
from itertools import product

import sympy
from sympy import Eq, Interval

from theory.claims.documents import NOTES
from theory.claims.model import Claim, Kind, Level, Param, Point
from theory.claims.points import exact_values
from theory.claims.rational import rational
from theory.claims.sources import Says, Source

x11, x12, x21, x22, v1, v2 = sympy.symbols("x11 x12 x21 x22 v1 v2", real=True)


def _through_a_half_space(point: Point) -> Fraction:
    """<1[v.x >= 0] x_1 x_2> over the four equally likely inputs +-(x11, x12), +-(x21, x22)."""
    at = exact_values(point)
    total = Fraction(0)
    for sign, row in product((1, -1), ("1", "2")):
        first, second = sign * at[f"x{row}1"], sign * at[f"x{row}2"]
        total += first * second * (at["v1"] * first + at["v2"] * second >= 0) / 4
    return total


OWN_BLOCK = Claim(
    id="basis.half_space.own_block",
    title="Second moment of an even law through a half-space through the origin",
    protocol=r"For an even law and a half space through the origin $\langle g x x^\top \rangle$ is half of "
    r"$\langle x x^\top \rangle$, whatever its direction",
    kind=Kind.EQUATION,
    statement=Eq(
        sympy.Symbol(r"\langle g x x^{\top} \rangle_{12} = \frac{1}{2} \langle x x^{\top} \rangle_{12}", real=True),
        (x11 * x12 + x21 * x22) / 2 / 2,
        evaluate=False,
    ),
    params=(
        *(Param(entry, Interval(-3, 3), "entry of an input") for entry in (x11, x12, x21, x22)),
        *(Param(entry, Interval(-3, 3), "entry of the gate's direction, which drops out") for entry in (v1, v2)),
    ),
    conditions=(sympy.Ne(v1 * x11 + v2 * x12, 0), sympy.Ne(v1 * x21 + v2 * x22, 0)),
    assumptions=(
        r"an even law: $x$ and $-x$ are equally likely, so that of each pair one passes the gate, and $x x^\top$ is "
        "the same for both; a threshold other than 0 breaks this",
        r"$\langle x x^\top \rangle$ is circulant on a ring and does not change while a gate turns, so that the DFT "
        "diagonalizes the block $A_{kk}$ at all times",
    ),
    sources=(
        Source(
            NOTES,
            "section 5",
            note="read as: whether it may; it holds for half spaces through the origin, an even law and gates that "
            "do not overlap, and on a ring the basis is that of the DFT; the blocks $A_{kl}$ of half spaces "
            "that overlap are in general not circulant (`basis.half_spaces.cross_block`)",
            says=Says.ASKS,
            words="we may be able to use a single basis to diagonalize them across time (Toeplitz/circulant "
            "properties? DFT?)",
        ),
    ),
    **rational(_through_a_half_space),
    unchecked={
        Level.SYMBOLIC: "a sum over pairs of inputs, carried out in fractions",
        Level.FLOATING: "the library takes it for granted: it stores one matrix for all half spaces",
    },
)

CLAIMS = (OWN_BLOCK,)
