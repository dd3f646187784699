"""No level of checking is left out without a reason, and no reason is given for a level that is run."""

from dataclasses import replace

from theory.claims import catalog, reasons
from theory.claims.completeness import faults
from theory.claims.levels import exact, floating
from theory.claims.model import Level


def without(fault):
    """A claim that is complete but for one thing, and what is said of it."""
    claim = catalog()["gaussian.step_erf.arcsine"]
    return faults(replace(claim, **fault))


def test_a_missing_an_idle_and_an_empty_reason_are_noticed():
    no_reason = "is not run, and `unchecked` gives no reason"
    assert without({"unchecked": {}}) == (f"its level 'exact' {no_reason}", f"its level 'floating' {no_reason}")
    assert without({"numeric": float}) == ("`unchecked` gives a reason for the level 'floating', which is run",)
    vague = {Level.EXACT: "not rational", Level.FLOATING: reasons.BY_LAGS}
    assert without({"unchecked": vague}) == (
        "the reason why its level 'exact' is not run says too little: 'not rational'",
    )


def test_a_missing_oracle_and_a_missing_derivation_are_noticed():
    assert without({"oracle": None}) == ("it has no oracle, the definition by which its formula is judged",)
    assert without({"derive": None}) == ("its level 'symbolic' is not run, and `unchecked` gives no reason",)


def test_a_skipped_level_states_the_reason_of_the_claim():
    claim = catalog()["gaussian.step_erf.arcsine"]
    for level, result in ((Level.EXACT, exact), (Level.FLOATING, lambda claim: floating(claim, ()))):
        assert result(claim).where == claim.unchecked[level]
        assert result(replace(claim, unchecked={})).where == reasons.NOT_GIVEN
