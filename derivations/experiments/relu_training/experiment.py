"""Do the gates of ReLU units stay as they start, and where do their weights gather?

One training, xi = (2, 1), and two rules, fixed before the run; times in tau, one value per replicate (the mean over its
units), intervals at 99 % for all times of a rule together. A rule passes where every interval lies on the claimed side
of its bound, and fails where one lies on the other side.

* Gates: the share F(t) of pairs (unit, example) with 1[w(t).x >= 0] other than 1[w(0).x >= 0], on fresh
  examples, at t = 100, 200, 400, 800, lies above 1/10. Control: weights that keep their first direction and take the
  measured lengths.
* Place: the share of units whose largest |w_i| at t = 800 is at most two sites from that at t = 100 lies
  above 1/2. Control: the largest |w_i| at t = 0 in place of that at t = 100.

A pilot on other seeds preceded the second rule: a share of 0.71 between t = 100 and 1600.
"""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from jaxtyping import Float

from derivations.experiments.control import control
from derivations.experiments.model import Experiment, Finding, Progress, Settings
from derivations.experiments.sized import record, sized
from derivations.statistics.intervals import Intervals, intervals
from sim.measure import measure
from sim.measure.receptive_fields import participation_ratio
from sim.train import train
from sim.training.run import Run
from theory.claims.model import CheckResult, Claim, Level
from theory.problem import FieldNormAtTimes, GateFlipsAtTimes

GATES, PLACE = "localization.relu.gates_flip", "localization.relu.around_mode"
PROBLEM = "relu-training"
FLIPPED, MOSTLY = 0.1, 0.5  # the bounds of the claims
NEAR = 2  # sites
_EARLY = 1  # the time of reference, t = 100
_LEVEL = 0.01


def run(claims: Mapping[str, Claim], settings: Settings, progress: Progress) -> Finding:
    """Train and apply the rules and their controls."""
    del claims
    trained = train(
        sized(PROBLEM, settings, f"relu_training/{PROBLEM}"),
        device=settings.device,
        progress=lambda done, total: progress("training ReLU networks, their gates", done / total),
    )
    flips, norms = _flips(trained, settings.device), measure(FieldNormAtTimes(), trained).values
    turned = replace(trained, parameters={**trained.parameters, "w": _scaled_only(trained.weights)})
    results = (
        decide_gates(flips),
        control(decide_gates(_flips(turned, settings.device)), "weights that only change in length"),
        decide_place(_near(trained.weights[:, _EARLY], trained.weights[:, -1])),
        control(decide_place(_near(trained.weights[:, 0], trained.weights[:, -1])), "the largest weight at the start"),
    )
    return Finding(
        results=results,
        estimates={
            GATES: {PROBLEM: record(trained, "flipped", flips)},
            PLACE: {PROBLEM: record(trained, "participation_ratio", participation_ratio(trained.weights).mean(axis=2))},
        },
        remarks=(_remark(trained, flips, norms),),
    )


def decide_gates(flips: Float[np.ndarray, "S T"]) -> CheckResult:
    """The rule of the gates on the flipped shares (replicates, times), the first time being the start."""
    return _decided(GATES, intervals(flips[:, 1:], _LEVEL), FLIPPED, "flipped")


def decide_place(shares: Float[np.ndarray, " S"]) -> CheckResult:
    """The rule of the place on the shares of units that keep it."""
    return _decided(PLACE, intervals(shares[:, None], _LEVEL), MOSTLY, f"within {NEAR} sites")


def _decided(claim: str, band: Intervals, bound: float, what: str) -> CheckResult:
    where = f"{what}: {band.describe()}"
    return CheckResult(claim, Level.SIMULATED, band.above(bound), float(band.low.min()), bound, where)


def _near(early: Float[np.ndarray, "S K n"], late: Float[np.ndarray, "S K n"]) -> Float[np.ndarray, " S"]:
    """The share of units whose largest |w_i| has moved by at most `NEAR` sites along the ring."""
    n = early.shape[-1]
    moved = np.abs(np.abs(early).argmax(axis=-1) - np.abs(late).argmax(axis=-1))
    return (np.minimum(moved, n - moved) <= NEAR).mean(axis=1)


def _flips(trained: Run, device: str) -> Float[np.ndarray, "S T"]:
    return measure(GateFlipsAtTimes(), trained, device).values.mean(axis=2)


def _scaled_only(weights: Float[np.ndarray, "S T K n"]) -> Float[np.ndarray, "S T K n"]:
    """Weights that grow uniformly: the first direction of every unit, with the lengths it had."""
    norms = np.linalg.norm(weights, axis=-1, keepdims=True)
    return weights[:, :1] / norms[:, :1] * norms


def _remark(trained: Run, flips: Float[np.ndarray, "S T"], norms: Float[np.ndarray, "S T K"]) -> str:
    times = ", ".join(f"{time:g}" for time in trained.times[1:])
    flipped = intervals(flips[:, 1:], _LEVEL).describe()
    lengths = ", ".join(f"{norm:.3f}" for norm in norms.mean(axis=(0, 2)))
    return (
        f"ReLU gates while learning, lengths (2, 1): against the start, {flipped} of the gates have flipped at "
        f"$t =$ {times} (unrelated gates: 0.5). The mean length of $w$ is {lengths} from $t = 0$ on."
    )


EXPERIMENT = Experiment("relu_training", "Gates and weights of ReLU units while they learn", (GATES, PLACE), run)
