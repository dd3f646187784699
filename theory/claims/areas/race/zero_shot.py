r"""Zero-shot generalisation of a routing network: the consequences of zero training error for untrained pairs.

M input domains, M output domains, and r hidden units, as many as the target of every trained pair has rank: the output
of the pair of input i and output o is D_o A_i, with D_o of r columns, and A_i = W E_i of r rows.

The trained pairs are the edges of a bipartite graph of the 2 M domains. If it is connected, zero training error
determines every output. Proof: where three corners (o, i'), (o', i'), (o', i) of a rectangle are known,
`race.zero_shot.output` gives the fourth, (o, i); a shortest way between two domains of a connected graph is shortened
by two edges each time, until all pairs are known. If the graph has several connected components, zero training error
leaves outputs open: replace A_i by G A_i and D_o by D_o G^-1 in one component, with any invertible G. No trained output
changes, as both of its domains are in one component; an output between two gets the factor G or G^-1.
`race.zero_shot.free` counts the undetermined parameters for domains of dimension r: r^2 numbers for each component but
one.

With more hidden units than r this fails also where the graph is connected, as D_o has then a null space.
"""

from collections.abc import Iterator
from fractions import Fraction
from itertools import product

import sympy
from flint import fmpz_mat
from sympy import Eq, FiniteSet, Integer, Interval, Range, Rational

from theory.claims.areas.race._matrices import product as times
from theory.claims.areas.race._symbols import DOMAINS, M
from theory.claims.model import Claim, Kind, Level, Param, Point
from theory.claims.points import exact_values
from theory.claims.rational import rational
from theory.proof.derivation import Derivation, Step

# One entry of the fourth output of a rectangle, with two hidden units: a row of D_o, D_o', A_i', and a column of A_i.
d1, d2, a1, a2 = sympy.symbols("d1 d2 a1 a2", real=True)
p11, p12, p21, p22, q11, q12, q21, q22 = sympy.symbols("p11 p12 p21 p22 q11 q12 q21 q22", real=True)
fourth = sympy.Symbol(r"(Y_{oi'} Y_{o'i'}^{-1} Y_{o'i})", real=True)

_ROW, _COLUMN = sympy.Matrix([[d1, d2]]), sympy.Matrix([a1, a2])
_OTHER_OUTPUT, _OTHER_INPUT = sympy.Matrix([[p11, p12], [p21, p22]]), sympy.Matrix([[q11, q12], [q21, q22]])
_FOURTH = Eq(fourth, a1 * d1 + a2 * d2, evaluate=False)


def fourth_corner() -> Derivation:
    """Derive that Y_oi' Y_o'i'^-1 Y_o'i = D_o A_i, for the entry of a row and a column."""
    known = _ROW * _OTHER_INPUT, _OTHER_OUTPUT * _OTHER_INPUT, _OTHER_OUTPUT * _COLUMN
    given = (known[0] * known[1].adjugate() * known[2])[0] / known[1].det()
    steps = (
        Step(
            Eq(fourth, given, evaluate=False),
            r"$Y_{oi'} Y_{o'i'}^{-1} Y_{o'i}$, of three outputs that are known",
            "definition",
        ),
        Step(_FOURTH, r"$D_o A_{i'} (D_{o'} A_{i'})^{-1} D_{o'} A_i = D_o A_i$", "identity"),
    )
    return Derivation("race.zero_shot.output", _FOURTH, steps)


def _from_three_outputs(point: Point) -> Fraction:
    """The entry of Y_oi' X, where X solves Y_o'i' X = Y_o'i."""
    at = exact_values(point)
    row, column = ((at["d1"], at["d2"]),), ((at["a1"],), (at["a2"],))
    decoder, encoder = (tuple(tuple(at[f"{letter}{i}{j}"] for j in (1, 2)) for i in (1, 2)) for letter in ("p", "q"))
    beside, across, below = times(row, encoder), times(decoder, encoder), times(decoder, column)
    (a, b), (c, d) = across
    (e,), (f,) = below
    first, second = (e * d - b * f) / (a * d - b * c), (a * f - e * c) / (a * d - b * c)
    return beside[0][0] * first + beside[0][1] * second


def _entry(symbol: sympy.Symbol, what: str) -> Param:
    return Param(symbol, Interval(-3, 3), f"entry of ${what}$")


FOURTH = Claim(
    id="race.zero_shot.output",
    title="Three outputs of a routing network determine the fourth",
    protocol="Three outputs of a routing network determine the fourth: $Y_{oi} = Y_{oi'} Y_{o'i'}^{-1} Y_{o'i}$",
    kind=Kind.EQUATION,
    statement=_FOURTH,
    params=(
        *(_entry(symbol, "D_o") for symbol in (d1, d2)),
        *(_entry(symbol, "D_{o'}") for symbol in (p11, p12, p21, p22)),
        *(_entry(symbol, "A_{i'}") for symbol in (q11, q12, q21, q22)),
        *(_entry(symbol, "A_i") for symbol in (a1, a2)),
    ),
    conditions=(
        sympy.Abs(p11 * p22 - p12 * p21) > Rational(1, 100),
        sympy.Abs(q11 * q22 - q12 * q21) > Rational(1, 100),
        sympy.Abs(a1 * d1 + a2 * d2) > Rational(1, 100),
    ),
    assumptions=(
        r"two hidden units, domains of dimension 2, trained targets of rank 2: $D_{o'}$ and $A_{i'}$ are invertible; "
        r"both sides are one entry of a matrix, the right one of the output $D_o A_i$ of the pair that was not trained",
    ),
    **rational(_from_three_outputs),
    derive=fourth_corner,
    unchecked={Level.FLOATING: "the library has no such function; `gdln simulate` measures the outputs"},
)

