"""Do the standard errors of fields that are predicted from estimated moments say how far these are from networks?

Decision rule, fixed before the run, for each of three problem files: networks are trained on fresh examples, and their
mean weights are compared with 128 predictions, each from moments that are estimated anew. A weight is covered where it
lies in the prediction's 80 % interval. The mean share of covered weights must not be rejected as 4/5, at the level of
1 % for all files together, and must be shown to lie within 0.08 of it. Controls: neither intervals of half the width
may pass nor, for patches, predictions from Gaussian inputs of the same mean and covariance.
"""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from jaxtyping import Float
from scipy.special import stdtrit

from derivations.experiments.control import control
from derivations.experiments.data_files import small_data_sets
from derivations.experiments.model import Experiment, Finding, Progress, Settings
from derivations.experiments.sized import sized
from derivations.statistics.comparison import agreement_of, judged, seed_for
from sim.measure import Estimate, measure
from sim.train import train
from theory.claims.areas.law.estimates import COVERED, MARGIN
from theory.claims.model import CheckResult, Claim, Level
from theory.flow.linear.estimated import estimated
from theory.problem import Problem, WeightsAtTimes
from theory.problem.distributions.sampled import GROUPS

CLAIM = "law.estimates.coverage"
ESTIMATES = 128
_LEVEL, _HALF = 0.01, 0.5
# Half the width of an 80 % interval, in standard errors.
REACH = float(stdtrit(GROUPS - 1, (1 + float(COVERED)) / 2))
PROBLEMS = ("own-ripples", "small-photographs", "few-valued-sites")
_OF_PATCHES = PROBLEMS[1]
Fields = tuple[Float[np.ndarray, "S P"], Float[np.ndarray, "S P"]]  # predicted weights and their standard errors


def run(claims: Mapping[str, Claim], settings: Settings, progress: Progress) -> Finding:
    """Train networks on each law and judge the intervals of its estimated fields."""
    del claims
    results: list[CheckResult] = []
    estimates = {}
    with small_data_sets():
        for index, name in enumerate(PROBLEMS):
            problem = sized(name, settings, f"estimated_fields/{name}")
            trained = measure(WeightsAtTimes(), train(problem, device=settings.device), settings.device)
            fields = predicted(problem, ESTIMATES)
            shares = covered(fields, trained)
            narrow = decide(covered(fields, trained, _HALF * REACH), name)
            results += [
                decide(shares, name, trained.diverged),
                control(narrow, f"intervals of half the width on {name}"),
            ]
            if name == _OF_PATCHES:
                gaussian = replace(problem, data=replace(problem.data, kinds=("gaussian", "gaussian")))
                other = decide(covered(predicted(gaussian, ESTIMATES // 2), trained), name)
                results.append(control(other, "estimates from Gaussian inputs in both classes"))
            estimates[f"{CLAIM}/{name}"] = {
                "mean": shares.mean(),
                "standard_error": shares.std(ddof=1) / np.sqrt(len(shares)),
                "replicates": len(shares),
            }
            progress("comparing estimated fields", (index + 1) / len(PROBLEMS))
    return Finding(results=tuple(results), estimates=estimates)


def predicted(problem: Problem, count: int) -> Fields:
    """The weights at the last time by estimates of seeds of their own, with their standard errors."""
    law, first = problem.data, seed_for(f"{CLAIM}/{problem.data.law}, estimates")
    laws = (replace(law, estimate=replace(law.estimate, seed=first + index)) for index in range(count))
    estimates = [estimated(replace(problem, data=seeded)) for seeded in laws]
    return np.stack([one.numbers.path[-1] for one in estimates]), np.stack([one.errors.path[-1] for one in estimates])


def covered(fields: Fields, trained: Estimate, reach: float = REACH) -> Float[np.ndarray, " S"]:
    """The share of the mean trained weights in the intervals of each prediction."""
    predictions, errors = fields
    mean, error = (values[-1].reshape(-1) for values in (trained.mean, trained.standard_error))
    return (abs(predictions - mean) <= reach * np.hypot(errors, error)).mean(axis=1)


def decide(shares: Float[np.ndarray, " S"], name: str, diverged: int = 0) -> CheckResult:
    """The rule on the shares of covered weights, one for each prediction."""
    agreement = agreement_of(
        shares[:, None],
        np.array([float(COVERED)]),
        margin=float(MARGIN / COVERED),
        level=_LEVEL / len(PROBLEMS),
        seed=seed_for(f"{CLAIM}/{name}"),
        diverged=diverged,
    )
    outcome, why = judged(agreement, _LEVEL / len(PROBLEMS))
    where = f"{name}: {shares.mean():.3f} of the weights are covered; {why}"
    return CheckResult(CLAIM, Level.SIMULATED, outcome, agreement.bound, agreement.margin, where)


EXPERIMENT = Experiment("estimated_fields", "Intervals of estimated fields", (CLAIM,), run)
