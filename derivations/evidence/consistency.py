"""Check that the outcomes in a file of evidence follow from its numbers, without new computations.

A file can be sealed and still say PASS of a number above its tolerance. What only the theory or an experiment's own
rule can tell is left to the tests.
"""

from collections.abc import Iterator, Mapping, Sequence
from decimal import Context, Decimal
from typing import Any

from theory.claims.model import Level, Outcome

ROW_DIGITS = 32  # significant digits of a row of the precise table
_EXACT = Context(prec=4 * ROW_DIGITS)


def contradiction(evidence: Mapping[str, Any]) -> str:
    """Return the first contradiction in words, or an empty text.

    >>> level = {"level": "precise", "outcome": "PASS", "worst": 2e-30, "tolerance": 1e-30, "points": 0}
    >>> contradiction({"levels": [level], "precise": []})
    'precise is PASS, but its worst value 2e-30 is above its tolerance 1e-30'
    """
    return next(_contradictions(evidence), "")


def _contradictions(evidence: Mapping[str, Any]) -> Iterator[str]:
    for level in evidence["levels"]:
        if level["outcome"] == Outcome.PASS and not _by_its_own_rule(level):
            yield from _of_a_pass(level)
            if level["level"] == Level.PRECISE:
                yield from _of_rows(evidence["precise"], level)


def _by_its_own_rule(level: Mapping[str, Any]) -> bool:
    """Whether an experiment judged by its registered rule, which may ask for a value above a bound."""
    return "experiment" in level and "p" not in level


def _of_a_pass(level: Mapping[str, Any]) -> Iterator[str]:
    name, worst, tolerance = level["level"], level["worst"], level["tolerance"]
    if worst is None or tolerance is None:
        yield f"{name} is PASS, but says no worst value or no tolerance"
    elif not worst <= tolerance:
        yield f"{name} is PASS, but its worst value {worst:g} is above its tolerance {tolerance:g}"
    if level.get("killed") == 0:
        yield f"{name} is PASS, but no altered formula was rejected"
    for form, rejected in level.get("rejected_alternatives", {}).items():
        if not rejected:
            yield f"{name} is PASS, but the wrong form {form} was not rejected"
    if level.get("diverged"):
        yield f"{name} is PASS, but {level['diverged']} networks diverged"


def _of_rows(rows: Sequence[Mapping[str, str]], level: Mapping[str, Any]) -> Iterator[str]:
    if level["points"] != len(rows):
        yield f"precise has {level['points']} points, and its table {len(rows)}"
    # Each value was rounded to half a unit of its last digit.
    allowed = Decimal(level["tolerance"]) + Decimal(10) ** (1 - ROW_DIGITS)
    for row in rows:
        definition, formula = Decimal(row["definition"]), Decimal(row["formula"])
        missed = abs(_EXACT.subtract(definition, formula))
        if not missed <= (_EXACT.multiply(allowed, abs(definition)) if definition else allowed):
            yield f"precise is PASS, but formula and definition differ at {_described(row['at'])}"


def _described(at: Mapping[str, str]) -> str:
    return ", ".join(f"{name} = {value}" for name, value in at.items()) or "its only point"
