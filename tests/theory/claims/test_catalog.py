"""Every claim of the catalog, at every level that needs no simulation; adding a claim adds no test code."""

import pytest

from tests.theory.claims.examined import each, examination
from theory.claims import catalog
from theory.claims.citations import order
from theory.claims.model import Kind, Level, Outcome
from theory.claims.registry import select
from theory.problem import InputError

every_claim = each(catalog().values())


@every_claim
def test_no_level_fails(claim):
    failed = [result for result in examination(claim.id).results if result.outcome is Outcome.FAIL]
    assert failed == []


@each(claim for claim in catalog().values() if claim.kind not in (Kind.EMPIRICAL, Kind.DEFINITION))
def test_what_is_stated_exactly_is_proved_and_precise_and_kills_its_mutants(claim):
    """An empirical claim has an experiment in place of a proof, and a definition needs none."""
    passed = {result.level for result in examination(claim.id).results if result.outcome is Outcome.PASS}
    assert passed & {Level.SYMBOLIC, Level.EXACT}  # steps, or every case in fractions
    assert {Level.PRECISE, Level.NEGATIVE_CONTROL} <= passed


@every_claim
def test_printed_forms_that_differ_are_caught_with_numbers(claim):
    for finding in examination(claim.id).printed:
        if not finding.agrees:
            assert finding.point is not None
            assert finding.printed != finding.oracle
            assert finding.source.note, "a misprint is explained"


def test_citations_form_no_circle():
    assert {claim.id for claim in order(catalog())} == set(catalog())


def test_claims_are_selected_by_id_or_by_area():
    assert [claim.id for claim in select(["moment.site_gate.yx"])] == ["moment.site_gate.yx"]
    assert {claim.id.split(".")[0] for claim in select(["flow"])} == {"flow"}
    assert len(select([])) == len(catalog())
    with pytest.raises(InputError, match=r"No claim is called 'flow\.mod'\. Did you mean `flow\.mode`\?"):
        select(["flow.mod"])


@pytest.mark.parametrize(
    ("label", "claim", "agrees"),
    [
        pytest.param(label, claim, agrees, marks=pytest.mark.xdist_group(claim))
        for label, claim, agrees in (
            ("(7)", "moment.site_gate.yx", False),
            ("(8)", "moment.site_gate.xx", False),
            ("(11)", "flow.mode.solution", False),
            ("(31)", "flow.redundant.first_in_sum", False),
            ("(16)", "ols.loss.class_means", True),
        )
    ],
)
def test_known_misprints_are_found_and_sound_equations_are_not(label, claim, agrees):
    findings = examination(claim).printed
    assert [finding.agrees for finding in findings if finding.source.label == label] == [agrees]
