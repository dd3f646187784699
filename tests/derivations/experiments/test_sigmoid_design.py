"""The design of erf and sigmoid networks: its configurations, when networks are alike, and controls that can fail."""

from fractions import Fraction

import pytest

from derivations.experiments.folders import read
from derivations.experiments.relu_design.design import ORDERS
from derivations.experiments.sigmoid_design import design, experiment
from derivations.experiments.sigmoid_design.design import FIRST, SECOND, alike, configurations
from theory.claims import catalog
from theory.claims.model import Outcome

PAIR = experiment.PAIR


def trained(models=None, error=0.01, replicates=16, **more):
    """A stored configuration whose networks have low-frequency share 1/2 and ratio 1/10, but where `models` says so."""
    networks = {}
    for model in design.MODELS:
        networks[model] = {}
        for order in ORDERS:
            low, ratio = (models or {}).get((model, order), (0.5, 0.1))
            networks[model][order] = {
                "replicates": replicates,
                "low_frequency_power": {"mean": [0.5, low], "standard_error": [0.0, error]},
                "participation_ratio": {"mean": [0.07, ratio], "standard_error": [0.0, error / 10]},
            }
    return {"trained": networks, "centred": True, **more}


def numbered(index, **more):
    """A stored configuration with factors of its own."""
    return {"xi": [2.0, 1.0], "gain": index, "units": 5, "scale": 0.1, "biases": "0", **more}


@pytest.mark.parametrize("one", configurations()[::20], ids=lambda one: one.biases.describe())
def test_a_configuration_is_the_problem_that_it_says(one):
    problems = {(model, order): one.problem(model, order, SECOND) for model in design.MODELS for order in ORDERS}
    assert len({problem.simulated().seed for problem in problems.values()}) == len(problems)
    for (model, order), problem in problems.items():
        assert problem.network.model == model
        assert (problem.data.xi[0] > problem.data.xi[1]) is (order == ORDERS[0])
        assert problem.training.w0.scale == one.scale
    assert problems["relu", ORDERS[0]].network.biases == "none"
    erf, sigmoid = (problems[model, ORDERS[0]] for model in ("erf", "sigmoid"))
    for problem in (erf, sigmoid):
        assert problem.network.biases == ("trained" if one.biases.trained else "fixed")
        assert problem.training.hidden_bias0.scale == one.biases.spread
    assert erf.training.output_bias0 == (Fraction(1, 2) if one.biases.centred else 0)
    assert sigmoid.training.output_bias0 == 0


@pytest.mark.parametrize(
    ("models", "error", "expected"),
    [
        ({}, 0.01, True),
        ({("erf", ORDERS[1]): (0.1, 0.1)}, 0.01, False),  # the range differs in one order
        ({("sigmoid", ORDERS[0]): (0.5, 0.3)}, 0.01, False),  # the ratio differs in one order
        ({("erf", ORDERS[1]): (0.1, 0.1)}, 0.05, None),
        ({}, 0.5, None),  # too few or too scattered networks are not alike
        ({("relu", ORDERS[0]): (1.0, 0.5)}, 0.01, True),  # not of this pair
    ],
)
def test_networks_are_alike_where_all_four_differences_are_small(models, error, expected):
    assert alike(trained(models, error), PAIR, FIRST.level) is expected
    assert alike(trained(models, error), PAIR[::-1], FIRST.level) is expected


UNLIKE = {("erf", ORDERS[0]): (0.0, 0.1), ("relu", ORDERS[0]): (1.0, 0.1)}


def stored(alike_ones, unlike):
    """Configurations of both kinds."""
    kinds = [{}] * alike_ones + [UNLIKE] * unlike
    return [trained(kind, **numbered(index)) for index, kind in enumerate(kinds)]


def test_a_configuration_that_is_decided_the_other_way_fails_the_rule():
    run = stored(16, 0)
    assert experiment.judged(run, [run[3]]).outcome is Outcome.PASS
    result = experiment.judged(run, [{**run[3], "trained": trained(UNLIKE)["trained"]}])
    assert result.outcome is Outcome.FAIL
    assert "the other way" in result.where


def test_the_control_fails_where_relu_networks_are_like_erf_networks():
    assert experiment.controlled(stored(0, 16)).outcome is Outcome.PASS
    assert experiment.controlled(stored(16, 0)).outcome is Outcome.FAIL
    assert experiment.controlled(stored(8, 8)).outcome is Outcome.INCONCLUSIVE


@pytest.mark.parametrize("look", [FIRST, SECOND], ids=lambda look: look.run)
def test_what_is_stored_is_of_the_design(look):
    run = read(look.run)
    assert run["times"] == list(design.TIMES)
    for one, drawn in zip(run["trained"], look.configurations(), strict=True):
        assert drawn.data().items() <= one.items()
        assert one["centred"] or not look.centred
        for model in design.MODELS:
            for order in ORDERS:
                settings = drawn.problem(model, order, look).simulated()
                stored = one["trained"][model][order]
                assert (stored["seed"], stored["replicates"]) == (settings.seed, settings.replicates)


def test_the_second_look_judges_the_claim_and_its_title_counts_it():
    trained_again = read(SECOND.run)["trained"]
    result = experiment.judged(trained_again, [])
    assert result.outcome is Outcome.PASS
    assert experiment.controlled(trained_again).outcome is Outcome.INCONCLUSIVE
    counted = result.where.removeprefix("alike in ").partition(" configurations")[0]
    assert counted in catalog()[experiment.CLAIM].sentence


def test_the_claim_holds_from_14_of_16_on():
    for holds, outcome in ((14, Outcome.PASS), (13, Outcome.INCONCLUSIVE), (2, Outcome.FAIL)):
        assert experiment.judged(stored(holds, 16 - holds), []).outcome is outcome
