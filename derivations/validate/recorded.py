"""The stored evidence of a claim as results, table rows and printed forms, for levels that a run does not check."""

from collections.abc import Iterator, Mapping
from typing import Any

import mpmath
import sympy

from theory.claims.levels import PRECISE_DIGITS, PrintedFinding, TableRow, relative_error
from theory.claims.model import CheckResult, Claim, Level, Outcome, Point

_GIVEN = ("level", "outcome", "worst", "tolerance", "where")


def results(claim: Claim, known: Mapping[str, Any]) -> Iterator[CheckResult]:
    """Yield the stored result of every level; those of an experiment name it in `details["experiment"]`."""
    for level in known["levels"]:
        details = {key: value for key, value in level.items() if key not in _GIVEN}
        worst, tolerance = (None if level[key] is None else float(level[key]) for key in ("worst", "tolerance"))
        yield CheckResult(
            claim.id, Level(level["level"]), Outcome(level["outcome"]), worst, tolerance, level["where"], details
        )


def rows(claim: Claim, known: Mapping[str, Any]) -> tuple[TableRow, ...]:
    """Return the certified table: the definition and the formula at the stored points."""
    return tuple(_row(claim, stored) for stored in known["precise"])


def printed(claim: Claim, known: Mapping[str, Any]) -> tuple[PrintedFinding, ...]:
    """Return the stored findings on the printed forms."""
    sources = {(source.document, source.label): source for source in claim.sources}
    return tuple(
        PrintedFinding(
            sources[found["document"], found["label"]],
            found["agrees"],
            None if found["agrees"] else _point(claim, found["at"]),  # {} of a claim without parameters
            found["printed"],
            found["definition"],
            found["reading"],
            found["repaired"],
        )
        for found in known["printed"]
    )


def _row(claim: Claim, stored: Mapping[str, Any]) -> TableRow:
    with mpmath.workdps(PRECISE_DIGITS + 15):
        definition, formula = mpmath.mpf(stored["definition"]), mpmath.mpf(stored["formula"])
    return TableRow(
        _point(claim, stored["at"]), definition, formula, relative_error(formula, definition, PRECISE_DIGITS)
    )


def _point(claim: Claim, at: Mapping[str, str]) -> Point:
    symbols = {str(param.symbol): param.symbol for param in claim.params}
    return {symbols[name]: sympy.Rational(value) for name, value in at.items()}
