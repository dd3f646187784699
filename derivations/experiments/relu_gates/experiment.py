"""How far are three asymptotic forms of E[1[w.x >= 0] x_k] from sampled data, by weights and gain?

The data are those of the simulator's sampler, the gate its direction gate on the input. The number is the largest
absolute error over the sites k; the data have one class, n = 40, xi = 2, on the open line, unit variance.

Stored for the page, by `python -m derivations.experiments.relu_gates.experiment`.
"""

from collections.abc import Mapping
from fractions import Fraction
from importlib.metadata import version
from math import exp
from typing import Any

import numpy as np
import torch

from derivations.experiments import folders
from derivations.experiments.sized import mean_and_error
from derivations.output import DISTRIBUTION
from sim.data.sample import prepare
from sim.gates.gating import opens
from sim.random.streams import MEASUREMENT, stream
from sim.training.backends.choice import fastest_normals
from theory.moments import relu_gates
from theory.moments.directions import same_sign_on_latent
from theory.problem import DirectionGate, NonlinearGP

NAME = "relu-gates"
RUNS = (NAME,)
N, XI = 40, 2
GAINS = (Fraction(1, 20), Fraction(3), Fraction(100))
REPLICATES, SAMPLES, CHUNK = 64, 250_000, 50_000
SEED = 20


def _bump(spread: int) -> dict[int, Fraction]:
    """exp(-(k - 20)^2/(2 spread)), to six decimals."""
    sizes = {site: round(10**6 * exp(-((site - 20) ** 2) / (2 * spread))) for site in range(N)}
    return {site: Fraction(size, 10**6) for site, size in sizes.items() if size}


WEIGHTS: Mapping[str, dict[int, Fraction]] = {
    "flat": {site: Fraction(1) for site in range(N)},
    "Gaussian bump, sd 5": _bump(25),
    "narrow bump, sd 2.2": _bump(5),
    "e_20 + e_22/2": {20: Fraction(1), 22: Fraction(1, 2)},
}


def run() -> dict[str, Any]:
    """One row for each weights and gain: the errors, and the largest standard error of a sampled mean."""
    return {
        "versions": {DISTRIBUTION: version(DISTRIBUTION), "torch": torch.__version__},
        "what": f"largest |form - sampled| over k of E[1[w.x >= 0] x_k]; n = {N}, xi = {XI}, unit variance",
        "replicates": REPLICATES,
        "samples": SAMPLES,
        "seed": SEED,
        "rows": [row for gain in GAINS for row in rows(gain, tuple(WEIGHTS), REPLICATES, SAMPLES)],
    }


def rows(gain: Fraction, names: tuple[str, ...], replicates: int, samples: int) -> list[dict[str, Any]]:
    """The rows of one gain; `samples` examples for each of the replicates."""
    means = sampled(gain, names, replicates, samples)
    return [row(gain, name, *mean_and_error(means[name])) for name in names]


def row(gain: Fraction, name: str, mean: np.ndarray, error: np.ndarray) -> dict[str, Any]:
    """The errors of the forms, and of the exact value where there is one."""
    law, w = _law(gain), WEIGHTS[name]
    forms = (relu_gates.latent_direction, relu_gates.clt, relu_gates.large_gain)
    predictions = {moment.form: moment.value for moment in (form(law, 0, w) for form in forms)}
    if len(w) <= 2 or same_sign_on_latent(tuple(w.items())):
        predictions["exact"] = relu_gates.exact_moment(law, 0, w).value
    return {
        "weights": name,
        "gain": str(gain),
        "largest": float(np.abs(mean).max()),
        "standard_error": float(error.max()),
        "errors": {form: float(np.abs(value - mean).max()) for form, value in predictions.items()},
    }


def sampled(gain: Fraction, names: tuple[str, ...], replicates: int, samples: int) -> dict[str, np.ndarray]:
    """Means of (g - 1/2) x over the examples of each replicate, (R, n); E x = 0, and 1/2 halves the variance."""
    cpu = torch.device("cpu")
    sampler = prepare(_law(gain), cpu, torch.float64)
    gates = {name: DirectionGate(WEIGHTS[name], lo=0, on="input") for name in names}
    means = {name: np.zeros((replicates, N)) for name in names}
    for replicate in range(replicates):
        source = stream(SEED, replicate, MEASUREMENT, fill=fastest_normals(cpu))
        for start in range(0, samples, CHUNK):
            data = sampler.draw([source], min(CHUNK, samples - start))
            for name, gate in gates.items():
                signs = opens(gate, data)[0].to(data.x.dtype) - 0.5
                means[name][replicate] += (signs @ data.x[0]).numpy() / samples
    return means


def _law(gain: Fraction) -> NonlinearGP:
    return NonlinearGP(N, (Fraction(XI), Fraction(XI)), gain, "open", "unit-variance", (Fraction(1), Fraction(0)))


if __name__ == "__main__":
    folders.write("relu_gates", NAME, run())
