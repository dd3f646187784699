"""The verdict of the compare view: its bound, its intervals, and its measured rates on two seeds of one problem."""

import json
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from derivations.experiments.folders import problem_named
from derivations.explore import compare_page
from derivations.explore.training import Learned
from derivations.explore.verdict import (
    LEVEL,
    STUDY,
    TIMES_RANDOM,
    difference,
    ratios,
    rule,
    sentences,
    sign,
    verdict,
)
from derivations.explore.verdict_study import NETWORKS, SEEDS, counted, measured, problems
from derivations.statistics.intervals import intervals
from sim.measure.receptive_fields import participation_ratio
from tests.tolerances_of_explorer import STORED_RATIO
from theory.moments.null_levels import gaussian_ratio

SETTINGS = {"networks": 5, "batch": 32, "until": "16"}
STORED = json.loads(STUDY.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def sides():
    given = problem_named("relu-training")
    small = replace(given, data=replace(given.data, n=12), network=replace(given.network, units=3))
    return compare_page.asked(small, SETTINGS)


def _learned(ratios, n=12):
    """Networks of one unit: one site has the weight 1, and all others have one that gives about these ratios."""
    fields = np.stack([np.full(n, (1 / ratio - 1) ** 0.5 / n**0.5) for ratio in ratios])
    fields[:, 3] = 1.0
    return Learned(fields[:, None, None], np.ones((len(ratios), 1)))


def test_the_bound_is_the_ratio_of_a_random_field_on_half_of_the_sites():
    for n in (8, 40, 100):
        assert TIMES_RANDOM * gaussian_ratio(n) == gaussian_ratio(n // 2 - 1) == Fraction(6, n + 2)


def test_random_fields_on_half_of_the_sites_have_the_ratio_of_the_bound():
    """The mean over 4,000 fields of independent weights on n/2 - 1 of n sites, within its own interval."""
    n, count = 40, 4000
    fields = np.zeros((count, n))
    fields[:, : n // 2 - 1] = np.random.default_rng(0).standard_normal((count, n // 2 - 1))
    found = verdict(participation_ratio(fields), n)
    assert found.low < found.bound < found.high


@pytest.mark.parametrize(
    ("given", "localized", "said"),
    [
        ([0.9, 0.95, 0.92, 0.97, 0.93], True, "A localizes"),
        ([0.02, 0.03, 0.02, 0.03, 0.02], False, "A does not localize"),
        ([0.2, 0.9, 0.05, 0.5, 0.1], None, "A is undecided"),
    ],
)
def test_a_verdict_rests_on_the_whole_interval(sides, given, localized, said):
    own = _learned(given)
    values = participation_ratio(own.weights[:, 0]).mean(axis=1)
    assert (ratios(sides["A"], own, 0) == values).all()
    found, expected = verdict(values, 12), intervals(values[:, None], LEVEL)
    assert (found.mean, found.low, found.high) == (expected.mean[0], expected.low[0], expected.high[0])
    assert found.random == 3 / 14
    assert found.localized is localized
    text = sentences(sides, {"A": own, "B": own}, 0)[0]
    assert text.startswith(said)
    assert f"{found.mean:.3f} (99 %: {found.low:.3f} to {found.high:.3f}), the bound is {6 / 14:.3f}" in text


@pytest.mark.parametrize(
    ("shift", "direction", "said"), [(0.3, 1, "more local"), (-0.3, -1, "less local"), (0.0, 0, "do not tell")]
)
def test_the_difference_says_which_side_is_more_local(sides, shift, direction, said):
    a = np.array([0.5, 0.55, 0.52, 0.57, 0.53])
    b = a + shift + np.array([0.01, -0.01, 0.02, -0.02, 0.005])
    assert sign(difference(a, b)) == direction
    assert said in sentences(sides, {"A": _learned(a), "B": _learned(b)}, 0)[2]


def test_networks_that_have_diverged_have_no_verdict(sides):
    lost = Learned(np.full((5, 1, 3, 12), np.nan), np.full((5, 1), np.nan))
    assert verdict(ratios(sides["A"], lost, 0), 12) is None
    assert [text for text in sentences(sides, {"A": lost, "B": lost}, 0) if "diverged" not in text] == []


def test_two_seeds_of_one_problem_are_hardly_ever_called_different():
    """The counts of the stored study follow from its ratios; the rates are those that the intervals promise."""
    assert list(STORED["problems"]) == list(problems())
    for stored in STORED["problems"].values():
        groups = np.array(stored["ratios"])
        assert groups.shape == (SEEDS, NETWORKS)
        found = counted(groups, stored["n"])
        assert found == {name: stored[name] for name in found}
        assert found["opposite"] <= LEVEL * found["pairs"]
    pairs, apart = (sum(stored[name] for stored in STORED["problems"].values()) for name in ("pairs", "apart"))
    assert apart <= 2 * LEVEL * pairs
    assert f"Of {pairs} pairs of two seeds of one problem, {NETWORKS} networks each, 0 had opposite verdicts" in rule(
        40
    )
    assert f"in {apart} ({100 * apart / pairs:.1f} %)" in rule(40)
    assert "2 × 0.071 = 0.143 on 40 sites" in rule(40)


def test_the_stored_ratios_are_those_of_trained_networks():
    found = measured(problems()["small-bump"], 3)
    assert np.abs(found - STORED["problems"]["small-bump"]["ratios"][3]).max() <= STORED_RATIO
