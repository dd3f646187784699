"""The design of ReLU configurations: draws, decisions, shares with exact intervals, and controls that can fail."""

from collections import Counter
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import binom

from derivations.experiments.folders import read
from derivations.experiments.model import Settings
from derivations.experiments.relu_design import design, experiment, tables
from derivations.experiments.relu_design.design import Share, above, below, configurations, share
from tests.tolerances import BINOMIAL_TAIL
from theory.claims import catalog
from theory.claims.model import Level, Outcome
from theory.problem import NonlinearGP


def trained(mean, error=0.0, replicates=8, **more):
    """The stored numbers of one training, for one quantity at some times."""
    return {"ratio": {"mean": mean, "standard_error": [error] * len(mean)}, "replicates": replicates, **more}


def test_every_configuration_is_there_once():
    drawn = configurations()
    assert len(drawn) == len(set(drawn)) == 144
    assert drawn == configurations()
    for factor in ("lengths", "gain", "units", "scale", "rate"):
        levels = Counter(getattr(one, factor) for one in drawn)
        assert len(levels) > 1
        assert len(set(levels.values())) == 1


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
        (above("ratio", 1.0, (2,)), True),
        (above("ratio", 1.0, (1, 2)), None),  # at the second time the interval holds the bound
        (above("ratio", 1.0, (0, 2)), False),
        (below("ratio", 1.0, (0,)), True),
        (below("ratio", 1.0, (0, 1)), None),
        (below("ratio", 1.0, (0, 2)), False),
    ],
)
def test_a_training_is_decided_by_its_intervals_at_every_time(decide, expected):
    assert decide(trained([0.5, 1.05, 2.0], error=0.1)) is expected


def test_more_times_make_wider_intervals():
    one = trained([1.0, 1.0, 1.42], error=0.1)
    assert above("ratio", 1.0, (2,))(one) is True
    assert above("ratio", 1.0, (2, 2, 2, 2))(one) is None


@pytest.mark.parametrize("level", [design.LEVEL, design.LEVEL / 2])
@pytest.mark.parametrize(("holds", "undecided", "count"), [(20, 0, 24), (0, 0, 10), (10, 0, 10), (7, 3, 20)])
def test_the_interval_of_a_share_is_where_the_binomial_law_allows_it(holds, undecided, count, level):
    """At each end the tail of the binomial law has half of the level."""
    found = Share(holds, undecided, count, level=level)
    assert ("(99 %:" if level == design.LEVEL else "(99.5 %:") in found.describe()
    if holds:
        assert abs(binom.sf(holds - 1, count, found.low) - level / 2) <= BINOMIAL_TAIL
    else:
        assert found.low == 0
    if holds + undecided < count:
        assert abs(binom.cdf(holds + undecided, count, found.high) - level / 2) <= BINOMIAL_TAIL
    else:
        assert found.high == 1


def test_undecided_configurations_count_against_and_for():
    sure, unsure = Share(30, 0, 40), Share(30, 8, 40)
    assert unsure.low == sure.low
    assert unsure.high > sure.high
    decisions = iter([True, None, False, True])
    found = share([{}] * 4, lambda _one: next(decisions))
    assert (found.holds, found.undecided, found.count) == (2, 1, 4)
    assert "1 undecided" in found.describe()


@pytest.mark.parametrize(
    ("holds", "undecided", "outcome"),
    [
        (73, 0, Outcome.PASS),
        (72, 0, Outcome.INCONCLUSIVE),
        (72, 1, Outcome.INCONCLUSIVE),
        (71, 0, Outcome.FAIL),
        (60, 11, Outcome.FAIL),
        (60, 12, Outcome.INCONCLUSIVE),
    ],
)
def test_a_census_counts_and_samples_nothing(holds, undecided, outcome):
    """Its registered rule: more than 72 of 144 hold, or fewer than 72 hold or are undecided."""
    found = Share(holds, undecided, 144, census=True)
    assert found.outcome is outcome
    ends = [Fraction(end).limit_denominator(144) for end in (found.low, found.high)]
    assert ends == [Fraction(holds, 144), Fraction(holds + undecided, 144)]
    assert "99 %" not in found.describe()


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


def test_most_configurations_pass_few_fail_and_half_is_undecided():
    outcomes = [experiment.judged(RULE, stored([2.0] * k + [0.5] * (20 - k)), []).outcome for k in (20, 10, 0)]
    assert outcomes == [Outcome.PASS, Outcome.INCONCLUSIVE, Outcome.FAIL]


def test_all_trainings_of_the_design_are_a_census_and_fewer_a_sample():
    all_of_them, drawn = stored([2.0] * 74 + [0.5] * 214), stored([2.0] * 160 + [0.5] * 127)
    whole, part = (experiment.judged(RULE, run, []) for run in (all_of_them, drawn))
    assert Fraction(whole.worst).limit_denominator(288) == Fraction(74, 288)
    assert part.worst < 160 / 287
    assert "99 %" in part.where
    assert "99 %" not in whole.where


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
    found = experiment.judged(RULE, run, [other])
    assert found.outcome is Outcome.FAIL
    assert "the other way" in found.where


