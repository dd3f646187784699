"""The half-spaces of a deep linearly gated network: half-space paper, section 2.2."""

import random
from fractions import Fraction
from itertools import combinations, product

import sympy
from sympy import Eq, Integer, Interval, Range, S

from theory.claims.areas.region import _gates
from theory.claims.areas.region.number import L, s
from theory.claims.documents import HALF_SPACES
from theory.claims.model import Claim, Kind, Level, Param
from theory.claims.rational import rational_by_name
from theory.claims.sources import Says, Source
from theory.paths.regions import pattern_at

a, b, c, d, u, v, x, y = sympy.symbols("a b c d u v x y", real=True)
_FORM = (u * a + v * c) * x + (u * b + v * d) * y


def _layer_by_layer(at: dict[str, Fraction]) -> Fraction:
    first = [at["a"] * at["x"] + at["b"] * at["y"], at["c"] * at["x"] + at["d"] * at["y"]]
    return at["u"] * first[0] + at["v"] * first[1]


NORMAL = Claim(
    id="region.half_space.normal",
    title="Gates of the second layer of a linearly gated network",
    protocol="The pre-activation of the second layer of linear gates is linear in the input, so that its gate opens "
    "on a "
    "half-space through the origin",
    kind=Kind.EQUATION,
    statement=Eq(sympy.Symbol(r"\eta_{2,1}(x, y)", real=True), _FORM, evaluate=False),
    params=tuple(
        Param(symbol, S.Reals, doc, (), Interval(-3, 3))
        for symbol, doc in (
            (a, "weight of $x$ in the first unit"),
            (b, "weight of $y$ in the first unit"),
            (c, "weight of $x$ in the second unit"),
            (d, "weight of $y$ in the second unit"),
            (u, "weight of the first unit"),
            (v, "weight of the second unit"),
            (x, "first input"),
            (y, "second input"),
        )
    ),
    assumptions=("two inputs, two units in the first layer, no biases; with more layers by induction over them",),
    sources=(
        Source(
            HALF_SPACES,
            "section 2.2",
            printed=_FORM,
            says=Says.READ_AS,
            words=r"for any path $\pi$ its active region [...] is an intersection of $L-1$ half-spaces, and hence a "
            "convex polyhedron",
            note="an intersection of half-spaces is convex; without biases it is a cone",
        ),
        Source(
            HALF_SPACES,
            "section 4",
            printed=_FORM,
            says=Says.READ_AS,
            words="As each neuron in DLGN is active exactly in a half-space, this allows for a simple way to visualise "
            "the neurons.",
        ),
    ),
    **rational_by_name(_layer_by_layer),
    unchecked={
        Level.SYMBOLIC: "one expansion; the network is evaluated layer by layer in fractions",
        Level.FLOATING: "the library keeps pre-activations as fractions",
    },
)

n = sympy.Symbol("n", integer=True, positive=True)
_UNITS = 3


def _network(seed: int, layers: int) -> tuple[_gates.Weights, _gates.Biases]:
    return _gates.general(seed, _UNITS, layers - 1, biased=True)


def _between(made: tuple[_gates.Weights, _gates.Biases], seed: int, parts: int) -> tuple[tuple[int, ...], list[tuple]]:
    """Return a path that is active on two random inputs, and the points that divide the way between them."""
    rng = random.Random(seed)
    drawn = [tuple(Fraction(rng.randint(-30, 30), 7) for _ in range(2)) for _ in range(40)]
    lines = _gates.forms(*made)
    for path, (one, other) in product(product(range(_UNITS), repeat=len(lines)), combinations(drawn, 2)):
        if _is_active(lines, path, one) and _is_active(lines, path, other):
            shares = [Fraction(k, parts) for k in range(parts + 1)]
            return path, [tuple(a + share * (b - a) for a, b in zip(one, other, strict=True)) for share in shares]
    raise ValueError(f"No path of the network {seed} is active on two of {len(drawn)} inputs.")


def _is_active(lines: list[list[_gates.Form]], path: tuple[int, ...], point: tuple[Fraction, ...]) -> bool:
    """Return whether f = 1 by (4): no pre-activation of the path is negative."""
    own = [layer[unit] for layer, unit in zip(lines, path, strict=True)]
    return all(a * point[0] + b * point[1] + c >= 0 for a, b, c in own)


def _active_between(at: dict[str, Fraction]) -> int:
    made = _network(int(at["s"]), int(at["L"]))
    path, points = _between(made, int(at["s"]), int(at["n"]))
    return sum(_is_active(_gates.forms(*made), path, point) for point in points)


def _in_library(n: int, L: int, s: int) -> float:
    """Count with strict gates, which are the same off the lines."""
    made = _network(s, L)
    path, points = _between(made, s, n)
    patterns = [pattern_at(_gates.gates(made), point) for point in points]
    return float(sum(all(layer[unit] for layer, unit in zip(own, path, strict=True)) for own in patterns))


SEGMENT = Claim(
    id="region.half_space.segment",
    title="A path of linear gates that is active on two inputs is active on all points between them",
    kind=Kind.EQUATION,
    statement=Eq(sympy.Symbol(r"\#\{k : x + \tfrac{k}{n} (y - x) \in A_\pi\}", integer=True), n + 1, evaluate=False),
    params=(
        Param(n, S.Naturals, r"parts of the segment, $k = 0, \ldots, n$", (Integer(1),), Range(1, 60)),
        Param(L, S.Naturals, "layers; $L - 1$ of them are hidden", (Integer(2),), Range(2, 5)),
        Param(s, S.Naturals, "number of the network, which draws its weights, $x$ and $y$", (), Range(1, 1000)),
    ),
    conditions=(L >= 2,),
    assumptions=(
        r"a deep linearly gated network of two inputs, with three units in each hidden layer and biases",
        r"$x, y \in A_\pi$",
    ),
    sources=(
        Source(
            HALF_SPACES,
            "section 2.2",
            printed=n + 1,
            says=Says.READ_AS,
            words=r"for any path $\pi$ its active region [...] is an intersection of $L-1$ half-spaces, and hence a "
            "convex polyhedron",
            note="a ReLU path may be closed between two inputs on which it is active, see `region.figure.ends`",
        ),
    ),
    **rational_by_name(_active_between),
    numeric=_in_library,
    cites=("region.half_space.normal",),
    drawn=10,
    unchecked={Level.SYMBOLIC: "points are tried; that half-spaces are convex is no chain of formulas"},
)

CLAIMS = (NORMAL, SEGMENT)
