"""The comparison of prediction and training: calibrated under the null, powerful against planted errors, its rules."""

from dataclasses import replace
from fractions import Fraction
from statistics import NormalDist

import numpy as np
import pytest
import sympy
from scipy.stats import binom, gamma
from scipy.stats import t as student

from derivations.experiments.folders import problem_named
from derivations.statistics.comparison import (
    _normal_critical,
    agreement,
    agreement_of,
    compare,
    decide,
    decide_all,
    holm_levels,
    replicates_needed,
    resampled_intervals,
    seed_for,
)
from derivations.statistics.resampling import RESAMPLES
from sim.measure import Estimate
from tests.tolerances import RESAMPLED_SUMS, STANDARD_ERRORS
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


REPLICATES, NOISE = 64, 0.008


def _estimate(rng, replicates=REPLICATES, noise=NOISE, shift=0.0, **changes):
    """Replicates with correlated noise around the truth plus a shift of every entry."""
    common = rng.normal(size=(replicates, 1, 1))
    each = rng.normal(size=(replicates, *TRUTH.shape))
    values = TRUTH + shift + noise * (0.6 * common + 0.8 * each)
    return replace(Estimate(WeightsAtTimes(), PROBLEM, values, 0), **changes)


def _field(rng, deviations, truth=None):
    """A claim about d entries, all predicted as 1, and an estimate with these deviations (S, d)."""
    truth = np.ones(deviations.shape[1]) if truth is None else truth
    registration = replace(CLAIM.registration, predict=lambda problem: truth, alternatives=())
    return replace(CLAIM, registration=registration), Estimate(WeightsAtTimes(), PROBLEM, truth + deviations, 0)


def test_the_truth_passes_and_a_wrong_form_fails():
    rng = np.random.default_rng(1)
    assert compare(CLAIM, _estimate(rng)).outcome is Outcome.PASS
    doubled = replace(CLAIM, registration=replace(CLAIM.registration, predict=lambda problem: 2 * TRUTH))
    result = compare(doubled, _estimate(rng))
    assert (result.level, result.outcome) == (Level.SIMULATED, Outcome.FAIL)


def test_the_comparison_is_the_same_at_every_size():
    """Weights of 1e-301 are judged as those of size 1: true forms pass, wrong ones fail."""
    size = 2.0**-1000
    for factor in (1.0, 1.05, 2.0):
        plain, scaled = (
            replace(CLAIM.registration, predict=lambda problem, by=by: TRUTH * by, alternatives=())
            for by in (factor, factor * size)
        )
        estimate = _estimate(np.random.default_rng(1))
        expected = compare(replace(CLAIM, registration=plain), estimate)
        result = compare(replace(CLAIM, registration=scaled), replace(estimate, values=estimate.values * size))
        assert (result.outcome is Outcome.PASS) == (factor == 1.0)
        assert (result.outcome, result.worst, result.where) == (expected.outcome, expected.worst * size, expected.where)


def test_divergent_runs_count_and_what_does_not_fit_is_an_error():
    estimate = _estimate(np.random.default_rng(8))
    assert compare(CLAIM, replace(estimate, diverged=1)).outcome is Outcome.FAIL
    with pytest.raises(InputError, match="no registered experiment"):
        compare(replace(CLAIM, registration=None), estimate)
    with pytest.raises(InputError, match="shape"):
        compare(CLAIM, replace(estimate, values=estimate.values[:, :2]))
    shared = replace(PROBLEM, simulation=replace(PROBLEM.simulation, shared_stream=True))
    with pytest.raises(InputError, match="one cluster"):
        replicates_needed(CLAIM, replace(estimate, problem=shared))


def test_holm_holds_each_p_value_against_its_step_down_level():
    assert holm_levels([0.5, 0.04, 0.001], [0.06] * 3) == [0.03, 0.03, 0.02]
    assert holm_levels([0.05, 0.05, 0.05], [0.06] * 3) == [0.02, 0.02, 0.02]


def test_the_margin_is_relative_to_the_prediction():
    """Not to the replicates, of which noise makes one large."""
    estimate = _estimate(np.random.default_rng(12))
    estimate.values[0] *= 50
    trebled = replace(CLAIM, registration=replace(CLAIM.registration, predict=lambda problem: 3 * TRUTH))
    for claim, largest in ((CLAIM, 1), (trebled, 3)):
        assert agreement(claim, estimate).margin == largest * float(CLAIM.registration.margin)


def _with_wrong_form(factor):
    wrong = Alternative("wrong", lambda problem: factor * TRUTH)
    return replace(CLAIM, registration=replace(CLAIM.registration, alternatives=(wrong,)))


