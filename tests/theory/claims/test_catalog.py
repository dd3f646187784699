"""Every claim of the catalog: its proof, its formula, its definition, its float64 path and what its sources print.

The formulas are compared with the values of the definitions in the evidence. Definitions are computed again, with
--slow the dear ones too; so are derivations, altered formulas and printed ones of a sixth of the claims, with --slow
those of the others. Adding a claim adds no test code.
"""

from itertools import islice

import pytest

from tests.theory.claims.stored import evidence, few, in_symbols, row, table
from theory.claims import catalog, levels
from theory.claims.citations import order
from theory.claims.model import Kind, Outcome, Standing
from theory.claims.mutants import mutants
from theory.claims.points import points
from theory.claims.registry import select
from theory.claims.rows import Verdict, verdict_of
from theory.problem import InputError

# Claims whose definition at a point takes more than half a second, and those of which a proof or an altered form does.
DEAR_BY_DEFINITION = {
    "kernel.adaptable.activations",
    "kernel.adaptable.sum",
    "kernel.expansion.square",
    "kernel.random_gates.floor",
    "moment.site_gate.xx",
    "pulse.optimum.least",
    "pulse.optimum.overlap",
    "race.routing.balanced_limit",
}
DEAR = {
    "amplifier.pixel.gaussian",
    "deep.lambda_balanced.solution",
    "flow.small_bump.two_sites",
    "kernel.adaptable.activations",
    "kernel.adaptable.strengths",
    "kernel.adaptable.sum",
    "kernel.random_gates.floor",
    "kernel.random_gates.own",
    "moment.site_gate.xx",
    "moment.soft.first_moment",
    "moment.soft.second_moment",
    "moment.threshold.step_erf",
    "moment.threshold.tiling",
    "ntk.fixed_gates.kernel",
    "ntk.recursion.value",
    "ols.small_bump.two_sites",
    "pulse.optimum.half_spaces",
    "pulse.optimum.least",
    "pulse.optimum.overlap",
    "race.routing.balanced_limit",
}


IN_TWO_PARTS = pytest.mark.parametrize("others", [False, pytest.param(True, marks=pytest.mark.slow)])


def with_oracle():
    return [claim for claim in catalog().values() if claim.oracle is not None]


def part(claims, others: bool):
    """Every sixth claim that is not dear, or all the others."""
    return [claim for number, claim in enumerate(claims) if (number % 6 > 0 or claim.id in DEAR) == others]


def failures(results) -> list[str]:
    """The results that fail, in words."""
    return [f"{one.claim} {one.level}: {one.where}" for one in results if one.outcome is Outcome.FAIL]


def by_definition(claim):
    """The results of a claim: exact at two points, precise at the first one, and in float64 at another one too."""
    yield levels.exact(claim, points(claim)[:2])
    yield levels.precise(claim, levels.table(claim, tried=points(claim)[:1]))
    yield levels.floating(claim, few(points(claim), 2))


def stored_findings(claim):
    """What the sources of a claim print, as judged in the evidence."""
    by_place = {(source.document, source.label): source for source in claim.sources}
    for entry in evidence(claim.id)["printed"]:
        judged = {key: entry[key] for key in ("agrees", "reading", "repaired")}
        yield levels.PrintedFinding(by_place[entry["document"], entry["label"]], **judged)


def test_every_formula_gives_the_stored_values_of_its_definition():
    results = []
    for claim in with_oracle():
        entries = few(tuple(evidence(claim.id)["precise"]))
        rows = tuple(row(claim, in_symbols(claim, entry["at"]), entry["definition"]) for entry in entries)
        results.append(levels.precise(claim, rows))
    assert failures(results) == []


