"""The committed evidence speaks of the claims as they stand, and a changed claim makes it stale."""

from dataclasses import replace

import pytest
import sympy

from derivations.validate import recorded
from derivations.validate.evidence import FOLDER, claim_hash, is_stale
from tests.pieces import claim_named, evidence_of, missing
from theory.claims import catalog
from theory.claims.documents import NOTES
from theory.claims.judge import standing
from theory.claims.model import CheckResult, Level, Outcome
from theory.claims.sources import Reading, Source

every_claim = pytest.mark.parametrize("claim", catalog().values(), ids=lambda claim: claim.id)


@every_claim
def test_the_evidence_is_of_this_version_of_the_claim(claim):
    assert not is_stale(claim), f"{claim.id} has changed: run gdln validate --write-evidence"


@every_claim
def test_the_evidence_holds_what_the_claim_promises(claim):
    stored = evidence_of(claim.id)
    assert stored["id"] == claim.id
    assert bool(stored["precise"]) == (claim.oracle is not None)
    if claim.registration is not None:
        assert {name.split("/")[1] for name in stored["simulated"]} == set(claim.registration.problems)


def computed(claim, stored):
    """The standing that the stored outcomes give; the file's own word on it is not read."""
    results = [CheckResult(claim.id, Level(level["level"]), Outcome(level["outcome"])) for level in stored["levels"]]
    return standing(claim, tuple(results))


@every_claim
def test_a_stored_standing_is_computed_from_the_stored_outcomes(claim):
    stored = evidence_of(claim.id)
    assert stored["standing"] == computed(claim, stored)


@every_claim
def test_a_stored_misprint_has_its_point(claim):
    """That of a claim without parameters is empty; the report says of each where it differs."""
    stored = evidence_of(claim.id)
    for finding in recorded.printed(claim, stored):
        assert (finding.point is None) == finding.agrees


@pytest.mark.parametrize("name", ["moment.site_gate.yx", "localization.relu.order", "flow.descent.weights"])
def test_a_changed_outcome_changes_the_standing(name):
    claim = claim_named(name)
    stored = evidence_of(name)
    for level in stored["levels"]:
        if level["outcome"] == Outcome.PASS:
            for outcome in (Outcome.FAIL, Outcome.INCONCLUSIVE):
                others = [other for other in stored["levels"] if other is not level]
                changed = {**stored, "levels": [*others, {**level, "outcome": outcome}]}
                assert computed(claim, changed) != stored["standing"]


def test_no_evidence_is_left_of_claims_that_are_gone():
    gone = sorted({path.stem for path in FOLDER.glob("*.json")} - set(catalog()))
    if gone:
        missing(f"derivations/evidence/{name}.json speaks of no claim: remove it." for name in gone)


READ = catalog()["moment.site_gate.yx"].sources[0]


@pytest.mark.parametrize(
    "change",
    [
        {"statement": sympy.Eq(sympy.Symbol("w"), 2)},
        {"params": ()},
        {"sources": (Source(NOTES, "(1)", printed=sympy.Symbol("w")),)},
        {"sources": (replace(READ, readings=(Reading("more", where=sympy.Symbol("w") > 0),)),)},
        {"registration": None},
    ],
)
def test_a_changed_claim_is_stale(change):
    claim = claim_named("moment.site_gate.yx")
    assert claim_hash(replace(claim, **change)) != claim_hash(claim)
    assert is_stale(replace(claim, **change))
