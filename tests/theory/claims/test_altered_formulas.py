"""Altered formulas of every claim fail at its points: a sign, a factor 2, an added 1, a dropped term or factor."""

from itertools import islice

import pytest

from tests.theory.claims.stored import table
from theory.claims import catalog, levels
from theory.claims.model import Outcome
from theory.claims.mutants import mutants

WITH_ORACLE = [claim for claim in catalog().values() if claim.oracle is not None]
FIRST = 8  # altered formulas without --slow: of the whole formula, and of its first terms


def test_the_first_altered_formulas_of_every_claim_fail(monkeypatch):
    monkeypatch.setattr(levels, "mutants", lambda formula: islice(mutants(formula), FIRST))
    results = (levels.negative_control(claim, table(claim.id)) for claim in WITH_ORACLE)
    assert [(one.claim, one.where) for one in results if one.outcome is not Outcome.PASS] == []


@pytest.mark.slow
@pytest.mark.parametrize("claim", WITH_ORACLE, ids=lambda claim: claim.id)
def test_all_altered_formulas_of_a_claim_fail(claim):
    result = levels.negative_control(claim, table(claim.id))
    assert result.outcome is Outcome.PASS, result.where