# The dimension of the undetermined outputs
r, parts = sympy.symbols("r c", integer=True, positive=True)
_unseen = sympy.Symbol(r"\mathrm{rank}\, J - \mathrm{rank}\, J_T", nonnegative=True)


def tables(domains: int) -> Iterator[tuple[tuple[int, int], ...]]:
    """Yield all sets of trained pairs (input, output) of so many domains.

    >>> sum(1 for _ in tables(2))
    16
    """
    pairs = list(product(range(domains), repeat=2))
    for chosen in product((False, True), repeat=len(pairs)):
        yield tuple(pair for pair, taken in zip(pairs, chosen, strict=True) if taken)


def parts_of(pairs: tuple[tuple[int, int], ...], domains: int) -> list[int]:
    """Return the part of the bipartite graph that each domain is in: inputs first, then outputs.

    >>> parts_of(((0, 0), (1, 0)), 2)
    [0, 0, 0, 3]
    """
    part = list(range(2 * domains))
    for i, o in pairs:
        old, new = sorted((part[i], part[domains + o]))[::-1]
        part = [new if one == old else one for one in part]
    return part


def open_directions(pairs: tuple[tuple[int, int], ...], domains: int, rank: int) -> int:
    """Return the dimension of all outputs that zero training error leaves open, near a solution with targets I.

    It is the rank of the derivative of all outputs by the weights, less that of the trained ones. In the part number k
    the solution has A_i = G_k and D_o = G_k^-1 with a unimodular G_k, so that an output between two parts is not I.
    """
    part = parts_of(pairs, domains)
    size = rank * rank
    rows = {}
    for i, o in product(range(domains), repeat=2):
        encoder = _unimodular(part[i], rank)
        decoder = _unimodular(part[domains + o], rank).inv(integer=True)
        block = [[0] * (2 * domains * size) for _ in range(size)]
        for row, column, k in product(range(rank), repeat=3):
            block[row * rank + column][(domains + o) * size + row * rank + k] += int(encoder[k, column])
            block[row * rank + column][i * size + k * rank + column] += int(decoder[row, k])
        rows[i, o] = block
    everything = [row for block in rows.values() for row in block]
    trained = [row for pair in pairs for row in rows[pair]]
    return fmpz_mat(everything).rank() - (fmpz_mat(trained).rank() if trained else 0)


def _unimodular(number: int, rank: int) -> fmpz_mat:
    """A unimodular integer matrix, a different one for each number."""
    upper = fmpz_mat([[int(j == i) + number * int(j == i + 1) for j in range(rank)] for i in range(rank)])
    return upper * upper.transpose()


def _open_in_all_tables(point: Point) -> Fraction:
    """The number of open directions, which is the same for all tables with c parts."""
    at = exact_values(point)
    domains, rank, wanted = (int(at[name]) for name in ("M", "r", "c"))
    found = {
        open_directions(pairs, domains, rank)
        for pairs in tables(domains)
        if len(set(parts_of(pairs, domains))) == wanted
    }
    if len(found) != 1:
        raise ArithmeticError(f"tables of {domains} domains with {wanted} parts leave {sorted(found)} directions open")
    return Fraction(found.pop())


FREE = Claim(
    id="race.zero_shot.free",
    title="Directions of untrained outputs that zero training error leaves open",
    protocol="Zero training error leaves $r^2 (c - 1)$ directions of the untrained outputs open, $c$ the number of "
    "connected components of the bipartite graph of trained pairs",
    kind=Kind.EQUATION,
    statement=Eq(_unseen, r**2 * (parts - 1), evaluate=False),
    params=(
        Param(M, Range(1, 4), DOMAINS.doc, (Integer(3),)),
        Param(r, FiniteSet(1, 2), "rank of the targets, and number of hidden units", (Integer(1), Integer(2))),
        Param(parts, Range(1, 7), "number of connected components of the graph", (Integer(1), Integer(6))),
    ),
    conditions=(parts <= 2 * M,),
    assumptions=(
        r"domains of dimension $r$, targets of rank $r$, $r$ hidden units; the outputs are $D_o A_i$ for all pairs",
        r"$J$ is the derivative of all outputs by the weights at a solution, and $J_T$ has its rows of trained "
        "pairs; all sets of trained pairs of so many domains and components are enumerated",
    ),
    **rational(_open_in_all_tables),
    unchecked={
        Level.SYMBOLIC: "ranks of matrices of whole numbers are counted for every table",
        Level.FLOATING: "a whole number, which the library does not count",
    },
)

CLAIMS = (FOURTH, FREE)
