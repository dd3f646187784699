"""The public sweep of the gain for one ReLU neuron, and the same at longer correlations, from its store.

    gdln sweep derivations/experiments/localization_sweep/localization.toml --out FOLDER
    gdln sweep derivations/experiments/localization_sweep/localization-batch.toml --out FOLDER
    python -m derivations.experiments.localization_sweep.experiment FOLDER

The last command writes what the page shows of the finished sweeps: the participation ratio of each network, and the
shares of examples on which a gate differs between two times.

One rule, fixed before its run, judges a claim on networks of its own, of the sweep's problem at two gains and t = 100:
with 99 % intervals for both gains together, the inverse participation ratio lies below 1/10 at gain 1/10 (ten sites or
more) and above 1/2 at gain 10 (fewer than two). An interval wholly on the other side refutes. Two pilots of twelve
networks had 0.055 and 0.064 with standard errors of 0.003 at the low gain, and 0.981 at the high. Controls: neither the
untrained networks nor the two gains exchanged may pass.
"""

import sys
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float

from derivations.experiments import folders
from derivations.experiments.control import control
from derivations.experiments.model import Experiment, Finding, Progress, Settings
from derivations.experiments.sized import gravest, record, sized
from derivations.output import rounded
from derivations.statistics.intervals import intervals
from derivations.sweeps.plans import sweep_id
from derivations.sweeps.store import Store
from derivations.sweeps.table import mean_and_error
from sim.measure.receptive_fields import participation_ratio, spectral_peak
from sim.train import train
from sim.training.run import Run
from theory.claims.model import CheckResult, Claim, Level
from theory.problem import InputError, Problem, Sweep, load_sweep

SWEEPS = {"localization-sweep": "localization", "localization-batch": "localization-batch"}  # stored run, file
RUNS = tuple(SWEEPS)
_DIGITS = 5  # significant digits stored of a simulated number
CLAIM, PROBLEM = "localization.gain.neuron", "localization-problem"
LOW, HIGH = Fraction(1, 10), Fraction(10)  # the gains of the claim
TEN_SITES, TWO_SITES = 0.1, 0.5
_TIMES = (Fraction(0), Fraction(100))
_NETWORKS, _LEVEL = 12, 0.01


def declared(name: str) -> Sweep:
    """The sweep of a stored run."""
    return load_sweep(str(Path(__file__).with_name(f"{SWEEPS[name]}.toml")))


def summary(store: Store, sweep: Sweep) -> dict[str, Any]:
    """Summary of a finished sweep: one entry a cell, with the versions, seed and device of its numbers.

    "participation_ratio" (networks, times); "gate_flips", (times, times), "field_width" and "peak_share", the share of
    the power at the spectral peak, (times), by mean and standard error over networks; "flat", (times), counts the
    networks with their spectral peak at frequency 0. Raises InputError where cells are missing or networks diverged.
    """
    plan = store.plan_of(sweep)
    read = [(cell, meta, arrays) for cell, meta, arrays in store.each(plan) if arrays]
    if len(read) < sweep.size:
        raise InputError(
            f"{store.folder} has {len(read)} of {sweep.size} cells.", "Finish it: gdln sweep computes the rest."
        )
    if lost := sum(meta["diverged"] for _, meta, _ in read):
        raise InputError(f"{lost} networks diverged.", "Means over the rest are other means; lower the learning rate.")
    first = read[0][1]
    return {
        "sweep": sweep_id(sweep),
        "code": plan.code,
        "versions": first["versions"],
        "device": first["device"],
        "seed": first["seed"],
        "networks": first["replicates"],
        "steps": first["steps"],
        "times": read[0][2]["times"].tolist(),
        "cells": [_cell(sweep.cell(cell.index).problem, arrays) for cell, _, arrays in read],
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


def judge(claims: Mapping[str, Claim], settings: Settings, progress: Progress) -> Finding:
    """Train neurons at both gains and apply the rule to their participation ratios, and to its controls."""
    del claims
    ratios, runs = {}, {}
    for index, gain in enumerate((LOW, HIGH)):
        runs[gain] = _neurons(gain, settings)
        ratios[gain] = participation_ratio(runs[gain].weights)[:, :, 0]
        progress("training one ReLU neuron", (index + 1) / 2)
    low, high = (ratios[gain] for gain in (LOW, HIGH))
    return Finding(
        results=(
            decide(low[:, 1], high[:, 1]),
            control(decide(low[:, 0], high[:, 0]), "untrained networks"),
            control(decide(high[:, 1], low[:, 1]), "the two gains exchanged"),
        ),
        estimates={
            CLAIM: {f"gain {gain}": record(run, "participation_ratio", ratios[gain]) for gain, run in runs.items()}
        },
    )


def decide(low: Float[np.ndarray, " S"], high: Float[np.ndarray, " S"]) -> CheckResult:
    """The rule on the inverse participation ratios of the networks at the low and at the high gain."""
    below, above = (intervals(values[:, None], _LEVEL / 2) for values in (low, high))
    outcome = gravest({below.below(TEN_SITES), above.above(TWO_SITES)})
    where = f"inverse participation ratio: {below.describe()} at gain {LOW}, {above.describe()} at gain {HIGH}"
    return CheckResult(CLAIM, Level.SIMULATED, outcome, float(below.high[0]), TEN_SITES, where)


def _neurons(gain: Fraction, settings: Settings) -> Run:
    problem = sized(PROBLEM, settings, f"{CLAIM}, gain {gain}")
    simulation = replace(problem.simulated(), replicates=settings.scale * _NETWORKS)
    training, data = replace(problem.training, times=_TIMES), replace(problem.data, gain=gain)
    return train(replace(problem, data=data, training=training, simulation=simulation), device=settings.device)


EXPERIMENT = Experiment("localization_sweep", "One ReLU neuron at two gains", (CLAIM,), judge)

if __name__ == "__main__":
    for name in SWEEPS:
        folders.write("localization_sweep", name, summary(Store.open(Path(sys.argv[1])), declared(name)))
