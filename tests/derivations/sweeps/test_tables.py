"""Sweeps over tables in files: a cell is known by the content of its file, wherever that lies, and by nothing else."""

import shutil

import numpy as np
import pytest

from derivations.sweeps import cells
from theory.problem import InputError, load_sweep

SWEEP = """
observables = ["loss"]
store = "store"
[axes]
"simulation.seed" = [0, 1]
[base.data]
law = "table"
file = "data.npz"
[base.network]
model = "gated-linear"
readout = "sum"
gates = [{ kind = "context", open = [0, 1] }, { kind = "context", open = [1] }]
[base.training]
loss = "half-mse"
tau = 1.0
w0 = { law = "normal", scale = 0.1, seed = 0 }
times = [0.5]
[base.simulation]
mode = "online"
samples = 50
batch = 4
learning_rate = 0.1
replicates = 2
seed = 0
"""


def save(folder, shift=0.0, name="data.npz"):
    rng = np.random.default_rng(0)
    np.savez(folder / name, x=rng.normal(size=(20, 3)), y=rng.normal(size=20) + shift, context=np.arange(20) % 2)


@pytest.fixture
def folder(tmp_path):
    """A sweep file beside its data."""
    place = tmp_path / "here"
    place.mkdir()
    save(place)
    (place / "sweep.toml").write_text(SWEEP)
    return place


def names(folder, code="code"):
    """The cells that the sweep in a folder asks for."""
    return [cells.question(cell.problem, ("loss",)).cell(code) for cell in load_sweep(folder / "sweep.toml").cells]


def test_cells_are_found_again_where_all_files_move(folder):
    before = names(folder)
    moved = folder.with_name("there")
    shutil.copytree(folder, moved)
    assert names(moved) == before
    assert len(set(before)) == 2


def test_another_content_is_another_question(folder):
    before = names(folder)
    save(folder, shift=1.0)
    assert not set(names(folder)) & set(before)


def test_the_base_in_a_file_of_its_own_names_its_data_from_there(folder):
    before, inner = names(folder), folder / "inner"
    inner.mkdir()
    (folder / "data.npz").rename(inner / "data.npz")
    head, _, base = SWEEP.partition("[base.data]")
    (inner / "problem.toml").write_text("[data]" + base.replace("[base.", "["))
    (folder / "sweep.toml").write_text('base = "inner/problem.toml"\n' + head)
    assert names(folder) == before


def test_files_on_an_axis_lie_beside_the_sweep_file(folder):
    save(folder, 1.0, "other.npz")
    (folder / "sweep.toml").write_text(SWEEP.replace("[axes]\n", '[axes]\n"data.file" = ["data.npz", "other.npz"]\n'))
    found = load_sweep(folder / "sweep.toml")
    assert found.shape == (2, 2)
    assert [cell.problem.data.file for cell in found.cells[::2]] == [
        str(folder / name) for name in ("data.npz", "other.npz")
    ]


def test_a_file_that_is_gone_is_named(folder):
    (folder / "data.npz").unlink()
    found = load_sweep(folder / "sweep.toml")
    assert [cell.problem for cell in found.cells] == [None, None]
    assert all("data.npz cannot be read: No such file" in str(cell.error) for cell in found.cells)
    assert all(isinstance(cell.error, InputError) for cell in found.cells)
