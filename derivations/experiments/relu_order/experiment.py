"""Do ReLU fields become low-frequency for xi1 > xi2 and short-range for xi1 < xi2?

Decision rule, fixed before the run: with one value per replicate (the mean over its units of the low-frequency share
of power) at each of three horizons and for both orders, the six simultaneous 99 % t-intervals must all lie on the
claimed side of 1/2. One wholly on the other side refutes; anything else is inconclusive. Control: the same rule
applied to the untrained networks (t = 0) must not pass.
"""

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction

import numpy as np
from jaxtyping import Float
from scipy.stats import t as student_t

from derivations.experiments.control import control
from derivations.experiments.folders import problem_named
from derivations.experiments.model import Experiment, Finding, Progress, Settings
from derivations.statistics.comparison import seed_for
from sim.measure import measure
from sim.measure.receptive_fields import low_frequency_power
from sim.train import train
from sim.training.run import Run
from theory.claims.model import CheckResult, Claim, Level, Outcome
from theory.flow import solve
from theory.problem import (
    LowFrequencyPowerAtTimes,
    Network,
    ParticipationRatioAtTimes,
    Problem,
    SiteGate,
)

CLAIM = "localization.relu.order"
SIDES = {"relu-long": 1.0, "relu-short": -1.0}  # above or below 1/2; white noise has 21/40 at n = 40
_LEVEL = 0.01


def run(claims: Mapping[str, Claim], settings: Settings, progress: Progress) -> Finding:
    """Train both orders, apply the rule at the three horizons and at t = 0, and keep what the figure shows."""
    del claims
    runs: dict[str, Run] = {}
    for index, name in enumerate(SIDES):
        problem = problem_named(name)
        simulation = problem.simulated()
        count = settings.scale * simulation.replicates
        sized = replace(problem, simulation=replace(simulation, replicates=count, seed=seed_for(f"{CLAIM}/{name}")))
        runs[name] = train(
            sized,
            device=settings.device,
            progress=lambda done, total, index=index: progress("training ReLU networks", (index + done / total) / 2),
        )
    shares = {name: measure(LowFrequencyPowerAtTimes(), one).values.mean(axis=2) for name, one in runs.items()}
    result = decide({name: values[:, 1:] for name, values in shares.items()})
    untrained = decide({name: values[:, :1] for name, values in shares.items()})
    return Finding(
        results=(result, control(untrained, "untrained networks")),
        figures={"relu_order": _figure(runs)},
        estimates={CLAIM: _record(runs, shares)},
        remarks=(_remark(runs, shares),),
    )


def decide(shares: Mapping[str, Float[np.ndarray, "S T"]]) -> CheckResult:
    """The rule of this experiment on the shares (replicates, horizons) of each order."""
    intervals = sum(values.shape[1] for values in shares.values())
    lowest, highest, where = np.inf, -np.inf, ""
    for name, values in shares.items():
        replicates = len(values)
        reach = student_t.isf(_LEVEL / (2 * intervals), replicates - 1)
        error = values.std(axis=0, ddof=1) / np.sqrt(replicates)
        signed = SIDES[name] * (values.mean(axis=0) - 0.5)
        lowest_here = float((signed - reach * error).min())
        if lowest_here < lowest:
            lowest, where = lowest_here, f"closest to 1/2: {name}, horizon {int((signed - reach * error).argmin()) + 1}"
        highest = max(highest, float(-(signed + reach * error).min()))
    outcome = Outcome.PASS if lowest > 0 else Outcome.FAIL if highest > 0 else Outcome.INCONCLUSIVE
    return CheckResult(CLAIM, Level.SIMULATED, outcome, lowest, 0.0, f"{where}; smallest lower limit of the distance")


def _figure(runs: Mapping[str, Run]) -> dict[str, dict[str, np.ndarray]]:
    """Two fields of the first replicate of each order, turned so that their largest weight stands in the middle."""
    panels = {}
    for name, title in (
        ("relu-long", r"ReLU, $\xi_1 = 2 > \xi_2 = 1$"),
        ("relu-short", r"ReLU, $\xi_1 = 1 < \xi_2 = 2$"),
    ):
        fields = runs[name].weights[0, -1, :2]
        middle = fields.shape[1] // 2
        panels[title] = {
            f"trained, unit {unit + 1}": np.roll(field, middle - int(np.abs(field).argmax()))
            for unit, field in enumerate(fields)
        }
    return panels


def _record(runs: Mapping[str, Run], shares: Mapping[str, np.ndarray]) -> dict[str, object]:
    return {
        name: {
            "times": one.times,
            "low_frequency_power": shares[name].mean(axis=0),
            "standard_error": shares[name].std(axis=0, ddof=1) / np.sqrt(len(shares[name])),
            "replicates": len(shares[name]),
            "seed": one.seed,
        }
        for name, one in runs.items()
    }


def _remark(runs: Mapping[str, Run], shares: Mapping[str, np.ndarray]) -> str:
    parts = []
    for name, one in runs.items():
        ratio = measure(ParticipationRatioAtTimes(), one).values.mean(axis=(0, 2))
        parts.append(
            f"{name}: low-frequency share {shares[name][:, 0].mean():.3f} at t = 0 and "
            f"{shares[name][:, -1].mean():.3f} at t = {one.times[-1]:g}, inverse participation ratio "
            f"{ratio[0]:.3f} and {ratio[-1]:.3f} (a sinusoid has {1.5 / one.weights.shape[-1]:.3f})"
        )
    predicted = ", ".join(f"{_site_gate_share(one.problem):.3f} ({name})" for name, one in runs.items())
    return (
        "ReLU networks: "
        + "; ".join(parts)
        + f". The site gate's theory explains the order: w_1(infinity) on the same "
        f"data has the low-frequency share {predicted}."
    )


def _site_gate_share(problem: Problem) -> float:
    """The low-frequency share of unit 1 of a small-bump network on the problem's data, from the closed form."""
    gates = (SiteGate(0, lo=Fraction(0)), SiteGate(0, hi=Fraction(0)))
    network = Network(Network.gated, problem.network.readout, len(gates), gates)
    solved = solve(replace(problem, network=network, simulation=None))
    return float(low_frequency_power(np.asarray(solved.fixed_point)[0]))


EXPERIMENT = Experiment("relu_order", "The order of the correlation lengths in ReLU networks", (CLAIM,), run)