@IN_TWO_PARTS
def test_stored_points_are_those_of_the_claim(others):
    """And every interesting value lies in the domain of its parameter."""
    for claim in part(with_oracle(), others):
        stored = tuple(in_symbols(claim, entry["at"]) for entry in evidence(claim.id)["precise"])
        assert stored == points(claim), f"{claim.id}: gdln validate writes its evidence"
        assert all(value in param.domain for param in claim.params for value in param.interesting), claim.id


@pytest.mark.parametrize("dear", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_definitions_give_their_formulas(dear):
    claims = [claim for claim in with_oracle() if (claim.id in DEAR_BY_DEFINITION) == dear]
    assert failures(result for claim in claims for result in by_definition(claim)) == []


@IN_TWO_PARTS
def test_derivations_prove_their_claims(others):
    assert failures(levels.symbolic(claim, catalog()) for claim in part(catalog().values(), others)) == []


@IN_TWO_PARTS
def test_altered_formulas_fail(monkeypatch, others):
    """A sign, a factor 2, an added 1, a dropped term or factor: of the whole formula, and at places within it."""
    monkeypatch.setattr(levels, "mutants", lambda formula: islice(mutants(formula), 0, None, 10))
    results = (levels.negative_control(claim, table(claim.id)) for claim in part(with_oracle(), others))
    assert [(one.claim, one.where) for one in results if one.outcome is not Outcome.PASS] == []


@IN_TWO_PARTS
def test_what_the_sources_print_is_judged_as_stored(others):
    """A form that differs has a point at which it does, and a note that explains it."""
    for claim in part(with_oracle(), others):
        stored = {one.source: (one.agrees, one.reading, one.repaired) for one in stored_findings(claim)}
        printed = levels.printed_findings(claim, table(claim.id))
        assert stored == {one.source: (one.agrees, one.reading, one.repaired) for one in printed}, claim.id
        for finding in printed:
            explained = finding.point is not None and finding.printed != finding.oracle and bool(finding.source.note)
            assert finding.agrees or explained, claim.id


def test_a_wrong_form_names_the_slip_that_it_comes_from():
    """Its own, once, in the document where it stands; no right form names one."""
    for claim in with_oracle():
        by_source = {finding.source: finding for finding in stored_findings(claim)}
        for source in claim.sources:
            verdict, where = verdict_of(Standing.HOLDS, source, by_source.get(source)), (claim.id, source.label)
            if verdict is Verdict.CORRECTED:
                assert source.slip, where
                assert (source.label, source.repaired) == (source.slip.root, None), where
            else:
                assert bool(source.slip) == (verdict is Verdict.INHERITED), where
            for reading in (*source.readings, *((source.repaired,) if source.repaired else ())):
                assert any(reading.admits(in_symbols(claim, entry["at"])) for entry in evidence(claim.id)["precise"])


@pytest.mark.parametrize(
    ("name", "label", "agrees"),
    [
        ("moment.site_gate.yx", "(7)", False),
        ("flow.redundant.first_in_sum", "(31)", False),
        ("ols.loss.class_means", "(16)", True),
    ],
)
def test_a_known_misprint_is_found_and_a_sound_equation_is_not(name, label, agrees):
    printed = levels.printed_findings(catalog()[name], table(name))
    assert [finding.agrees for finding in printed if finding.source.label == label] == [agrees]


def test_citations_form_no_circle():
    assert {claim.id for claim in order(catalog())} == set(catalog())


def test_claims_are_selected_by_id_or_by_area():
    assert [claim.id for claim in select(["moment.site_gate.yx"])] == ["moment.site_gate.yx"]
    assert {claim.id.split(".")[0] for claim in select(["flow"])} == {"flow"}
    assert len(select([])) == len(catalog())
    with pytest.raises(InputError, match=r"No claim is called 'flow\.mod'\. Did you mean `flow\.mode`\?"):
        select(["flow.mod"])


def test_an_empirical_claim_is_settled_by_an_experiment_alone():
    for claim in catalog().values():
        if claim.settled_by:
            assert claim.kind is Kind.EMPIRICAL
            assert claim.registration is None
