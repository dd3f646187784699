"""Single pulses from a problem file to an answer: solve, certified digits, simulate, and both against each other."""

import json
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from derivations import cli
from derivations.output import PASS
from sim.measure import measure
from sim.train import train
from tests.tolerances import STANDARD_ERRORS
from theory.flow import discrete
from theory.problem import WeightsAtTimes, load


@pytest.fixture
def shipped(request):
    return request.config.rootpath / "derivations/experiments/problems/single-pulse.toml"


def test_certified_digits_are_those_of_the_fraction(shipped, capsys):
    assert cli.main(["solve", str(shipped), "--digits", "30", "--json"]) == PASS
    said = json.loads(capsys.readouterr().out)
    (note,) = (note for note in said["notes"] if note.startswith("<(y - yhat)^2> at the optimum is "))
    exact = Fraction(note.rsplit(" ", 1)[1].rstrip("."))
    assert abs(Fraction(said["mse"]) - exact) <= exact / 10**29
    assert said["rates"][:21] == ["0"] * 21


def test_trained_networks_follow_the_discrete_map(shipped):
    """The mean over replicates with fresh data is exact at any batch size and learning rate (design, rule 6)."""
    question = load(shipped)
    training = replace(question.training, times=(Fraction(1), Fraction(8)))
    question = replace(question, training=training, simulation=replace(question.simulation, batch=200, replicates=64))
    found, expected = measure(WeightsAtTimes(), train(question)), discrete(question).weights
    moving = found.standard_error > 0
    away = np.abs(found.mean - expected)[moving] / found.standard_error[moving]
    assert away.max() < STANDARD_ERRORS
    assert np.abs(found.mean - 1.1 * expected)[moving].max() > STANDARD_ERRORS * found.standard_error.max()