def test_a_rule_that_passes_its_control_fails():
    assert experiment.controlled(RULE, stored([2.0] * 20)).outcome is Outcome.PASS
    careless = replace(RULE, control=RULE.decide)
    assert experiment.controlled(careless, stored([2.0] * 20)).outcome is Outcome.FAIL


def test_one_configuration_is_trained_as_its_run_is_stored():
    """In small: two networks of the first configuration, in both orders, with every quantity at every time."""
    tiny = replace(configurations()[0], units=2, rate=Fraction(1, 5))
    problems = {order: tiny.problem(order, replicates=3) for order in design.ORDERS}
    for order, problem in problems.items():
        found = experiment.measured(experiment.train(problem), "cpu")
        assert found["seed"] == problem.simulation.seed
        for name in (*design.QUANTITIES, "growth"):
            assert np.shape(found[name]["mean"]) == np.shape(found[name]["standard_error"]) == (len(design.TIMES),)
        assert found["gate_flips"]["mean"][0] == 0, order
        assert found["growth"]["mean"][1] == 1


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


def test_what_is_said_of_oscillation_by_lengths_and_units_is_what_is_stored():
    rule = next(rule for rule in experiment.RULES if rule.claim == "localization.design.oscillating")
    found = {}
    for one in read(design.NAME)["trained"]:
        if one["order"] in rule.orders:
            found.setdefault((min(one["xi"]), one["units"]), []).append(rule.decide(one))
    short = [decision for units in design.UNITS for decision in found[1, units]]
    four, ten, twenty = (found[2, units] for units in design.UNITS)
    claim = catalog()[rule.claim]
    note = claim.sources[0].note
    assert all(short)
    assert f"in all {len(short)} whose shorter length is 1" in claim.title
    assert f"in {twenty.count(True)} of the {len(four + ten + twenty)} whose shorter length is 2" in claim.title
    assert f"in {twenty.count(True)} of {len(twenty)} with 20 units, {twenty.count(None)} undecided" in note
    assert set(four + ten) == {False}
    assert f"in none of {len(ten)} with 10 units" in note
    assert f"in none of {len(four)} with 4 units" in note


def test_a_validation_trains_some_configurations_again(monkeypatch):
    asked = []

    def record(wanted, until, settings, progress):
        asked.extend((one, order, until[order]) for one in wanted for order in design.ORDERS)
        return []

    monkeypatch.setattr(experiment, "trained", record)
    finding = experiment.run({}, Settings("full"), lambda _what, _share: None)
    assert len(asked) == len(set(asked)) == 4 * len(design.ORDERS)
    assert {(one.units, one.rate) for one, _, _ in asked} == {(min(design.UNITS), max(design.RATES))}
    assert {(order, until) for _, order, until in asked} == {("long-first", 16), ("short-first", 64)}
    assert {result.level for result in finding.results} == {Level.SIMULATED, Level.NEGATIVE_CONTROL}
    assert len(finding.results) == 2 * len(experiment.RULES)


def test_what_is_trained_again_is_decided_by_every_rule(monkeypatch):
    """Where a rule is undecided, training again could not contradict it."""
    asked = []
    monkeypatch.setattr(experiment, "trained", lambda wanted, *_: asked.extend(wanted) or [])
    experiment.run({}, Settings(), lambda _what, _share: None)
    run = {one["seed"]: one for one in read(design.NAME)["trained"]}
    for rule in experiment.RULES:
        for order in rule.orders:
            assert rule.decide(run[asked[0].problem(order).simulation.seed]) is not None


def test_training_goes_on_where_it_was_stopped(monkeypatch):
    run, asked, written = read(design.NAME), [], []

    def train(wanted, *_):
        asked.extend(wanted)
        return run["trained"][-4:][2 * len(asked) - 2 : 2 * len(asked)]

    monkeypatch.setattr(experiment, "trained", train)
    monkeypatch.setattr(experiment.folders, "read", lambda _name: {"trained": run["trained"][:-4]})
    monkeypatch.setattr(experiment.folders, "write", lambda *stored: written.append(len(stored[2]["trained"])))
    experiment.main()
    assert asked == configurations()[-2:]
    assert written == [286, 288]


def test_the_tables_have_a_row_for_each_quantity_and_each_pair():
    run = read(design.NAME)
    for make, rows in ((tables.quantities, 8), (tables.by_lengths, len(design.PAIRS))):
        lines = make(run).strip().splitlines()
        assert len(lines) == rows + 2
        assert len({line.count("|") for line in lines}) == 1


@pytest.mark.parametrize("rule", experiment.RULES, ids=lambda rule: rule.claim)
def test_the_title_counts_what_the_stored_run_holds(rule):
    found = experiment._share(rule.orders, rule.decide, read(design.NAME)["trained"])
    counted = f"in all {found.count}" if found.holds == found.count else f"in {found.holds} of {found.count}"
    assert counted in catalog()[rule.claim].title.lower()
