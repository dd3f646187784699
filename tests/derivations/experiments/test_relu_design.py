"""The design of ReLU configurations: draws, decisions, shares with exact intervals, and controls that can fail."""

from dataclasses import replace
from fractions import Fraction

import pytest

from derivations.experiments.folders import read
from derivations.experiments.relu_design import design, experiment
from derivations.experiments.relu_design.design import Share, above, below, configurations, share
from derivations.statistics.intervals import share_interval
from theory.claims import catalog
from theory.claims.model import Outcome
from theory.problem import NonlinearGP


def trained(mean, error=0.0, replicates=8, **more):
    """The stored numbers of one training, for one quantity at some times."""
    return {"ratio": {"mean": mean, "standard_error": [error] * len(mean)}, "replicates": replicates, **more}


def test_a_configuration_is_the_problem_that_it_says():
    one = configurations()[0]
    long, short = (one.problem(order) for order in design.ORDERS)
    assert long.data.xi == one.lengths == short.data.xi[::-1]
    assert long.data.xi[0] > long.data.xi[1]
    assert long.training.times[-1] == 64 * one.units**2
    assert one.problem("long-first", until=4).training.times == tuple(time * one.units**2 for time in (0, 1, 4))
    assert long.simulation.learning_rate == one.rate * one.units**2
    assert long.simulation.seed != short.simulation.seed
    assert isinstance(long.data, NonlinearGP)


@pytest.mark.parametrize(
    ("decide", "expected"),
    [
        (above("ratio", 1.0, (1, 2)), None),  # at the second time the interval holds the bound
        (above("ratio", 1.0, (0, 2)), False),
        (below("ratio", 1.0, (0,)), True),
        (below("ratio", 1.0, (0, 2)), False),
    ],
)
def test_a_training_is_decided_by_its_intervals_at_every_time(decide, expected):
    assert decide(trained([0.5, 1.05, 2.0], error=0.1)) is expected


def test_undecided_configurations_count_against_and_for():
    level = design.LEVEL / 2
    unsure = Share(7, 3, 20, level=level)
    assert unsure.low == share_interval(7, 20, level)[0]
    assert unsure.high == share_interval(10, 20, level)[1]
    decisions = iter([True, None, False, True])
    result = share([{}] * 4, lambda _one: next(decisions))
    assert (result.holds, result.undecided, result.count) == (2, 1, 4)
    assert "1 undecided" in result.describe()


@pytest.mark.parametrize(
    ("holds", "undecided", "outcome"),
    [
        (73, 0, Outcome.PASS),
        (72, 0, Outcome.INCONCLUSIVE),
        (71, 0, Outcome.FAIL),
    ],
)
def test_a_census_counts_and_samples_nothing(holds, undecided, outcome):
    """Its registered rule: more than 72 of 144 hold, or fewer than 72 hold or are undecided."""
    result = Share(holds, undecided, 144, census=True)
    assert result.outcome is outcome
    ends = [Fraction(end).limit_denominator(144) for end in (result.low, result.high)]
    assert ends == [Fraction(holds, 144), Fraction(holds + undecided, 144)]
    assert "99 %" not in result.describe()


def stored(values, order="long-first"):
    """A run in which a quantity ends at these values."""
    return [trained([0.0, value], order=order, seed=index) for index, value in enumerate(values)]


RULE = experiment.Rule(
    "an.example.rule",
    ("long-first",),
    above("ratio", 1.0, (1,)),
    above("ratio", 1.0, (0,)),
    ("long-first",),
    "the start",
)


def test_a_training_that_is_decided_the_other_way_fails_the_rule():
    run = stored([2.0] * 20)
    assert experiment.judged(RULE, run, [run[3]]).outcome is Outcome.PASS
    other = {
        **run[3],
        "ratio": {"mean": [0.0, 0.5], "standard_error": [0.0, 0.0]},
        "units": 4,
        "gain": 1.0,
        "xi": [2, 1],
    }
    result = experiment.judged(RULE, run, [other])
    assert result.outcome is Outcome.FAIL
    assert "the other way" in result.where


def test_a_rule_that_passes_its_control_fails():
    assert experiment.controlled(RULE, stored([2.0] * 20)).outcome is Outcome.PASS
    careless = replace(RULE, control=RULE.decide)
    assert experiment.controlled(careless, stored([2.0] * 20)).outcome is Outcome.FAIL


def test_what_is_stored_is_of_the_design_and_judges_every_claim():
    run = read(design.NAME)
    assert run["times_in_units_of_K2"] == list(design.TIMES)
    wanted = [(order, one.problem(order).simulation.seed) for one in configurations() for order in design.ORDERS]
    assert [(one["order"], one["seed"]) for one in run["trained"]] == wanted
    assert {rule.claim for rule in experiment.RULES} == {
        name for name in catalog() if name.startswith("localization.design.")
    }
    for rule in experiment.RULES:
        assert experiment.judged(rule, run["trained"], []).outcome is Outcome.PASS
        assert experiment.controlled(rule, run["trained"]).outcome is Outcome.PASS
        share_of_all = experiment._share(rule.orders, rule.decide, run["trained"])
        every = share_of_all.holds == share_of_all.count
        counted = f"in all {share_of_all.count}" if every else f"in {share_of_all.holds} of {share_of_all.count}"
        assert counted in catalog()[rule.claim].sentence.lower()
