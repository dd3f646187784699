"""The comparison of prediction and training: calibrated under the null, powerful against planted errors."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import sympy
from scipy.stats import binom

from derivations.experiments.folders import problem_named
from derivations.statistics.comparison import agreement, compare, decide_all, holm_levels, replicates_needed
from sim.measure import Estimate
from theory.claims.model import Alternative, Claim, Kind, Level, Outcome, Registration
from theory.problem import InputError, WeightsAtTimes

TRUTH = np.linspace(-1.0, 1.0, 12).reshape(3, 4)
PROBLEM = problem_named("small-bump")
CLAIM = Claim(
    id="test.weights",
    title="weights",
    kind=Kind.EQUATION,
    statement=sympy.Eq(sympy.Symbol("w"), 1),
    registration=Registration(
        problems=("small-bump",),
        observable=WeightsAtTimes(),
        predict=lambda problem: TRUTH,
        alternatives=(Alternative("twice", lambda problem: 2 * TRUTH),),
    ),
)


def _estimate(rng, replicates=16, noise=0.004, shift=0.0, **changes):
    """Replicates with correlated noise around the truth plus a shift of every entry."""
    common = rng.normal(size=(replicates, 1, 1))
    own = rng.normal(size=(replicates, *TRUTH.shape))
    values = TRUTH + shift + noise * (0.6 * common + 0.8 * own)
    return replace(Estimate(WeightsAtTimes(), PROBLEM, values, 0), **changes)


def test_the_truth_passes_and_a_wrong_form_fails():
    rng = np.random.default_rng(1)
    assert compare(CLAIM, _estimate(rng)).outcome is Outcome.PASS
    doubled = replace(CLAIM, registration=replace(CLAIM.registration, predict=lambda problem: 2 * TRUTH))
    result = compare(doubled, _estimate(rng))
    assert (result.level, result.outcome) == (Level.SIMULATED, Outcome.FAIL)


def test_under_the_null_it_rejects_no_more_often_than_its_level():
    level, runs = 0.05, 240
    claim = replace(CLAIM, registration=replace(CLAIM.registration, level=Fraction(1, 20)))
    rng = np.random.default_rng(2)
    rejected = sum(agreement(claim, _estimate(rng)).p <= level for _ in range(runs))
    # Exceeded with probability 1e-3 by a test of exactly this level.
    assert rejected <= binom.isf(1e-3, runs, level)


def test_planted_errors_of_growing_size_are_rejected_more_and_more_often():
    rng = np.random.default_rng(3)
    error, level = 0.004 / np.sqrt(16), float(CLAIM.registration.level)
    rates = [
        np.mean([agreement(CLAIM, _estimate(rng, shift=size * error)).p <= level for _ in range(40)])
        for size in (0.0, 3.0, 6.0, 12.0)
    ]
    assert rates == sorted(rates)
    assert rates[0] <= binom.isf(1e-3, 40, level) / 40
    assert rates[-1] == 1.0


def test_noise_that_hides_an_error_of_the_margin_is_inconclusive():
    result = compare(CLAIM, _estimate(np.random.default_rng(4), noise=0.1))
    assert result.outcome is Outcome.INCONCLUSIVE
    assert result.worst > result.tolerance


def test_a_wrong_form_that_the_run_cannot_reject_is_never_a_pass():
    close = Alternative("almost", lambda problem: TRUTH + 1e-5)
    claim = replace(CLAIM, registration=replace(CLAIM.registration, alternatives=(close,)))
    result = compare(claim, _estimate(np.random.default_rng(5)))
    assert result.outcome is Outcome.INCONCLUSIVE
    assert "power" in result.where


def test_an_entry_without_spread_must_be_met_exactly():
    rng = np.random.default_rng(6)
    met = _estimate(rng)
    met.values[:, 0, 0] = TRUTH[0, 0]
    assert compare(CLAIM, met).outcome is Outcome.PASS
    missed = _estimate(rng)
    missed.values[:, 0, 0] = TRUTH[0, 0] + 1e-9
    assert compare(CLAIM, missed).outcome is Outcome.FAIL


def test_divergent_runs_count():
    assert compare(CLAIM, _estimate(np.random.default_rng(7), diverged=1)).outcome is Outcome.FAIL


def test_what_does_not_fit_is_an_error_that_helps():
    estimate = _estimate(np.random.default_rng(8))
    with pytest.raises(InputError, match="no registered experiment"):
        compare(replace(CLAIM, registration=None), estimate)
    with pytest.raises(InputError, match="shape"):
        compare(CLAIM, replace(estimate, values=estimate.values[:, :2]))


@pytest.mark.parametrize(
    ("p_values", "expected"),
    [
        ([0.5], [0.06]),
        ([0.001, 0.5], [0.03, 0.06]),
        ([0.5, 0.04, 0.001], [0.03, 0.03, 0.02]),
        ([0.05, 0.05, 0.05], [0.02, 0.02, 0.02]),
    ],
)
def test_holm_holds_each_p_value_against_its_step_down_level(p_values, expected):
    assert holm_levels(p_values, [0.06] * len(p_values)) == expected


def test_several_claims_share_one_level():
    rng = np.random.default_rng(9)
    other = replace(CLAIM, id="test.other")
    measured = ((CLAIM, _estimate(rng)), (other, _estimate(rng, shift=0.05)))
    results = decide_all([(claim, agreement(claim, estimate)) for claim, estimate in measured])
    assert [result.outcome for result in results] == [Outcome.PASS, Outcome.FAIL]


def test_the_pilot_plans_enough_replicates_and_no_more_than_it_must():
    rng = np.random.default_rng(10)
    planned = replicates_needed(CLAIM, _estimate(rng, replicates=8, noise=0.02))
    passes = [compare(CLAIM, _estimate(rng, replicates=planned, noise=0.02)).outcome for _ in range(20)]
    assert passes.count(Outcome.PASS) >= 18  # rejected by chance at 1 %, so two in twenty has probability 2e-2
    fewer = [compare(CLAIM, _estimate(rng, replicates=max(4, planned // 8), noise=0.02)).outcome for _ in range(20)]
    assert fewer.count(Outcome.PASS) < 10
