"""ReLU paths whose region is disconnected, or jumps with the weights: half-space paper, section 2.1 and figure 1."""

from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise

import sympy
from sympy import Eq, Integer, Interval, Range, Rational, S, sign

from theory.claims.documents import HALF_SPACES
from theory.claims.model import Claim, Kind, Level, Param
from theory.claims.rational import rational_by_name
from theory.claims.sources import Says, Source
from theory.paths.regions import ReluGates, division

e, r = sympy.Symbol("e", integer=True, positive=True), sympy.Symbol("r", integer=True, positive=True)
epsilon = sympy.Symbol("epsilon", real=True, nonzero=True)


def _relu(value: Fraction) -> Fraction:
    return max(value, Fraction(0))


def _saw(hinges: int) -> Callable[[Fraction], tuple[Fraction, Fraction]]:
    """Return the pre-activations of the red unit and of the green one as functions of the input."""
    slopes = [2, *(4 * (-1) ** k for k in range(1, hinges))]

    def values(x: Fraction) -> tuple[Fraction, Fraction]:
        return x, sum((slope * _relu(x - k) for k, slope in enumerate(slopes)), Fraction(0)) - 1

    return values


def _ends(hinges: int) -> list[Fraction]:
    """Return the inputs at which the path through both units changes, by the sign at both ends of each linear piece."""
    values = _saw(hinges)
    places = [Fraction(k) for k in range(-1, hinges + 2)]  # beyond the last bend the function is linear
    found = []
    for start, end in pairwise(places):
        (red, green), (red_after, green_after) = values(start), values(end)
        if (green < 0) != (green_after < 0) and red >= 0 and red_after > 0:
            found.append(start + (end - start) * green / (green - green_after))
    return found


def _pieces(hinges: int) -> int:
    """Return the number of intervals on which the path is active."""
    values, ends = _saw(hinges), _ends(hinges)
    places = [ends[0] - 1, *ends, ends[-1] + 1]
    return sum(min(values((start + end) / 2)) > 0 for start, end in pairwise(places))


def _of_library(hinges: int) -> ReluGates:
    slopes = [2, *(4 * (-1) ** k for k in range(1, hinges))]
    return ReluGates([[[1, 0]] * hinges, [slopes]], [[-k for k in range(hinges)], [-1]])


def _library_ends(number: int) -> float:
    made = division(_of_library(4), ((-1, 5), (0, 1)))
    ends = set()
    for component in made.region((0, 0)).components:
        places = {x for face in component for x, _ in made.subdivision.corners(face)}
        ends |= {min(places), max(places)}
    return float(sorted(ends)[number - 1])


_COUNTED = {Level.SYMBOLIC: "exact roots of linear pieces; no chain of steps derives them"}
_FIRST = r"the active path region through red and green hidden nodes is $[0.5,1.5] \cup [2.5,3.5]$"

ENDS = Claim(
    id="region.figure.ends",
    title="The ends of the two intervals on which a path of a ReLU network is active",
    kind=Kind.EQUATION,
    statement=Eq(sympy.Symbol("x_e", real=True), e - Rational(1, 2), evaluate=False),
    params=(Param(e, Range(1, 5), "number of the end, from left to right", tuple(Integer(k) for k in range(1, 5))),),
    assumptions=(
        r"the red unit is $h_1$ of $h_j = \operatorname{relu}(x - j + 1)$, $j = 1, \ldots, 4$, and the green one has "
        "the pre-activation $2 h_1 - 4 h_2 + 4 h_3 - 4 h_4 - 1$; the figure's own weights are not given in its caption",
    ),
    sources=(
        Source(
            HALF_SPACES,
            "section 2.1",
            printed=e - Rational(1, 2),
            says=Says.READ_AS,
            words=_FIRST,
            note="the caption of figure 1 (left): there are such weights, as section 2.1 says",
        ),
    ),
    **rational_by_name(lambda at: _ends(4)[int(at["e"]) - 1]),
    numeric=lambda e: _library_ends(e),
    unchecked=_COUNTED,
)

