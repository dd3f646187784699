"""The verdicts: each of them is given where it should be, and the faults that would change one are noticed."""

from dataclasses import replace

import numpy as np
import pytest

from derivations.reproductions.model import INHERITED, REMARK, UNSAID, Design, Target, trend
from derivations.reproductions.rules import (
    LEVEL,
    NOT_REPRODUCED,
    ORDER,
    REPRODUCED,
    UNDECIDED,
    judged,
    runs_needed,
    together,
    verdict,
)
from theory.problem import InputError

RATE = Target("rate", "0.81", 0.81, margin=0.02, half_unit=0.005)
FASTER = Target("faster", "deeper is faster", None, margin=0.1)
NEAR = Target("near", "close to 0.8", 0.8, margin=0, within=0.1)


def test_verdicts():
    for target, low, high, expected in (
        (RATE, 0.805, 0.815, REPRODUCED),
        (RATE, 0.812, 0.82, REPRODUCED),  # 0.812 is printed as 0.81
        (RATE, 0.816, 0.82, NOT_REPRODUCED),
        (RATE, 0.7, 0.9, UNDECIDED),  # it includes the number because it includes everything
        (RATE, 0.82, 0.99, NOT_REPRODUCED),  # a wide interval may still exclude the number
        (FASTER, 0.01, 0.05, ORDER),
        (FASTER, 0.0, 0.3, UNDECIDED),
        (FASTER, -0.2, 0.05, NOT_REPRODUCED),
        (NEAR, 0.71, 0.89, REPRODUCED),
        (NEAR, 0.85, 0.91, UNDECIDED),  # it meets what is near, but reaches beyond
        (NEAR, 0.91, 0.95, NOT_REPRODUCED),
        (NEAR, 0.5, 0.69, NOT_REPRODUCED),
    ):
        assert verdict(target, low, high) == expected, (target.key, low, high)


def test_what_takes_the_place_of_a_verdict():
    for instead, low, high, expected in (
        (INHERITED, 0.82, 0.83, INHERITED),
        (UNSAID, 0.82, 0.83, UNSAID),
        (REMARK, 0.82, 0.83, REMARK),
        (INHERITED, 0.805, 0.815, REPRODUCED),  # a statement that holds is not wrong through another one
        (INHERITED, 0.7, 0.9, UNDECIDED),
        (REMARK, 0.805, 0.815, REMARK),  # what the source does not say is not to its credit either
    ):
        assert verdict(replace(RATE, instead=instead, explains="A slip."), low, high) == expected, (instead, low)


def test_an_experiment_has_the_worst_verdict():
    assert together([REPRODUCED, ORDER, UNDECIDED]) == UNDECIDED
    assert together([REPRODUCED, UNDECIDED, NOT_REPRODUCED, ORDER]) == NOT_REPRODUCED
    assert together([REMARK, INHERITED, ORDER]) == INHERITED
    assert together([REMARK, REPRODUCED]) == REPRODUCED
    assert together([UNDECIDED, UNSAID, INHERITED]) == UNSAID
    assert together([UNSAID, NOT_REPRODUCED]) == NOT_REPRODUCED


def test_intervals_hold_together():
    """Of experiments with five true statements, at most the share LEVEL has an interval that misses one."""
    targets = [Target(f"number {k}", "0", 0.0, margin=10.0) for k in range(5)]
    rng = np.random.default_rng(0)
    repeats = 500
    missed = sum(
        any(
            row.verdict == NOT_REPRODUCED
            for row in judged(targets, {target.key: rng.normal(size=8) for target in targets})
        )
        for _ in range(repeats)
    )
    assert missed <= LEVEL * repeats + 3 * np.sqrt(LEVEL * repeats)  # three standard deviations of a Poisson count
    assert missed > 0, "intervals that never miss would be wider than they say"


def test_more_statements_widen_the_intervals():
    values = np.random.default_rng(1).normal(size=10)
    (alone,) = judged([FASTER], {"faster": values})
    neighbour = judged([FASTER, RATE], {"faster": values, "rate": values})[0]
    assert neighbour.low < alone.low < alone.high < neighbour.high


def test_values_that_decide_nothing_are_refused():
    for values in ([], [0.8], [0.8, float("nan")]):
        with pytest.raises(InputError, match="rate: "):
            judged([RATE], {"rate": np.array(values)})


@pytest.mark.parametrize(("target", "mean"), [(RATE, 0.78), (FASTER, 0.05), (NEAR, 0.78)])
def test_so_many_runs_decide(target, mean):
    """Values of this mean and scatter decide with so many runs, and with one less they do not."""
    rng = np.random.default_rng(2)

    def row(count):
        drawn = rng.normal(size=count)
        values = mean + 0.4 * (drawn - drawn.mean()) / drawn.std(ddof=1)
        (result,) = judged([target], {target.key: values})
        return {"mean": result.mean, "low": result.low, "high": result.high, "runs": count}, result.verdict

    first, _ = row(4)
    count = runs_needed(target, first, 1)
    assert row(count)[1] != UNDECIDED
    assert count == 5 or row(count - max(1, count // 11 if count > 100 else 1))[1] == UNDECIDED


def test_a_design_that_is_enlarged_has_seeds_of_its_own():
    first, second = Design("6 runs", (), 6, 1), Design("12 runs", (), 12, 1, first=6)
    assert not set(first.indices) & set(second.indices)
    assert len(second.indices) == 12


def test_trend_is_the_slope_of_a_fit():
    """Numbers 3 k + 5, and a residual that is orthogonal to 1 and to k: the slope is 3 exactly."""
    residual = np.array([1, -1, -1, 1])
    assert trend((3 * np.arange(4) + 5 + residual)[None]).tolist() == [3.0]
