"""Does a sigmoid network without biases learn anything, where a ReLU network without biases does?

Decision rule, fixed before the run: one value of <(y - yhat)^2> per replicate on fresh examples at t = 1000 and 2000;
both simultaneous 99 % intervals must lie within 1 % of 1/4, the error of the constant output 1/2. One wholly outside
refutes; anything else is inconclusive. Fresh batches keep the weights moving, which leaves a small error above 1/4.
Controls: neither the same networks at t = 0 nor ReLU networks on the same problem may pass.
"""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from jaxtyping import Float

from derivations.experiments.control import control
from derivations.experiments.model import Experiment, Finding, Progress, Settings
from derivations.experiments.sized import mean_and_error, sized
from derivations.statistics.intervals import intervals
from sim.measure import measure
from sim.train import train
from theory.claims.model import CheckResult, Claim, Level, Outcome
from theory.problem import LossAtTimes, Network

CLAIM = "localization.sigmoid.no_biases"
PROBLEM = "sigmoid-no-biases"
UNLEARNED, MARGIN = 0.25, 0.0025
_LEVEL = 0.01


def run(claims: Mapping[str, Claim], settings: Settings, progress: Progress) -> Finding:
    """Train sigmoid networks and, as a control, ReLU networks on the same problem, and apply the rule."""
    del claims
    losses = {}
    for index, model in enumerate(("sigmoid", "relu")):
        problem = sized(PROBLEM, settings, f"sigmoid_training/{model}")
        network = Network(model, problem.network.readout, problem.network.units)
        trained = train(replace(problem, network=network), device=settings.device)
        losses[model] = measure(LossAtTimes(), trained, settings.device).values
        progress("training sigmoid networks without biases", (index + 1) / 2)
    learned = losses["sigmoid"]
    return Finding(
        results=(
            decide(learned[:, 1:]),
            control(decide(learned[:, :1]), "untrained networks"),
            control(decide(losses["relu"][:, 1:]), "ReLU networks"),
        ),
        estimates={CLAIM: {name: _record(values) for name, values in losses.items()}},
        remarks=(_remark(losses),),
    )


def decide(losses: Float[np.ndarray, "S T"]) -> CheckResult:
    """The rule of this experiment on the errors (replicates, times)."""
    band = intervals(losses, _LEVEL)
    low, high = UNLEARNED - MARGIN, UNLEARNED + MARGIN
    if (band.high < low).any() or (band.low > high).any():
        outcome = Outcome.FAIL
    else:
        within = (band.low > low).all() and (band.high < high).all()
        outcome = Outcome.PASS if within else Outcome.INCONCLUSIVE
    farthest = float(max(band.high.max() - UNLEARNED, UNLEARNED - band.low.min()))
    return CheckResult(CLAIM, Level.SIMULATED, outcome, farthest, MARGIN, f"squared error: {band.describe(5)}")


def _record(losses: Float[np.ndarray, "S T"]) -> dict[str, object]:
    mean, error = mean_and_error(losses)
    return {"loss": mean, "standard_error": error, "replicates": len(losses)}


def _remark(losses: Mapping[str, Float[np.ndarray, "S T"]]) -> str:
    ends = {name: f"{values[:, -1].mean():.4f} (from {values[:, 0].mean():.4f})" for name, values in losses.items()}
    return (
        f"Networks without biases on one problem: the squared error ends at {ends['sigmoid']} for sigmoid units, whose "
        f"best is exactly 1/4, and at {ends['relu']} for ReLU units."
    )


EXPERIMENT = Experiment("sigmoid_training", "Sigmoid networks without biases", (CLAIM,), run)
