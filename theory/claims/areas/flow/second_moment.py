"""A = <x~ x~^T>: its blocks are symmetric, its eigenvalues nonnegative. Localization notes, section 3.3."""

from fractions import Fraction
from itertools import product

import sympy
from sympy import Eq, Integer, Interval

from theory.claims.documents import NOTES
from theory.claims.model import Claim, Kind, Level, Param, Point
from theory.claims.points import exact_values
from theory.claims.rational import rational
from theory.claims.sources import Says, Source

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
    title="Symmetry of the blocks $A_{ij}$",
    protocol=r"Every block $A_{ij} = \langle g_i g_j x x^\top \rangle$ is symmetric and equals $A_{ji}$: the largest "
    "difference is 0",
    kind=Kind.EQUATION,
    statement=Eq(sympy.Function("asymmetry")(x11, x12, x21, x22), 0, evaluate=False),
    params=tuple(Param(entry, Interval(-3, 3), "entry of an input") for entry in (x11, x12, x21, x22)),
    assumptions=(r"gates are numbers, so $g_i g_j$ commutes and multiplies the symmetric $x x^\top$",),
    sources=(
        Source(
            NOTES,
            "section 3.3",
            printed=Integer(0),
            says=Says.READ_AS,
            words="Note that $A_{ij}$ is symmetric and $A_{ij} = A_{ji}$.",
        ),
        Source(
            NOTES,
            "after (8)",
            printed=Integer(0),
            says=Says.READ_AS,
            words="(It is symmetric because $A$ is block symmetric with blocks $A_{ij}$, and the blocks are also "
            "symmetric.)",
        ),
    ),
    **rational(_asymmetry),
    unchecked={
        Level.SYMBOLIC: "the difference is 0 entry by entry of every sample, as the assumption says; no step is left",
        Level.FLOATING: "the library keeps one matrix for $A_{ij}$ and $A_{ji}$, so that there is nothing to compare",
    },
)

# A is a mean of squares, so that no eigenvalue is negative
v1, v2, v3, v4 = sympy.symbols("v1:5", real=True)
_SQUARES = ((v1 * x11 + v2 * x12) ** 2 + (v1 * x21 + v2 * x22 + v3 * x21 + v4 * x22) ** 2) / 2


def _quadratic_form(point: Point) -> Fraction:
    """v^T A v from the blocks A_kl: two samples of two inputs, the first opens gate 1, the second both gates."""
    at = exact_values(point)
    opened = (((1, 0), (at["x11"], at["x12"])), ((1, 1), (at["x21"], at["x22"])))
    v = [[at["v1"], at["v2"]], [at["v3"], at["v4"]]]
    total = Fraction(0)
    for k, l, i, j in product((0, 1), repeat=4):
        block = sum(gates[k] * gates[l] * x[i] * x[j] for gates, x in opened) / 2
        total += v[k][i] * block * v[l][j]
    return total


NONNEGATIVE = Claim(
    id="flow.second_moment.nonnegative",
    title="Nonnegative eigenvalues of $A$",
    protocol=r"The eigenvalues of $A$ are nonnegative: $v^\top A v = \langle (v \cdot \tilde x)^2 \rangle$, a mean of "
    "squares",
    kind=Kind.EQUATION,
    statement=Eq(sympy.Function("form")(v1, v2, v3, v4), _SQUARES, evaluate=False),
    params=(
        *(Param(entry, Interval(-3, 3), "entry of an input") for entry in (x11, x12, x21, x22)),
        *(Param(entry, Interval(-3, 3), "entry of $v$, a vector of both units") for entry in (v1, v2, v3, v4)),
    ),
    assumptions=("two equally likely samples with two inputs; the first opens gate 1, the second opens both gates",),
    sources=(
        Source(
            NOTES,
            "section 3.3",
            says=Says.READ_AS,
            words=r"the diagonal entries of $\Lambda$ are the corresponding (nonnegative) eigenvalues",
        ),
    ),
    **rational(_quadratic_form),
    unchecked={
        Level.SYMBOLIC: "the square of a sum is expanded; no step is left",
        Level.FLOATING: "the library takes eigenvalues, and no quadratic forms",
    },
)

CLAIMS = (BLOCKS_SYMMETRIC, NONNEGATIVE)
