"""The effect of the gates of a ReLU network, measured by gated-linear networks with its recorded gates.

The registered ReLU problem is trained with its gates recorded. Gated-linear networks then start from the same weights
and see the same examples, with the gates of the start, those of the end, or those of the last of 2, 4, 8 equally spaced
times. The distances are measured, with simultaneous 99 % bands, and stored:
`python -m derivations.experiments.replayed_gates.experiment` does that; `gdln derive` shows them.

One rule, fixed before its run, judges a claim: with the gates of the end, the relative distance of the losses at
t = 800 lies below 1/100 with its whole 99 % band; a band wholly above refutes. Control: the gates of the start must
not pass.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from importlib.metadata import version

import numpy as np

from derivations.experiments import folders
from derivations.experiments.control import control
from derivations.experiments.folders import problem_named
from derivations.experiments.model import Experiment, Finding, Progress, Settings
from derivations.experiments.sized import mean_and_error
from derivations.experiments.sized import record as evidence
from derivations.output import DISTRIBUTION, plain, rounded
from derivations.statistics.comparison import seed_for
from derivations.statistics.validity import Meter, meter, network_meter, variance_reduction
from sim.measure import measure
from sim.record import loss, record, replay
from sim.train import train
from sim.training.run import Run
from theory.claims.model import CheckResult, Claim, Level, Outcome
from theory.problem import (
    GateFlipsBetweenTimes,
    LossAtTimes,
    ParticipationRatioAtTimes,
    Problem,
    dumps,
)

NAME, PROBLEM = "replayed-gates", "relu-training"
RUNS = (NAME,)
PIECES = (2, 4, 8)
LEVEL, MARGIN = 0.01, 0.25
CLAIM, SAME_LOSS = "localization.relu.replayed_gates", 0.01
_INTERVALS = 8  # the number of equal intervals at whose ends the gates are recorded
_END = Fraction(800)
_SIGNIFICANT = 6  # digits stored of a simulated number


def problem() -> Problem:
    """Return the registered problem with a measurement after each eighth of the training."""
    base = problem_named(PROBLEM)
    times = tuple(_END * index / _INTERVALS for index in range(_INTERVALS + 1))
    simulation = replace(base.simulated(), seed=seed_for(f"replayed_gates/{PROBLEM}"))
    return replace(base, training=replace(base.training, times=times), simulation=simulation)


def run(question: Problem, device: str = "auto", progress: Callable[[str], None] = lambda _what: None) -> dict:
    """Train, record, replay and measure; `progress` receives the name of the next step. The times start at 0."""
    progress("the ReLU network")
    network = train(question, device)
    gates = record(network)
    flips = measure(GateFlipsBetweenTimes(), network, device).values.mean(axis=1)
    lost = measure(LossAtTimes(), network, device).values
    ratios = {"ReLU": _ratios(network, device)}
    losses, apart, reductions = {"ReLU": lost}, {}, {}
    for name, (mode, times) in _replays(question).items():
        progress(f"gates {name}")
        chosen = gates.at(*times)
        again = replay(question, chosen, mode, device=device)
        losses[name] = loss(again, chosen, device).values
        ratios[name] = _ratios(again, device)
        apart[name] = again.weights
        reductions[name] = variance_reduction(losses[name][:, -1], lost[:, -1])
    distances = _meters(question, network, apart)
    same = {
        what: {name: _beside(question, values, data["ReLU"]) for name, values in data.items() if name != "ReLU"}
        for what, data in (("loss", losses), ("participation ratio", ratios))
    }
    return {
        "problem": dumps(question),
        "seed": network.seed,
        "replicates": len(gates.replicates),
        "level": LEVEL,
        "margin": MARGIN,
        "versions": {DISTRIBUTION: version(DISTRIBUTION)},
        **_data(question, flips, losses, ratios, distances, same, reductions),
    }


def _replays(question: Problem) -> dict[str, tuple[str, tuple[Fraction, ...]]]:
    times = question.training.times
    replays = {"of the start": ("frozen", times[:1]), "of the end": ("frozen", times[-1:])}
    last = len(times) - 1
    for pieces in PIECES:
        replays[f"in {pieces} pieces"] = ("piecewise", tuple(times[last * i // pieces] for i in range(pieces)))
    return replays


def _meters(question: Problem, network: Run, apart: Mapping[str, np.ndarray]) -> dict[str, Meter]:
    times = [float(time) for time in question.training.times]
    return {name: network_meter(times, weights, network.weights, LEVEL) for name, weights in apart.items()}


def _beside(question: Problem, values: np.ndarray, reference: np.ndarray) -> Meter:
    return meter([float(time) for time in question.training.times], values, reference, LEVEL)


def _ratios(run: Run, device: str) -> np.ndarray:
    return measure(ParticipationRatioAtTimes(), run, device).values.mean(axis=2)


def _data(
    question: Problem,
    flips: np.ndarray,
    losses: Mapping,
    ratios: Mapping,
    distances: Mapping,
    same: Mapping,
    reductions: Mapping,
) -> dict:
    def mean(values: np.ndarray) -> dict:
        return dict(zip(("mean", "standard_error"), mean_and_error(values), strict=True))

    data = {
        "times": [float(time) for time in question.training.times],
        "flips": mean(flips),
        "loss": {name: mean(values) for name, values in losses.items()},
        "participation_ratio": {name: mean(values) for name, values in ratios.items()},
        "weight_distance": {name: _band(one) for name, one in distances.items()},
        "loss_distance": {name: _band(one) for name, one in same["loss"].items()},
        "participation_ratio_distance": {name: _band(one) for name, one in same["participation ratio"].items()},
        "variance_reduction": {name: vars(one) for name, one in reductions.items()},
    }
    return rounded(plain(data), _SIGNIFICANT)


def _band(one: Meter) -> dict:
    departure = one.departure(MARGIN)
    numbers = {name: getattr(one, name) for name in ("plain", "distance", "low", "high")}
    return {**numbers, "departs": departure.time, "departs_no_earlier_than": departure.earliest}


def judge(claims: Mapping[str, Claim], settings: Settings, progress: Progress) -> Finding:
    """Train ReLU networks, replay the gates of their end and of their start, and apply the rule to both."""
    del claims
    base = problem()
    simulation = base.simulated()
    count, seed = settings.scale * simulation.replicates, seed_for(f"{CLAIM}/{PROBLEM}")
    question = replace(
        base,
        training=replace(base.training, times=(Fraction(0), _END)),
        simulation=replace(simulation, replicates=count, seed=seed),
    )
    network = train(question, settings.device)
    gates = record(network)
    lost = measure(LossAtTimes(), network, settings.device).values
    decisions = {}
    for number, time in enumerate((_END, Fraction(0)), start=1):
        progress("replaying the gates of ReLU networks", number / 3)
        chosen = gates.at(time)
        again = replay(question, chosen, device=settings.device)
        decisions[time] = decide(_beside(question, loss(again, chosen, settings.device).values, lost))
    return Finding(
        results=(
            decisions[_END],
            control(decisions[Fraction(0)], f"the gates of the start: {decisions[Fraction(0)].where}"),
        ),
        estimates={CLAIM: {PROBLEM: evidence(network, "loss", lost)}},
    )


def decide(distance: Meter) -> CheckResult:
    """The rule on the distance of the losses, at its last time."""
    middle, low, high = (float(values[-1]) for values in (distance.distance, distance.low, distance.high))
    outcome = Outcome.PASS if high < SAME_LOSS else Outcome.FAIL if low > SAME_LOSS else Outcome.INCONCLUSIVE
    where = f"relative distance of the losses: {middle:.4f} ({low:.4f} to {high:.4f})"
    return CheckResult(CLAIM, Level.SIMULATED, outcome, high, SAME_LOSS, where)


EXPERIMENT = Experiment("replayed_gates", "Gates of ReLU networks, replayed", (CLAIM,), judge)

if __name__ == "__main__":
    folders.write("replayed_gates", NAME, run(problem(), progress=print))
