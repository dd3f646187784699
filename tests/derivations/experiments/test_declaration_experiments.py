"""The rules on gates and weights in training: each passes what it should and fails on a planted fault."""

from dataclasses import replace

import numpy as np
import pytest

from derivations.experiments.folders import problem_named
from derivations.experiments.model import Finding
from derivations.experiments.relu_biases import experiment as relu_biases
from derivations.experiments.relu_training import experiment as relu_training
from derivations.experiments.sigmoid_training import experiment as sigmoid_training
from derivations.statistics.intervals import intervals, reading
from derivations.validate import judged as judgement
from derivations.validate.outcomes import overall
from tests.pieces import claim_named
from tests.tolerances import STANDARD_ERRORS, UNIT_ROUNDOFF
from theory.claims.model import CheckResult, Level, Outcome, Verdict

PASS, FAIL, INCONCLUSIVE = Outcome.PASS, Outcome.FAIL, Outcome.INCONCLUSIVE


def _around(means, spread=0.01, replicates=16):
    return np.array(means) + spread * np.random.default_rng(0).normal(size=(replicates, len(means)))


@pytest.mark.parametrize(
    ("shares", "expected"),
    [
        ((0.0, 0.2, 0.3, 0.4), PASS),
        ((0.0, 0.2, 0.1, 0.4), INCONCLUSIVE),
        ((0.0, 0.02, 0.03, 0.04), FAIL),
        ((0.0, 0.4, 0.3, 0.05), FAIL),
    ],
)
def test_gates_flip_where_every_interval_lies_above_a_tenth(shares, expected):
    assert relu_training.decide_gates(_around(shares)).outcome is expected


@pytest.mark.parametrize(
    ("lengths", "expected"),
    [
        ((0.6, 1.0, 0.9, 0.8), PASS),
        ((0.6, 1.0, 1.0, 0.8), INCONCLUSIVE),
        ((0.6, 1.0, 1.2, 1.5), FAIL),
        ((0.6, 1.0, 0.8, 1.2), FAIL),
    ],
)
def test_growth_stops_where_every_ratio_lies_below_one(lengths, expected):
    norms = np.repeat(_around(lengths)[:, :, None], 3, axis=2)
    assert relu_training.decide_growth(norms).outcome is expected


@pytest.mark.parametrize(
    ("losses", "spread", "expected"),
    [
        ((0.2502, 0.2501), 0.0002, PASS),
        ((0.2502, 0.2501), 0.02, INCONCLUSIVE),
        ((0.2502, 0.2524), 0.0002, INCONCLUSIVE),
        ((0.2502, 0.2400), 0.0002, FAIL),
        ((0.2700, 0.2501), 0.0002, FAIL),
    ],
)
def test_nothing_is_learned_where_the_error_stays_at_a_quarter(losses, spread, expected):
    assert sigmoid_training.decide(_around(losses, spread)).outcome is expected


def _contrast(long, short, spread=0.03):
    return {
        relu_biases.LONG: _around((long,) * 3, spread, 8),
        relu_biases.SHORT: _around((short,) * 3, spread, 8)[::-1],
    }


@pytest.mark.parametrize(
    ("with_biases", "without", "expected"),
    [
        ((0.9, 0.1), (0.8, 0.3), PASS),
        ((0.1, 0.9), (0.3, 0.8), PASS),
        ((0.1, 0.9), (0.8, 0.3), FAIL),
        ((0.5, 0.5), (0.8, 0.3), INCONCLUSIVE),
        ((0.9, 0.1), (0.5, 0.5), INCONCLUSIVE),
        ((0.9, 0.1, 0.9), (0.8, 0.3), INCONCLUSIVE),
    ],
)
def test_biases_are_removable_where_all_contrasts_lie_on_one_side(with_biases, without, expected):
    spread = with_biases[2:] or (0.03,)
    assert relu_biases.decide(_contrast(*with_biases[:2], *spread), _contrast(*without)).outcome is expected


def test_one_horizon_on_the_other_side_refutes():
    turned = _contrast(0.9, 0.1)
    for values, other in ((turned[relu_biases.LONG], 0.1), (turned[relu_biases.SHORT], 0.9)):
        values[:, 2] += other - values[:, 2].mean()
    assert relu_biases.decide(turned, _contrast(0.8, 0.3)).outcome is FAIL


