"""A small sweep, and what a cell of it could hold."""

from pathlib import Path

import numpy as np

from derivations.sweeps import cells
from derivations.sweeps.computing import DONE, Task, compute, trained
from derivations.sweeps.orders import Orders
from derivations.sweeps.plans import make_plan
from derivations.sweeps.store import Store
from theory.problem import loads_sweep

CODE = "0.1.0+test"
TEXT = """
observables = ["loss", "participation-ratio"]
store = "store"
[axes]
"data.gain" = [0.5, 2.0]
"simulation.seed" = [1, 2]
[base.data]
law = "nlgp"
n = 5
xi = [0.3, 0.7]
gain = 1.0
boundary = "ring"
normaliser = "unit-variance"
labels = [0.0, 1.0]
[base.network]
model = "relu"
readout = "mean"
units = 1
[base.training]
loss = "half-mse"
tau = 1.0
w0 = { law = "normal", scale = 0.1, seed = 0 }
times = [0.5, 2.0]
[base.simulation]
mode = "online"
samples = 50
batch = 4
learning_rate = 0.5
replicates = 3
seed = 0
initialisation = "per-replicate"
"""
FACTS = {
    "state": "complete",
    "replicates": 3,
    "diverged": 0,
    "undefined": {},
    "names": {},
    "versions": {"torch": "2"},
    "device": "cpu",
    "steps": 4,
}


def put(store, index):
    """Write the cell of a question with the numbers of `arrays(index)`; return its file."""
    request = questions(index + 1)[index]
    store.put(request.cell(CODE), cells.encoded(request, CODE, arrays(index), FACTS))
    return store.place(request.cell(CODE))


def sweep_of(text=TEXT):
    """The small sweep, or another."""
    return loads_sweep(text)


def questions(count=4):
    """The questions of the small sweep's cells, over and over with other problems' text."""
    plain = [cells.question(cell.problem, sweep_of().observables) for cell in sweep_of().cells]
    return [cells.Question(f"{plain[i % 4].problem}# {i}", plain[i % 4].observables, i) for i in range(count)]


def arrays(index):
    """The numbers of cell `index`."""
    rng = np.random.default_rng(index)
    return {
        "times": np.array([0.5, 2.0]),
        "replicates": np.arange(3),
        "diverged": np.zeros(3, dtype=bool),
        "loss": rng.normal(size=(3, 2)),
        "participation-ratio": rng.normal(size=(3, 2, 1)),
    }


def computed(folder, sweep, keep=lambda cell: True):
    """A store with the sweep's plan and its cells, computed in this process."""
    store = Store.create(folder)
    plan = make_plan(sweep, cells.code_version())
    store.record(plan)
    for cell in filter(keep, sweep.cells):
        request = cells.question(cell.problem, sweep.observables)
        answer = compute(Task(request.cell(plan.code), request, plan.code, "cpu", trained), store, Orders())
        assert answer.what == DONE
    return store


def contents(folder):
    """The bytes of every cell, by the cell's name."""
    return {file.stem: file.read_bytes() for file in (Path(folder) / "cells").glob("[!.]*.npz")}


def flip(file, place=None):
    """Change one bit, by default in the middle."""
    content = bytearray(file.read_bytes())
    content[len(content) // 2 if place is None else place] ^= 1
    file.write_bytes(content)
