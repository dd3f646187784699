"""The rule on intervals of estimated fields: what passes, and planted errors that are too small or too large."""

from types import SimpleNamespace

import numpy as np
import pytest

from derivations.experiments.estimated_fields import experiment
from theory.claims.areas.law.estimates import COVERED
from theory.claims.model import Outcome

WEIGHTS = 8
TRUTH = np.linspace(-1, 1, WEIGHTS)
ERRORS = np.linspace(0.1, 0.2, WEIGHTS)


def exact_networks(error=0.0):
    """Networks whose mean weights are the truth, known up to `error`."""
    shape = 1, 2, WEIGHTS // 2
    return SimpleNamespace(mean=TRUTH.reshape(shape), standard_error=np.full(shape, error))


def shares(stated, reach=experiment.REACH, off=0.0, networks=None):
    """Shares of covered weights, of estimates whose stated errors are `stated` times their true ones."""
    rng = np.random.default_rng(1)
    freedom = experiment.GROUPS - 1
    size = experiment.ESTIMATES, WEIGHTS
    result = TRUTH + off + ERRORS * rng.standard_normal(size)
    errors = stated * ERRORS * np.sqrt(rng.chisquare(freedom, size) / freedom)  # as a jackknife scatters
    return experiment.covered((result, errors), networks or exact_networks(), reach)


def test_errors_of_the_stated_size_pass():
    result = experiment.decide(shares(1), "own-ripples")
    assert result.outcome is Outcome.PASS
    assert result.worst <= result.tolerance < 1 - float(COVERED)


@pytest.mark.parametrize("stated", [0.6, 1.6])
def test_errors_stated_too_small_or_too_large_fail(stated):
    assert experiment.decide(shares(stated), "own-ripples").outcome is Outcome.FAIL


def test_a_field_that_is_off_and_narrow_intervals_fail():
    assert experiment.decide(shares(1, off=0.2), "own-ripples").outcome is Outcome.FAIL
    assert experiment.decide(shares(1, experiment.REACH / 2), "own-ripples").outcome is Outcome.FAIL


def test_the_error_of_the_networks_widens_the_intervals():
    known, vague = (shares(1, networks=exact_networks(error)).mean() for error in (0.0, 0.1))
    assert vague > known
