"""The growing distance between a ReLU network and the gated linear network with its initial gates.

Both start at w_1 = e_i/10 = -w_2, where the gates of the ReLU units are the site gate and its complement. The gated
network keeps these gates and is predicted exactly; the ReLU network's gates move with its weights. No claim says
that the two agree, so nothing passes here: the distance is measured and stated.
"""

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction

import numpy as np

from derivations.experiments.folders import problem_named
from derivations.experiments.model import Experiment, Finding, Progress, Settings
from derivations.statistics.comparison import seed_for
from sim.train import train
from theory.claims.model import Claim
from theory.flow.linear.descent import discrete
from theory.problem import Network, Problem

PROBLEMS = ("small-bump", "small-bump-reversed")
_BESIDE = "flow.descent.weights"  # the claim whose figure this completes
_REPLICATES = 16
_START = Fraction(1, 10)


def run(claims: Mapping[str, Claim], settings: Settings, progress: Progress) -> Finding:
    """Train a ReLU network of two units for each order of the lengths and state its distance to the prediction."""
    del claims
    fields: dict[str, np.ndarray] = {}
    remarks: list[str] = []
    for index, name in enumerate(PROBLEMS):
        gated = _starting_at_the_site(problem_named(name))
        simulation = replace(gated.simulated(), replicates=_REPLICATES, seed=seed_for(f"relu_beside/{name}"))
        relu = replace(gated, network=Network("relu", gated.network.readout, 2), simulation=simulation)
        trained = train(
            relu,
            device=settings.device,
            progress=lambda done, total, index=index: progress(
                "training ReLU networks beside", (index + done / total) / len(PROBLEMS)
            ),
        )
        weights = trained.weights[trained.surviving()]
        fields[name] = weights[:, -1].mean(axis=0)
        remarks.append(_remark(name, gated, weights, discrete(gated).weights))
    return Finding(figures={"relu_beside": fields}, remarks=tuple(remarks))


def _starting_at_the_site(problem: Problem) -> Problem:
    site, n = problem.network.gates[0].site, problem.data.n
    row = tuple(_START if j == site else Fraction(0) for j in range(n))
    rows = (row, tuple(-entry for entry in row))
    return replace(problem, training=replace(problem.training, w0=rows))


def _remark(name: str, gated: Problem, weights: np.ndarray, prediction: np.ndarray) -> str:
    """|mean w_relu - w_gated|/|w_gated| at each time, with its jackknife standard error over replicates."""
    count = len(weights)
    whole = _distance(weights.mean(axis=0), prediction)
    without = np.stack([_distance(np.delete(weights, s, axis=0).mean(axis=0), prediction) for s in range(count)])
    error = np.sqrt((count - 1) * without.var(axis=0))
    listed = ", ".join(
        f"{value:.3f} ± {se:.3f} at $t = {float(time):g}$"
        for value, se, time in zip(whole, error, gated.training.times, strict=True)
    )
    return (
        f"ReLU beside gated linear ({name}, {count} replicates, both from $e_i/10$ and $-e_i/10$): relative "
        f"distance of the mean trained ReLU weights to the gated linear prediction {listed}. No claim says that it "
        "vanishes."
    )


def _distance(weights: np.ndarray, prediction: np.ndarray) -> np.ndarray:
    return np.linalg.norm(weights - prediction, axis=(1, 2)) / np.linalg.norm(prediction, axis=(1, 2))


EXPERIMENT = Experiment("relu_beside", "ReLU networks beside gated linear ones", (_BESIDE,), run)
