"""Do the gates of ReLU units stay as they start, do their weights grow, and where do they gather?

Two trainings, which differ in the order of the two lengths, and four rules, fixed before the run; times in tau, one
value per replicate (the mean over its units), intervals at 99 % for all times of a rule together. A rule passes where
every interval lies on the claimed side of its bound, and fails where one lies on the other side.

* Gates, xi = (2, 1): the share F(t) of pairs (unit, example) with 1[w(t).x >= 0] other than 1[w(0).x >= 0], on fresh
  examples, at t = 100, 200, 400, 800, lies above 1/10. Control: weights that keep their first direction and take the
  measured lengths.
* Growth that stops, xi = (2, 1): the ratio |w(t)|/|w(100)| at t = 200, 400, 800 lies below 1. Control: the first phase,
  |w(100)|/|w(0)|.
* Growth that goes on, xi = (1, 2): the ratio |w(t)|/|w(t/2)| at t = 200, 400, 800 lies above 1. Control: the weights of
  xi = (2, 1).
* Place, xi = (2, 1): the share of units whose largest |w_i| at t = 800 is at most two sites from that at t = 100 lies
  above 1/2. Control: the largest |w_i| at t = 0 in place of that at t = 100.

A pilot on other seeds preceded the last two rules: ratios of 1.27, 1.24 and 1.16, and a share of 0.71 between t = 100
and 1600.
"""

from collections.abc import Callable, Mapping
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

GATES, STOPS = "localization.relu.gates_flip", "localization.relu.growth_stops"
GOES_ON, PLACE = "localization.relu.growth_goes_on", "localization.relu.around_mode"
PROBLEM = "relu-training"
FLIPPED, UNCHANGED, MOSTLY = 0.1, 1.0, 0.5  # the bounds of the claims
NEAR = 2  # sites
_EARLY = 1  # the time of reference, t = 100
_LEVEL = 0.01


def run(claims: Mapping[str, Claim], settings: Settings, progress: Progress) -> Finding:
    """Train in both orders of the lengths and apply the rules and their controls."""
    del claims
    long, short = (_trained(exchanged, settings, progress) for exchanged in (False, True))
    flips = _flips(long, settings.device)
    norms, longer = (measure(FieldNormAtTimes(), trained).values for trained in (long, short))
    turned = replace(long, parameters={**long.parameters, "w": _scaled_only(long.weights)})
    results = (
        decide_gates(flips),
        control(decide_gates(_flips(turned, settings.device)), "weights that only change in length"),
        decide_stops(_ratios(norms[:, _EARLY:])),
        control(decide_stops(_ratios(norms[:, : _EARLY + 1])), "the first phase of growth"),
        decide_goes_on(_doublings(longer)),
        control(decide_goes_on(_doublings(norms)), "the weights for lengths (2, 1)"),
        decide_place(_near(long.weights[:, _EARLY], long.weights[:, -1])),
        control(decide_place(_near(long.weights[:, 0], long.weights[:, -1])), "the largest weight at the start"),
    )
    return Finding(
        results=results,
        estimates={
            GATES: {PROBLEM: record(long, "flipped", flips)},
            STOPS: {PROBLEM: record(long, "norm", norms.mean(axis=2))},
            GOES_ON: {f"{PROBLEM}, lengths exchanged": record(short, "norm", longer.mean(axis=2))},
            PLACE: {PROBLEM: record(long, "participation_ratio", participation_ratio(long.weights).mean(axis=2))},
        },
        remarks=(_remark(long, flips, norms, longer),),
    )


def decide_gates(flips: Float[np.ndarray, "S T"]) -> CheckResult:
    """The rule of the gates on the flipped shares (replicates, times), the first time being the start."""
    return _decided(GATES, intervals(flips[:, 1:], _LEVEL), FLIPPED, "flipped")


def decide_stops(ratios: Float[np.ndarray, "S T"]) -> CheckResult:
    """The rule of growth that stops on the lengths relative to that of the time of reference."""
    band = intervals(ratios, _LEVEL)
    where = f"ratio of lengths: {band.describe()}"
    return CheckResult(STOPS, Level.SIMULATED, band.below(UNCHANGED), float(band.high.max()), UNCHANGED, where)


def decide_goes_on(ratios: Float[np.ndarray, "S T"]) -> CheckResult:
    """The rule of growth that goes on, on the lengths relative to those at half of the time."""
    return _decided(GOES_ON, intervals(ratios, _LEVEL), UNCHANGED, "ratio of lengths to those at half of the time")


def decide_place(shares: Float[np.ndarray, " S"]) -> CheckResult:
    """The rule of the place on the shares of units that keep it."""
    return _decided(PLACE, intervals(shares[:, None], _LEVEL), MOSTLY, f"within {NEAR} sites")


def _decided(claim: str, band: Intervals, bound: float, what: str) -> CheckResult:
    where = f"{what}: {band.describe()}"
    return CheckResult(claim, Level.SIMULATED, band.above(bound), float(band.low.min()), bound, where)


def _trained(exchanged: bool, settings: Settings, progress: Progress) -> Run:
    """The networks of the registered problem, or of that with the two lengths exchanged."""
    problem = sized(PROBLEM, settings, f"relu_training/{PROBLEM}{', lengths exchanged' if exchanged else ''}")
    if exchanged:
        problem = replace(problem, data=replace(problem.data, xi=problem.data.xi[::-1]))
    return train(problem, device=settings.device, progress=_half(progress, exchanged))


def _half(progress: Progress, second: bool) -> Callable[[int, int], None]:
    return lambda done, total: progress("training ReLU networks, their gates", (second + done / total) / 2)


def _ratios(norms: Float[np.ndarray, "S T K"]) -> Float[np.ndarray, "S t"]:
    """|w_k(t)|/|w_k(t_first)| after the first time, the mean over units."""
    return (norms[:, 1:] / norms[:, :1]).mean(axis=2)


def _doublings(norms: Float[np.ndarray, "S T K"]) -> Float[np.ndarray, "S t"]:
    """|w_k(t)|/|w_k(t/2)| after the time of reference, the mean over units; each time is twice the one before."""
    return (norms[:, _EARLY + 1 :] / norms[:, _EARLY:-1]).mean(axis=2)


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


def _remark(
    trained: Run,
    flips: Float[np.ndarray, "S T"],
    norms: Float[np.ndarray, "S T K"],
    longer: Float[np.ndarray, "S T K"],
) -> str:
    times = ", ".join(f"{time:g}" for time in trained.times[1:])
    flipped = intervals(flips[:, 1:], _LEVEL).describe()
    lengths, exchanged = (", ".join(f"{norm:.3f}" for norm in of.mean(axis=(0, 2))) for of in (norms, longer))
    return (
        f"ReLU gates while learning, lengths (2, 1): against the start, {flipped} of the gates have flipped at "
        f"$t =$ {times} (unrelated gates: 0.5). The mean length of $w$ is {lengths} from $t = 0$ on; with the lengths "
        f"exchanged it is {exchanged}."
    )


EXPERIMENT = Experiment(
    "relu_training", "Gates and weights of ReLU units while they learn", (GATES, STOPS, GOES_ON, PLACE), run
)
