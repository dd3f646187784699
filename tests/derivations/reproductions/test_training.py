"""Training inside a cell: an interrupted one goes on from its checkpoint with the same bits."""

import signal
import subprocess
import sys
from dataclasses import replace

import pytest
import torch

from derivations.reproductions import training
from derivations.reproductions.training import resumable
from sim import deep
from sim.deep import ExampleSet, Family, Settings, Start, Validation, adam, dln, relu
from tests.paths import ROOT

STAGES, STEPS = (0, 7, 30), 41


def data():
    drawn = torch.Generator().manual_seed(1)
    x = torch.randn(12, 3, generator=drawn)
    return ExampleSet(x, x[:, :1] * 2 - 1)


def family(seed=0):
    return Family((relu((4,)), dln((4,))), 2, 3, 1, Start("normal", (0.5, 0.5), seed))


SETTINGS = Settings("half-mse", adam(), 0.05, batch=4, seed=3)


def trained(seed=0, **more):
    return training.train_family(family(seed), data(), SETTINGS, STEPS, stages=STAGES, **more)


def same(first, second):
    """Whether two runs have the same bits in their states and stages."""
    assert first.state.step == second.state.step
    assert sorted(first.stages) == sorted(second.stages) == [stage for stage in STAGES if stage <= first.state.step]
    pairs = [(first.state, second.state)]
    parts = [
        (getattr(one, name), getattr(two, name)) for one, two in pairs for name in ("parameters", "first", "second")
    ]
    parts += [(first.stages[stage], second.stages[stage]) for stage in first.stages]
    return all(torch.equal(one[name], two[name]) for one, two in parts for name in one) and torch.equal(
        first.state.stopped, second.state.stopped
    )


class Ticking:
    """A clock that advances by a second at each look."""

    def __init__(self):
        self.now = 0.0

    def __call__(self):
        self.now += 1
        return self.now


@pytest.fixture
def plain():
    return deep.train_family(family(), data(), SETTINGS, STEPS, stages=STAGES)


def interrupted_after(monkeypatch, pieces, error):
    """Let the training end with an error at the piece after so many; return the goals of the pieces."""
    goals, train = [], deep.train_family

    def counted(*given, **more):
        if len(goals) == pieces:
            raise error
        goals.append(given[3])
        return train(*given, **more)

    monkeypatch.setattr(training.deep, "train_family", counted)
    return goals


def test_outside_of_a_cell_it_is_the_training_of_sim(plain):
    assert same(trained(), plain)


@pytest.mark.parametrize("error", [KeyboardInterrupt(), MemoryError()])
@pytest.mark.parametrize("pieces", [1, 3])
def test_an_interrupted_training_goes_on_with_the_same_bits(monkeypatch, tmp_path, plain, pieces, error):
    monkeypatch.setattr(training, "_FIRST", 6)
    monkeypatch.setattr(training, "_PIECE", 1.0)
    with monkeypatch.context() as patched:
        first = interrupted_after(patched, pieces, error)
        with pytest.raises(type(error)), resumable(tmp_path, "cell", every=1e9, clock=Ticking()):
            trained()
    again = interrupted_after(monkeypatch, 10**6, error)
    with resumable(tmp_path, "cell", every=1e9, clock=Ticking()):
        run = trained()
    assert same(run, plain)
    assert again[0] > first[-1]


def test_each_training_of_a_cell_has_its_own_checkpoint(monkeypatch, tmp_path):
    monkeypatch.setattr(training, "_PIECE", 0.5)
    plainly = [deep.train_family(family(seed), data(), SETTINGS, STEPS, stages=STAGES) for seed in (0, 1)]
    with resumable(tmp_path, "cell", every=0, clock=Ticking()):
        runs = [trained(0), trained(1)]
    assert all(map(same, runs, plainly))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["cell.0", "cell.1"]
    goals = interrupted_after(monkeypatch, 0, AssertionError("a finished training begins again"))
    with resumable(tmp_path, "cell"):
        again = [trained(0), trained(1)]
    assert all(map(same, again, plainly))
    assert goals == []


@pytest.mark.parametrize("content", [b"", b"x", None])
def test_a_checkpoint_that_is_none_of_this_training_is_left_out(tmp_path, plain, content):
    place = tmp_path / "cell.0"
    if content is None:
        deep.save_checkpoint(deep.train_family(family(5), data(), SETTINGS, 3), place, with_stages=True)
    else:
        place.write_bytes(content)
    with resumable(tmp_path, "cell"):
        assert same(trained(), plain)
    assert not place.exists()


def test_a_folder_that_cannot_be_written_costs_no_training(tmp_path, plain):
    with resumable(tmp_path / "missing", "cell", every=0, clock=Ticking()):
        assert same(trained(), plain)


def test_early_stopping_goes_on(monkeypatch, tmp_path):
    rule = Validation(data(), "loss", every=5, patience=1)
    settings = replace(SETTINGS, rate=0.5)
    whole = deep.train_family(family(), data(), settings, STEPS, stages=STAGES, validation=rule)
    monkeypatch.setattr(training, "_PIECE", 1.0)
    with monkeypatch.context() as patched:
        interrupted_after(patched, 2, KeyboardInterrupt())
        with pytest.raises(KeyboardInterrupt), resumable(tmp_path, "cell", clock=Ticking()):
            training.train_family(family(), data(), settings, STEPS, stages=STAGES, validation=rule)
    with resumable(tmp_path, "cell", clock=Ticking()):
        run = training.train_family(family(), data(), settings, STEPS, stages=STAGES, validation=rule)
    assert run.stopped("relu") == whole.stopped("relu")
    assert same(run, whole)


KILLED = """
import sys
from pathlib import Path
from derivations.reproductions import training
from sim import deep
from tests.derivations.reproductions.test_training import trained
training._PIECE = 1e-9  # a piece is a step
train = deep.train_family
def told(*given, **more):
    print(given[3], flush=True)
    return train(*given, **more)
training.deep.train_family = told
with training.resumable(Path(sys.argv[1]), "cell", every=0):
    trained()
"""


def test_kill_9_costs_a_piece(tmp_path, plain, monkeypatch):
    process = subprocess.Popen(
        [sys.executable, "-c", KILLED, str(tmp_path)], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    with process:
        goal = next(int(line) for line in process.stdout if int(line) >= 20)
        process.send_signal(signal.SIGKILL)
    again = interrupted_after(monkeypatch, 10**6, KeyboardInterrupt())
    with resumable(tmp_path, "cell"):
        assert same(trained(), plain)
    assert again[0] >= goal
