"""The numbers of paths, of bit patterns, and of activation regions of the plane: half-space paper, section 3.1."""

from fractions import Fraction
from itertools import product
from typing import Any

import sympy
from sympy import Eq, Integer, Range, S

from theory.claims.areas.region import _gates
from theory.claims.documents import HALF_SPACES
from theory.claims.misprints import OUTPUT_LAYER
from theory.claims.model import Claim, Kind, Level, Param
from theory.claims.rational import rational_by_name
from theory.claims.sources import Says, Source
from theory.paths.regions import LinearGates, division

m, L, s = sympy.symbols("m L s", integer=True, positive=True)

LESSER = r"lesser in number ($m^L$ vs $2^{mL}$)"
_COUNTED = {Level.SYMBOLIC: "all members are listed and counted; no chain of steps derives the number"}


def sizes(most_units: int, most_layers: int, least_units: int = 1) -> tuple[Param, Param]:
    """Return the parameters m and L."""
    return (
        Param(m, S.Naturals, "units of each hidden layer", (Integer(least_units),), Range(least_units, most_units + 1)),
        Param(L, S.Naturals, "layers; $L - 1$ of them are hidden", (Integer(2),), Range(2, most_layers + 1)),
    )


_SEED = Param(s, S.Naturals, "number of the network, which draws its weights", (), Range(1, 1000))


def _one_line(m: int, L: int) -> LinearGates:
    """Return a network of these sizes whose gates all open on one half-plane."""
    return LinearGates([[[1, 0]] * m, *[[[1] * m] * m] * (L - 2)])


def _regions(at: dict[str, Fraction], biased: bool) -> int:
    made = _gates.general(int(at["s"]), int(at["m"]), int(at["L"]) - 1, biased)
    lines = [form for layer in _gates.forms(*made) for form in layer]
    return sum(1 for _ in _gates.regions(lines, _gates.rectangle(lines)))


def _of_library(m: int, L: int, s: int, biased: bool) -> float:
    return float(division(_gates.gates(_gates.general(s, m, L - 1, biased))).counts.patterns)


PATHS = Claim(
    id="region.number.paths",
    title="The number of paths from an input through the hidden layers to the output",
    kind=Kind.EQUATION,
    statement=Eq(sympy.Symbol(r"\lvert \Pi \rvert", integer=True), m ** (L - 1), evaluate=False),
    params=sizes(4, 5),
    conditions=(L >= 2,),
    assumptions=("layers 1 to $L - 1$ have $m$ units each, and layer $L$ is one output (section 2)",),
    sources=(
        Source(HALF_SPACES, "section 2", printed=m ** (L - 1)),
        Source(
            HALF_SPACES,
            "section 3.1",
            printed=m ** (L - 1),
            says=Says.READ_AS,
            words=LESSER,
            misprint=OUTPUT_LAYER,
        ),
    ),
    **rational_by_name(lambda at: len(set(product(range(int(at["m"])), repeat=int(at["L"]) - 1)))),
    numeric=lambda m, L: float(_one_line(m, L).paths),
    drawn=12,
    unchecked=_COUNTED,
)

PATTERNS = Claim(
    id="region.number.patterns",
    title="The number of bit patterns, one bit for each hidden unit",
    kind=Kind.EQUATION,
    statement=Eq(sympy.Symbol(r"\lvert \{b\} \rvert", integer=True), 2 ** (m * (L - 1)), evaluate=False),
    params=sizes(4, 5),
    conditions=(L >= 2,),
    assumptions=("layers 1 to $L - 1$ have $m$ units each; $b$ has a bit for each of them (section 3.1)",),
    sources=(
        Source(
            HALF_SPACES,
            "section 3.1",
            printed=2 ** (m * (L - 1)),
            says=Says.READ_AS,
            words=LESSER,
            misprint=OUTPUT_LAYER,
        ),
    ),
    **rational_by_name(lambda at: sum(1 for _ in product((0, 1), repeat=int(at["m"] * (at["L"] - 1))))),
    numeric=lambda m, L: float(division(_one_line(m, L)).counts.bits),
    drawn=10,
    unchecked=_COUNTED,
)

