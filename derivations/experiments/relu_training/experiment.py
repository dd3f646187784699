"""Do the gates of ReLU units stay as they start, and do their weights keep growing?

One training, two rules, fixed before the run; times in tau, one value per replicate (the mean over its units),
intervals at 99 % for all times of a rule together.

* Gates: the share F(t) of pairs (unit, example) with 1[w(t).x >= 0] other than 1[w(0).x >= 0], on fresh examples, at
  t = 100, 200, 400, 800. The claim passes where every interval lies above 1/10 and fails where one lies below. The
  note's "relatively constant" is read as fewer than 1/10 at all times. Control: weights that keep their first
  direction and take the measured lengths must not pass.
* Growth: the ratio N(t) = |w(t)|/|w(100)| at t = 200, 400, 800. The claim passes where every interval lies below 1
  and fails where one lies above. The note's "grows" is read as N > 1 at all times. Control: the first phase,
  |w(100)|/|w(0)|, must not pass.
"""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from jaxtyping import Float

from derivations.experiments.control import control
from derivations.experiments.folders import problem_named
from derivations.experiments.model import Experiment, Finding, Progress, Settings
from derivations.statistics.comparison import seed_for
from derivations.statistics.intervals import Intervals, intervals, reading
from sim.measure import measure
from sim.train import train
from sim.training.run import Run
from theory.claims.model import CheckResult, Claim, Level
from theory.problem import FieldNormAtTimes, GateFlipsAtTimes

GATES, GROWTH = "localization.relu.gates_flip", "localization.relu.growth_stops"
PROBLEM = "relu-training"
FLIPPED, UNCHANGED = 0.1, 1.0  # the bounds of the two claims
_LEVEL = 0.01


def run(claims: Mapping[str, Claim], settings: Settings, progress: Progress) -> Finding:
    """Train once and apply both rules and their controls."""
    problem = problem_named(PROBLEM)
    count = settings.scale * problem.simulated().replicates
    simulation = replace(problem.simulated(), replicates=count, seed=seed_for(f"relu_training/{PROBLEM}"))
    trained = train(
        replace(problem, simulation=simulation),
        device=settings.device,
        progress=lambda done, total: progress("training ReLU networks, their gates", done / total),
    )
    flips = _flips(trained, settings.device)
    norms = measure(FieldNormAtTimes(), trained).values
    turned = replace(trained, parameters={**trained.parameters, "w": _scaled_only(trained.weights)})
    results = (
        decide_gates(flips),
        control(decide_gates(_flips(turned, settings.device)), "weights that only change in length"),
        decide_growth(norms),
        control(_grown(_ratios(norms[:, :2], 0)), "the first phase of growth"),
    )
    flipped, ratios = intervals(flips[:, 1:], _LEVEL), intervals(_ratios(norms, 1), _LEVEL)
    printed = {
        GATES: (flipped.below(FLIPPED), flipped),
        GROWTH: (ratios.above(UNCHANGED), ratios),
    }
    return Finding(
        results=results,
        printed={
            name: reading(claims[name].sources, outcome, found.describe())
            for name, (outcome, found) in printed.items()
            if name in claims
        },
        estimates={GATES: _record(trained, "flipped", flips), GROWTH: _record(trained, "norm", norms.mean(axis=2))},
        remarks=(_remark(trained, flipped, ratios, norms),),
    )


def decide_gates(flips: Float[np.ndarray, "S T"]) -> CheckResult:
    """The rule of the gates on the flipped shares (replicates, times), the first time being the start."""
    found = intervals(flips[:, 1:], _LEVEL)
    worst = float(found.low.min())
    return CheckResult(GATES, Level.SIMULATED, found.above(FLIPPED), worst, FLIPPED, f"flipped: {found.describe()}")


def decide_growth(norms: Float[np.ndarray, "S T K"]) -> CheckResult:
    """The rule of growth on the norms (replicates, times, units); the second time is that of reference."""
    return _grown(_ratios(norms, 1))


def _grown(ratios: Float[np.ndarray, "S T"]) -> CheckResult:
    found = intervals(ratios, _LEVEL)
    where = f"ratio of lengths: {found.describe()}"
    return CheckResult(GROWTH, Level.SIMULATED, found.below(UNCHANGED), float(found.high.max()), UNCHANGED, where)


def _ratios(norms: Float[np.ndarray, "S T K"], reference: int) -> Float[np.ndarray, "S t"]:
    """|w_k(t)|/|w_k(t_reference)| after the reference, the mean over units."""
    return (norms[:, reference + 1 :] / norms[:, reference : reference + 1]).mean(axis=2)


def _flips(trained: Run, device: str) -> Float[np.ndarray, "S T"]:
    return measure(GateFlipsAtTimes(), trained, device).values.mean(axis=2)


def _scaled_only(weights: Float[np.ndarray, "S T K n"]) -> Float[np.ndarray, "S T K n"]:
    """Weights as the note's reasoning assumes them: the first direction of every unit, with the lengths it had."""
    norms = np.linalg.norm(weights, axis=-1, keepdims=True)
    return weights[:, :1] / norms[:, :1] * norms


def _record(trained: Run, name: str, values: Float[np.ndarray, "S T"]) -> dict[str, dict[str, object]]:
    return {
        PROBLEM: {
            "times": trained.times,
            name: values.mean(axis=0),
            "standard_error": values.std(axis=0, ddof=1) / np.sqrt(len(values)),
            "replicates": len(values),
            "seed": trained.seed,
        }
    }


def _remark(trained: Run, flipped: Intervals, ratios: Intervals, norms: Float[np.ndarray, "S T K"]) -> str:
    times = ", ".join(f"{time:g}" for time in trained.times[1:])
    lengths = ", ".join(f"{norm:.3f}" for norm in norms.mean(axis=(0, 2)))
    return (
        f"ReLU gates while learning: against the start, {flipped.describe()} of the gates have flipped at t = {times} "
        f"(unrelated gates: 0.5); the mean length of w is {lengths} from t = 0 on, its ratio to that at "
        f"t = {trained.times[1]:g} afterwards {ratios.describe()}. Weights that grew uniformly would flip no gate."
    )


EXPERIMENT = Experiment("relu_training", "Gates and weights of ReLU units while they learn", (GATES, GROWTH), run)
