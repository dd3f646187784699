"""The faces of path regions and of activation regions: half-space paper, section 3.1."""

from fractions import Fraction

import sympy
from sympy import Eq, Range, S

from theory.claims.areas.region import _gates
from theory.claims.areas.region.number import L, m, s, sizes
from theory.claims.documents import HALF_SPACES
from theory.claims.model import Claim, Kind, Level, Param
from theory.claims.rational import rational_by_name
from theory.claims.sources import Says, Source
from theory.paths.regions import division

_PARAMS = (
    *sizes(3, 4, least_units=2),
    Param(s, S.Naturals, "number of the network, which draws its lines", (), Range(1, 1000)),
)
_WORDS = "DLGN active path regions have $L$ faces as opposed to activation pattern regions having $mL$ faces"
_ATTAINED = (
    "a deep linearly gated network of two inputs with biases, whose gates are all open in a circle that all lines "
    "touch, each in a point of its own; for other networks the number is an upper bound"
)
_COUNTED = {Level.SYMBOLIC: "half-planes are left out one at a time, exactly; no chain of steps derives the number"}
_BIASES = (
    "in the plane more than two faces need biases, which the paper leaves out; $L$ for $L - 1$ is charged to the "
    "number of paths"
)


def _lines(at: dict[str, Fraction]) -> list[list[_gates.Form]]:
    return _gates.forms(*_gates.tangents(int(at["s"]), int(at["m"]), int(at["L"]) - 1))


def _of_path(m: int, L: int, s: int) -> float:
    return float(division(_gates.gates(_gates.tangents(s, m, L - 1))).region((0,) * (L - 1)).lines)


def _of_pattern(m: int, L: int, s: int) -> float:
    """Count the sides of the face on which all gates are open, those of the rectangle left out."""
    made = division(_gates.gates(_gates.tangents(s, m, L - 1)))
    (face,) = (f for f, pattern in enumerate(made.patterns, start=1) if all(map(all, pattern)))
    parts = made.subdivision
    return float(sum(parts.sides[half ^ 1] != 0 for half in parts.around(face)))


PATH = Claim(
    id="region.faces.path",
    title="The number of faces of a path's region of linear gates",
    kind=Kind.EQUATION,
    statement=Eq(sympy.Symbol(r"\#\operatorname{faces}(A_\pi)", integer=True), L - 1, evaluate=False),
    params=_PARAMS,
    conditions=(m >= 2, L >= 2),
    assumptions=(_ATTAINED,),
    sources=(
        Source(
            HALF_SPACES,
            "section 3.1",
            says=Says.UNSTATED,
            words=_WORDS,
            note=r"by section 2.2 $A_\pi$ is the intersection of $L - 1$ half-spaces, which has at most so many faces; "
            + _BIASES,
        ),
    ),
    **rational_by_name(lambda at: _gates.facets([layer[0] for layer in _lines(at)])),
    numeric=_of_path,
    drawn=8,
    unchecked=_COUNTED,
)

PATTERN = Claim(
    id="region.faces.pattern",
    title="The number of faces of an activation region of linear gates",
    kind=Kind.EQUATION,
    statement=Eq(sympy.Symbol(r"\#\operatorname{faces}(A_b)", integer=True), m * (L - 1), evaluate=False),
    params=_PARAMS,
    conditions=(m >= 2, L >= 2),
    assumptions=(_ATTAINED, "$b$ is the pattern in which all gates are open"),
    sources=(
        Source(
            HALF_SPACES,
            "section 3.1",
            says=Says.UNSTATED,
            words=_WORDS,
            note="$A_b$ is the intersection of one half-space for each of the $m(L-1)$ hidden units, which has at most "
            f"so many faces; {_BIASES}",
        ),
    ),
    **rational_by_name(lambda at: _gates.facets([form for layer in _lines(at) for form in layer])),
    numeric=_of_pattern,
    drawn=8,
    unchecked=_COUNTED,
)

CLAIMS = (PATH, PATTERN)
