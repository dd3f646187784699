"""The half-spaces of a deep linearly gated network: half-space paper, section 2.2."""

from fractions import Fraction

import sympy
from sympy import Eq, Interval, S

from theory.claims.documents import HALF_SPACES
from theory.claims.model import Claim, Kind, Level, Param
from theory.claims.rational import rational_by_name
from theory.claims.sources import Says, Source

a, b, c, d, u, v, x, y = sympy.symbols("a b c d u v x y", real=True)
_FORM = (u * a + v * c) * x + (u * b + v * d) * y


def _layer_by_layer(at: dict[str, Fraction]) -> Fraction:
    first = [at["a"] * at["x"] + at["b"] * at["y"], at["c"] * at["x"] + at["d"] * at["y"]]
    return at["u"] * first[0] + at["v"] * first[1]


NORMAL = Claim(
    id="region.half_space.normal",
    title="The pre-activation of the second layer of linear gates is linear in the input, so that its gate opens on a "
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
    ),
    **rational_by_name(_layer_by_layer),
    unchecked={
        Level.SYMBOLIC: "one expansion; the network is evaluated layer by layer in fractions",
        Level.FLOATING: "the library keeps pre-activations as fractions",
    },
)

CLAIMS = (NORMAL,)
