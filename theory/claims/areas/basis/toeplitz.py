"""Toeplitz matrices share no basis: the other half of the question in section 5 of the localization notes."""

from fractions import Fraction
from operator import mul

import sympy
from sympy import Eq, Integer, Interval

from theory.claims.documents import NOTES
from theory.claims.model import Claim, Kind, Level, Param
from theory.claims.rational import rational_by_name
from theory.claims.sources import Says, Source

_A, _B = (sympy.symbols(f"{letter}0:3", real=True) for letter in "ab")


def _toeplitz(at: dict[str, Fraction], letter: str) -> list[list[Fraction]]:
    return [[at[f"{letter}{abs(i - j)}"] for j in range(3)] for i in range(3)]


def _commutator(at: dict[str, Fraction]) -> Fraction:
    """Entry (1, 2) of A B - B A."""
    a, b = (_toeplitz(at, letter) for letter in "ab")
    return sum(map(mul, a[0], b[1])) - sum(map(mul, b[0], a[1]))


COMMUTATOR = Claim(
    id="basis.toeplitz.commutator",
    title="Symmetric Toeplitz matrices do not commute, so that they share no basis of eigenvectors",
    kind=Kind.EQUATION,
    statement=Eq(sympy.Symbol("[A, B]_{12}", real=True), _A[2] * _B[1] - _A[1] * _B[2], evaluate=False),
    params=tuple(
        Param(own, Interval(-3, 3), f"entry of ${name}$ at this distance", (Integer(1),))
        for name, row in (("A", _A), ("B", _B))
        for own in row
    ),
    assumptions=(
        r"three sites of an open line; $A_{ij} = a_{\lvert i - j \rvert}$ and $B_{ij} = b_{\lvert i - j \rvert}$ are "
        "second moments of two laws that no shift changes",
    ),
    sources=(
        Source(
            NOTES,
            "section 5",
            says=Says.UNSTATED,
            words="we may be able to use a single basis to diagonalize them across time (Toeplitz/circulant "
            "properties? DFT?).",
            note="the notes ask. Circulant matrices share the Fourier basis (`basis.half_space.own_block`); on an open "
            "line one basis serves all times only where the Toeplitz matrices commute, as multiples of one matrix do",
        ),
    ),
    **rational_by_name(_commutator),
    unchecked={
        Level.SYMBOLIC: "one entry of two products of matrices, multiplied in fractions",
        Level.FLOATING: "the library diagonalizes each matrix by itself",
    },
)

CLAIMS = (COMMUTATOR,)
