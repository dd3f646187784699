"""Paths that are active where pre-activations vanish: (2) and (4) of the half-space paper beside its section 3.1."""

import random
from fractions import Fraction
from itertools import product

import sympy
from sympy import Eq, Integer, Range, S

from theory.claims.areas.region.number import L
from theory.claims.documents import HALF_SPACES
from theory.claims.model import Claim, Kind, Level, Param
from theory.claims.rational import rational_by_name
from theory.claims.sources import Says, Source

p, r, z = sympy.symbols("p r z", integer=True, nonnegative=True)


def _weights(values: list[int], signs: list[int], rng: random.Random) -> list[list[Fraction]]:
    """Return random rows whose products with `values` have these signs, which are 0 where all values are."""
    pivot = next((i for i, value in enumerate(values) if value), None)
    if pivot is None:
        return [[Fraction(rng.randint(-5, 5)) for _ in values] for _ in signs]
    rows = []
    for sign in signs:
        row = [Fraction(rng.randint(-5, 5)) for _ in values]
        rest = sum(w * v for i, (w, v) in enumerate(zip(row, values, strict=True)) if i != pivot)
        row[pivot] = Fraction(sign * rng.randint(1, 5) - rest) / values[pivot]
        rows.append(row)
    return rows


def _active(at: dict[str, Fraction]) -> int:
    """Count the paths with f = 1 by (4), from the pre-activations of a network that is drawn."""
    counts = {1: int(at["p"]), 0: int(at["r"]), -1: int(at["z"])}
    signs = [sign for sign, count in counts.items() for _ in range(count)]
    rng = random.Random(str(sorted(counts.items())))
    values, layers = [3, -2] if any(signs) else [0, 0], []
    for _ in range(int(at["L"]) - 1):
        rows = _weights(values, signs, rng)
        values = [sum(w * v for w, v in zip(row, values, strict=True)) for row in rows]
        layers.append(values)
    paths = product(range(len(signs)), repeat=len(layers))
    return sum(all(layer[unit] >= 0 for layer, unit in zip(layers, path, strict=True)) for path in paths)


ACTIVE = Claim(
    id="region.boundary.active_paths",
    title="The number of paths that are active where pre-activations vanish",
    protocol="With gates open at $q \\geq 0$, units at $q = 0$ count as open",
    kind=Kind.EQUATION,
    statement=Eq(sympy.Symbol(r"\lvert A(x) \rvert", integer=True), (p + r) ** (L - 1), evaluate=False),
    params=(
        Param(p, S.Naturals0, "units of each hidden layer with a positive pre-activation at $x$", (), Range(0, 4)),
        Param(r, S.Naturals0, "units whose pre-activation at $x$ is 0", (Integer(0), Integer(1)), Range(0, 3)),
        Param(z, S.Naturals0, "units with a negative pre-activation at $x$", (Integer(0),), Range(0, 3)),
        Param(L, S.Naturals, "layers; $L - 1$ of them are hidden", (Integer(2),), Range(2, 5)),
    ),
    conditions=(p + r + z >= 1, L >= 2),
    assumptions=("a gate is open where $q \\geq 0$, as in (2) and (4) of the paper",),
    sources=(
        Source(
            HALF_SPACES,
            "section 3.1",
            says=Says.UNSTATED,
            note="$A_b$ has $h > 0$ for the units that are open, so that $A_\\pi$ as a union of such regions counts "
            "$p^{L-1}$ paths at $x$; both agree where no pre-activation vanishes",
        ),
    ),
    **rational_by_name(_active),
    drawn=14,
    unchecked={
        Level.SYMBOLIC: "all paths are tried; no chain of steps derives the number",
        Level.FLOATING: "the library opens gates where the pre-activation is positive",
    },
)

CLAIMS = (ACTIVE,)
