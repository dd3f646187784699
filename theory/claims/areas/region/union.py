"""The activation regions of which a path's region is the union: half-space paper, section 3.1."""

from fractions import Fraction
from itertools import product

import sympy
from sympy import Eq

from theory.claims.areas.region import _gates
from theory.claims.areas.region.number import L, m, sizes
from theory.claims.documents import HALF_SPACES
from theory.claims.model import Claim, Kind, Level
from theory.claims.rational import rational_by_name
from theory.claims.sources import Says, Source
from theory.paths.regions import division

_OTHERS = (m - 1) * (L - 1)


def _open_on_a_path(at: dict[str, Fraction]) -> int:
    """Count bit patterns whose bit of the first unit of each layer is 1."""
    width, hidden = int(at["m"]), int(at["L"]) - 1
    layers = [bits for bits in product((0, 1), repeat=width) if bits[0] == 1]
    return sum(1 for _ in product(layers, repeat=hidden))


PATTERNS = Claim(
    id="region.union.patterns",
    title="The number of bit patterns in which all units of a path are open",
    kind=Kind.EQUATION,
    statement=Eq(sympy.Symbol(r"\lvert \{b : b_\pi = 1\} \rvert", integer=True), 2**_OTHERS, evaluate=False),
    params=sizes(4, 4),
    conditions=(L >= 2,),
    assumptions=("layers 1 to $L - 1$ have $m$ units each; $b$ has a bit for each of them (section 3.1)",),
    sources=(
        Source(
            HALF_SPACES,
            "section 3.1",
            printed=2**_OTHERS,
            says=Says.READ_AS,
            words=r"The active path regions $A_\pi$ can also be viewed as a union of several (precisely "
            r"$2^{(m-1)*(L-1)}$) activation pattern regions $A_b$",
            note="$A_b$ is defined for every bit pattern $b$, so that empty regions count; how many have an interior "
            "depends on the number of inputs, see `region.union.plane`",
        ),
    ),
    **rational_by_name(_open_on_a_path),
    drawn=10,
    unchecked={
        Level.SYMBOLIC: "all bit patterns are listed and counted; no chain of steps derives the number",
        Level.FLOATING: "the library counts regions that have an interior, not bit patterns",
    },
)

PLANE = Claim(
    id="region.union.plane",
    title="The largest number of activation regions in a path's region of the plane without biases",
    kind=Kind.EQUATION,
    statement=Eq(
        sympy.Symbol(r"\max \lvert \{b : \emptyset \neq A_b \subset A_\pi\} \rvert", integer=True),
        1 + _OTHERS,
        evaluate=False,
    ),
    params=sizes(3, 4, least_units=2),
    conditions=(m >= 2, L >= 2),
    assumptions=(
        "a deep linearly gated network of two inputs without biases, no two of whose lines are the same",
        "the maximum is over the order of the lines around the origin and over the sides on which gates are open",
        "regions with an interior are counted",
    ),
    sources=(
        Source(
            HALF_SPACES,
            "section 3.1",
            says=Says.UNSTATED,
            note="of the $2^{(m-1)(L-1)}$ bit patterns of the paper at most so many have a region with an interior",
        ),
    ),
    **rational_by_name(lambda at: _gates.most_in_a_path(int(at["m"]), int(at["L"]) - 1)),
    numeric=lambda m, L: float(division(_gates.gates(_gates.fan(m, L - 1))).counts.most),
    drawn=8,
    unchecked={Level.SYMBOLIC: "all orders of the lines are tried; no chain of steps derives the maximum"},
)

CLAIMS = (PATTERNS, PLANE)