PIECES = Claim(
    id="region.figure.pieces",
    title="The number of intervals on which a path through a layer of $2r$ ReLU units is active",
    kind=Kind.EQUATION,
    statement=Eq(sympy.Symbol(r"\#\operatorname{intervals}(A_\pi)", integer=True), r, evaluate=False),
    params=(Param(r, S.Naturals, "half of the units of the first layer", (Integer(1), Integer(2)), Range(1, 9)),),
    assumptions=(
        r"$h_j = \operatorname{relu}(x - j + 1)$, $j = 1, \ldots, 2r$, and the second unit has the pre-activation "
        r"$2 h_1 - 4 h_2 + 4 h_3 - \ldots - 4 h_{2r} - 1$; the path goes through $h_1$",
    ),
    sources=(
        Source(
            HALF_SPACES,
            "section 2.1",
            says=Says.UNSTATED,
            note="the paper's example has two intervals",
        ),
    ),
    **rational_by_name(lambda at: _pieces(2 * int(at["r"]))),
    numeric=lambda r: float(len(division(_of_library(2 * r), ((-1, 2 * r + 1), (0, 1))).region((0, 0)).components)),
    drawn=8,
    unchecked=_COUNTED,
)


def _area(at: dict[str, Fraction]) -> Fraction:
    """Return the area by (2) with q >= 0: the gates are constant inside the four quadrants of the square."""
    half, total = Fraction(1, 2), Fraction(0)
    for one in (half, -half):
        for other in (half, -half):
            brown = _relu(other) + at["epsilon"] * _relu(-other)
            total += one >= 0 and brown >= 0
    return total


def _area_of_library(epsilon: float) -> float:
    gates = ReluGates([[[1, 0], [0, 1], [0, -1]], [[0, 1, Fraction(epsilon)]]])
    made = division(gates, ((-1, 1), (-1, 1)))
    return float(made.size(made.region((0, 0)).faces))


_AREA = (3 + sign(epsilon)) / 2
AREA = Claim(
    id="region.figure.area",
    title="A ReLU path region that jumps",
    protocol="The region of a ReLU path that jumps from a half-plane to a quadrant when a weight changes its sign",
    kind=Kind.EQUATION,
    statement=Eq(sympy.Symbol(r"\operatorname{area}(A_\pi)", real=True), _AREA, evaluate=False),
    params=(
        Param(
            epsilon,
            sympy.Union(Interval.open(-sympy.oo, 0), Interval.open(0, sympy.oo)),
            r"the weight $\epsilon$",
            (Rational(-1, 2), Rational(1, 2), Rational(-1, 2**20), Rational(1, 2**20)),
            Interval(-2, 2),
        ),
    ),
    assumptions=(
        r"the green unit is $\operatorname{relu}(x_1)$, and the brown one of the next layer has the pre-activation "
        r"$\operatorname{relu}(x_2) + \epsilon \operatorname{relu}(-x_2)$; the figure's own weights are not given in "
        "its caption",
        "inputs are those of the square $[-1, 1]^2$",
        r"for $\epsilon > 0$ both gates are open on the right half of the square, of area 2, for $\epsilon < 0$ on the "
        "first quadrant, of area 1",
    ),
    sources=(
        Source(
            HALF_SPACES,
            "section 2.1",
            printed=_AREA,
            says=Says.READ_AS,
            words=r"abruptly changes from the right half of the 2-dimensional input space to only the first quadrant "
            r"when the parameter $\epsilon$ changes sign",
            note="the caption of figure 1 (right): there are such weights, as section 2.1 says. At $\\epsilon = 0$ the "
            "gates $q \\geq 0$ of (2) are open on the right half, strict gates $q > 0$ on the first quadrant",
        ),
    ),
    **rational_by_name(_area),
    numeric=_area_of_library,
    drawn=8,
    unchecked={Level.SYMBOLIC: "the gates are evaluated inside each quadrant; no chain of steps derives the area"},
)

CLAIMS = (ENDS, PIECES, AREA)