_GENERAL: dict[str, Any] = {
    "params": (*sizes(3, 4, least_units=2), _SEED),
    "conditions": (m >= 2, L >= 2),
    "drawn": 10,
    "unchecked": _COUNTED,
}

CENTRAL = Claim(
    id="region.number.central",
    title="The number of activation regions of the plane without biases",
    kind=Kind.EQUATION,
    statement=Eq(
        sympy.Symbol(r"\lvert \{b : A_b \neq \emptyset\} \rvert", integer=True), 2 * m * (L - 1), evaluate=False
    ),
    assumptions=(
        "a deep linearly gated network of two inputs without biases, no two of whose lines are the same",
        "regions with an interior are counted; the origin alone may have a pattern of its own",
    ),
    sources=(
        Source(
            HALF_SPACES,
            "section 3.1",
            says=Says.UNSTATED,
            note="of the $2^{m(L-1)}$ bit patterns no others have a region with an interior",
        ),
    ),
    **rational_by_name(lambda at: _regions(at, biased=False)),
    numeric=lambda m, L, s: _of_library(m, L, s, biased=False),
    **_GENERAL,
)

_LINES = m * (L - 1)
AFFINE = Claim(
    id="region.number.affine",
    title="The number of activation regions of the plane with biases",
    kind=Kind.EQUATION,
    statement=Eq(
        sympy.Symbol(r"\lvert \{b : A_b \neq \emptyset\} \rvert", integer=True),
        1 + _LINES * (_LINES + 1) / 2,
        evaluate=False,
    ),
    assumptions=(
        "a deep linearly gated network of two inputs with biases, no two of whose lines are parallel, and no three of "
        "which meet in a point",
        "regions with an interior are counted",
    ),
    sources=(
        Source(
            HALF_SPACES,
            "section 3.1",
            says=Says.UNSTATED,
            note="of the $2^{m(L-1)}$ bit patterns no others have a region with an interior",
        ),
    ),
    **rational_by_name(lambda at: _regions(at, biased=True)),
    numeric=lambda m, L, s: _of_library(m, L, s, biased=True),
    **_GENERAL,
)


def _more_paths(at: dict[str, Fraction]) -> int:
    """Count the pairs of half-planes with an interior, and take off the regions of the plane."""
    made = _gates.general(int(at["s"]), int(at["m"]), 2, biased=False)
    first, second = _gates.forms(*made)
    square = _gates.rectangle([*first, *second])
    met = sum(bool(_gates.clipped(_gates.clipped(square, one), other)) for one, other in product(first, second))
    return met - sum(1 for _ in _gates.regions([*first, *second], square))


def _more_paths_of_library(m: int, s: int) -> float:
    counts = division(_gates.gates(_gates.general(s, m, 2, biased=False))).counts
    return float(counts.active - counts.patterns)


OCCURRING = Claim(
    id="region.number.occurring",
    title="Path regions less activation regions of the plane",
    protocol="Path regions less activation regions of the plane with an interior, for two hidden layers without biases",
    kind=Kind.EQUATION,
    statement=Eq(
        sympy.Symbol(r"\#\{\pi : A_\pi \neq \emptyset\} - \#\{b : A_b \neq \emptyset\}", integer=True),
        m * (m - 4),
        evaluate=False,
    ),
    params=(
        Param(m, S.Naturals, "units of each hidden layer", (Integer(2), Integer(5)), Range(2, 7)),
        _SEED,
    ),
    conditions=(m >= 2,),
    assumptions=(
        "a deep linearly gated network of two inputs and two hidden layers, $L = 3$, without biases, no two of whose "
        "lines are the same",
        "regions with an interior are counted: all $m^2$ pairs of half-planes meet, and $2m$ lines make $4m$ regions",
    ),
    sources=(
        Source(
            HALF_SPACES,
            "section 3.1",
            says=Says.UNSTATED,
            words=LESSER,
            note="the paper compares the numbers of paths and of bit patterns, and paths are fewer; of the regions "
            "that occur, more are path regions from $m = 5$ on",
        ),
    ),
    **rational_by_name(_more_paths),
    numeric=_more_paths_of_library,
    drawn=8,
    unchecked=_COUNTED,
)

CLAIMS = (PATHS, PATTERNS, CENTRAL, AFFINE, OCCURRING)
