"""Verbs that need another network, asked about a deep one: a refusal that names `gdln paths`, with the exit code 4."""

import json
from dataclasses import replace

import pytest

from derivations.answers import controls
from derivations.cli import main
from derivations.explore.problems import read
from derivations.output import BAD_INPUT, OUT_OF_REACH, PASS
from tests.deep_cases import CLOSED, DATA, SOFT, drawn
from theory.problem import (
    FixedGates,
    InitialWeights,
    NetworkGates,
    NonlinearGP,
    NonlinearGP2D,
    OutOfReachError,
    OwnGates,
    Simulation,
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
    assert isinstance(load(path).simulation, Simulation)
    return path


VERBS = ["solve", "compare", "flow", "fields", "explore"]


@pytest.mark.parametrize("verb", VERBS)
def test_a_verb_that_needs_another_network_refuses(verb, file, capsys):
    assert main([verb, str(file), "--json"]) == OUT_OF_REACH
    error = json.loads(capsys.readouterr().out)["error"]
    assert "deep network" in error["message"] + error["hint"]
    assert "gdln paths" in error["hint"]


@pytest.mark.parametrize("verb", VERBS)
def test_a_network_without_a_training_is_refused_alike(verb, file, capsys):
    trained = load(file)
    file.write_text(dumps(replace(trained, training=InitialWeights(trained.training.w0), simulation=None)))
    assert main([verb, str(file), "--json"]) == OUT_OF_REACH
    error = json.loads(capsys.readouterr().out)["error"]
    assert "deep network" in error["message"] + error["hint"]
    assert "gdln paths" in error["hint"]


def test_a_network_without_a_training_is_not_trained(file, capsys):
    trained = load(file)
    file.write_text(dumps(replace(trained, training=InitialWeights(trained.training.w0), simulation=None)))
    assert main(["simulate", str(file), "--json"]) == BAD_INPUT
    error = json.loads(capsys.readouterr().out)["error"]
    assert "no [simulation] table" in error["message"]
    assert "Write [training] with loss, tau, w0 and times in the place of [weights]" in error["hint"]


def test_a_cell_of_a_sweep_says_that_nothing_trains_it(file):
    sweep = file.with_name("sweep.toml")
    sweep.write_text(
        f'base = "{file.name}"\nobservables = ["loss"]\nstore = "cells"\n[axes]\n"training.tau" = [1, 2]\n'
    )
    cells = load_sweep(sweep).cells
    assert len(cells) == 2
    for cell in cells:
        assert cell.problem is None
        assert "this network is deep" in str(cell.error)
        assert "gdln paths" in cell.error.hint


def test_the_explorer_reads_no_text_with_a_deep_network(file):
    with pytest.raises(OutOfReachError, match=r"no view of deep networks.*gdln paths"):
        read(file.read_text())


def test_controls_keep_the_network_and_write_no_sweep():
    """The controls of a law are of its data: any network may be asked about them."""
    problem = drawn((2,), OwnGates(CLOSED), LAWS["line"])
    problem = replace(problem, training=InitialWeights(problem.training.w0))
    found = controls.answer(problem)
    assert found.made
    for one in found.made:
        assert one.problem.network == problem.network
        assert one.problem.data != problem.data
    assert "sweep.toml" not in found.files()


def test_given_gates_have_no_controls_on_other_data():
    """Gates of each example need a list of examples; the controls of such a list do not exist."""
    gates = FixedGates([[[1, 0]] * 4])
    assert not controls.answer(drawn((2,), gates)).made


def test_data_and_best_gates_are_answered_for_any_network(tmp_path, capsys):
    (file := tmp_path / "deep.toml").write_text(dumps(drawn((2,), OwnGates(CLOSED))))
    assert main(["optimum", str(file), "--gates", "1"]) == PASS
    assert "gates in one best gating" in capsys.readouterr().out
    assert main(["data", "show", str(file)]) == PASS
    assert "covariance by lag" in capsys.readouterr().out