def test_both_kinds_differ_in_their_biases_alone():
    biased, plain = (
        relu_biases._problem(kind, relu_biases.LONG, 1) for kind in (relu_biases.WITH, relu_biases.WITHOUT)
    )
    assert biased.network.has_biases
    assert not plain.network.has_biases
    assert (biased.data, biased.training.w0, biased.training.times) == (
        plain.data,
        plain.training.w0,
        plain.training.times,
    )
    assert biased.simulated().learning_rate == plain.simulated().learning_rate
    assert biased.simulated().seed != plain.simulated().seed


def test_the_intervals_of_contrasts_hold_their_level():
    """With level 1/10 the difference 0 of six and six replicates of unequal spread is missed in a tenth of the runs."""
    rng, runs, level = np.random.default_rng(3), 2000, 0.1
    shares = {relu_biases.LONG: rng.normal(size=(6, runs)), relu_biases.SHORT: 3 * rng.normal(size=(6, runs))}
    found = relu_biases.contrasts(shares, level)
    missed = ((found.low > 0) | (found.high < 0)).mean()
    assert 0 < missed < level + STANDARD_ERRORS * np.sqrt(level * (1 - level) / runs)


def test_weights_that_only_grow_flip_no_gate():
    rng = np.random.default_rng(1)
    weights = rng.normal(size=(3, 4, 2, 5))
    scaled = relu_training._scaled_only(weights)
    assert np.abs(np.linalg.norm(scaled, axis=-1) / np.linalg.norm(weights, axis=-1) - 1).max() < 8 * UNIT_ROUNDOFF
    opened = np.einsum("stkn,bn->stkb", scaled, rng.normal(size=(100, 5))) >= 0
    assert (opened == opened[:, :1]).all()


def test_intervals_hold_together_with_their_level():
    """With level 1/10 a family of four means of six normal replicates is missed in no more than a tenth of the runs."""
    rng, runs, level = np.random.default_rng(2), 2000, 0.1
    missed = 0
    for _ in range(runs):
        found = intervals(rng.normal(size=(6, 4)), level)
        missed += bool(((found.low > 0) | (found.high < 0)).any())
    assert missed / runs < level + STANDARD_ERRORS * np.sqrt(level * (1 - level) / runs)
    assert missed > 0


def test_a_reading_is_judged_only_where_the_data_decide():
    sources = claim_named(relu_training.GATES).sources
    assert [found.agrees for found in reading(sources, PASS, "m")] == [True]
    assert [found.agrees for found in reading(sources, FAIL, "m")] == [False]
    assert reading(sources, INCONCLUSIVE, "m") == ()
    assert reading((replace(sources[0], printed=None),), FAIL, "m") == ()


def _judged(outcome, reading_outcome):
    claim = claim_named(relu_training.GATES)
    results = (CheckResult(claim.id, Level.SIMULATED, outcome, 0.2, 0.1),)
    printed = tuple(reading(claim.sources, reading_outcome, "measured"))
    return judgement.Judged(claim, results, (), printed, overall(claim, results, printed))


def test_a_sentence_that_the_experiment_excludes_corrects_and_does_not_fail():
    found = _judged(PASS, FAIL)
    assert found.verdict is Verdict.CORRECTED
    assert _judged(PASS, PASS).verdict is Verdict.CONFIRMED
    assert _judged(FAIL, PASS).verdict is Verdict.REFUTED
    assert _judged(INCONCLUSIVE, INCONCLUSIVE).verdict is Verdict.OPEN
    assert judgement.exit_outcome(judgement.Validation("quick", (found,), Finding(), 0.0)) is PASS


def test_what_would_settle_an_open_claim_is_no_undecided_run():
    claim = claim_named("localization.sigmoid.like_erf")
    for settled_by, expected in ((claim.settled_by, PASS), ("", INCONCLUSIVE)):
        stated = replace(claim, settled_by=settled_by)
        judged = judgement.Judged(stated, (), (), (), overall(stated, (), ()))
        assert judged.verdict is Verdict.OPEN
        assert judgement.exit_outcome(judgement.Validation("quick", (judged,), Finding(), 0.0)) is expected


def test_the_problem_starts_at_zero_and_has_the_times_of_the_claims():
    problem = problem_named(relu_training.PROBLEM)
    assert [float(time) for time in problem.training.times] == [0, 100, 200, 400, 800]
    assert problem.simulated().initialisation == "per-replicate"
