"""The gated input, and that it is a Kronecker product. Localization notes, eq. (12), (17)."""

import sympy
from sympy import Eq, FiniteSet, Integer, Interval, Matrix, kronecker_product

from theory.claims import reasons
from theory.claims.areas.model._definition import definition, gated_input
from theory.claims.areas.model.relu import INPUTS, x1, x2
from theory.claims.documents import NOTES
from theory.claims.finite_data import Number
from theory.claims.gradient_flow import g, j, k, x
from theory.claims.model import Claim, Kind, Level, Param
from theory.claims.rational import rational_by_name
from theory.claims.sources import Says, Source

GATED_INPUT = definition(
    "model.gated_input.definition",
    "The gated input: $x$ once for each unit, where its gate is open",
    Eq(gated_input[k, j], g[k] * x[j], evaluate=False),
    (Source(NOTES, "(12)"),),
    "unit after unit: component $(k, j)$ has the place $(k - 1) n + j$",
)

# As a Kronecker product, along any vector v of both units
g1, g2, v1, v2, v3, v4 = sympy.symbols("g1 g2 v1:5", real=True)
_ALONG_V = (Matrix([[v1, v2, v3, v4]]) * kronecker_product(Matrix([g1, g2]), Matrix([x1, x2])))[0]


def _stacked(at: dict[str, Number]) -> Number:
    """v.x~ with x~ as (12) stacks it: unit after unit, the input where the gate is open and 0 where it is closed."""
    entries = [at[entry] if at[gate] else at[entry] * 0 for gate in ("g1", "g2") for entry in ("x1", "x2")]
    return sum(at[f"v{index}"] * entry for index, entry in enumerate(entries, start=1))


_GATE = FiniteSet(Integer(0), Integer(1))

KRONECKER = Claim(
    id="model.gated_input.kronecker",
    title=r"The gated input is a Kronecker product: $\tilde x = \tilde g \otimes x$",
    kind=Kind.EQUATION,
    statement=Eq(sympy.Function("along")(v1, v2, v3, v4), _ALONG_V, evaluate=False),
    params=(
        Param(g1, _GATE, "gate of unit 1", (Integer(1),)),
        Param(g2, _GATE, "gate of unit 2", (Integer(1),)),
        *INPUTS,
        *(Param(entry, Interval(-3, 3), "entry of a vector $v$") for entry in (v1, v2, v3, v4)),
    ),
    assumptions=(r"two units, two inputs; along $= v \cdot \tilde x$ for any vector $v$",),
    sources=(
        Source(
            NOTES,
            "(17)",
            printed=_ALONG_V,
            note=r"read as: $\tilde x = \tilde g \otimes x$ in (16)",
            says=Says.READ_AS,
            words="It may be useful to write this in terms of Kronecker products.",
        ),
    ),
    **rational_by_name(_stacked),
    unchecked={
        Level.SYMBOLIC: "the entries are compared one by one; no step is left",
        Level.FLOATING: reasons.NO_NETWORK,
    },
)

CLAIMS = (GATED_INPUT, KRONECKER)