def test_a_plan_gives_every_wrong_form_the_power_of_99_percent():
    """A wrong form that is half of the noise of one network away, as seen by the test in the planned run."""
    noise, rng = 0.012, np.random.default_rng(21)
    claim = _with_wrong_form(1 + noise / 2)
    planned = replicates_needed(claim, _estimate(rng, replicates=96, noise=noise))
    powers = [agreement(claim, _estimate(rng, count, noise)).powers["wrong"] for count in (planned, planned // 2)]
    assert powers[0] > 0.95
    assert powers[1] < 0.8


def test_the_normal_tail_of_a_plan_is_that_of_independent_entries():
    """P(max |N_j| < c) = (2 Phi(c) - 1)^d for a pilot of uncorrelated entries; beside them one that never varies."""
    level, entries = 0.05, 3
    patterns = np.array([[1, 1, -1, -1], [1, -1, 1, -1], [1, -1, -1, 1], [0, 0, 0, 0]]).T
    pilot = _field(None, 1e-3 * patterns[:, [*range(entries), 3]])[1]
    reached = (2 * NormalDist().cdf(_normal_critical(pilot, level, 1)) - 1) ** entries
    assert abs(reached - (1 - level)) < STANDARD_ERRORS * np.sqrt(level * (1 - level) / RESAMPLES)


@pytest.mark.parametrize(("factor", "expected"), [(0.9999, 100), (1.0001, 101)])
def test_a_plan_is_the_least_number_of_replicates_that_is_enough(factor, expected):
    """Twice c(100) standard errors of 100 replicates are the margin for a spread at the bound; c(S) is Student's."""
    claim, pilot = _field(None, np.array([[1.0], [-1.0], [1.0], [-1.0]]))
    tail = NormalDist().cdf(-_normal_critical(pilot, float(claim.registration.level), seed_for(claim.id)))
    bound = float(claim.registration.margin) * np.sqrt(100) / (2 * student.isf(tail, 99))
    claim, pilot = _field(None, factor * bound * np.array([[1.0], [-1.0], [1.0], [-1.0]]) * np.sqrt(3 / 4))
    assert replicates_needed(claim, pilot) == expected


def test_a_p_value_that_is_the_level_rejects():
    """The prediction itself, registered as a wrong form, has the p-value of the prediction."""
    estimate = _estimate(np.random.default_rng(24))
    p = agreement(CLAIM, estimate).p
    for level, rejected in ((p, True), (np.nextafter(p, 0), False)):
        same = _with_wrong_form(1)
        claim = replace(same, registration=replace(same.registration, level=Fraction(level)))
        result = agreement(claim, estimate)
        assert result.rejected_alternatives == {"wrong": rejected}
        decided = decide(claim, replace(result, powers={}, rejected_alternatives={}), level)
        assert (decided.outcome is Outcome.FAIL) == rejected


def test_a_bound_that_is_the_margin_is_equivalent():
    result = agreement(CLAIM, _estimate(np.random.default_rng(25)))
    for bound, outcome in ((result.margin, Outcome.PASS), (np.nextafter(result.margin, 1), Outcome.INCONCLUSIVE)):
        assert decide(CLAIM, replace(result, bound=float(bound)), 0.01).outcome is outcome


def test_intervals_miss_no_more_often_than_their_level_and_are_no_wider_than_they_must():
    level, runs = 0.05, 100
    claim = replace(CLAIM, registration=replace(CLAIM.registration, level=Fraction(1, 20)))
    rng = np.random.default_rng(13)
    result = [agreement(claim, _estimate(rng)) for _ in range(runs)]
    missed = sum(one.statistic > one.critical for one in result)
    # Outside with probability 1e-3 on each side for intervals of exactly this level.
    assert binom.isf(1 - 1e-3, runs, level) <= missed <= binom.isf(1e-3, runs, level)
    assert [one.statistic > one.critical for one in result] == [one.p <= level for one in result]


@pytest.mark.parametrize("level", [0.01, 0.05])
def test_an_interval_ends_where_the_test_begins_to_reject(level):
    values = np.random.default_rng(3).normal(0.3, 1, (64, 2))
    known, doubt = resampled_intervals(values, level, seed=5)
    assert doubt == ""
    assert resampled_intervals(values[:8], level, seed=5)[1].startswith("not decided")
    for ends, sign in ((known.low, 1), (known.high, -1)):
        for inside in (1e-9, -1e-9):
            # The other entry is met in its mean, so that this one decides.
            truth = np.array([ends[0] + sign * inside, values[:, 1].mean()])
            assert (agreement_of(values, truth, margin=1.0, level=level, seed=5).p > level) is (inside > 0)


def test_every_entry_has_its_own_error():
    """Of 300 entries one is quiet and off by 20 of its own standard errors, which are a hundredth of the others'."""
    rng = np.random.default_rng(14)
    deviations = rng.normal(size=(96, 300))
    deviations[:, 7] = deviations[:, 7] / 100 + 0.02
    result = agreement(*_field(rng, deviations))
    assert result.worst_entry == (7,)
    mean, sd = deviations[:, 7].mean(), deviations[:, 7].std(ddof=1)
    assert abs(result.statistic / (mean / (sd / np.sqrt(96))) - 1) < RESAMPLED_SUMS
    assert result.p == 1 / 5000
    # A quiet first entry says nothing of loud others.
    quiet = rng.normal(size=(96, 300))
    quiet[:, 0] /= 1000
    assert compare(*_field(rng, quiet / 1000)).outcome is Outcome.PASS


def test_the_power_is_the_probability_that_a_wrong_form_exceeds_the_critical_value():
    """For an entry with a normal mean: a shift of critical + Phi^-1(power) standard errors."""
    power, rng = 0.9, np.random.default_rng(27)
    claim, estimate = _field(rng, rng.normal(size=(64, 1)))
    error = estimate.values.std(axis=0, ddof=1) / np.sqrt(64)
    shift = (agreement(claim, estimate).critical + NormalDist().inv_cdf(power)) * error
    forms = (Alternative("above", lambda problem: 1 + shift), Alternative("below", lambda problem: 1 - shift))
    result = agreement(replace(claim, registration=replace(claim.registration, alternatives=forms)), estimate)
    assert max(abs(result.powers[name] - power) for name in ("above", "below")) < RESAMPLED_SUMS


def test_a_wrong_form_must_be_rejected_with_a_power_of_99_percent():
    values = agreement(CLAIM, _estimate(np.random.default_rng(15)))
    assert values.rejected_alternatives == {"twice": True}
    for power, outcome in ((0.98, Outcome.INCONCLUSIVE), (0.995, Outcome.PASS)):
        assert decide(CLAIM, replace(values, powers={"twice": power}), 0.01).outcome is outcome
    result = decide(CLAIM, replace(values, rejected_alternatives={"twice": False}), 0.01)
    assert result.outcome is Outcome.FAIL
    assert "survives: twice" in result.where


@pytest.mark.parametrize(
    ("p_values", "failed"),
    [
        ((0.006, 0.008), [False, False]),
        ((0.004, 0.008), [True, True]),
        ((0.004, 0.008, 0.5), [False, False, False]),
    ],
)
def test_each_of_several_claims_is_held_against_its_own_level(p_values, failed):
    """Holm's steps at 1 %: a half, then the whole; a third test beside them makes the first step a third."""
    values = agreement(CLAIM, _estimate(np.random.default_rng(17)))
    results = decide_all([(CLAIM, replace(values, p=p)) for p in p_values])
    assert [result.outcome is Outcome.FAIL for result in results] == failed


def test_skewed_replicates_are_not_decided_and_the_sentence_says_how_many_would_do():
    rng = np.random.default_rng(18)
    skewed = np.exp(rng.normal(size=(64, 3))) - np.exp(0.5)
    result = compare(*_field(rng, skewed / 1000))
    assert result.outcome is Outcome.INCONCLUSIVE
    assert result.details["skewness"] > result.details["skewness_limit"] > 0
    mild = compare(*_field(rng, (gamma.ppf((np.arange(64) + 0.5) / 64, 1.5)[:, None] - 1.5) / 1000))
    assert mild.details["skewness"] > mild.details["skewness_limit"]
    assert "about 256 replicates would do" in mild.where


def test_too_few_replicates_and_too_many_entries_are_not_decided():
    rng = np.random.default_rng(19)
    few = compare(*_field(rng, rng.normal(size=(8, 1)) / 1000))
    assert few.outcome is Outcome.INCONCLUSIVE
    assert "too few for the test" in few.where
    many = compare(*_field(rng, rng.normal(size=(8, 4001)) / 1000))
    assert many.outcome is Outcome.INCONCLUSIVE
    assert "register fewer entries" in many.where


def test_entries_that_never_vary_are_exact_and_need_no_replicates():
    rng = np.random.default_rng(20)
    assert compare(*_field(rng, np.zeros((4, 3)))).outcome is Outcome.PASS
    missed = compare(*_field(rng, np.tile([0, 0.5, 0], (4, 1))))
    assert missed.outcome is Outcome.FAIL
    assert "missed where all replicates are equal" in missed.where
