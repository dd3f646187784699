"""The public sweep of the gain for one ReLU neuron, and the same at longer correlations: what its store says.

    gdln sweep derivations/experiments/localization_sweep/localization.toml --out FOLDER
    gdln sweep derivations/experiments/localization_sweep/localization-batch.toml --out FOLDER
    python -m derivations.experiments.localization_sweep.experiment FOLDER

The last command writes what the page shows of the finished sweeps: the participation ratio of each network, and the
shares of examples on which a gate differs between two times. No claim is judged.
"""

import sys
from pathlib import Path
from typing import Any

import numpy as np

from derivations.experiments import folders
from derivations.output import rounded
from derivations.sweeps.store import Store, answers, sweep_id
from derivations.sweeps.table import mean_and_error
from sim.measure.receptive_fields import spectral_peak
from theory.problem import InputError, Problem, Sweep, load_sweep

SWEEPS = {"localization-sweep": "localization", "localization-batch": "localization-batch"}  # stored run, file
RUNS = tuple(SWEEPS)
_DIGITS = 5  # significant digits stored of a simulated number


def declared(name: str) -> Sweep:
    """The sweep of a stored run."""
    return load_sweep(str(Path(__file__).with_name(f"{SWEEPS[name]}.toml")))


def summary(store: Store, sweep: Sweep) -> dict[str, Any]:
    """Summary of a finished sweep: one entry a cell, with the versions, seed and device of its numbers.

    "participation_ratio" (networks, times); "gate_flips", (times, times), "field_width" and "peak_share", the share of
    the power at the spectral peak, (times), by mean and standard error over networks; "flat", (times), counts the
    networks with their spectral peak at frequency 0. Raises InputError where cells are missing or networks diverged.
    """
    code, there = answers(store, sweep)
    read = list(there)
    if len(read) < len(sweep.cells):
        raise InputError(
            f"{store.folder} has {len(read)} of {len(sweep.cells)} cells.", "Finish it: gdln sweep makes the rest."
        )
    if lost := sum(meta["diverged"] for _, meta, _ in read):
        raise InputError(f"{lost} networks diverged.", "Means over the rest are other means; lower the learning rate.")
    first = read[0][1]
    return {
        "sweep": sweep_id(sweep),
        "code": code,
        "versions": first["versions"],
        "device": first["device"],
        "seed": first["seed"],
        "networks": first["replicates"],
        "steps": first["steps"],
        "times": read[0][2]["times"].tolist(),
        "cells": [_cell(cell.problem, arrays) for cell, _, arrays in read],
    }


def _cell(problem: Problem, arrays: dict[str, np.ndarray]) -> dict[str, Any]:
    numbers: dict[str, Any] = {
        "xi": [float(length) for length in problem.data.xi],
        "gain": float(problem.data.gain),
        "participation_ratio": rounded(arrays["participation-ratio"][:, :, 0], _DIGITS),
    }
    for name, values in (
        ("gate_flips", arrays["gate-flips-between"][:, 0]),
        ("field_width", arrays["field-width"][:, :, 0]),
        ("peak_share", spectral_peak(arrays["weights"][:, :, 0])[1]),
    ):
        mean, error = mean_and_error(values, arrays["diverged"])
        numbers[name] = {"mean": rounded(mean, _DIGITS), "standard_error": rounded(error, _DIGITS)}
    numbers["flat"] = (arrays["spectral-peak"][:, :, 0] == 0).sum(axis=0).tolist()
    return numbers


if __name__ == "__main__":
    for name in SWEEPS:
        folders.write("localization_sweep", name, summary(Store.open(Path(sys.argv[1])), declared(name)))
