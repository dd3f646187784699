"""Statements of the notes on trained ReLU networks, over a design of configurations in place of a single one.

    python -m derivations.experiments.relu_design.experiment

trains every configuration of the design (`design.py`) in both orders of the correlation lengths and stores the run; it
goes on where it was stopped, and begins anew where the stored run is removed. `gdln validate` judges the statements by
the stored run, after it has trained again the configurations that take least time (four in the full profile, else one),
in each order until the last time that a rule asks for: one that is decided the other way there fails the run's claims.
The rules were fixed before the runs:

* concentrated: with xi1 > xi2 the participation ratio exceeds that of Gaussian noise, 3/(n + 2), at t = 16 K^2;
* oscillating: with xi1 < xi2 less than half of the power lies at frequencies |q| <= n/4 at t = 64 K^2;
* gates: in both orders more than a tenth of the gates differ from those of the start at t = 4, 8 and 16 K^2;
* growth: with xi1 < xi2 the lengths of the weights are larger at t = 4, 8 and 16 K^2 than at K^2.

Each holds in most configurations where both ends of its share lie above 1/2, and fails where they lie below.
Control: the same rule must not pass in the other order of the lengths; that of the gates not at the start.

A first run ended at t = 16 K^2, where `oscillating` held in 24 of the 48 configurations, and in none whose shorter
length is 2: in most of those the low-frequency share was falling. So its rule was fixed anew, for t = 64 K^2, before
anything was trained that long. The seeds are those of the first run, and all its numbers came out the same.

A second run trained the 48 to 64 K^2. There `oscillating` held in 33, with 2 undecided: the interval of its share, 0.49
to 0.87, just reaches 1/2. So the rule of a census was fixed, before any result of the other 96 configurations was seen:
all 144 are trained, in both orders, with the seeds of the design; those stored stay as they are. Nothing is left to
draw, so the share of the design lies between holds/144 and (holds + undecided)/144. A statement holds in most
configurations where holds > 72, fails where holds + undecided < 72, and else stays open. Each configuration is decided
as before, by its own 99 % interval over its eight networks, so that decisions err one by one at that level. The
controls must not pass the same rule. It is for all four statements. `oscillating` holds in 87, with 7 undecided.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from derivations.experiments import folders
from derivations.experiments.control import control
from derivations.experiments.model import Experiment, Finding, Progress, Settings
from derivations.experiments.relu_design.design import (
    HALF,
    NAME,
    ORDERS,
    QUANTITIES,
    TIMES,
    Configuration,
    Decide,
    Share,
    above,
    at,
    below,
    configurations,
    share,
)
from derivations.experiments.sized import mean_and_error
from derivations.output import rounded
from sim.measure import measure
from sim.train import train
from sim.training.run import Run
from theory.claims.model import CheckResult, Claim, Level, Outcome
from theory.moments import null_levels
from theory.problem import (
    FieldNormAtTimes,
    GateFlipsAtTimes,
    LowFrequencyPowerAtTimes,
    ParticipationRatioAtTimes,
)

RUNS = (NAME,)
_SIGNIFICANT = 6  # digits stored of a simulated number
_SITES = 40
_NOISE = float(null_levels.gaussian_ratio(_SITES))
_TENTH, _SAME = 0.1, 1.0
_LONG, _SHORT = ORDERS
AGAIN = {_LONG: 16, _SHORT: 64}  # the end of repeated trainings, in units of K^2: the last time of a rule
_STORED = dict.fromkeys(ORDERS, TIMES[-1])


@dataclass(frozen=True)
class Rule:
    """A question about one training, the orders of the lengths that it concerns, and those of its control."""

    claim: str
    orders: tuple[str, ...]
    decide: Decide
    control: Decide
    controlled: tuple[str, ...]
    said: str


_CONCENTRATED = above("participation_ratio", _NOISE, at(16))
_OSCILLATING = below("low_frequency_power", HALF, at(64))
_FLIPPED = above("gate_flips", _TENTH, at(4, 8, 16))
_GROWN = above("growth", _SAME, at(4, 8, 16))
_OTHER = "networks with the lengths in the other order"
RULES = (
    Rule("localization.design.concentrated", (_LONG,), _CONCENTRATED, _CONCENTRATED, (_SHORT,), _OTHER),
    Rule("localization.design.oscillating", (_SHORT,), _OSCILLATING, _OSCILLATING, (_LONG,), _OTHER),
    Rule("localization.design.gates", ORDERS, _FLIPPED, above("gate_flips", _TENTH, at(0)), ORDERS, "the start"),
    Rule("localization.design.growth", (_SHORT,), _GROWN, _GROWN, (_LONG,), _OTHER),
)


def run(claims: Mapping[str, Claim], settings: Settings, progress: Progress) -> Finding:
    """Train some configurations again, hold them against the stored run, and judge the claims by that run."""
    del claims
    stored = folders.read(NAME)["trained"]
    quickest = sorted(configurations(), key=lambda one: one.units / one.rate)[: settings.scale]
    again = trained(quickest, AGAIN, settings, lambda done: progress("training ReLU networks of the design", done))
    results = []
    for rule in RULES:
        results += [judged(rule, stored, again), controlled(rule, stored)]
    return Finding(
        results=tuple(results),
        estimates={rule.claim: {NAME: _share(rule.orders, rule.decide, stored).data()} for rule in RULES},
        remarks=("ReLU networks over the design: " + "; ".join(_remark(rule, stored) for rule in RULES) + ".",),
    )


def trained(
    wanted: list[Configuration], until: Mapping[str, int], settings: Settings, progress: Any
) -> list[dict[str, Any]]:
    """Every configuration in both orders: its numbers, and mean and standard error of each quantity at each time."""
    networks = []
    for index, configuration in enumerate(wanted):
        for order in ORDERS:
            result = train(configuration.problem(order, until[order]), device=settings.device)
            networks.append({"order": order, **configuration.data(), **measured(result, settings.device)})
        progress((index + 1) / len(wanted))
    return networks


def measured(result: Run, device: str) -> dict[str, Any]:
    """The quantities of one training, one value a replicate (the mean over its units)."""
    quantities = (ParticipationRatioAtTimes(), LowFrequencyPowerAtTimes(), GateFlipsAtTimes(), FieldNormAtTimes())
    values = {name: measure(one, result, device).values for name, one in zip(QUANTITIES, quantities, strict=True)}
    values["growth"] = values["length"] / values["length"][:, 1:2]
    return {
        "replicates": len(values["length"]),
        "seed": result.seed,
        **{name: summary(of.mean(axis=2)) for name, of in values.items()},
    }


def summary(values: Float[np.ndarray, "S T"]) -> dict[str, list[float]]:
    """Return mean and standard error over the replicates at each time, as they are stored."""
    mean, error = mean_and_error(values)
    return {"mean": rounded(mean, _SIGNIFICANT), "standard_error": rounded(error, _SIGNIFICANT)}


def judged(rule: Rule, stored: list[Mapping[str, Any]], again: list[Mapping[str, Any]]) -> CheckResult:
    """The rule on the stored run; trainings that are decided the other way when they are repeated fail it."""
    fraction = _share(rule.orders, rule.decide, stored)
    against = [one for one in again if one["order"] in rule.orders and _contradicts(rule, stored, one)]
    if against:
        outcome, why = Outcome.FAIL, f"trained again, a configuration is decided the other way: {_named(against[0])}"
    else:
        outcome, why = fraction.outcome, f"it holds in {fraction.describe()}"
    return CheckResult(rule.claim, Level.SIMULATED, outcome, fraction.low, HALF, why)


def controlled(rule: Rule, stored: list[Mapping[str, Any]]) -> CheckResult:
    """The control of a rule: the same question where it must not pass."""
    fraction = _share(rule.controlled, rule.control, stored)
    result = CheckResult(rule.claim, Level.SIMULATED, fraction.outcome, fraction.low, HALF)
    return control(result, f"{rule.said}: {fraction.describe()}")


def _share(orders: tuple[str, ...], decide: Decide, stored: list[Mapping[str, Any]]) -> Share:
    census = len(stored) == len(ORDERS) * len(configurations())
    return share((one for one in stored if one["order"] in orders), decide, census)


def _contradicts(rule: Rule, stored: list[Mapping[str, Any]], again: Mapping[str, Any]) -> bool:
    """Whether a training is decided one way in the stored run and the other way now."""
    before = next(rule.decide(one) for one in stored if one["seed"] == again["seed"])
    now = rule.decide(again)
    return None not in (before, now) and before != now


def _named(one: Mapping[str, Any]) -> str:
    lengths = " and ".join(f"{length:g}" for length in one["xi"])
    return f"{one['order']}, lengths {lengths}, gain {one['gain']:g}, {one['units']} units, seed {one['seed']}"


def _remark(rule: Rule, stored: list[Mapping[str, Any]]) -> str:
    return f"{rule.claim.rpartition('.')[2]} in {_share(rule.orders, rule.decide, stored).describe()}"


EXPERIMENT = Experiment(
    "relu_design", "ReLU networks over a design of configurations", tuple(rule.claim for rule in RULES), run
)


def main() -> None:
    """Train the configurations of the design that are not stored, and store each when it ends."""
    networks = folders.read(NAME)["trained"] if NAME in folders.run_files() else []
    wanted = configurations()
    for index in range(len(networks) // len(ORDERS), len(wanted)):
        networks += trained([wanted[index]], _STORED, Settings(), lambda _done: None)
        folders.write("relu_design", NAME, {"times_in_units_of_K2": list(TIMES), "trained": networks})
        print(f"{index + 1} of {len(wanted)}", flush=True)


if __name__ == "__main__":
    main()
