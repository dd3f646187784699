"""The rules on gates and weights in training: each passes what it should and fails on a planted fault."""

from dataclasses import replace

import numpy as np
import pytest

from derivations.experiments.control import control
from derivations.experiments.model import Finding
from derivations.experiments.relu_biases import experiment as relu_biases
from derivations.experiments.relu_training import experiment as relu_training
from derivations.experiments.sigmoid_training import experiment as sigmoid_training
from derivations.validate import judged as judgement
from derivations.validate.outcomes import overall
from tests.tolerances import UNIT_ROUNDOFF
from theory.claims import catalog
from theory.claims.model import CheckResult, Level, Outcome
from theory.claims.rows import Verdict

PASS, FAIL, INCONCLUSIVE = Outcome.PASS, Outcome.FAIL, Outcome.INCONCLUSIVE


def _around(means, spread=0.01, replicates=16):
    return np.array(means) + spread * np.random.default_rng(0).normal(size=(replicates, len(means)))


@pytest.mark.parametrize(
    ("shares", "expected"),
    [
        ((0.0, 0.2, 0.3, 0.4), PASS),
        ((0.0, 0.2, 0.1, 0.4), INCONCLUSIVE),
        ((0.0, 0.4, 0.3, 0.05), FAIL),
    ],
)
def test_gates_flip_where_every_interval_lies_above_a_tenth(shares, expected):
    assert relu_training.decide_gates(_around(shares)).outcome is expected


@pytest.mark.parametrize(("share", "expected"), [(0.8, PASS), (0.5, INCONCLUSIVE), (0.2, FAIL)])
def test_a_place_is_kept_where_more_than_half_of_the_units_keep_it(share, expected):
    assert relu_training.decide_place(_around((share,), 0.1)[:, 0]).outcome is expected


def test_the_place_moves_along_the_ring():
    """Units whose largest weight moves by 0, 2 and 3 sites, and by 2 sites over the end of the ring."""
    early, late = np.full((1, 4, 10), 0.1), np.full((1, 4, 10), 0.1)
    for unit, (before, after) in enumerate(((4, 4), (4, 6), (4, 7), (9, 1))):
        early[0, unit, before], late[0, unit, after] = -1.0, 1.0
    assert relu_training._near(early, late).tolist() == [3 / 4]


@pytest.mark.parametrize(
    ("losses", "spread", "expected"),
    [
        ((0.2502, 0.2501), 0.0002, PASS),
        ((0.2502, 0.2501), 0.02, INCONCLUSIVE),
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


def test_weights_that_only_grow_flip_no_gate():
    rng = np.random.default_rng(1)
    weights = rng.normal(size=(3, 4, 2, 5))
    scaled = relu_training._scaled_only(weights)
    assert np.abs(np.linalg.norm(scaled, axis=-1) / np.linalg.norm(weights, axis=-1) - 1).max() < 8 * UNIT_ROUNDOFF
    opened = np.einsum("stkn,bn->stkb", scaled, rng.normal(size=(100, 5))) >= 0
    assert (opened == opened[:, :1]).all()


def _judged(outcome):
    claim = catalog()[relu_training.GATES]
    result = CheckResult(claim.id, Level.SIMULATED, outcome, 0.2, 0.1)
    results = (result, control(replace(result, outcome=INCONCLUSIVE), "untrained networks"))
    return judgement.Judged(claim, results, (), (), overall(claim, results))


def test_the_experiment_decides_what_stands_of_a_remark():
    """A remark that its experiment does not show is none."""
    result = _judged(PASS)
    assert result.verdict is Verdict.REMARK
    assert _judged(FAIL).verdict is Verdict.BROKEN
    assert _judged(INCONCLUSIVE).verdict is Verdict.OPEN
    assert judgement.exit_outcome(judgement.Validation("quick", (result,), Finding(), 0.0)) is PASS
