"""Verbs that need another network, asked about a deep one: a refusal that names `gdln paths`, with the exit code 4."""

from dataclasses import replace

import pytest

from derivations.answers import controls
from derivations.explore.problems import read
from derivations.output import BAD_INPUT, OUT_OF_REACH
from tests.deep_cases import CLOSED, DATA, SOFT, drawn
from theory.problem import (
    FixedGates,
    InitialWeights,
    NetworkGates,
    NonlinearGP,
    NonlinearGP2D,
    OutOfReachError,
    OwnGates,
    dumps,
    load,
    load_sweep,
)

LAW = {"xi": (2, 1), "gain": 1, "boundary": "open", "normaliser": "unit-variance", "labels": (1, 0)}
LAWS = {"finite": DATA, "line": NonlinearGP(4, **LAW), "grid": NonlinearGP2D(**LAW, shape=(4, 4))}
SIMULATION = '[simulation]\nmode = "online"\nsamples = 6\nbatch = 3\nlearning_rate = 0.1\nreplicates = 2\nseed = 0\n'


@pytest.fixture(params=LAWS)
def file(request, tmp_path):
    """A problem file with a deep network and a simulation, on each kind of data."""
    (path := tmp_path / "deep.toml").write_text(
        dumps(drawn((2, 2), NetworkGates("relu", SOFT, frozen=True), LAWS[request.param])) + SIMULATION
    )
    return path


def without_training(file):
    """Write weights in the place of the training and the simulation."""
    problem = load(file)
    file.write_text(dumps(replace(problem, training=InitialWeights(problem.training.w0), simulation=None)))


def test_verbs_that_need_another_network_refuse(file, refusal):
    for trained in (True, False):
        if not trained:
            without_training(file)
        for verb in ("solve", "compare", "flow", "fields", "explore"):
            code, message = refusal(verb, file)
            assert (code, "deep network" in message, "gdln paths" in message) == (OUT_OF_REACH, True, True), verb
    code, message = refusal("simulate", file)
    assert (code, "no [simulation] table" in message) == (BAD_INPUT, True)
    assert "Write [training] with loss, tau, w0 and times in the place of [weights]" in message


def test_a_cell_of_a_sweep_and_the_explorer_say_so(file):
    sweep = file.with_name("sweep.toml")
    axes = '[axes]\n"training.tau" = [1, 2]\n'
    sweep.write_text(f'base = "{file.name}"\nobservables = ["loss"]\nstore = "cells"\n{axes}')
    cells = load_sweep(sweep).cells
    assert [cell.problem for cell in cells] == [None, None]
    assert all("this network is deep" in str(cell.error) and "gdln paths" in cell.error.hint for cell in cells)
    with pytest.raises(OutOfReachError, match=r"no view of deep networks.*gdln paths"):
        read(file.read_text())


def test_controls_keep_the_network_and_write_no_sweep():
    """The controls of a law are of its data; gates of each example need a list of examples, which has none."""
    problem = drawn((2,), OwnGates(CLOSED), LAWS["line"])
    problem = replace(problem, training=InitialWeights(problem.training.w0))
    answer = controls.answer(problem)
    assert answer.existing
    assert {one.problem.network for one in answer.existing} == {problem.network}
    assert problem.data not in [one.problem.data for one in answer.existing]
    assert "sweep.toml" not in answer.files()
    assert not controls.answer(drawn((2,), FixedGates([[[1, 0]] * 4]))).existing
