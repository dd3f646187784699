"""The rounds of a quick validation: they miss nothing, keep the budget, and stay as long when claims double."""

import pytest

from derivations.rounds import rounds
from derivations.validate.checks import Check
from derivations.validate.rotation import plan, whole
from theory.claims.model import Level

SECONDS = (0.125, 0.25, 7.0, 2.0, 11.0, 0.5, 5.0, 3.0)  # sums of these have no rounding


def checks(copies=1, fresh=True):
    """Levels of invented claims, each with the seconds that its evidence states."""
    return [
        Check((f"area.subject.fact{copy}_{index}",), Level.PRECISE, "", seconds, fresh)
        for copy in range(copies)
        for index, seconds in enumerate(SECONDS)
    ]


def cost(some):
    return sum(check.seconds for check in some)


@pytest.mark.parametrize(("copies", "budget"), [(1, 11.0), (40, 100.0)])
def test_every_check_is_in_one_round_and_every_round_keeps_the_budget(copies, budget):
    parts = rounds(checks(copies), budget)
    names = [check.name for part in parts for check in part]
    assert sorted(names) == sorted(check.name for check in checks(copies))
    assert max(cost(part) for part in parts) <= budget
    assert len(parts) <= 2 * cost(checks(copies)) / budget + 1  # nothing is stretched


def test_a_series_of_runs_checks_everything_and_none_exceeds_the_budget():
    last, ran = None, set()
    every = checks(12)
    first = plan(every, budget=60.0)
    for _ in range(first.rounds):
        now = plan(every, budget=60.0, last=last)
        assert cost(now.now) <= 60.0
        assert not now.changed
        assert {check.name for check in now.now}.isdisjoint(check.name for check in now.stored)
        ran |= {check.name for check in now.now}
        last = now.round
    assert ran == {check.name for check in every}


def test_what_changed_runs_outside_of_the_budget():
    changed = [Check(("area.subject.new",), None, "training", 500.0, fresh=False)]
    result = plan([*checks(), *changed], budget=15.0)
    assert result.changed == tuple(changed)
    assert cost(check for check in result.now if check.fresh) > 15.0 / 2


def test_the_seed_alone_repeats_a_run():
    every = checks(12)
    for last in (None, 0, 1, 2):
        result = plan(every, budget=60.0, last=last)
        again = plan(every, budget=60.0, seed=result.seed)
        assert again == result
    assert plan(every, budget=60.0, seed=7, last=0) == plan(every, budget=60.0, seed=7, last=1)


def test_a_whole_run_trusts_no_evidence():
    result = whole(checks())
    assert (len(result.now), result.stored, result.changed) == (len(SECONDS), (), result.now)
    assert (plan(checks(fresh=False)).rounds, plan([]).rounds) == (1, 1)
