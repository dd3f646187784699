"""Do the two orders of the lengths differ in ReLU networks with trained biases as they do without?

Decision rule, fixed before the run: the contrast of a horizon is the low-frequency share of power of the fields (one
value per replicate, the mean over its units) for xi1 > xi2 less that for xi1 < xi2. With and without biases, at three
horizons, the six 99 % intervals (Welch's, for all of them together) must all exclude 0 on the same side. At one
horizon on opposite sides refutes; anything else is inconclusive. Both kinds start from the same weights, the biases
from 0, at the same rate. Eight replicates of a pilot had contrasts of 0.6 to 0.98 and a standard error of at most
0.02, so that as many suffice by far.

Controls, none of which may pass: the untrained networks (t = 0); biases that exchange what the two orders do (the
fields with biases, exchanged); and sigmoid networks without biases beside those with biases, for there the notes say
that the biases cannot be removed.
"""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from jaxtyping import Float

from derivations.experiments.control import control
from derivations.experiments.model import Experiment, Finding, Progress, Settings
from derivations.experiments.sized import mean_and_error, record, sized
from derivations.statistics.intervals import Intervals, difference
from sim.measure import measure
from sim.train import train
from sim.training.run import Run
from theory.claims.model import CheckResult, Claim, Level, Outcome
from theory.problem import LowFrequencyPowerAtTimes, Network, ParticipationRatioAtTimes, Problem

CLAIM = "localization.relu.biases_removed"
LONG, SHORT = "relu-long-biases", "relu-short-biases"
WITH, WITHOUT, SIGMOID = "relu, biases", "relu, no biases", "sigmoid, no biases"
_LEVEL = 0.01

Shares = Mapping[str, Float[np.ndarray, "S T"]]  # by problem


def run(claims: Mapping[str, Claim], settings: Settings, progress: Progress) -> Finding:
    """Train both orders with and without biases, and sigmoid networks without, and apply the rule."""
    del claims
    runs: dict[str, dict[str, Run]] = {WITH: {}, WITHOUT: {}, SIGMOID: {}}
    for index, (kind, name) in enumerate((kind, name) for kind in runs for name in (LONG, SHORT)):
        runs[kind][name] = train(
            _problem(kind, name, settings),
            device=settings.device,
            progress=lambda done, total, index=index: progress(
                "training ReLU networks with biases", (index + done / total) / 6
            ),
        )
    shares = {kind: {name: _low(one) for name, one in orders.items()} for kind, orders in runs.items()}
    learned = {kind: _at(orders, slice(1, None)) for kind, orders in shares.items()}
    start = {kind: _at(orders, slice(0, 1)) for kind, orders in shares.items()}
    exchanged = {LONG: learned[WITH][SHORT], SHORT: learned[WITH][LONG]}
    return Finding(
        results=(
            decide(learned[WITH], learned[WITHOUT]),
            control(decide(start[WITH], start[WITHOUT]), "untrained networks"),
            control(decide(exchanged, learned[WITHOUT]), "biases that exchange the two orders"),
            control(decide(learned[WITH], learned[SIGMOID]), "sigmoid networks without biases"),
        ),
        estimates={
            CLAIM: {
                kind: {name: record(runs[kind][name], "low_frequency_power", of) for name, of in orders.items()}
                for kind, orders in shares.items()
            }
        },
        remarks=(_remark(runs, shares),),
    )


def decide(with_biases: Shares, without: Shares) -> CheckResult:
    """The rule of this experiment on the shares (replicates, horizons) of both orders, with and without biases."""
    horizons = with_biases[LONG].shape[1]
    bands = [contrasts(shares, _LEVEL / (2 * horizons)) for shares in (with_biases, without)]
    sides = np.array([np.where(one.low > 0, 1, np.where(one.high < 0, -1, 0)) for one in bands])
    if (sides[0] * sides[1] < 0).any():
        outcome = Outcome.FAIL
    else:
        outcome = Outcome.PASS if abs(sides.sum()) == sides.size else Outcome.INCONCLUSIVE
    side = np.sign(sides.sum()) or 1
    nearest = float(min((one.low if side > 0 else -one.high).min() for one in bands))
    where = f"contrast with biases {bands[0].describe()}; without {bands[1].describe()}"
    return CheckResult(CLAIM, Level.SIMULATED, outcome, nearest, 0.0, where)


def contrasts(shares: Shares, level: float) -> Intervals:
    """Welch's intervals for the difference of the means of both orders; each misses with probability `level`."""
    both = [shares[name] for name in (LONG, SHORT)]
    means, errors = zip(*map(mean_and_error, both), strict=True)
    return difference(means, errors, [len(values) for values in both], level)


def _problem(kind: str, name: str, settings: Settings) -> Problem:
    """The registered problem; without biases, for ReLU or sigmoid units, it is the same in all else."""
    problem = sized(name, settings, f"{CLAIM}/{kind}/{name}")
    if kind == WITH:
        return problem
    network = Network(kind.partition(",")[0], problem.network.readout, problem.network.units)
    training = replace(problem.training, hidden_bias0=None, output_bias0=None)
    return replace(problem, network=network, training=training)


def _low(trained: Run) -> Float[np.ndarray, "S T"]:
    return measure(LowFrequencyPowerAtTimes(), trained).values.mean(axis=2)


def _at(shares: Shares, times: slice) -> Shares:
    return {name: values[:, times] for name, values in shares.items()}


def _remark(runs: Mapping[str, Mapping[str, Run]], shares: Mapping[str, Shares]) -> str:
    parts = []
    for kind, orders in runs.items():
        low = [f"{shares[kind][name][:, -1].mean():.3f}" for name in (LONG, SHORT)]
        ratio = [f"{measure(ParticipationRatioAtTimes(), orders[name]).values[:, -1].mean():.3f}" for name in orders]
        parts.append(f"{kind}: {' and '.join(low)} (inverse participation ratio {' and '.join(ratio)})")
    end = float(runs[WITH][LONG].times[-1])
    return (
        rf"Biases of ReLU networks: low-frequency share at $t = {end:g}$ for $\xi_1 > \xi_2$ and $\xi_1 < \xi_2$, "
        f"{'; '.join(parts)}. "
        "The orders differ with biases as without for ReLU units, and not without biases for sigmoid units."
    )


EXPERIMENT = Experiment("relu_biases", "ReLU networks with and without biases", (CLAIM,), run)
