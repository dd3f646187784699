"""Every claim of the catalog: its proof, its formula, its definition, its float64 path and what its sources print.

The formulas are compared with the values of the definitions in the evidence; the definitions themselves are computed at
one point, those of DEAR with --slow alone. Adding a claim adds no test code.
"""

from functools import cache

import pytest

from tests.theory.claims.stored import evidence, few, table
from theory.claims import catalog, levels
from theory.claims.citations import order
from theory.claims.model import Kind, Outcome, Standing
from theory.claims.points import points
from theory.claims.registry import select
from theory.claims.rows import Verdict, verdict_of
from theory.problem import InputError

CLAIMS = tuple(catalog().values())
WITH_ORACLE = tuple(claim for claim in CLAIMS if claim.oracle is not None)
# Claims of which a proof, or the definition at a point, takes more than half a second.
DEAR = {
    "amplifier.pixel.gaussian",
    "deep.lambda_balanced.solution",
    "flow.small_bump.two_sites",
    "kernel.adaptable.activations",
    "kernel.adaptable.strengths",
    "kernel.adaptable.sum",
    "kernel.random_gates.floor",
    "kernel.random_gates.own",
    "localization.gain.participation",
    "moment.site_gate.xx",
    "moment.soft.first_moment",
    "moment.soft.second_moment",
    "moment.threshold.step_erf",
    "moment.threshold.tiling",
    "ntk.fixed_gates.kernel",
    "ntk.recursion.value",
    "ols.gates.overlap_on_sites",
    "ols.small_bump.two_sites",
    "pulse.optimum.half_spaces",
    "pulse.optimum.least",
    "pulse.optimum.overlap",
    "race.routing.balanced_limit",
}


def failures(results) -> list[str]:
    """The results that fail, in words."""
    return [f"{one.claim} {one.level}: {one.where}" for one in results if one.outcome is Outcome.FAIL]


def by_definition(claim, count: int):
    """The results of a claim at some of its points: exact, precise and floating."""
    tried = few(points(claim), count)
    yield levels.exact(claim, tried)
    yield levels.precise(claim, levels.table(claim, tried=tried))
    yield levels.floating(claim, few(points(claim), count + 1))


@cache
def findings(name: str):
    """What the sources of a claim print, compared with the stored values."""
    return levels.printed_findings(catalog()[name], table(name))


def test_every_formula_gives_the_stored_values_of_its_definition():
    assert failures(levels.precise(claim, table(claim.id)) for claim in WITH_ORACLE) == []


def test_stored_points_are_those_of_the_claim():
    """And every interesting value lies in the domain of its parameter."""
    for claim in WITH_ORACLE:
        stored = tuple(row.point for row in table(claim.id))
        assert stored == points(claim), f"{claim.id}: gdln validate writes its evidence"
        assert all(value in param.domain for param in claim.params for value in param.interesting), claim.id


def test_every_definition_gives_its_formula():
    cheap = (claim for claim in WITH_ORACLE if claim.id not in DEAR)
    assert failures(result for claim in cheap for result in by_definition(claim, 1)) == []


@pytest.mark.slow
@pytest.mark.parametrize("claim", WITH_ORACLE, ids=lambda claim: claim.id)
def test_a_definition_gives_its_formula_at_more_points(claim):
    assert failures(by_definition(claim, 1 if claim.id in DEAR else 4)) == []


@pytest.mark.parametrize("dear", [pytest.param(True, marks=pytest.mark.slow), False])
def test_every_derivation_proves_its_claim(dear):
    chosen = (claim for claim in CLAIMS if (claim.id in DEAR) == dear)
    assert failures(levels.symbolic(claim, catalog()) for claim in chosen) == []


def test_what_the_sources_print_is_judged_as_stored():
    """A form that differs has a point at which it does, and a note that explains it."""
    for claim in WITH_ORACLE:
        stored = {(entry["document"], entry["label"]): entry for entry in evidence(claim.id)["printed"]}
        printed = findings(claim.id)
        assert len(stored) == len(printed), claim.id
        for finding in printed:
            entry = stored[finding.source.document, finding.source.label]
            judged = (finding.agrees, finding.reading, finding.repaired)
            assert judged == tuple(entry[key] for key in ("agrees", "reading", "repaired")), claim.id
            explained = finding.point is not None and finding.printed != finding.oracle and bool(finding.source.note)
            assert finding.agrees or explained, claim.id


def test_a_wrong_form_names_the_slip_that_it_comes_from():
    """Its own, once, in the document where it stands; no right form names one."""
    for claim in WITH_ORACLE:
        by_source = {item.source: item for item in findings(claim.id)}
        for source in claim.sources:
            verdict, where = verdict_of(Standing.HOLDS, source, by_source.get(source)), (claim.id, source.label)
            if verdict is Verdict.CORRECTED:
                assert source.slip, where
                assert (source.slip.document, source.repaired) == (source.document, None), where
                assert source.label in source.slip.root, where
            else:
                assert bool(source.slip) == (verdict is Verdict.INHERITED), where
                assert not source.slip or source.slip.document == source.document, where
            for reading in (*source.readings, *((source.repaired,) if source.repaired else ())):
                assert any(reading.admits(row.point) for row in table(claim.id)), where


@pytest.mark.parametrize(
    ("name", "label", "agrees"),
    [
        ("moment.site_gate.yx", "(7)", False),
        ("flow.redundant.first_in_sum", "(31)", False),
        ("ols.loss.class_means", "(16)", True),
    ],
)
def test_a_known_misprint_is_found_and_a_sound_equation_is_not(name, label, agrees):
    assert [finding.agrees for finding in findings(name) if finding.source.label == label] == [agrees]


def test_citations_form_no_circle():
    assert {claim.id for claim in order(catalog())} == set(catalog())


def test_claims_are_selected_by_id_or_by_area():
    assert [claim.id for claim in select(["moment.site_gate.yx"])] == ["moment.site_gate.yx"]
    assert {claim.id.split(".")[0] for claim in select(["flow"])} == {"flow"}
    assert len(select([])) == len(catalog())
    with pytest.raises(InputError, match=r"No claim is called 'flow\.mod'\. Did you mean `flow\.mode`\?"):
        select(["flow.mod"])


def test_an_empirical_claim_is_settled_by_an_experiment_alone():
    for claim in CLAIMS:
        if claim.settled_by:
            assert claim.kind is Kind.EMPIRICAL
            assert claim.registration is None
