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


def save(folder, shift=0.0):
    rng = np.random.default_rng(0)
    np.savez(folder / "data.npz", x=rng.normal(size=(20, 3)), y=rng.normal(size=20) + shift, context=np.arange(20) % 2)


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


def test_cells_are_known_by_the_content_of_their_file_alone(folder):
    before = names(folder)
    assert len(set(before)) == 2
    moved = folder.with_name("moved")
    shutil.copytree(folder, moved)
    assert names(moved) == before
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


def test_a_missing_file_is_named(folder):
    (folder / "data.npz").unlink()
    for cell in load_sweep(folder / "sweep.toml").cells:
        assert cell.problem is None
        assert isinstance(cell.error, InputError)
        assert "data.npz cannot be read: No such file" in str(cell.error)
