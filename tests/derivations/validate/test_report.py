"""The report of a validation: the numbers of one result in a line."""

from derivations.validate import report
from theory.claims.model import CheckResult, Level, Outcome


def shown(where: str) -> str:
    """The numbers of a precise result at a place."""
    return report.numbers(CheckResult("a.b.c", Level.PRECISE, Outcome.FAIL, 0.5, 1e-30, where))


def test_the_place_follows_the_numbers_where_there_is_one():
    assert shown("at g = 1") == " (worst 0.5, tolerance 1e-30; at g = 1)"
    assert shown("") == " (worst 0.5, tolerance 1e-30)"
