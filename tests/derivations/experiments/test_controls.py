"""The experiment of an empirical claim has a control that its rule must not pass, or the claim says why not."""

import pytest

from tests.pieces import evidence_of
from theory.claims import catalog
from theory.claims.model import Kind, Level, Outcome

EMPIRICAL = [claim for claim in catalog().values() if claim.kind is Kind.EMPIRICAL]


@pytest.mark.parametrize("claim", EMPIRICAL, ids=lambda claim: claim.id)
def test_an_experiment_has_its_control(claim):
    levels = evidence_of(claim.id)["levels"]
    controls = [level for level in levels if level["level"] == Level.NEGATIVE_CONTROL]
    reason = claim.unchecked.get(Level.NEGATIVE_CONTROL)
    expected = (Outcome.SKIPPED, reason) if reason else (Outcome.PASS, None)
    assert {(level["outcome"], level["where"] if reason else None) for level in controls} == {expected}
