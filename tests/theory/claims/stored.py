"""The tables of the claims as the evidence has them: values of the definitions that need not be computed again."""

import json
from functools import cache

import mpmath
import sympy

from tests.paths import ROOT
from theory.claims import catalog
from theory.claims.evaluate import evaluate
from theory.claims.levels import PRECISE_DIGITS, TableRow, relative_error
from theory.claims.model import Claim, Point

EVIDENCE = ROOT / "derivations/evidence"
DIGITS = PRECISE_DIGITS + 5


@cache
def evidence(name: str) -> dict:
    """The stored evidence of a claim."""
    return json.loads((EVIDENCE / f"{name}.json").read_text(encoding="utf-8"))


def in_symbols(claim: Claim, values: dict[str, str]) -> Point:
    """A stored point in the symbols of a claim; it gives every parameter and no other."""
    symbols = {param.symbol.name: param.symbol for param in claim.params}
    assert symbols.keys() == values.keys(), claim.id
    return {symbols[name]: sympy.Rational(value) for name, value in values.items()}


def row(claim: Claim, point: Point, definition: str) -> TableRow:
    """A row of the table from the stored value of the definition and the formula of today."""
    with mpmath.workdps(DIGITS + 10):
        value = mpmath.mpf(definition)
    formula = evaluate(claim.statement.rhs, point, DIGITS)
    return TableRow(point, value, formula, relative_error(formula, value, DIGITS))


@cache
def table(name: str) -> tuple[TableRow, ...]:
    """The rows of a claim at its stored points."""
    claim, stored = catalog()[name], evidence(name)["precise"]
    return tuple(row(claim, in_symbols(claim, entry["at"]), entry["definition"]) for entry in stored)


def few(tried: tuple, count: int = 3) -> tuple:
    """Some points or rows of a table, from the first drawn one to the interesting values at its end."""
    return tried[:: -(-len(tried) // count)]
