"""Checkpoints: a cell that is left continues with the same bits, and no file is taken for the checkpoint of another."""

import os
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
import torch

from derivations.sweeps import cells, checkpoints
from derivations.sweeps.checkpoints import EVERY, pauses, read, write
from derivations.sweeps.computing import DONE, LEFT, Task, compute, trained
from derivations.sweeps.orders import LeftError, Orders
from derivations.sweeps.store import Store
from sim.train import train
from sim.training.pieces import Pauses
from tests.derivations.sweeps.cases import TEXT, contents, flip, sweep_of
from tests.sim.cases import OPTIMIZERS, problem
from theory.problem import loads

CELL = "a" * 64
ADAM = problem(batch=256, times=(0, 10, 40), **OPTIMIZERS[2])


@pytest.fixture(scope="module")
def part():
    """The first part of a run of ADAM, whose second of three networks has diverged."""
    parts = []
    train(ADAM, "cpu", pauses=Pauses(parts.append, seconds=0.0))
    state = replace(parts[0].state, frozen=np.array([False, True, False]))
    return replace(parts[0], state=state)


def same(tensors, expected):
    """Whether two groups of tensors are the same bit for bit."""
    return tensors.keys() == expected.keys() and all(torch.equal(tensors[name], expected[name]) for name in expected)


def test_a_checkpoint_is_read_as_it_was_written(part, tmp_path):
    place, remarks = tmp_path / CELL, []
    assert read(place, ADAM, remarks.append) is None
    write(place, part)
    again = read(place, ADAM, remarks.append)
    assert (again.state.step, again.seconds, remarks) == (part.state.step, part.seconds, [])
    assert again.state.frozen.tolist() == [False, True, False]
    assert same(again.snapshots, part.snapshots)
    for name in ("parameters", "first", "second"):
        assert same(getattr(again.state, name), getattr(part.state, name))


def test_another_file_is_no_checkpoint(part, tmp_path):
    """One of other networks, and one with a changed bit: the cell begins anew, and says so."""
    place, remarks = tmp_path / CELL, []
    write(place, part)
    assert read(place, problem(batch=256, times=(0, 10, 40), replicates=2), remarks.append) is None
    whole = place.read_bytes()
    for at in range(0, len(whole), 7):
        flip(place, at)
        again = read(place, ADAM, remarks.append)  # a bit of the archive's own, such as a date, changes nothing
        assert again is None or same(again.state.parameters, part.state.parameters)
        assert again is None or same(again.snapshots, part.snapshots)
        place.write_bytes(whole)
    assert all(one.startswith("The checkpoint of the cell aaaaaaaaaaaa was ignored") for one in remarks)
    assert 2 * len(remarks) > len(whole) / 7


def test_when_a_checkpoint_is_written(part, tmp_path, monkeypatch):
    now, orders, place = [0.0], Orders(), tmp_path / CELL
    monkeypatch.setattr(checkpoints.time, "monotonic", lambda: now[0])
    keep = pauses(place, None, orders, print).keep

    def kept(at):
        now[0] = at
        place.unlink(missing_ok=True)
        keep(part)
        return place.exists()

    assert [kept(at) for at in (EVERY / 2, EVERY, 1.5 * EVERY, 2 * EVERY)] == [False, True, False, True]
    orders.save = True
    assert [kept(2.1 * EVERY), kept(2.2 * EVERY)] == [True, False]
    orders.leave = True
    with pytest.raises(LeftError, match=f"aaaaaaaaaaaa was left after step {part.state.step}"):
        kept(2.3 * EVERY)
    assert place.exists()


def test_a_disk_that_refuses_a_checkpoint_costs_time_alone(part, tmp_path):
    remarks = []
    (tmp_path / "file").write_text("no folder")
    pauses(tmp_path / "file" / CELL, None, Orders(save=True), remarks.append).keep(part)
    assert remarks == [f"A checkpoint of the cell {CELL[:12]} could not be written: file exists."]


# A block of the compiled loops is 13,107 steps.
STEPS = 30_000
SHORT = TEXT.replace("times = [0.5, 2.0]", f"times = [0.5, {STEPS / 2}]")


def test_a_cell_that_was_left_has_the_bits_of_one_that_was_not(tmp_path, monkeypatch):
    monkeypatch.setattr(checkpoints, "Pauses", partial(Pauses, seconds=0.0))
    sweep, code = sweep_of(SHORT), cells.code_version("cpu")
    request = cells.question(sweep.cells[0].problem, sweep.observables)
    task, whole, broken = (
        Task(request.cell(code), request, code, "cpu", trained),
        Store.create(tmp_path / "whole"),
        Store.create(tmp_path / "broken"),
    )
    assert compute(task, whole, Orders()).what == DONE
    left = compute(task, broken, Orders(leave=True))
    assert (left.what, left.error, contents(broken.folder)) == (LEFT, None, {})
    step = read(broken.checkpoints / task.cell, loads(request.problem), print).state.step
    assert 0 < step < STEPS
    assert f"was left after step {step}" in left.remarks[-1]
    assert compute(task, broken, Orders()).what == DONE
    assert contents(broken.folder) == contents(whole.folder)
    assert os.listdir(broken.checkpoints) == []
