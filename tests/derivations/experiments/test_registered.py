"""Registered results on the floating-point type of training."""

from dataclasses import replace

import pytest

from derivations.experiments.folders import problem_named
from derivations.experiments.registered import _is_trained, rounding_of, with_rounding
from sim.training.rounding import descent_rounding
from theory.claims import catalog
from theory.claims.model import CheckResult, Level, Outcome


@pytest.fixture(scope="module")
def trained():
    """The claims that are judged by trained networks, each with a problem."""
    claims = [claim for claim in catalog().values() if claim.registration and _is_trained(claim)]
    assert claims
    return [(claim, problem_named(name)) for claim in claims for name in claim.registration.problems]


def test_the_rounding_of_every_registered_problem_is_below_its_margin(trained):
    for claim, question in trained:
        assert question.simulated().dtype == "float64"
        assert descent_rounding(question) < float(claim.registration.margin)


@pytest.mark.parametrize("outcome", [Outcome.PASS, Outcome.FAIL])
def test_the_type_is_stated_and_one_too_coarse_shows_nothing(trained, outcome):
    claim, question = max(trained, key=lambda pair: descent_rounding(pair[1]) / float(pair[0].registration.margin))
    result = CheckResult(claim.id, Level.SIMULATED, outcome, 0.0, 1.0, "as judged")
    double = with_rounding(result, claim, *rounding_of(question))
    assert double.outcome is outcome
    assert double.details["dtype"] == "float64"
    assert double.where.startswith("as judged; trained in float64: rounding of at most ")
    assert "is below the margin" in double.where
    single = replace(question, simulation=replace(question.simulated(), dtype="float32"))
    coarse = with_rounding(result, claim, *rounding_of(single))
    assert "is not below the margin" in coarse.where
    assert coarse.outcome is (Outcome.FAIL if outcome is Outcome.FAIL else Outcome.INCONCLUSIVE)
