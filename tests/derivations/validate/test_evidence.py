"""The committed evidence speaks of the claims as they stand, and a changed claim makes it stale."""

import json
from dataclasses import replace

import sympy

from derivations.evidence.stored import FOLDER, is_stale
from theory.claims import catalog
from theory.claims.documents import NOTES
from theory.claims.judge import standing
from theory.claims.model import CheckResult, Level, Outcome
from theory.claims.sources import Reading, Source


def content_of(name):
    return json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))


def computed(claim, levels):
    """The standing that outcomes give; the file's own word on it is not read."""
    return standing(claim, tuple(CheckResult(claim.id, Level(one["level"]), Outcome(one["outcome"])) for one in levels))


def faults(claim):
    """What the stored evidence of a claim lacks or says wrongly."""
    content, registration = content_of(claim.id), claim.registration
    if is_stale(claim):
        yield "is of another version of the claim: run gdln validate --write-evidence"
    if content["id"] != claim.id or bool(content["precise"]) != (claim.oracle is not None):
        yield "is of another claim, or lacks its table"
    if registration and {name.split("/")[1] for name in content["simulated"]} != set(registration.problems):
        yield "lacks a registered problem"
    if content["standing"] != computed(claim, content["levels"]):
        yield "has a standing that its outcomes do not give"
    if any(
        level["outcome"] == Outcome.PASS and "experiment" not in level and not within(level)
        for level in content["levels"]
    ):
        yield "has a PASS above its tolerance"


def within(level):
    return level["worst"] <= level["tolerance"] and level.get("killed") != 0


def test_every_claim_has_evidence_of_its_version_and_no_other_file_is_left():
    assert sorted(path.stem for path in FOLDER.glob("*.json")) == sorted(catalog())
    assert {name: wrong for name, claim in catalog().items() if (wrong := list(faults(claim)))} == {}


def test_a_changed_outcome_changes_the_standing():
    for name in ("moment.site_gate.yx", "localization.relu.order", "flow.descent.weights"):
        claim, content = catalog()[name], content_of(name)
        for level in (level for level in content["levels"] if level["outcome"] == Outcome.PASS):
            others = [other for other in content["levels"] if other is not level]
            for outcome in (Outcome.FAIL, Outcome.INCONCLUSIVE):
                assert computed(claim, [*others, {**level, "outcome": outcome}]) != content["standing"]


def test_a_changed_claim_is_stale():
    claim = catalog()["moment.site_gate.yx"]
    reading = Reading("more", where=sympy.Symbol("w") > 0)
    for change in (
        {"statement": sympy.Eq(sympy.Symbol("w"), 2)},
        {"params": ()},
        {"sources": (Source(NOTES, "(1)", printed=sympy.Symbol("w")),)},
        {"sources": (replace(claim.sources[0], readings=(reading,)),)},
        {"registration": None},
    ):
        assert is_stale(replace(claim, **change)), change
