"""A small sweep, what a cell of it could hold, and programs that work on a store and can be killed."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np

from derivations.sweeps import cells
from derivations.sweeps.store import Store
from tests.paths import ROOT
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
    "versions": {"python": "3", "gdln-workbench": "0", "numpy": "2", "torch": "2"},
    "device": "cpu",
    "steps": 4,
    "wall_seconds": 0.1,
    "started": "2020-01-01T00:00:00+00:00",
    "finished": "2020-01-01T00:00:01+00:00",
}

# Writes cells with numbers that are known beforehand, as a sweep does it but without training.
WRITER = """
import sys
from tests.derivations.sweeps.cases import write_all
write_all(sys.argv[1], int(sys.argv[2]))
"""


def write_all(folder, count):
    """Write the cells that are missing of `count` into the store `folder`."""
    store = Store.create(folder)
    for index, asked in enumerate(questions(count)):
        put(store, asked, CODE, index)


def put(store, asked, code, index):
    """Make a cell with the numbers of `arrays(index)`; return what the store says."""
    return store.make(asked.cell(code), asked, code, lambda: (arrays(index), FACTS))


def sweep_of(text=TEXT):
    """The small sweep, or another."""
    return loads_sweep(text)


def questions(count=4):
    """The questions of the small sweep's cells, over and over with other problems' text."""
    asked = [cells.question(cell.problem, sweep_of().observables) for cell in sweep_of().cells]
    return [cells.Question(f"{asked[i % 4].problem}# {i}", asked[i % 4].observables, i) for i in range(count)]


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


def started(program, *words):
    """A Python program, running."""
    return subprocess.Popen(
        [sys.executable, "-c", program, *map(str, words)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def contents(folder):
    """The bytes of every cell's data, by the cell's name; an empty folder is no cell."""
    found = {}
    for item in (Path(folder) / "cells").iterdir():
        try:
            inside = os.listdir(item)
        except FileNotFoundError:  # a worker asks whether a cell is there by a folder that it removes
            continue
        if inside:
            found[item.name] = (item / cells.DATA).read_bytes()
    return found


def the_cell(store):
    """The only cell's folder."""
    (name,) = store.names()
    return store.place(name)


def flip(file):
    """Change one bit in the middle."""
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)
