"""Do ReLU fields become low-frequency for xi1 > xi2 and short-range for xi1 < xi2, and localized for xi1 > xi2?

Two decision rules, fixed before the run, with one value per replicate, the mean over its units; 99 % t-intervals for
all entries of a rule together.

* Order: the low-frequency share of power at each of three horizons and for both orders; the six intervals must all lie
  on the claimed side of 1/2. One wholly on the other side refutes; anything else is inconclusive. Control: the
  untrained networks (t = 0) must not pass.
* Localization, xi1 > xi2: the inverse participation ratio at t = 800 and 1600; both intervals must lie above
  3/(n + 2), its mean for independent Gaussian weights. One wholly below refutes. Controls: neither the untrained
  networks nor those of the other order may pass. A pilot on other seeds had 0.091 and 0.111, and 0.084 at t = 400,
  where the distance to 1/14 is no longer clear.
"""

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction

import numpy as np
from jaxtyping import Float

from derivations.experiments.control import control
from derivations.experiments.model import Experiment, Finding, Progress, Settings
from derivations.experiments.sized import gravest, record, sized
from derivations.statistics.intervals import intervals
from sim.measure import measure
from sim.measure.receptive_fields import low_frequency_power
from sim.train import train
from sim.training.run import Run
from theory.claims.model import CheckResult, Claim, Level
from theory.flow import solve
from theory.moments.null_levels import gaussian_ratio
from theory.problem import (
    LowFrequencyPowerAtTimes,
    Network,
    ParticipationRatioAtTimes,
    Problem,
    SiteGate,
)

CLAIM, LOCALIZES = "localization.relu.order", "localization.relu.localizes"
SIDES = {"relu-long": 1.0, "relu-short": -1.0}  # above or below 1/2; white noise has 21/40 at n = 40
_LEVEL = 0.01
_LATE = 2  # the horizons t = 800 and 1600 of the four times


def run(claims: Mapping[str, Claim], settings: Settings, progress: Progress) -> Finding:
    """Train both orders, apply the rule at the three horizons and at t = 0, and keep what the figure shows."""
    del claims
    runs: dict[str, Run] = {}
    for index, name in enumerate(SIDES):
        runs[name] = train(
            sized(name, settings, f"{CLAIM}/{name}"),
            device=settings.device,
            progress=lambda done, total, index=index: progress("training ReLU networks", (index + done / total) / 2),
        )
    shares = {name: measure(LowFrequencyPowerAtTimes(), one).values.mean(axis=2) for name, one in runs.items()}
    ratios = {name: measure(ParticipationRatioAtTimes(), one).values.mean(axis=2) for name, one in runs.items()}
    sites = runs["relu-long"].weights.shape[-1]
    result = decide({name: values[:, 1:] for name, values in shares.items()})
    order_untrained = decide({name: values[:, :1] for name, values in shares.items()})
    localized = decide_localized(ratios["relu-long"][:, _LATE:], sites)
    untrained = decide_localized(ratios["relu-long"][:, :1], sites)
    reversed_order = decide_localized(ratios["relu-short"][:, _LATE:], sites)
    return Finding(
        results=(
            result,
            control(order_untrained, "untrained networks"),
            localized,
            control(untrained, "untrained networks"),
            control(reversed_order, "the networks of the other order"),
        ),
        figures={"relu_order": _figure(runs)},
        estimates={
            CLAIM: {name: record(one, "low_frequency_power", shares[name]) for name, one in runs.items()},
            LOCALIZES: {name: record(one, "participation_ratio", ratios[name]) for name, one in runs.items()},
        },
        remarks=(_remark(runs, shares, ratios),),
    )


def decide(shares: Mapping[str, Float[np.ndarray, "S T"]]) -> CheckResult:
    """The rule of the order on the shares (replicates, horizons) of each order."""
    bands = {name: intervals(values, _LEVEL / len(shares)) for name, values in shares.items()}
    outcomes = {one.above(0.5) if SIDES[name] > 0 else one.below(0.5) for name, one in bands.items()}
    nearest = min(float((one.low - 0.5 if SIDES[name] > 0 else 0.5 - one.high).min()) for name, one in bands.items())
    where = f"low-frequency shares: {'; '.join(f'{name} {one.describe()}' for name, one in bands.items())}"
    return CheckResult(CLAIM, Level.SIMULATED, gravest(outcomes), nearest, 0.0, where)


def decide_localized(ratios: Float[np.ndarray, "S T"], sites: int) -> CheckResult:
    """The rule of localization on the inverse participation ratios (replicates, horizons)."""
    band, gaussian = intervals(ratios, _LEVEL), float(gaussian_ratio(sites))
    where = f"inverse participation ratio: {band.describe(4)}; Gaussian weights have {gaussian:.4f}"
    return CheckResult(LOCALIZES, Level.SIMULATED, band.above(gaussian), float(band.low.min()), gaussian, where)


def _figure(runs: Mapping[str, Run]) -> dict[str, dict[str, np.ndarray]]:
    """Return two fields of the first replicate of each order, shifted so that their largest weight is in the middle."""
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


def _remark(runs: Mapping[str, Run], shares: Mapping[str, np.ndarray], ratios: Mapping[str, np.ndarray]) -> str:
    parts = []
    for name, one in runs.items():
        ratio = ratios[name].mean(axis=0)
        parts.append(
            f"{name}: low-frequency share {shares[name][:, 0].mean():.3f} at $t = 0$ and "
            f"{shares[name][:, -1].mean():.3f} at $t = {one.times[-1]:g}$, inverse participation ratio "
            f"{ratio[0]:.3f} and {ratio[-1]:.3f} (a sinusoid has {1.5 / one.weights.shape[-1]:.3f})"
        )
    predicted = ", ".join(f"{_site_gate_share(one.problem):.3f} ({name})" for name, one in runs.items())
    return (
        "ReLU networks: "
        + "; ".join(parts)
        + r". The optimum under a fixed site gate has the same order: $w_1(\infty)$ on the "
        f"same data has the low-frequency share {predicted}."
    )


def _site_gate_share(problem: Problem) -> float:
    """The low-frequency share of unit 1 of a small-bump network on the problem's data, from the closed form."""
    gates = (SiteGate(0, lo=Fraction(0)), SiteGate(0, hi=Fraction(0)))
    network = Network(Network.gated, problem.network.readout, len(gates), gates)
    solved = solve(replace(problem, network=network, simulation=None))
    return float(low_frequency_power(np.asarray(solved.fixed_point)[0]))


EXPERIMENT = Experiment("relu_order", "The order of the correlation lengths in ReLU networks", (CLAIM, LOCALIZES), run)
