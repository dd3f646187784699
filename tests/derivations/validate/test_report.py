"""The report of a validation: the numbers of one result in a line."""

import pytest

from derivations.experiments.model import Finding
from derivations.validate import report, rotation
from derivations.validate.checks import Check
from derivations.validate.judged import Validation
from theory.claims.model import CheckResult, Level, Outcome


def shown(where: str) -> str:
    """The numbers of a precise result at a place."""
    return report.numbers(CheckResult("a.b.c", Level.PRECISE, Outcome.FAIL, 0.5, 1e-30, where))


def test_the_place_follows_the_numbers_where_there_is_one():
    assert shown("at g = 1") == " (worst 0.5, tolerance 1e-30; at g = 1)"
    assert shown("") == " (worst 0.5, tolerance 1e-30)"


@pytest.mark.parametrize(
    ("now", "stored", "expected"),
    [
        ([False], 0, "The check ran whole, 3 s of processor time"),
        ([False, False], 0, "All 2 checks ran whole, 3 s of processor time"),
        (
            [True, False],
            1,
            "2 checks ran now, of which 1 whole because the claim or its code has changed; the",
        ),
        ([True], 0, "1 check ran now, of which 0 whole because the claim or its code has changed. What is fresh"),
    ],
)
def test_the_sentence_on_what_ran_has_one_check_or_several(now, stored, expected):
    checks = [Check(("a.b.c",), Level.PRECISE, "", 1.0, fresh=fresh) for fresh in now]
    plan = rotation.Plan(tuple(checks), tuple(checks[:1] * stored), 4, 0, 1, 10.0)
    found = report.ran(Validation("quick", (), Finding(), 5.0, plan=plan, spent=3.0))
    assert found.startswith(expected)
    assert ("covers 1 check." in found) is bool(stored)
