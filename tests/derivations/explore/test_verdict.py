"""The verdict of the compare view: its bound, its intervals, and its measured rates on two seeds of one problem."""

import json
from dataclasses import replace

import numpy as np
import pytest

from derivations.experiments.folders import problem_named
from derivations.explore import compare_page
from derivations.explore.gain_sweep import NETWORKS
from derivations.explore.training import Learned
from derivations.explore.verdict import (
    STUDY,
    difference,
    half_time,
    onset,
    ratios,
    rule_and_errors,
    sentences,
    sign,
    when_local,
)
from derivations.explore.verdict_study import SEEDS, counted, measured, problems
from derivations.statistics.intervals import intervals
from derivations.statistics.locality import LEVEL, LOCAL, NOT_LOCAL, SLIGHT, UNDECIDED, locality, rule
from sim.measure.receptive_fields import participation_ratio
from tests.tolerances_of_explorer import STORED_RATIO

SETTINGS = {"networks": 5, "batch": 32, "until": "16"}
STORED = json.loads(STUDY.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def sides():
    full = problem_named("relu-training")
    small = replace(full, data=replace(full.data, n=12), network=replace(full.network, units=3))
    return compare_page.sides_of(small, SETTINGS)


def _learned(ratios, n=12, times=1):
    """Networks of one unit: one site has the weight 1, and all others have one that gives about these ratios.

    They are the same at all times.
    """
    fields = np.stack([np.full(n, (1 / ratio - 1) ** 0.5 / n**0.5) for ratio in ratios])
    fields[:, 3] = 1.0
    return Learned(np.repeat(fields[:, None, None], times, axis=1), np.ones((len(ratios), times)))


@pytest.mark.parametrize(
    ("shares", "word"),
    [
        ([0.9, 0.95, 0.92, 0.97, 0.93], LOCAL),
        ([0.65, 0.75, 0.7, 0.8, 0.6], SLIGHT),  # wholly above the random ratio, 0.214, and partly above twice that
        ([0.6, 0.61, 0.59, 0.6, 0.62], SLIGHT),
        ([0.4, 0.5, 0.45, 0.5, 0.38], NOT_LOCAL),  # as random weights: more networks give no other word
        ([0.02, 0.03, 0.02, 0.03, 0.02], NOT_LOCAL),
        ([0.2, 0.9, 0.1, 0.5, 0.1], UNDECIDED),
    ],
)
def test_a_word_rests_on_the_whole_interval(sides, shares, word):
    networks = _learned(shares, times=len(sides["A"].training.times))
    values = participation_ratio(networks.weights[:, -1]).mean(axis=1)
    assert (ratios(sides["A"], networks, -1) == values).all()
    verdict, expected = locality(values, 12), intervals(values[:, None], LEVEL)
    assert (verdict.mean, verdict.low, verdict.high) == (expected.mean[0], expected.low[0], expected.high[0])
    assert (verdict.random, verdict.word) == (3 / 14, word)
    text = sentences(sides, {"A": networks, "B": networks}, -1)[0]
    assert text.startswith(f"At t = 16 the fields of A are {word}: ")
    assert f"{verdict.mean:.3f} (99 %: {verdict.low:.3f} to {verdict.high:.3f})" in text


def test_there_is_no_verdict_before_the_end(sides):
    times = sides["A"].training.times
    local = _learned([0.9, 0.95, 0.92, 0.97, 0.93], times=len(times))
    for snapshot in range(len(times) - 1):
        (text,) = sentences(sides, {"A": local, "B": local}, snapshot)
        assert LOCAL not in text
    assert len(sentences(sides, {"A": local, "B": local}, len(times) - 1)) == 3


def test_a_change_within_the_noise_of_networks_is_called_no_change(sides):
    """Every network changes by more than their mean does; a change that all share is larger than its interval."""
    times, start = sides["A"].training.times, np.array([0.5, 0.55, 0.52, 0.57, 0.53])
    noise = np.array([0.02, -0.02, 0.015, -0.015, 0.01])
    before = _learned(start, times=len(times))
    since = f"ince t = {float(times[half_time(times, len(times) - 1)]):.4g}"
    for shared, said in ((0.0, "no change beyond noise"), (0.05, "still rising"), (-0.05, "still falling")):
        end = _learned(start + noise + shared).weights
        moved = replace(before, weights=np.concatenate([before.weights[:, :-1], end], axis=1))
        text = sentences(sides, {"A": moved, "B": moved}, -1)[0]
        change = participation_ratio(moved.weights[:, -1, 0]) - participation_ratio(before.weights[:, 0, 0])
        expected = intervals(change[:, None], LEVEL)
        assert said in text
        assert since in text
        numbers = f"{expected.mean[0]:.3f} (99 %: {expected.low[0]:.3f} to {expected.high[0]:.3f})"
        assert numbers.replace("-", "−") in text


@pytest.mark.parametrize(
    ("shift", "direction", "said"), [(0.3, 1, "more local"), (-0.3, -1, "less local"), (0.0, 0, "do not tell")]
)
def test_the_difference_says_which_side_is_more_local(sides, shift, direction, said):
    a = np.array([0.5, 0.55, 0.52, 0.57, 0.53])
    b = a + shift + np.array([0.01, -0.01, 0.02, -0.02, 0.005])
    assert sign(difference(a, b)) == direction
    count = len(sides["A"].training.times)
    assert said in sentences(sides, {"A": _learned(a, times=count), "B": _learned(b, times=count)}, -1)[2]


def test_networks_that_have_diverged_have_no_verdict(sides):
    count = len(sides["A"].training.times)
    lost = Learned(np.full((5, count, 3, 12), np.nan), np.full((5, count), np.nan))
    assert locality(ratios(sides["A"], lost, 0), 12) is None
    assert [text for text in sentences(sides, {"A": lost, "B": lost}, -1) if "diverged" not in text] == []


def test_two_seeds_of_one_problem_are_hardly_ever_called_different():
    """The counts of the stored study follow from its ratios; the rates are those that the intervals promise."""
    assert list(STORED["problems"]) == list(problems())
    for stored in STORED["problems"].values():
        groups = np.array(stored["ratios"])
        assert groups.shape == (SEEDS, NETWORKS)
        counts = counted(groups, stored["n"])
        assert counts == {name: stored[name] for name in counts}
        assert counts["opposite"] <= LEVEL * counts["pairs"]
    pairs, apart = (sum(stored[name] for stored in STORED["problems"].values()) for name in ("pairs", "apart"))
    assert apart <= 2 * LEVEL * pairs
    assert f"Of {pairs} pairs of two seeds of one problem, {NETWORKS} networks each, 0 had" in rule_and_errors(40)
    assert f"In {apart} of these pairs ({100 * apart / pairs:.1f} %)" in rule_and_errors(40)
    assert all(f"{number:.3f}" in rule(40) for number in (3 / 42, 6 / 42))


@pytest.mark.slow
def test_the_stored_ratios_are_those_of_trained_networks():
    again = measured(problems()["small-bump"], 3)
    assert np.abs(again - STORED["problems"]["small-bump"]["ratios"][3]).max() <= STORED_RATIO


def test_networks_are_local_since_the_last_time_at_which_they_were_not(sides):
    first = sides["A"]
    problem = replace(first, training=replace(first.training, times=(1, 2, 3, 4)))
    flat, local = ([base + step / 100 for step in range(4)] for base in (0.1, 0.8))

    def learned(*states):
        each = [_learned(state) for state in states]
        return Learned(np.concatenate([one.weights for one in each], axis=1), np.ones((4, len(states))))

    assert onset(problem, learned(flat, local, local, local), 3) == 1
    assert onset(problem, learned(local, local, flat, local), 3) == 3  # a lapse begins the time anew
    assert onset(problem, learned(local, local, flat, local), 1) == 0
    assert onset(problem, learned(local, flat, flat, flat), 3) is None
    assert "since t = 2: " in when_local("ReLU networks", problem, learned(flat, local, local, local), 3)
    assert f"are {NOT_LOCAL}: " in when_local("ReLU networks", problem, learned(flat, local), 0)
