"""Training inside a cell: an interrupted one goes on from its checkpoint with the same bits."""

from itertools import count

import pytest
import torch

from derivations.reproductions import training
from derivations.reproductions.training import resumable
from sim import deep
from sim.deep import ExampleSet, Family, Settings, Start, adam, dln, relu

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


@pytest.fixture
def plain():
    return deep.train_family(family(), data(), SETTINGS, STEPS, stages=STAGES)


def interrupted_after(monkeypatch, pieces, error):
    """Let the training end with an error at the piece after so many; return the goals of the pieces."""
    goals, train = [], deep.train_family

    def counted(*arguments, **more):
        if len(goals) == pieces:
            raise error
        goals.append(arguments[3])
        return train(*arguments, **more)

    monkeypatch.setattr(training.deep, "train_family", counted)
    return goals


def test_an_interrupted_training_goes_on_with_the_same_bits(monkeypatch, tmp_path, plain):
    pieces, error = 3, KeyboardInterrupt()
    monkeypatch.setattr(training, "_FIRST", 6)
    monkeypatch.setattr(training, "_PIECE", 1.0)
    with monkeypatch.context() as patched:
        first = interrupted_after(patched, pieces, error)
        with pytest.raises(type(error)), resumable(tmp_path, "cell", every=1e9, clock=count().__next__):
            trained()
    again = interrupted_after(monkeypatch, 10**6, error)
    with resumable(tmp_path, "cell", every=1e9, clock=count().__next__):
        run = trained()
    assert same(run, plain)
    assert again[0] > first[-1]


def test_the_checkpoint_of_another_training_is_left_out(tmp_path, plain):
    place = tmp_path / "cell.0"
    deep.save_checkpoint(deep.train_family(family(5), data(), SETTINGS, 3), place)
    with resumable(tmp_path, "cell"):
        assert same(trained(), plain)
    assert not place.exists()
