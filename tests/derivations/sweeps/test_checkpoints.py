"""Checkpoints: a cell that is left continues with the same bits, and no file is taken for the checkpoint of another."""

import os
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
import torch

from derivations.sweeps import cells, checkpoints
from derivations.sweeps.checkpoints import EVERY, BadCheckpointError, pauses, read, write
from derivations.sweeps.computing import DONE, LEFT, Task, compute
from derivations.sweeps.orders import LeftError, Orders
from derivations.sweeps.store import Store
from sim.train import train
from sim.training.pieces import Pauses
from tests.derivations.sweeps.cases import (
    TEXT,
    contents,
    flip,
    sweep_of,
)
from tests.sim.cases import OPTIMIZERS, problem
from theory.problem import loads

CELL, OTHER = "a" * 64, "b" * 64
ADAM = problem(batch=256, times=(0, 10, 40), **OPTIMIZERS[2])


@pytest.fixture(scope="module")
def part():
    """The first part of a run of ADAM, whose second of three networks has diverged."""
    parts = []
    train(ADAM, "cpu", pauses=Pauses(parts.append, seconds=0.0))
    state = replace(parts[0].state, frozen=np.array([False, True, False]))
    return replace(parts[0], state=state)


def same(found, expected):
    """Whether two groups of tensors are the same bit for bit."""
    return found.keys() == expected.keys() and all(torch.equal(found[name], expected[name]) for name in expected)


def test_a_checkpoint_is_read_as_it_was_written(part, tmp_path):
    assert read(tmp_path, CELL, ADAM) is None
    write(tmp_path, CELL, part)
    again = read(tmp_path, CELL, ADAM)
    assert (again.state.step, again.seconds) == (part.state.step, part.seconds)
    assert again.state.frozen.tolist() == [False, True, False]
    assert same(again.snapshots, part.snapshots)
    for name in ("parameters", "first", "second"):
        assert same(getattr(again.state, name), getattr(part.state, name))


def test_another_file_is_no_checkpoint(part, tmp_path):
    write(tmp_path, CELL, part)
    with pytest.raises(BadCheckpointError, match=r"The part of a run has taken \d+ of 80 steps"):
        read(tmp_path, CELL, problem(batch=256, times=(0, 10, 40), replicates=2))
    (tmp_path / CELL).rename(tmp_path / OTHER)
    with pytest.raises(BadCheckpointError, match=r"bbbbbbbbbbbb was ignored, .* it belongs to the cell aaaa"):
        read(tmp_path, OTHER, ADAM)
    flip(tmp_path / OTHER)
    with pytest.raises(BadCheckpointError, match="it cannot be read"):
        read(tmp_path, OTHER, ADAM)


def test_when_a_checkpoint_is_written(part, tmp_path):
    now, orders = [0.0], Orders()
    keep = pauses(tmp_path, CELL, None, orders, lambda: now[0]).keep

    def kept(at):
        now[0] = at
        (tmp_path / CELL).unlink(missing_ok=True)
        keep(part)
        return (tmp_path / CELL).exists()

    assert [kept(at) for at in (EVERY / 2, EVERY, 1.5 * EVERY, 2 * EVERY)] == [False, True, False, True]
    orders.save = True
    assert [kept(2.1 * EVERY), kept(2.2 * EVERY)] == [True, False]
    orders.leave = True
    with pytest.raises(
        LeftError, match=f"aaaaaaaaaaaa was left after step {part.state.step}, and continues from there"
    ):
        kept(2.3 * EVERY)
    assert (tmp_path / CELL).exists()


# A block of the compiled loops is 13,107 steps.
STEPS = 30_000
SHORT = TEXT.replace("times = [0.5, 2.0]", f"times = [0.5, {STEPS / 2}]")


def test_a_cell_that_was_left_has_the_bits_of_one_that_was_not(tmp_path, monkeypatch):
    monkeypatch.setattr(checkpoints, "Pauses", partial(Pauses, seconds=0.0))
    sweep, code = sweep_of(SHORT), cells.code_version("cpu")
    request = cells.question(sweep.cells[0].problem, sweep.observables)
    task, whole, broken = (
        Task(request.cell(code), request, code, "cpu"),
        Store.create(tmp_path / "whole"),
        Store.create(tmp_path / "broken"),
    )
    assert compute(task, whole, Orders()).what == DONE
    left = compute(task, broken, Orders(leave=True))
    assert (left.what, left.error, contents(broken.folder)) == (LEFT, None, {})
    step = read(broken.checkpoints, task.cell, loads(request.problem)).state.step
    assert 0 < step < STEPS
    assert f"was left after step {step}" in left.remarks[-1]
    assert compute(task, broken, Orders()).what == DONE
    assert contents(broken.folder) == contents(whole.folder)
    assert os.listdir(broken.checkpoints) == []
