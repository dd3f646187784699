"""Are sigmoid networks like erf networks, as the notes say, over a design of configurations?

    python -m derivations.experiments.sigmoid_design.experiment

trains erf, sigmoid and ReLU networks on the data of every configuration (`design.py`), each from a seed of its own, in
both orders of the lengths, and stores the run. `gdln validate` judges the claim by the stored run, after it has trained
again the first decided configurations (four in the full profile, else one): their sigmoid and erf networks in one order
of the lengths, which take the place of those stored. A configuration that is then decided the other way fails the
claim.

Decision rule, fixed before the run. The claim is that sigmoid and erf networks whose outputs start centred are alike in
most configurations: it holds where the 99 % interval of their share lies above 1/2, and fails where it lies below.
Control: ReLU networks, which the notes set apart from both, must not be found like erf networks by the same rule.
Recorded beside it are the configurations whose output bias starts at 0 for both, where erf and sigmoid networks should
be unlike if the hidden biases start at 0 or small; and, of both, in how many the two lie on the same sides of the null
levels: 3/(n + 2) for the participation ratio and 21/40 for the low-frequency share.

A pilot on other seeds (lengths (2, 1), gain 3, four units, w(0) of scale 1/10, four networks, batches of 500) fixed the
times, at which all networks had changed their fields, and the margins. Its erf networks from 0 had opposite ranges in
the two orders, all other networks units of both ranges in either order.
"""

from collections.abc import Mapping
from typing import Any

from derivations.experiments import folders
from derivations.experiments.control import control
from derivations.experiments.model import Experiment, Finding, Progress, Settings
from derivations.experiments.relu_design.design import HALF, ORDERS, Share, above, share
from derivations.experiments.relu_design.experiment import summary
from derivations.experiments.sigmoid_design.design import (
    MARGINS,
    MODELS,
    NAME,
    TIMES,
    Configuration,
    alike,
    configurations,
)
from sim.measure import measure
from sim.train import train
from theory.claims.model import CheckResult, Claim, Level, Outcome
from theory.problem import LossAtTimes, LowFrequencyPowerAtTimes, ParticipationRatioAtTimes

CLAIM = "localization.sigmoid.like_erf"
RUNS = (NAME,)
PAIR, CONTROL = ("sigmoid", "erf"), ("relu", "erf")
_LAST = (-1,)
_SIDES = (
    above("participation_ratio", MARGINS["participation_ratio"], _LAST),
    above("low_frequency_power", 21 / 40, _LAST),  # 21 of the 40 frequencies have |q| <= 10
)
Stored = list[Mapping[str, Any]]


def run(claims: Mapping[str, Claim], settings: Settings, progress: Progress) -> Finding:
    """Train some configurations again, compare them with the stored run, and judge the claim by that run."""
    del claims
    stored = folders.read(NAME)["trained"]
    again = repeated(stored, settings, lambda done: progress("training erf and sigmoid networks", done))
    shares = {
        f"{start}, {name}": share((one for one in stored if one["centred"] is centred), decide)
        for start, centred in (("centred", True), ("output bias 0", False))
        for name, decide in (("alike", _alike), ("on the same sides", same_sides))
    }
    return Finding(
        results=(judged(stored, again), controlled(stored)),
        estimates={CLAIM: {name: found.data() for name, found in shares.items()}},
        remarks=(
            "Sigmoid and erf networks: " + "; ".join(f"{name}: {found.describe()}" for name, found in shares.items()),
        ),
    )


def trained(wanted: list[Configuration], settings: Settings, progress: Any) -> Stored:
    """Return for every configuration what its networks are, by model and order, at each time."""
    found = []
    for index, configuration in enumerate(wanted):
        networks = {
            model: {order: measured(configuration, model, order, settings.device) for order in ORDERS}
            for model in MODELS
        }
        found.append({**configuration.data(), "trained": networks})
        progress((index + 1) / len(wanted))
    return found


def repeated(stored: Stored, settings: Settings, progress: Any) -> Stored:
    """Return the first decided configurations with sigmoid and erf networks that are trained again in one order."""
    both = zip(stored, configurations(), strict=True)
    wanted = [(one, drawn) for one, drawn in both if _alike(one) is not None][: settings.scale]
    found, order = [], ORDERS[0]
    for index, (one, drawn) in enumerate(wanted):
        networks = {
            model: {**one["trained"][model], order: measured(drawn, model, order, settings.device)} for model in PAIR
        }
        found.append({**one, "trained": networks})
        progress((index + 1) / len(wanted))
    return found


def measured(configuration: Configuration, model: str, order: str, device: str) -> dict[str, Any]:
    """Return the quantities of one training, one value a replicate (the mean over its units)."""
    result = train(configuration.problem(model, order), device=device)
    ratio, low, loss = (
        measure(asked, result, device).values
        for asked in (ParticipationRatioAtTimes(), LowFrequencyPowerAtTimes(), LossAtTimes())
    )
    return {
        "replicates": len(loss),
        "seed": result.seed,
        "participation_ratio": summary(ratio.mean(axis=2)),
        "low_frequency_power": summary(low.mean(axis=2)),
        "loss": summary(loss),
    }


def judged(stored: Stored, again: Stored) -> CheckResult:
    """Return the rule's result; a configuration that is decided the other way when it is repeated fails it."""
    found = _centred(stored, PAIR)
    before = {_named(one): alike(one, PAIR) for one in stored}
    against = [one for one in again if {before[_named(one)], alike(one, PAIR)} == {True, False}]
    if against:
        outcome, why = Outcome.FAIL, f"trained again, a configuration is decided the other way: {_named(against[0])}"
    else:
        outcome, why = found.outcome, f"alike in {found.describe()} whose outputs start centred"
    return CheckResult(CLAIM, Level.SIMULATED, outcome, found.low, HALF, why)


def controlled(stored: Stored) -> CheckResult:
    """Return the control: ReLU networks in place of the sigmoid ones."""
    found = _centred(stored, CONTROL)
    result = CheckResult(CLAIM, Level.SIMULATED, found.outcome, found.low, HALF)
    return control(result, f"ReLU and erf networks: alike in {found.describe()}")


def same_sides(one: Mapping[str, Any]) -> bool | None:
    """Return whether erf and sigmoid networks lie on the same sides of the null levels, in both orders."""
    sides = [[decide(one["trained"][model][order]) for model in PAIR] for order in ORDERS for decide in _SIDES]
    if any(set(pair) == {True, False} for pair in sides):
        return False
    return None if any(None in pair for pair in sides) else True


def _alike(one: Mapping[str, Any]) -> bool | None:
    return alike(one, PAIR)


def _centred(stored: Stored, models: tuple[str, str]) -> Share:
    return share((one for one in stored if one["centred"]), lambda one: alike(one, models))


def _named(one: Mapping[str, Any]) -> str:
    long, short = one["xi"]
    return (
        f"lengths {long:g} and {short:g}, gain {one['gain']:g}, {one['units']} units, w(0) {one['scale']:g}, hidden "
        f"biases {one['biases']}"
    )


EXPERIMENT = Experiment("sigmoid_design", "Sigmoid beside erf networks over a design", (CLAIM,), run)


def main() -> None:
    """Train the whole design and store it."""
    found = trained(configurations(), Settings(), lambda done: print(f"{done:.0%}", flush=True))
    print(folders.write(NAME.replace("-", "_"), NAME, {"times": list(TIMES), "trained": found}))


if __name__ == "__main__":
    main()
